// Package report turns the keys of snapshots into a report and writes it.
//
// A Builder takes keys and findings and adds them up within fixed bounds; its
// Report is plain data with a versioned JSON form; one file a format
// (out_<name>.go) writes it. Names of keys and elements are hostile input, which
// internal/text escapes for each format.
package report
