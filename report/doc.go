// Package report scans snapshots, reports on their keys, and writes reports.
//
// Scan reads snapshots and checks their keys against a thresholds.Policy, in
// bounded memory. The Report that it returns is plain data with a versioned JSON
// form, which nothing changes afterwards. Write writes it in a format: one of
// Formats, each in a file out_<name>.go; what several of them share is in other
// files out_*.go. Read reads the JSON form back.
//
// Names of keys and elements are hostile input. A Name has them as they are; every
// format escapes them in one place.
package report
