package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rdblens/rdblens/report"
	"github.com/rdblens/rdblens/report/output"
	"github.com/rdblens/rdblens/report/text"
	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/config"
	"github.com/rdblens/rdblens/thresholds/naming"
	"github.com/rdblens/rdblens/thresholds/units"
)

// baselineFlags are the flags of the commands that make a baseline.
type baselineFlags struct {
	passFlags
	output string
	by     string
	reason string
	until  time.Time
}

// baselineExamples is the number of keys of a rule and severity whose figures are
// known when a baseline is made.
const baselineExamples = 1000

func newBaseline(e *env) *cobra.Command {
	command := func(use, short string, entries bool, run func(context.Context, *baselineFlags, string) error) *cobra.Command {
		var o baselineFlags
		cmd := &cobra.Command{Use: use + " -o FILE SNAPSHOT|REPORT", Short: short, Args: exactly(1, "a snapshot or a saved JSON report"),
			RunE: func(cmd *cobra.Command, args []string) error {
				if o.output == "" {
					return usageError("--output: no file given", "-o accepted.yaml")
				}
				return run(cmd.Context(), &o, args[0])
			}}
		o.passFlags.register(cmd)
		option{name: "output", short: "o", arg: "FILE", usage: "the baseline", set: textOf(&o.output)}.add(cmd)
		if entries {
			o.by, o.reason = os.Getenv("USER"), "accepted when the baseline was made"
			option{name: "by", arg: "NAME", value: o.by, usage: "who accepts the new findings", set: textOf(&o.by)}.add(cmd)
			option{name: "reason", arg: "TEXT", value: o.reason, usage: "why they are acceptable", set: textOf(&o.reason)}.add(cmd)
			option{name: "until", arg: "DAY", usage: "last day on which they are accepted, such as 2027-01-31", set: func(arg string) error {
				day, err := time.Parse(time.DateOnly, arg)
				o.until = day.AddDate(0, 0, 1)
				return err
			}, hint: "write 2027-01-31"}.add(cmd)
		}
		return cmd
	}
	show := &cobra.Command{
		Use:   "show FILE",
		Short: "Print the entries of a baseline",
		Args:  exactly(1, "a baseline"),
		RunE:  func(cmd *cobra.Command, args []string) error { return e.baselineShow(args[0]) },
	}
	return group("baseline", "Accept findings, so that scan --baseline reports only new ones",
		command("create", "Accept all findings of a snapshot", true, e.baselineCreate),
		command("update", "Accept new findings, and state the present figures of the accepted ones", true, e.baselineUpdate),
		command("prune", "Remove entries that match nothing any more, and those that have ended", false, e.baselinePrune), show)
}

func (e *env) baselineCreate(ctx context.Context, o *baselineFlags, path string) error {
	if _, err := os.Stat(o.output); err == nil {
		return &exitError{code: exitUsage, err: fmt.Errorf("%q exists", o.output), hint: "rdblens baseline update -o " + o.output}
	}
	r, err := e.reportOf(ctx, &o.passFlags, path)
	if err != nil {
		return err
	}
	list := o.accepted(r)
	return e.writeBaseline(o, r, list, len(list), 0)
}

func (e *env) baselineUpdate(ctx context.Context, o *baselineFlags, path string) error {
	list, err := config.LoadBaseline(o.output)
	if err != nil {
		return policyError(err)
	}
	r, err := e.reportOf(ctx, &o.passFlags, path)
	if err != nil {
		return err
	}
	added := 0
	for _, found := range o.accepted(r) {
		same := func(in thresholds.Ignore) bool {
			return in.Rules == found.Rules && in.Pattern() == found.Pattern() && (in.Groups == nil) == (found.Groups == nil) && database(&in) == database(&found)
		}
		if i := slices.IndexFunc(list, same); i >= 0 {
			list[i].Accepted, list[i].Findings = found.Accepted, found.Findings
			continue
		}
		if !slices.ContainsFunc(list, func(in thresholds.Ignore) bool { return o.matches(&in, &found, r) }) {
			list = append(list, found)
			added++
		}
	}
	return e.writeBaseline(o, r, list, added, 0)
}

