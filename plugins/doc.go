// Package plugins holds the modules that come with hsim, as bytes. Only product packages import it: everything below gets
// its modules handed in, so that an embedded plugin has no privilege over one from a file.
//
// Each directory is one module, named after it and compiled from the C files in it; lib has the headers they share. `make
// plugins` compiles what has changed and writes SUMS, and a test refuses modules that are older than their sources. It
// must never know what is in a module.
package plugins
