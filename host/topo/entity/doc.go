// Package entity turns a cluster into the rows of the data model's topology
// tables: Server, Host, Port, EndPoint, EndPoint-Port-Mapping, Link and
// Link-Protocol-Mapping. The rows of devices, which change while a simulation runs,
// are those of package acl.
//
// It owns which row a thing of the graph becomes and which keys join the rows.
// The table printer calls it. It must never know how rows are printed or kept.
package entity
