// Package form reads structured text that other programs wrote, JSON and YAML,
// into one tree in which every key and value knows its line, and collects what
// is wrong with it as faults with code, file, line, key, value and expectation.
//
// It owns the strictness: comments, trailing commas, duplicate keys, invalid
// UTF-8, files too large or too deep are refused; keys that a reader does not
// know are noted once. The importers of rank tables, topology files and cluster
// descriptions call it. It must never know what a key means.
package form
