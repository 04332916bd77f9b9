package main

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rdblens/rdblens/report/text"
	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/config"
	"github.com/rdblens/rdblens/thresholds/units"
)

func newConfig(e *env) *cobra.Command {
	var flags policyFlags
	check := &cobra.Command{
		Use:   "check FILE",
		Short: "Check a configuration: report its problems, and which rules it switches on, off or changes",
		Args:  exactly(1, "a configuration"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return e.configCheck(args[0])
		},
	}
	show := &cobra.Command{
		Use:   "show",
		Short: "Print every value that applies and where it was set",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return e.configShow(&flags)
		},
	}
	flags.register(show)
	show.Flags().BoolVar(&flags.cluster, "cluster", false, "as for a cluster node")
	schema := &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of configurations, for editors",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			_, err := e.stdout.Write(config.Schema())
			return outputError(err)
		},
	}
	return group("config", "Check and show the team's configuration", check, show, schema)
}

func (e *env) configCheck(path string) error {
	policy, err := config.Load(config.Options{Config: path})
	if err != nil {
		return policyError(err)
	}
	e.warn(policy)
	w := bufio.NewWriter(e.stdout)
	fmt.Fprintf(w, "%s: ok, %s\n", text.Sanitize(path), countSettings(policy))
	keys := ""
	for _, c := range config.Changes(policy) {
		if c.Keys != keys {
			keys = c.Keys
			fmt.Fprintf(w, "  keys %s:\n", text.Sanitize(keys))
		}
		what := c.After
		switch {
		case c.Idle != "":
			what = c.Idle
		case c.Word() == "changed":
			what += " (was " + c.Before + ")"
		case c.Word() == "off":
			what = "(was " + c.Before + ")"
		}
		fmt.Fprintf(w, "  %-8s %-18s %s\n", c.Word(), c.Rule, text.Sanitize(what))
	}
	return outputError(w.Flush())
}

// warn prints the warnings of a policy.
func (e *env) warn(p *thresholds.Policy) {
	for _, w := range p.Warnings {
		fmt.Fprintf(e.stderr, "warning: %s\n", text.SanitizeLines(w))
	}
}

// countSettings counts what a configuration sets: "extends aliyun, 1 rule changed".
func countSettings(p *thresholds.Policy) string {
	parts := []string{"extends " + p.Profile.Value}
	count := func(n int, one, many string) {
		if n > 0 {
			parts = append(parts, units.FormatCountOf(int64(n), one, many))
		}
	}
	rules := 0
	for i := range p.Settings {
		if setInFile(&p.Settings[i]) {
			rules++
		}
	}
	count(rules, "rule changed", "rules changed")
	count(len(p.Overrides), "override", "overrides")
	count(len(p.Ignores), "ignored finding", "ignored findings")
	count(len(p.Namespaces), "namespace", "namespaces")
	count(len(p.Abbreviations), "abbreviation", "abbreviations")
	return strings.Join(parts, ", ")
}

// setInFile reports whether the team's file sets anything of a rule.
func setInFile(s *thresholds.Setting) bool {
	found := s.Origin.Kind == thresholds.FromFile
	for _, l := range s.Limits {
		found = found || l.Origin.Kind == thresholds.FromFile
	}
	for _, v := range s.Params {
		found = found || v.Origin.Kind == thresholds.FromFile
	}
	return found
}

// alignedValue is the width of a value, in columns, up to which the column of origins
// makes room for it.
const alignedValue = 24

func (e *env) configShow(flags *policyFlags) error {
	policy, err := flags.load(e)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(e.stdout)
	paths, values := 0, 0
	entries := config.Entries(policy)
	for i := range entries {
		entry := &entries[i]
		entry.Path, entry.Value = text.SanitizeLines(entry.Path), text.SanitizeLines(entry.Value)
		paths = max(paths, text.Width(entry.Path))
		if n := text.Width(entry.Value); n <= alignedValue {
			values = max(values, n)
		}
	}
	for _, entry := range entries {
		fmt.Fprintf(w, "%s  %s  # %s\n", padded(entry.Path, paths), padded(entry.Value, values), text.SanitizeLines(entry.Origin.String()))
	}
	return outputError(w.Flush())
}

func padded(s string, n int) string { return s + strings.Repeat(" ", max(0, n-text.Width(s))) }

// policyError is an error of a configuration, or of the flags that select rules.
func policyError(err error) error {
	exit := &exitError{code: exitUsage, err: err}
	var problems config.Errors
	var hinted interface{ Hint() string }
	switch {
	case errors.As(err, &problems):
		var lines []string
		for _, p := range problems {
			lines = append(lines, p.Error())
			if p.Excerpt != "" {
				lines = append(lines, strings.TrimRight(p.Excerpt, "\n"))
			}
			if p.Advice != "" {
				lines = append(lines, "hint: "+p.Advice)
			}
		}
		exit.err = errors.New(strings.Join(lines, "\n"))
	case errors.As(err, &hinted):
		exit.hint = hinted.Hint()
	case errors.Is(err, fs.ErrNotExist):
		exit.hint = "check the path; without --config, " + teamConfig + " in the current directory is used if it exists"
	default:
		exit.hint = "rdblens config check reports the problems of a configuration"
	}
	return exit
}