func (e *env) baselinePrune(ctx context.Context, o *baselineFlags, path string) error {
	list, err := config.LoadBaseline(o.output)
	if err != nil {
		return policyError(err)
	}
	r, err := e.reportOf(ctx, &o.passFlags, path)
	if err != nil {
		return err
	}
	if !r.Complete || r.Filter != nil {
		return &exitError{code: exitUsage, err: errors.New("the report does not cover all keys, so it does not show which entries match nothing"), hint: "prune by a whole snapshot, without a filter"}
	}
	found := o.accepted(r)
	before := len(list)
	list = slices.DeleteFunc(list, func(in thresholds.Ignore) bool {
		return in.Ended(time.Now()) || !moreGroups(r, &in) && !slices.ContainsFunc(found, func(f thresholds.Ignore) bool { return o.matches(&in, &f, r) })
	})
	return e.writeBaseline(o, r, list, 0, before-len(list))
}

// moreGroups reports whether a report does not name all groups with findings of the
// rules of an entry.
func moreGroups(r *report.Report, in *thresholds.Ignore) bool {
	return slices.ContainsFunc(r.Rules, func(f report.Finding) bool {
		rule, ok := thresholds.Lookup(f.Rule)
		return ok && in.Rules.Has(rule.ID) && f.GroupsMore > 0
	})
}

// matches reports whether an entry of a baseline is about what another one, made
// from a report, is about.
func (o *baselineFlags) matches(in, found *thresholds.Ignore, r *report.Report) bool {
	rule, _ := thresholds.Lookup(found.Names[0])
	namer := naming.NewNamer(cmp.Or(r.Config.Separators, ":"))
	if len(found.Groups) > 0 {
		return in.Matches(namer, rule.ID, database(found), []byte(found.Groups[0]), true)
	}
	return in.Matches(namer, rule.ID, database(found), []byte(naming.UnescapeGlob(found.Keys[0].String())), false)
}

// database returns the database of an entry, -1 if it is about any.
func database(in *thresholds.Ignore) int {
	if in.Database == nil {
		return -1
	}
	return *in.Database
}

func (e *env) writeBaseline(o *baselineFlags, r *report.Report, list []thresholds.Ignore, added, removed int) error {
	if len(list) > config.MaxAccepted {
		return &exitError{code: exitUsage, err: fmt.Errorf("%s; a baseline has at most %s", units.FormatCountOf(int64(len(list)), "entry", "entries"), units.FormatCount(config.MaxAccepted)),
			hint: "switch off, or limit with overrides, the rules that find most"}
	}
	if !r.Complete {
		fmt.Fprintf(e.stderr, "warning: the snapshot was not read to its end: the baseline has what was read\n")
	}
	for _, f := range r.Rules {
		if f.GroupsMore > 0 {
			fmt.Fprintf(e.stderr, "warning: %s: the report does not name %s with findings\n", text.Sanitize(f.Rule), units.FormatCountOf(int64(f.GroupsMore), "more group", "more groups"))
		}
	}
	out, err := output.Create(o.output, nil)
	if err != nil {
		return outputError(err)
	}
	defer out.Abort()
	if _, err = out.Write(config.WriteBaseline(list)); err == nil {
		err = out.Commit()
	}
	if err != nil {
		return outputError(err)
	}
	_, err = fmt.Fprintf(e.stdout, "%s: %s, %s new, %s removed\n", text.Sanitize(o.output), units.FormatCountOf(int64(len(list)), "entry", "entries"),
		units.FormatCount(int64(added)), units.FormatCount(int64(removed)))
	return outputError(err)
}

func (e *env) baselineShow(path string) error {
	list, err := config.LoadBaseline(path)
	if err != nil {
		return policyError(err)
	}
	w := bufio.NewWriter(e.stdout)
	table := text.Grid{Columns: make([]text.Column, 7)}
	table.Add("rule", "db", "keys", "accepted", "by", "until", "reason")
	for i := range list {
		in := &list[i]
		db, until := "", in.LastDay()
		if in.Database != nil {
			db = fmt.Sprint(*in.Database)
		}
		if in.Ended(time.Now()) {
			until += " (ended)"
		}
		table.Add(text.Sanitize(strings.Join(in.Names, ", ")), db, text.Display([]byte(in.Pattern())), config.AcceptedText(in), text.Sanitize(in.By), until, text.Sanitize(in.Reason))
	}
	table.Write(w, text.Unlimited)
	return outputError(w.Flush())
}

