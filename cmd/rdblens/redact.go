package main

import (
	"math"
	"os"

	"github.com/spf13/cobra"

	"github.com/rdblens/rdblens/report"
)

// saltVariable is the environment variable of the salt, which the list of processes
// does not show.
const saltVariable = "RDBLENS_REDACT_SALT"

type redactFlags struct {
	on      bool
	salt    string
	minKeys int64
	by      *report.Redactor
}

// register declares the flags. Each of them switches redaction on, also of what the
// command writes to standard error.
func (f *redactFlags) register(e *env, cmd *cobra.Command) {
	e.redactions = append(e.redactions, f)
	cmd.Flags().BoolVar(&f.on, "redact", false,
		"replace names of keys, elements, groups, owners and files, and the command line, by short hashes")
	option{name: "redact-salt", arg: "SALT",
		usage: "salt of the hashes: names of reports with the same one compare (default {list}, else random)",
		list:  "$" + saltVariable,
		set: func(arg string) error {
			f.on = true
			return textOf(&f.salt)(arg)
		}}.add(cmd)
	option{name: "redact-keep", arg: "N", usage: "words in the names of at least N keys stay; the report lists them",
		set: func(arg string) error {
			f.on = true
			return wholeNumber(&f.minKeys, 1, math.MaxInt)(arg)
		}}.add(cmd)
}

// redactor returns what replaces names, nil if they stay.
func (f *redactFlags) redactor() *report.Redactor {
	if f.on && f.by == nil {
		if f.salt == "" {
			f.salt = os.Getenv(saltVariable)
		}
		f.by = report.NewRedactor(f.salt, f.minKeys)
	}
	return f.by
}
