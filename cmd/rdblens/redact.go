package main

import (
	"math"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/rdblens/rdblens/report/redact"
)

// saltVariable is the environment variable of the salt, which the list of processes
// does not show.
const saltVariable = "RDBLENS_REDACT_SALT"

// redactFlags say whether and how names are replaced.
type redactFlags struct {
	on      bool
	salt    string
	minKeys int64
}

// register declares the flags. Each of them switches redaction on.
func (f *redactFlags) register(cmd *cobra.Command) {
	f.minKeys = redact.DefaultMinKeys
	cmd.Flags().BoolVar(&f.on, "redact", false, "replace names of keys, elements, groups and files, and the command line, by short hashes")
	option{name: "redact-salt", arg: "SALT", usage: "salt of the hashes: names of reports with the same one compare (default $" + saltVariable + ", else random)",
		set: func(arg string) error {
			f.on = true
			return textOf(&f.salt)(arg)
		}}.add(cmd)
	option{name: "redact-min-keys", arg: "N", value: strconv.Itoa(redact.DefaultMinKeys), usage: "words in the names of at least this many keys stay, 0 none",
		set: func(arg string) error {
			f.on = true
			return wholeNumber(&f.minKeys, 0, math.MaxInt)(arg)
		}}.add(cmd)
}

// redactor returns what replaces names, nil if they stay.
func (f *redactFlags) redactor() *redact.Redactor {
	if !f.on {
		return nil
	}
	if f.salt == "" {
		f.salt = os.Getenv(saltVariable)
	}
	return redact.New(f.salt, f.minKeys)
}
