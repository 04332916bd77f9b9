// Package text lays out text for people and escapes text that others wrote.
//
// Names of keys and elements are hostile input: they can hold escape sequences,
// formulas of spreadsheets, bytes that are not UTF-8 and characters that change
// the direction of a line. escape.go is the only place that makes them safe for
// an output; grid.go sets tables, wrap.go breaks lines, and width.go measures
// columns of a terminal.
//
// The package is at the root of the module, not under report, because the
// commands use it too. It imports no other package of the module.
package text
