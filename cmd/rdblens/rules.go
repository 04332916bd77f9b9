package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report/language"
	"github.com/rdblens/rdblens/report/text"
	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/config"
)

func newRules(e *env) *cobra.Command {
	var flags, team policyFlags
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
	list.Flags().BoolVar(&notCheckable, "not-checkable", false,
		"list the requirements of the profile's document that a snapshot cannot show (default of all documents)")
	exclusive(list, "rules", "not-checkable", "requirements that cannot be checked have no rule")
	explain := &cobra.Command{
		Use:               "explain NAME",
		Short:             "Print what a rule flags, why, how to fix it, and its sources",
		Args:              exactly(1, "a rule"),
		ValidArgsFunction: completeWords(thresholds.RuleNames()...),
		RunE: func(cmd *cobra.Command, args []string) error {
			return e.rulesExplain(cmd.Context(), &team, args[0])
		},
	}
	team.register(explain)
	rules := group("rules", "List and explain the rules", list, explain)
	rules.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return unknownCommand(cmd, args[0])
		}
		return e.rulesList(cmd.Context(), &flags)
	}
	return rules
}

func (e *env) rulesList(ctx context.Context, flags *policyFlags) error {
	policy, err := flags.load(ctx, e)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(e.stdout)
	fmt.Fprintf(w, "%s\n", text.SanitizeLines(policy.Describe().String()))
	for section := range thresholds.SectionInstance + 1 {
		fmt.Fprintf(w, "\n%s\n", text.Heading(e.t(section.String())))
		table := text.Grid{Columns: []text.Column{{}, {Shrink: text.ShrinkEnd, First: 32},
			{Shrink: text.ShrinkEnd, First: 40}}}
		for _, r := range thresholds.Rules() {
			if r.Section == section {
				table.Add(r.Name, settingText(&policy.Settings[r.ID]), e.t(r.Title))
			}
		}
		table.Write(w, terminalWidth(e.stdout))
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
	title := "Requirements of the documents that a snapshot shows only partly or not at all:"
	if profile != thresholds.DefaultProfile {
		title = "Requirements of the document of profile {profile} that a snapshot shows only partly or not at all:"
	}
	w := bufio.NewWriter(e.stdout)
	fmt.Fprintln(w, e.line(message.New(title, message.Text("profile", profile))))
	for _, d := range thresholds.NotCheckable(profile) {
		fmt.Fprintf(w, "\n")
		verdict := e.line(message.New(" ({profile}, {verdict})", message.Text("profile", d.Document.Profile()),
			message.Word("verdict", d.Verdict.String())))
		if e.language == language.Chinese {
			wrap(w, "- ", d.Original+verdict)
		} else {
			wrap(w, "- ", d.English+verdict)
			wrap(w, "  ", d.Original)
		}
		if len(d.Rules) > 0 {
			wrap(w, "  ", e.line(message.New("rules: {names}", message.Text("names", strings.Join(d.Rules, ", ")))))
		}
		wrap(w, "  ", e.t(d.Reason))
	}
	return outputError(w.Flush())
}

func (e *env) rulesExplain(ctx context.Context, flags *policyFlags, name string) error {
	rule, ok := thresholds.Lookup(name)
	if !ok {
		_, err := thresholds.Select(name)
		if err == nil {
			err = thresholds.UnknownRule(name) // a glob, or all
		}
		return policyError(err)
	}
	policy, err := flags.load(ctx, e)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(e.stdout)
	e.explain(w, rule)
	if policy.File != "" {
		e.explainSetting(w, policy, rule)
	}
	return outputError(w.Flush())
}

// explain prints the documentation of a rule and its setting in each profile.
func (e *env) explain(w io.Writer, r *thresholds.Rule) {
	fmt.Fprintf(w, "%s: %s\n", r.Name, e.t(r.Title))
	heading := func(title string) { fmt.Fprintf(w, "\n%s\n", text.Heading(e.t(title))) }
	paragraph := func(title, sentences string) {
		if sentences != "" {
			heading(title)
			wrap(w, "  ", e.t(sentences))
		}
	}
	paragraph("What it flags", r.Doc.What)
	paragraph("Why", r.Doc.Why)
	paragraph("How to fix it", r.Doc.Fix)
	paragraph("Example", r.Doc.Example)
	if list := changes(r); len(list) > 0 {
		heading("Commands that change data")
		for _, a := range list {
			fmt.Fprintf(w, "  %s\n", strings.ReplaceAll(commandsText(a), "\n", "\n  "))
			wrap(w, "    ", e.t(a.Condition.String())+": "+e.t(a.Text.String()))
		}
	}
	if len(r.Params) > 0 {
		heading("Parameters")
		for _, p := range r.Params {
			wrap(w, "  ", p.Name+": "+e.t(p.Doc))
		}
	}
	heading("Profiles")
	profiles := text.Grid{Columns: make([]text.Column, 2)}
	for _, name := range config.Profiles() {
		profiles.Add(name, settingText(&config.Profile(name).Settings[r.ID]))
	}
	profiles.Write(w, text.Unlimited)
	basis := r.Basis()
	if len(basis.Sources) > 0 {
		heading("Sources")
	}
	for _, s := range basis.Sources {
		wrap(w, "  ", e.line(message.New("{document}, for {names}", message.Word("document", s.Document.Title()),
			message.Text("names", strings.Join(s.Profiles, ", ")))))
		wrap(w, "    ", s.Level+s.Original)
		if e.language != language.Chinese {
			wrap(w, "    ", s.English)
		}
	}
	if len(basis.Notes) > 0 {
		heading("Notes")
	}
	for _, n := range basis.Notes {
		wrap(w, "  ", strings.Join(n.Profiles, ", ")+": "+e.t(n.Text))
	}
}

// explainSetting prints how a configuration sets a rule, with the reason that it gives.
func (e *env) explainSetting(w io.Writer, p *thresholds.Policy, r *thresholds.Rule) {
	fmt.Fprintf(w, "\n%s\n", text.Heading(e.t("This configuration")))
	about := func(what, reason, source string) {
		wrap(w, "  ", text.Sanitize(what))
		if reason != "" {
			wrap(w, "    ", e.line(message.New("reason: {reason}", message.Foreign("reason", text.Sanitize(reason)))))
		}
		if source != "" {
			wrap(w, "    ", e.line(message.New("source: {source}", message.Foreign("source", text.Sanitize(source)))))
		}
	}
	show := func(keys string, s *thresholds.Setting) {
		about(keys+settingText(s), s.Reason.Value, s.Source.Value)
	}
	show("", &p.Settings[r.ID])
	for i := range p.Budgets {
		if b := &p.Budgets[i]; r.Name == "budget" {
			about(thresholds.SubjectText(b.Subject()), b.Reason, b.Source)
		}
	}
	for i := range p.Ignores {
		if in := &p.Ignores[i]; in.Rules.Has(r.ID) && !in.Baseline {
			about(e.line(message.New("ignored: {pattern}", message.Name("pattern", in.Pattern()))), in.Reason, in.Source)
		}
	}
	for i := range p.Overrides {
		o := &p.Overrides[i]
		if slices.ContainsFunc(o.Edits, func(edit thresholds.Edit) bool { return edit.Rule == r.ID }) {
			show(o.Pattern()+": ", &p.Overridden(o)[r.ID])
		}
	}
}

// changes returns the commands that change data which the advice of a rule may have,
// for a current server.
func changes(r *thresholds.Rule) (list []thresholds.Advice) {
	for _, profile := range config.Profiles() {
		for _, a := range config.Profile(profile).Compile(thresholds.Env{Server: "redis", Version: "7.0.15",
			Created: -1}).Changes(r) {
			if !slices.ContainsFunc(list, func(b thresholds.Advice) bool { return commandsText(a) == commandsText(b) }) {
				list = append(list, a)
			}
		}
	}
	return list
}

func commandsText(a thresholds.Advice) string {
	lines := make([]string, len(a.Commands))
	for i, c := range a.Commands {
		lines[i] = thresholds.CommandText(c)
	}
	return strings.Join(lines, "\n")
}

// wrap prints text in lines of at most 88 columns, or those of the terminal. The first line begins with
// indent, the others with as many spaces.
func wrap(w io.Writer, indent, s string) {
	columns := 88
	if n := terminalWidth(os.Stdout); n > 0 {
		columns = min(columns, n)
	}
	io.WriteString(w, text.Wrap(indent, strings.Repeat(" ", len(indent)), s, columns))
}
