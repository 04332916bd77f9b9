package main

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/gdamore/tcell/v2"
	"github.com/spf13/cobra"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report"
)

// browseKeys is the length of a list of the biggest keys, and browseMemory the limit of
// the heap, in bytes, while a report is browsed: it stays in memory.
const (
	browseKeys   = 500
	browseMemory = 192 << 20
)

var browseOptions = report.Options{Top: browseKeys, TreeNodes: maxTreeNodes}

func newBrowse(e *env) *cobra.Command {
	var o passFlags
	var source sourceFlags
	var advice bool
	var since string
	cmd := &cobra.Command{
		Use:   "browse FILE...",
		Short: "Walk through the keys by prefix, as ncdu walks through a disk",
		Args:  atLeastOneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			return e.browse(cmd.Context(), &o, &source, args, since, advice)
		},
	}
	o.register(cmd)
	source.register(cmd)
	option{name: "since", arg: "OLD", usage: "older snapshot or saved report of the same server: show what has grown since",
		hint: "rdblens browse --since monday.rdb tuesday.rdb", set: textOf(&since)}.add(cmd)
	cmd.Flags().BoolVar(&advice, "advice", false, "show commands that change data, too, each with its condition")
	return cmd
}

func (e *env) browse(ctx context.Context, o *passFlags, source *sourceFlags, args []string, since string,
	advice bool) error {
	if err := o.load(ctx, e); err != nil {
		return err
	}
	finder, err := e.finder(source, o.policy)
	if err != nil {
		return err
	}
	b := newBrowser(e, o)
	b.advice, b.finder = advice, finder
	if since != "" {
		if b.old, b.oldInputs, err = e.loadReport(ctx, o, browseOptions, []string{since}); err != nil {
			return err
		}
		b.sort = byGrowth
	}
	options := browseOptions
	options.Source = finder
	if b.report, b.inputs, err = e.loadReport(ctx, o, options, args); err != nil {
		return err
	}
	if b.report.Tree == nil {
		if b.report.Totals.Keys == 0 {
			return usageError("there are no keys to browse")
		}
		return usageError("the report has no tree of names").withHint("make it again: rdblens scan -f json=report.json dump.rdb")
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(browseMemory)
	}
	// tcell: it adds 0.15 MB less than bubbletea, and has a screen for tests. Names are UTF-8
	// whatever the locale, as in all outputs.
	os.Setenv("LC_ALL", "C.UTF-8")
	screen, err := tcell.NewTerminfoScreen()
	if err == nil {
		err = screen.Init()
	}
	if err != nil {
		return usageError("browse needs a terminal: {reason}", message.Reason("reason", err)).withHint("rdblens scan {file}",
			message.Code("file", shellWord(args[0])))
	}
	b.color = os.Getenv("NO_COLOR") == "" && screen.Colors() > 8
	err = b.run(ctx, screen)
	b.printMarks()
	return err
}

func newBrowser(e *env, pass *passFlags) *browser {
	return &browser{env: e, pass: pass, sort: byMemory, marks: map[markOf]browseRow{}}
}

// loadReport makes or reads a report, and finds its snapshots that can be read again.
func (e *env) loadReport(ctx context.Context, pass *passFlags, options report.Options, args []string) (r *report.Report,
	inputs []*input, err error) {
	list, err := e.inputs(args, pass.expandFlags)
	if err != nil {
		return nil, nil, err
	}
	if len(list) == 1 {
		if r, err = e.savedReport(list[0]); err != nil {
			return nil, nil, &exitError{code: exitUsage, err: inputError(args[0], message.Of(err))}
		}
	}
	if r != nil {
		r.FindSource(options.Source)
		for i := range r.Inputs {
			in := &r.Inputs[i]
			st, err := os.Stat(string(in.Name))
			if err == nil && r.Redaction == nil && (!in.FileBytes.Known() || st.Size() == int64(in.FileBytes)) {
				inputs = append(inputs, &input{name: string(in.Name), path: string(in.Name), size: st.Size()})
			}
		}
		return r, inputs, nil
	}
	list = withoutLost(list)
	stop := e.progress(list)
	r, bad, err := e.scanSources(ctx, pass.policy, list, pass.options(options))
	stop()
	if err != nil {
		return nil, nil, err
	}
	if bad.unread == len(list) || bad.interrupted {
		return nil, nil, bad.end(e, len(list))
	}
	return r, slices.DeleteFunc(list, func(in *input) bool { return in.path == "-" }), nil
}

