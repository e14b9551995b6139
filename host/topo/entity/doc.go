// Package entity turns a cluster into the rows of the data model's topology
// tables: Server, Host, Device, Port, EndPoint, EndPoint-Port-Mapping, Link and
// Link-Protocol-Mapping.
//
// It owns which row a thing of the graph becomes and which keys join the rows.
// The table printer calls it. It must never know how rows are printed or kept.
package entity
