// Command write puts the files derived from package abi in their places; `go generate ./abi` runs it in abi. It must
// never know what is in them.
package main