// keysBelow returns the report of the keys of a node alone, from another pass over the
// snapshots.
func (b *browser) keysBelow(ctx context.Context, n *report.TreeNode) (*report.Report, error) {
	options := b.pass.options(report.Options{Top: browseKeys, TreeNodes: -1, Source: b.finder})
	filtered := options.Keep
	options.Keep = func(k *parser.Key, owner string, created int64) bool {
		return b.tree.Has(n, k.Name) && (filtered == nil || filtered(k, owner, created))
	}
	r, err := report.Scan(ctx, sourcesOf(b.inputs, b.env.source), b.pass.policy, options)
	if r == nil || ctx.Err() != nil {
		return nil, err
	}
	return r, nil // of a damaged file the keys before the damage, as in the first pass
}

// keysBefore finds the keys of a list in the older snapshots. Those that are not there have no memory.
func (b *browser) keysBefore(ctx context.Context, found *report.Report) map[markOf]*report.KeyRow {
	if found == nil || b.oldInputs == nil || len(b.inputs) > 1 || len(b.oldInputs) > 1 {
		return nil
	}
	was := map[markOf]*report.KeyRow{}
	for _, k := range biggest(found) {
		was[(&browseRow{key: &k}).mark()] = &report.KeyRow{}
	}
	options := b.pass.options(report.Options{Top: browseKeys, TreeNodes: -1})
	options.Keep = func(k *parser.Key, _ string, _ int64) bool {
		return was[markOf{true, k.DB, 0, report.Name(k.Name)}] != nil
	}
	r, err := report.Scan(ctx, sourcesOf(b.oldInputs, b.env.source), b.pass.policy, options)
	if err != nil {
		return nil // of a damaged file it is not known which keys there are
	}
	for _, k := range biggest(r) {
		was[(&browseRow{key: &k}).mark()] = &k
	}
	return was
}

// valueOf returns what show writes about a key, as lines.
func (b *browser) valueOf(ctx context.Context, k *report.KeyRow) []string {
	var out strings.Builder
	quiet := *b.env
	quiet.stdout, quiet.stderr = &out, &out
	w := newTextWriter(&quiet, 200, b.pass.policy)
	w.most = showLine
	s := &showing{e: &quiet, choice: &keysFlags{}, sizes: true, named: true, names: [][]byte{[]byte(k.Key)}, out: w}
	s.choice.filter.Databases = []int{k.DB}
	of := b.inputsOf(k)
	if len(of) == 0 {
		return []string{b.env.t("The snapshot is not where it was: the value cannot be shown.")}
	}
	err := s.files(ctx, of)
	if err == nil {
		err = s.notFound()
	}
	w.Flush()
	if exit, ok := err.(*exitError); ok && exit.err != nil {
		quiet.complain(exit.err, exit.hint)
	} else if err != nil && !ok {
		quiet.complain(err, message.Message{})
	}
	return strings.Split(strings.TrimRight(out.String(), "\n"), "\n")
}

func (b *browser) inputsOf(k *report.KeyRow) (list []*input) {
	for _, in := range b.inputs {
		if k.Input >= len(b.report.Inputs) || in.name == string(b.report.Inputs[k.Input].Name) {
			list = append(list, in)
		}
	}
	return list
}

type markOf struct {
	key    bool
	db     int
	input  int
	prefix report.Name
}

func (r *browseRow) mark() markOf {
	if r.key != nil {
		return markOf{true, r.key.DB, r.key.Input, r.key.Key}
	}
	return markOf{prefix: r.node.Prefix}
}

// printMarks prints what was marked, with the commands that list the keys.
func (b *browser) printMarks() {
	var rows []browseRow
	for _, r := range b.marks {
		rows = append(rows, r)
	}
	byMemory.sort(rows)
	var files []string
	for _, in := range b.inputs {
		files = append(files, shellWord(in.path))
	}
	if files == nil {
		files = []string{"dump.rdb"}
	}
	for i := range rows {
		r := &rows[i]
		fmt.Fprintf(b.env.stdout, "%10s  %s\n", b.size(r.memory()), r.command(strings.Join(files, " ")))
	}
}

// command returns the command line that lists the keys of a row, or shows its key.
func (r *browseRow) command(files string) string {
	if r.key != nil {
		command := "rdblens show"
		if r.key.DB != 0 {
			command += fmt.Sprintf(" --db %d", r.key.DB)
		}
		return command + " " + files + " " + shellWord(r.key.Key.Display())
	}
	prefix := strings.TrimSuffix(string(r.node.Prefix), restOfTree)
	switch {
	case prefix == "":
		return "rdblens keys " + files
	case !strings.Contains(prefix, "*"):
		return "rdblens keys --under " + shellWord(report.Name(prefix).Display()) + " " + files
	case r.node.Children == nil && prefix == string(r.node.Prefix):
		return "rdblens keys --group " + shellWord(report.Name(prefix).Display()) + " " + files
	}
	return "rdblens keys --match " + shellWord(report.Name(prefix).Display()+"*") + " " + files
}
