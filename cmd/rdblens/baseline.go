package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report"
	"github.com/rdblens/rdblens/report/text"
	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/config"
	"github.com/rdblens/rdblens/thresholds/naming"
)

type baselineFlags struct {
	passFlags
	report.Acceptance
	output string
}

// baselineExamples is the number of keys of a rule and severity whose figures are
// known when a baseline is made.
const baselineExamples = 1000

func newBaseline(e *env) *cobra.Command {
	command := func(use, short string, entries bool,
		run func(context.Context, *baselineFlags, []string) error) *cobra.Command {
		var o baselineFlags
		cmd := &cobra.Command{Use: use + " -o FILE SNAPSHOT...|STATE...|REPORT", Short: short, Args: atLeastOneFile,
			RunE: func(cmd *cobra.Command, args []string) error {
				if o.output == "" {
					return usageError("--output: no file given").withHint("-o accepted.yaml")
				}
				return run(cmd.Context(), &o, args)
			}}
		o.passFlags.register(cmd)
		option{name: "output", short: "o", arg: "FILE", usage: "the baseline", set: textOf(&o.output)}.add(cmd)
		if entries {
			o.By, o.Reason = os.Getenv("USER"), "accepted when the baseline was made"
			option{name: "by", arg: "NAME", value: o.By, usage: "who accepts the new findings", set: textOf(&o.By)}.add(cmd)
			option{name: "reason", arg: "TEXT", value: o.Reason, usage: "why they are acceptable",
				set: textOf(&o.Reason)}.add(cmd)
			option{name: "until", arg: "DAY", usage: "last day on which they are accepted, such as 2027-01-31",
				set: func(arg string) error {
					day, err := time.Parse(time.DateOnly, arg)
					o.Until = day.AddDate(0, 0, 1)
					return err
				}, hint: "write {names}", names: "2027-01-31"}.add(cmd)
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
		command("update", "Accept new findings and present figures, remove what is gone", true, e.baselineUpdate),
		command("prune", "Remove entries that have ended or match nothing any more", false, e.baselinePrune),
		show)
}

func (e *env) baselineCreate(ctx context.Context, o *baselineFlags, args []string) error {
	if _, err := os.Stat(o.output); err == nil {
		return usageError("{file} exists", message.Path("file", o.output)).withHint("rdblens baseline update -o {file}",
			message.Path("file", o.output))
	}
	r, err := e.reportOf(ctx, &o.passFlags, args)
	if err == nil {
		err = withoutBaseline(r, args[0])
	}
	if err != nil {
		return err
	}
	list := r.Accept(o.Acceptance)
	return e.writeBaseline(o, r, list, len(list), 0)
}

func (e *env) baselineUpdate(ctx context.Context, o *baselineFlags, args []string) error {
	list, r, err := e.loadBaseline(ctx, o, args)
	if err != nil {
		return err
	}
	list, added := r.UpdateBaseline(list, o.Acceptance)
	removed := 0
	if r.Complete && r.Filter == nil && r.Config.Baseline == "" { // all keys show what matches nothing
		list, removed = r.PruneBaseline(list, time.Now())
	}
	return e.writeBaseline(o, r, list, added, removed)
}

func (e *env) baselinePrune(ctx context.Context, o *baselineFlags, args []string) error {
	list, r, err := e.loadBaseline(ctx, o, args)
	if err == nil {
		err = withoutBaseline(r, args[0])
	}
	if err != nil {
		return err
	}
	if !r.Complete || r.Filter != nil {
		return usageError("the report does not cover all keys, so it does not show which entries " +
			"match nothing").withHint("prune by a whole snapshot, without a filter")
	}
	list, removed := r.PruneBaseline(list, time.Now())
	return e.writeBaseline(o, r, list, 0, removed)
}

func (e *env) loadBaseline(ctx context.Context, o *baselineFlags, args []string) ([]thresholds.Ignore, *report.Report,
	error) {
	list, err := config.LoadBaseline(o.output)
	if err != nil {
		return nil, nil, policyError(err)
	}
	r, err := e.reportOf(ctx, &o.passFlags, args)
	return list, r, err
}

func (e *env) writeBaseline(o *baselineFlags, r *report.Report, list []thresholds.Ignore, added, removed int) error {
	if len(list) > config.MaxAccepted {
		return usageError("{entries}; a baseline has at most {n}", entries(len(list)), message.Int("n", config.MaxAccepted)).
			withHint("switch off, or limit with overrides, the rules that find most")
	}
	if !r.Complete {
		e.warn(message.New("the snapshot was not read to its end: the baseline has what was read"))
	}
	for _, f := range r.Rules {
		if f.GroupsMore > 0 {
			e.warn(message.New("{rule}: the report does not name {count} with findings", message.Text("rule", f.Rule),
				message.Number("count", int64(f.GroupsMore), "1 more group", "{n} more groups")))
		}
	}
	if err := writeFile(o.output, config.WriteBaseline(list)); err != nil {
		return outputError(err)
	}
	_, err := fmt.Fprintln(e.stdout, e.line(message.New("{file}: {entries}, {new} new, {removed} removed",
		message.Path("file", o.output), entries(len(list)),
		message.Int("new", int64(added)), message.Int("removed", int64(removed)))))
	return outputError(err)
}

func entries(n int) message.Arg {
	return message.Number("entries", int64(n), "1 entry", "{n} entries")
}

func (e *env) baselineShow(path string) error {
	list, err := config.LoadBaseline(path)
	if err != nil {
		return policyError(err)
	}
	w := bufio.NewWriter(e.stdout)
	table := text.Grid{Columns: []text.Column{{Title: e.t("rule")}, {Title: e.t("db")}, {Title: e.t("key")},
		{Title: e.t("accepted")}, {Title: e.t("accepted by")}, {Title: e.t("until")}, {Title: e.t("reason")}}}
	for i := range list {
		in := &list[i]
		db, until := "", in.LastDay()
		if in.Database != nil {
			db = fmt.Sprint(*in.Database)
		}
		if in.Ended(time.Now()) {
			until += " " + e.t("(ended)")
		}
		table.Add(text.Sanitize(strings.Join(in.Names, ", ")), db, text.Display([]byte(in.Pattern())),
			config.AcceptedText(in), text.Sanitize(in.By), until, text.Sanitize(in.Reason))
	}
	table.Write(w, text.Unlimited)
	return outputError(w.Flush())
}

// reportOf returns the report of snapshots or of their states, or a saved one.
func (e *env) reportOf(ctx context.Context, o *passFlags, args []string) (*report.Report, error) {
	if len(args) == 1 {
		x := &expander{env: e, expandFlags: o.expandFlags}
		if err := x.add("", args[0], nil); err != nil {
			return nil, err
		}
		switch r, err := e.savedReport(x.list[0]); {
		case err != nil:
			return nil, &exitError{code: exitUsage, err: inputError(args[0], message.Of(err))}
		case r != nil:
			return r, nil
		}
	}
	what := snapshots
	if slices.ContainsFunc(args, hasStates) {
		what = states
	}
	list, err := e.expand(args, o.expandFlags, what)
	if err != nil {
		return nil, err
	}
	var r *report.Report
	var bad *failures
	if what.name == states.name {
		r, err = report.Merge(ctx, sourcesOf(list, e.stateSource), report.Options{Tool: tool(), AllGroups: true})
		bad, err = failuresOf(err)
	} else {
		if err := o.load(ctx, e); err != nil {
			return nil, err
		}
		list = e.withShards(list)
		stop := e.progress(list)
		r, bad, err = e.scanSources(ctx, o.policy, list,
			o.options(report.Options{Examples: baselineExamples, AllGroups: true}))
		stop()
	}
	if err == nil && bad.unread > 0 {
		err = bad.end(e, len(list))
	}
	return r, err
}

// withoutBaseline refuses a report that does not name all findings.
func withoutBaseline(r *report.Report, path string) error {
	if r.Config.Baseline == "" {
		return nil
	}
	return inputFailed(exitUsage, path, "the report was made with a baseline, and does not name what that accepts").
		withHint("use the snapshot, or a report without --baseline")
}

// hasStates reports whether an argument is the state of a scan, or a directory or a glob
// of them.
func hasStates(arg string) bool {
	if st, err := os.Stat(arg); err == nil && st.IsDir() {
		arg = filepath.Join(naming.EscapeGlob(arg), "*"+states.extension)
	} else if err == nil {
		arg = naming.EscapeGlob(arg)
	}
	matches, _ := filepath.Glob(arg)
	return slices.ContainsFunc(matches, func(path string) bool {
		f, err := states.open(path)
		if err == nil {
			f.Close()
		}
		return err == nil
	})
}
