// Package load makes a cluster of the files a user names: a rank table with or
// without a topology file, root info files, a topology file alone, or a cluster
// description.
//
// It owns which files go together. The scenario and `hsim topo` call it. It must
// never know what is in the files.
package load