// reportOf returns the report of a snapshot, or a saved one.
func (e *env) reportOf(ctx context.Context, o *passFlags, path string) (*report.Report, error) {
	x := &expander{env: e, expandFlags: o.expandFlags}
	if err := x.add("", path, nil); err != nil {
		return nil, err
	}
	r, err := e.savedReport(x.list[0])
	switch {
	case err != nil:
		return nil, &exitError{code: exitUsage, err: inputError(path, err.Error())}
	case r != nil && r.Config.Baseline != "":
		return nil, &exitError{code: exitUsage, err: inputError(path, "the report was made with a baseline, and does not name what that accepts"), hint: "use the snapshot, or a report without --baseline"}
	case r != nil:
		return r, nil
	}
	if err := o.load(ctx, e); err != nil {
		return nil, err
	}
	stop := e.progress(x.list)
	r, err = report.Scan(ctx, []report.Source{e.source(x.list[0])}, o.policy, o.options(report.Options{Examples: baselineExamples}))
	stop()
	bad, err := failuresOf(err)
	if err == nil && bad.unread > 0 {
		err = bad.end(e, 1)
	}
	return r, err
}

// accepted returns an entry for each finding of a report: by group, or by key where a
// group has only one. What is wrong with the snapshot itself is never accepted.
func (o *baselineFlags) accepted(r *report.Report) []thresholds.Ignore {
	groups := map[report.Name]*report.Group{}
	for i := range r.Groups {
		groups[r.Groups[i].Group] = &r.Groups[i]
	}
	var list []thresholds.Ignore
	index := map[string]int{}
	for i := range r.Rules {
		f := &r.Rules[i]
		rule, ok := thresholds.Lookup(f.Rule)
		if !ok || rule.Harm == thresholds.Misleads {
			continue
		}
		add := func(key, group string, db *int, findings int64, worst int64) {
			id := fmt.Sprint(rule.ID, key, "\x00", group)
			if at, ok := index[id]; ok { // of another severity
				list[at].Findings += findings
				list[at].Accepted = max(list[at].Accepted, worst)
				return
			}
			in := thresholds.Ignore{Rules: 1 << rule.ID, Names: []string{rule.Name}, Database: db, By: o.by, Reason: o.reason, Until: o.until, Accepted: worst, Findings: findings}
			if key != "" {
				glob, _ := naming.ParseGlob(key)
				in.Keys, in.Findings = []*naming.Glob{glob}, 0
			} else {
				in.Groups = []string{group}
			}
			index[id] = len(list)
			list = append(list, in)
		}
		if rule.Instance {
			for n := range f.Examples {
				add(naming.EscapeGlob(string(f.Examples[n].Subject)), "", nil, 0, figureOf(rule, &f.Examples[n]))
			}
			continue
		}
		for _, g := range f.Groups {
			worst := worstOf(rule, f, g.Group)
			of := groups[g.Group]
			if of == nil || of.Keys != 1 || of.LargestKey == nil {
				db := (*int)(nil)
				if of != nil {
					db = of.DB
				}
				add("", string(g.Group), db, g.Count, worst)
				continue
			}
			key := naming.EscapeGlob(string(of.LargestKey.Key))
			if of.LargestKey.NameBytes > 0 {
				key += "*" // the name was cut
			}
			add(key, "", of.DB, 0, worst)
		}
	}
	return list
}

// worstOf returns the worst figure of the findings of a rule in a group. Keys that
// are no examples are no worse than the last one.
func worstOf(rule *thresholds.Rule, f *report.Finding, group report.Name) int64 {
	for i := range f.Examples { // the worst first
		if e := &f.Examples[i]; e.KeyRow != nil && e.Group == group {
			return figureOf(rule, e)
		}
	}
	if len(f.Examples) == 0 {
		return 0
	}
	return figureOf(rule, &f.Examples[len(f.Examples)-1])
}

// figureOf returns the figure of a finding, 0 if it has none in the unit of the rule.
func figureOf(rule *thresholds.Rule, e *report.Example) int64 {
	if !e.Measured.Known() || rule.Unit != units.None && e.Unit != rule.Unit.String() {
		return 0
	}
	return int64(e.Measured)
}
