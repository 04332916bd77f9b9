package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rdblens/rdblens/report/text"
	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/config"
	"github.com/rdblens/rdblens/thresholds/requirements"
)

func newRules(e *env) *cobra.Command {
	var flags policyFlags
	var notCheckable bool
	list := &cobra.Command{
		Use:   "list",
		Short: "List the rules and their settings",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if notCheckable {
				return e.rulesNotCheckable(cmd.Context(), &flags)
			}
			return e.rulesList(cmd.Context(), &flags)
		},
	}
	flags.register(list)
	list.Flags().BoolVar(&notCheckable, "not-checkable", false, "list the requirements of the profile's document that a snapshot cannot show (default of all documents)")
	exclusive(list, "rules", "not-checkable", "requirements that cannot be checked have no rule")
	explain := &cobra.Command{
		Use:               "explain NAME",
		Short:             "Print what a rule flags, why, how to fix it, and its sources",
		Args:              exactly(1, "a rule"),
		ValidArgsFunction: completeWords(ruleNames()...),
		RunE: func(cmd *cobra.Command, args []string) error {
			return e.rulesExplain(args[0])
		},
	}
	return group("rules", "List and explain the rules", list, explain)
}

func (e *env) rulesList(ctx context.Context, flags *policyFlags) error {
	policy, err := flags.load(ctx, e)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(e.stdout)
	fmt.Fprintf(w, "%s\n", text.SanitizeLines(policy.Describe()))
	for section := range thresholds.SectionInstance + 1 {
		fmt.Fprintf(w, "\n%s\n", strings.ToUpper(section.String()))
		table := text.Grid{Columns: make([]text.Column, 3)}
		for _, r := range thresholds.Rules() {
			if r.Section == section {
				table.Add(r.Name, settingText(&policy.Settings[r.ID]), r.Title)
			}
		}
		table.Write(w, text.Unlimited)
	}
	return outputError(w.Flush())
}

// settingText returns the setting of a rule: "off", "warning 1 KB, error 10 KB",
// "info 10 KB; element 4 KB".
func settingText(s *thresholds.Setting) string {
	summary := s.Summary()
	if params := s.ParamSummary(); s.On && params != "" {
		summary += "; " + params
	}
	return summary
}

func (e *env) rulesNotCheckable(ctx context.Context, flags *policyFlags) error {
	policy, err := flags.load(ctx, e)
	if err != nil {
		return err
	}
	profile := policy.Profile.Value
	whose := "documents"
	if profile != thresholds.DefaultProfile {
		whose = "document of profile " + profile
	}
	w := bufio.NewWriter(e.stdout)
	fmt.Fprintf(w, "Requirements of the %s that a snapshot shows only partly or not at all:\n", whose)
	for _, d := range requirements.NotCheckable(profile) {
		fmt.Fprintf(w, "\n")
		wrap(w, "- ", d.English+" ("+d.Document.Profile()+", "+d.Verdict.String()+")")
		wrap(w, "  ", d.Original)
		if len(d.Rules) > 0 {
			wrap(w, "  ", "rules: "+strings.Join(d.Rules, ", "))
		}
		wrap(w, "  ", d.Reason)
	}
	return outputError(w.Flush())
}

func (e *env) rulesExplain(name string) error {
	rule, ok := thresholds.Lookup(name)
	if !ok {
		_, err := thresholds.Select(name)
		if err == nil {
			err = fmt.Errorf("unknown rule %q", name) // a glob, or all
		}
		return policyError(err)
	}
	w := bufio.NewWriter(e.stdout)
	explain(w, rule)
	return outputError(w.Flush())
}

// explain prints the documentation of a rule and its setting in each profile.
func explain(w io.Writer, r *thresholds.Rule) {
	fmt.Fprintf(w, "%s: %s\n", r.Name, r.Title)
	paragraph := func(title, text string) {
		if text != "" {
			fmt.Fprintf(w, "\n%s\n", title)
			wrap(w, "  ", text)
		}
	}
	paragraph("WHAT IT FLAGS", r.Doc.What)
	paragraph("WHY", r.Doc.Why)
	paragraph("HOW TO FIX IT", r.Doc.Fix)
	paragraph("EXAMPLE", r.Doc.Example)
	explainChanges(w, r)
	if len(r.Params) > 0 {
		fmt.Fprintf(w, "\nPARAMETERS\n")
		for _, p := range r.Params {
			wrap(w, "  ", p.Name+": "+p.Doc)
		}
	}
	fmt.Fprintf(w, "\nPROFILES\n")
	profiles := text.Grid{Columns: make([]text.Column, 2)}
	for _, name := range config.Profiles() {
		profiles.Add(name, settingText(&config.Profile(name).Settings[r.ID]))
	}
	profiles.Write(w, text.Unlimited)
	if len(r.Doc.Sources) > 0 {
		fmt.Fprintf(w, "\nSOURCES\n")
	}
	for _, s := range r.Doc.Sources {
		wrap(w, "  ", s.Document.Title()+", for "+strings.Join(s.Profiles, ", "))
		wrap(w, "    ", s.Level+s.Original)
		wrap(w, "    ", s.English)
	}
	if len(r.Doc.Notes) > 0 {
		fmt.Fprintf(w, "\nNOTES\n")
	}
	for _, n := range r.Doc.Notes {
		wrap(w, "  ", strings.Join(n.Profiles, ", ")+": "+n.Text)
	}
}

// explainChanges prints the commands that change data which the advice of a rule
// may have, for a current server.
func explainChanges(w io.Writer, r *thresholds.Rule) {
	var list []thresholds.Advice
	for _, profile := range config.Profiles() {
		for _, a := range config.Profile(profile).Compile(thresholds.Env{Server: "redis", Version: "7.0.15", Created: -1}).Changes(r) {
			if !slices.ContainsFunc(list, func(b thresholds.Advice) bool { return slices.Equal(a.Commands, b.Commands) }) {
				list = append(list, a)
			}
		}
	}
	if len(list) > 0 {
		fmt.Fprintf(w, "\nCOMMANDS THAT CHANGE DATA\n")
	}
	for _, a := range list {
		fmt.Fprintf(w, "  %s\n", strings.Join(a.Commands, "\n  "))
		wrap(w, "    ", a.Condition+": "+a.Text)
	}
}

// wrap prints text in lines of at most 88 columns. The first line begins with
// indent, the others with as many spaces.
func wrap(w io.Writer, indent, s string) {
	const columns = 88
	io.WriteString(w, text.Wrap(indent, strings.Repeat(" ", len(indent)), s, columns))
}
