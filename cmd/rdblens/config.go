package main

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rdblens/rdblens/internal/text"
	"github.com/rdblens/rdblens/thresholds"
)

func newConfig(e *env) *cobra.Command {
	var flags policyFlags
	check := &cobra.Command{
		Use:   "check FILE",
		Short: "Check a configuration and say what is wrong with it, line by line",
		Args:  exactly(1, "a configuration"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return e.configCheck(args[0])
		},
	}
	show := &cobra.Command{
		Use:   "show",
		Short: "Print every value in force and where it comes from",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return e.configShow(&flags)
		},
	}
	flags.register(show)
	show.Flags().BoolVar(&flags.cluster, "cluster", false, "as for the node of a cluster")
	schema := &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of configurations, for editors",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			_, err := e.stdout.Write(thresholds.Schema())
			return outputError(err)
		},
	}
	return group("config", "Check and show the team's own configuration", check, show, schema)
}

func (e *env) configCheck(path string) error {
	policy, err := thresholds.Load(thresholds.LoadOptions{Config: path})
	if err != nil {
		return policyError(err)
	}
	e.warn(policy)
	_, err = fmt.Fprintf(e.stdout, "%s: ok, %s\n", text.Sanitize(path), inForce(policy))
	return outputError(err)
}

// warn tells what a policy says that can hardly be meant.
func (e *env) warn(p *thresholds.Policy) {
	for _, w := range p.Warnings {
		fmt.Fprintf(e.stderr, "warning: %s\n", text.SanitizeLines(w))
	}
}

// inForce counts what a configuration sets.
func inForce(p *thresholds.Policy) string {
	parts := []string{"extends " + p.Profile.Value}
	count := func(n int, one, many string) {
		switch n {
		case 0:
		case 1:
			parts = append(parts, "1 "+one)
		default:
			parts = append(parts, fmt.Sprintf("%d %s", n, many))
		}
	}
	rules := 0
	for i := range p.Settings {
		if ownSetting(&p.Settings[i]) {
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

// ownSetting reports whether the team's file sets anything of a rule.
func ownSetting(s *thresholds.Setting) bool {
	own := s.Origin.Kind == thresholds.FromFile
	for _, l := range s.Limits {
		own = own || l.Origin.Kind == thresholds.FromFile
	}
	for _, v := range s.Params {
		own = own || v.Origin.Kind == thresholds.FromFile
	}
	return own
}

func (e *env) configShow(flags *policyFlags) error {
	policy, err := flags.load(e)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(e.stdout)
	paths, values := 0, 0
	entries := policy.Show()
	for i := range entries {
		entry := &entries[i]
		entry.Path, entry.Value = text.SanitizeLines(entry.Path), text.SanitizeLines(entry.Value)
		paths = max(paths, text.Width(entry.Path))
		if n := text.Width(entry.Value); n <= shownValue {
			values = max(values, n)
		}
	}
	for _, entry := range entries {
		fmt.Fprintf(w, "%s  %s  # %s\n", padded(entry.Path, paths), padded(entry.Value, values), text.SanitizeLines(entry.Origin.String()))
	}
	return outputError(w.Flush())
}

// shownValue is how wide a value may be that the column of origins heeds.
const shownValue = 24

func padded(s string, n int) string { return s + strings.Repeat(" ", max(0, n-text.Width(s))) }

// policyError is an error of a configuration, or of the flags that choose rules.
func policyError(err error) error {
	exit := &exitError{code: exitUsage, err: err}
	var config thresholds.ConfigErrors
	var hinted interface{ Hint() string }
	switch {
	case errors.As(err, &config):
		var text []string
		for _, c := range config {
			text = append(text, c.Error())
			if c.Excerpt != "" {
				text = append(text, strings.TrimRight(c.Excerpt, "\n"))
			}
			if c.Advice != "" {
				text = append(text, "hint: "+c.Advice)
			}
		}
		exit.err = errors.New(strings.Join(text, "\n"))
	case errors.As(err, &hinted):
		exit.hint = hinted.Hint()
	case errors.Is(err, fs.ErrNotExist):
		exit.hint = "check the path; without --config, rdblens.yaml in the current folder is taken where there is one"
	default:
		exit.hint = "rdblens config check says what is wrong with a configuration"
	}
	return exit
}
