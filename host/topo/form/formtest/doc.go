// Package formtest changes documents for the fuzz targets of the importers, so
// that what they see is well-formed and wrong in its meaning. Tests call it. It must
// never know what a document means.
package formtest
