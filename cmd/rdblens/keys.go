package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/memory"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report"
	"github.com/rdblens/rdblens/report/text"
	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/naming"
)

type keysFlags struct {
	passFlags
	redactFlags
	redact  *report.Redactor // nil if names stay
	format  *keysFormat
	columns []*column // that --columns and the format add
	chosen  bool      // the format was
	path    string    // "" is standard output
	only    thresholds.RuleSet
	// unexplained: findings are those of a report, which knows the identities of groups;
	// identities has these, by the pattern of names, once they are known.
	unexplained bool
	identities  map[string]*report.Identity
	groups      []string // patterns, nil any
}

func newKeys(e *env) *cobra.Command {
	var o keysFlags
	cmd := &cobra.Command{
		Use:   "keys FILE...",
		Short: "Write a row for every key, in the order of the file",
		Args:  atLeastOneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			return e.keys(cmd.Context(), &o, args)
		},
	}
	o.register(e, cmd)
	return cmd
}

func (o *keysFlags) register(e *env, cmd *cobra.Command) {
	o.passFlags.register(cmd)
	o.redactFlags.register(e, cmd)
	o.setFormat("csv")
	formats := 0
	option{name: "format", short: "f", arg: "FORMAT", value: "csv",
		usage: "csv, jsonl or parquet, with =FILE to a file, or the name of a file that ends like one; unlink: " +
			"what deletes the keys, for redis-cli --pipe",
		words: []string{"csv", "jsonl", "parquet", "unlink"}, hint: "-f csv, -f jsonl=FILE or -f keys.csv",
		set: func(arg string) error {
			if formats++; formats > 1 {
				return message.Errorf("keys writes one format").WithHint("run it once for each")
			}
			o.chosen = true
			return o.setFormat(arg)
		}}.add(cmd)
	var words []string
	for _, c := range columns {
		words = append(words, "+"+c.name)
	}
	option{name: "columns", arg: "LIST", usage: "columns to add to each row: {list}", list: strings.Join(words, ", "),
		words: words, hint: "columns: {names}", set: eachWord(func(word string) error {
			if !slices.Contains(words, word) {
				return message.Errorf("unknown column {name}", message.Element("name", word))
			}
			o.addColumn(word[1:])
			return nil
		})}.add(cmd)
	o.registerChoice(cmd)
	cmd.Flags().BoolVar(&o.unexplained, "unexplained", false, "with --over: count as scan does, which knows libraries: "+
		"without what a library writes on purpose, with its long queues; reads each snapshot twice")
}

// registerChoice declares the flags that select keys by what reports state about them.
func (o *keysFlags) registerChoice(cmd *cobra.Command) {
	baselineOption(&o.baseline).add(cmd)
	option{name: "group", arg: "PATTERN",
		usage: "only keys of this group, as reports show it, such as user:*:cart; can be repeated",
		set: func(arg string) error {
			if arg == "" {
				return errEmpty
			}
			o.groups = append(o.groups, arg)
			return nil
		}}.add(cmd)
	cmd.Flags().SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == "rule" { // its former name
			name = "over"
		}
		return pflag.NormalizedName(name)
	})
	option{name: "over", arg: "LIST", usage: "only keys with a finding of these rules, such as big-string,no-ttl or key-*",
		words: selectors(), set: func(arg string) (err error) {
			if arg == "" {
				return errEmpty
			}
			if o.only, err = keyRules(arg); err == nil && o.rules == "" {
				o.rules = arg // a rule that is named is on, whatever the profile
			}
			return err
		}}.add(cmd)
}

func (o *keysFlags) setFormat(arg string) error {
	format, path, toFile := strings.Cut(arg, "=")
	if end := strings.TrimPrefix(filepath.Ext(arg), "."); end != "" && keysFormats[format] == nil {
		format, path = end, arg
	}
	if o.format = keysFormats[format]; o.format == nil {
		return message.Errorf("unknown format {name}", message.Element("name", format))
	}
	if toFile && path == "" {
		return message.Errorf("no file name after {name}", message.Element("name", arg)).WithHint("-f csv=keys.csv")
	}
	if o.path = path; path == "-" {
		o.path = ""
	}
	return nil
}

// maxRowJobs bounds the goroutines that make rows: a megabyte of small keys makes
// ten of rows, and each goroutine holds as much.
const maxRowJobs = 4

func (e *env) keys(ctx context.Context, p *keysFlags, args []string) error {
	if !p.chosen && isTerminal(e.stdout) {
		p.format = keysTable
	}
	if p.format == keysFormats["parquet"] && p.path == "" && isTerminal(e.stdout) {
		return usageError("a terminal does not show Parquet").withHint("-f keys.parquet")
	}
	if p.format.selects {
		if p.path == "" && isTerminal(e.stdout) {
			return usageError("-f unlink writes commands for redis-cli --pipe").withHint("-f unlink | redis-cli --pipe")
		}
		if p.columns != nil || p.redactor() != nil {
			return usageError("-f unlink needs the names of keys as they are, and nothing else")
		}
	}
	for _, name := range p.format.columns {
		p.addColumn(name)
	}
	if err := p.load(ctx, e); err != nil {
		return err
	}
	list, err := e.inputs(args, p.expandFlags)
	if err != nil {
		return err
	}
	list = withoutLost(list)
	if err := report.CheckTargets([]report.Target{{Path: p.path}}, paths(list)); err != nil {
		return outputError(err)
	}
	if p.redact = p.redactor(); p.redact != nil {
		if err := e.learnWords(ctx, p, list); err != nil {
			return err
		}
	}
	if p.unexplained {
		if err := e.learnIdentities(ctx, p, list); err != nil {
			return err
		}
	}
	out := e.stdout
	var file *report.OutputFile
	if p.path != "" {
		if file, err = report.CreateFile(p.path, paths(list)); err != nil {
			return outputError(err)
		}
		defer file.Abort()
		out = file
	}
	stop := func() {}
	if !isTerminal(out) { // the rows would run through the bar
		stop = e.progress(list)
	}
	bad, err := e.writeKeys(ctx, p, list, out)
	stop()
	if err == nil && file != nil && bad.unread < len(list) {
		err = file.Commit()
	}
	if closedPipe(err) {
		return nil // the reader has what it wanted
	}
	if err != nil {
		bad.complain(e)
		return outputError(err)
	}
	return bad.end(e, len(list))
}

func (e *env) writeKeys(ctx context.Context, p *keysFlags, list []*input, out io.Writer) (*failures, error) {
	bad := new(failures)
	var names []string
	for _, c := range p.columns {
		names = append(names, c.name)
	}
	out, err := p.format.begin(out, names, p.sorted(list))
	if err != nil {
		return bad, err
	}
	for _, in := range list {
		keys := int64(0)
		info, err := p.keysOf(ctx, e, in, out)
		if info != nil {
			keys = info.Keys
		}
		if writing, ok := errors.AsType[*writingError](err); ok {
			return bad, writing.err
		}
		bad.add(in.name, keys, err)
	}
	if rows, ok := out.(*report.KeysParquet); ok {
		return bad, rows.Close()
	}
	return bad, nil
}

// shown returns the name of an input as outputs have it.
func (p *keysFlags) shown(in *input) string {
	if p.redact != nil {
		return p.redact.File(in.name)
	}
	return in.name
}

// sorted reports whether the inputs are in the order of their names, each once.
func (p *keysFlags) sorted(list []*input) bool {
	last := []byte(nil)
	for i, in := range list {
		name := text.AppendEscaped(nil, []byte(p.shown(in)))
		if i > 0 && bytes.Compare(last, name) >= 0 {
			return false
		}
		last = name
	}
	return true
}

func (p *keysFlags) keysOf(ctx context.Context, e *env, in *input, out io.Writer) (*parser.Info, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	source := e.source(in)
	sizes, allocator := report.FindOptions(ctx, &source, p.memory, true)
	src, err := in.open(ctx, e.stdin)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	name := p.shown(in)
	w := &rowWriter{keysFlags: p, file: []byte(name), fixed: rowFixed + rowNameByte*len(name), out: out,
		spare: make(chan []byte, spareChunks)}
	options := p.parse
	options.Jobs = min(cmp.Or(p.jobs, runtime.GOMAXPROCS(0)), maxRowJobs)
	if p.only != 0 {
		options.Details = p.policy.Details()
	}
	options.Allocators = source.Once && sizes.Allocator == "" && sizes.Server == ""
	var model *memory.Model
	options.Memory = func(info *parser.Info) *memory.Model {
		model = modelOf(sizes, info)
		return model
	}
	options.Header = w.start
	info, err := parser.Run(ctx, src, options, w.newSink)
	if model != nil && err == nil && info.UsedMem > 0 && sizes.Server == "" && !p.format.selects &&
		(source.Once || isTerminal(e.stderr)) { // scripts read the same of a file in its report
		if allocator.Allocator = model.Allocator(); options.Allocators {
			allocator = report.AllocatorOf(model, info, w.memory.Load())
		}
		if doubt := allocator.Doubt(); !doubt.IsZero() {
			e.warn(doubt)
		}
	}
	if later := in.later.Text(err == nil && info.AOFBase && info.Trailing == 0); !later.IsZero() {
		e.warn(message.Of(inputError(p.shown(in), later)))
	}
	return info, err
}

// start prepares the choice of keys when the header of a snapshot was read.
func (w *rowWriter) start(info *parser.Info) {
	w.created = info.Created
	if !w.needsRules() && !slices.ContainsFunc(w.columns, func(c *column) bool { return c.ofGroup }) {
		return
	}
	w.engine = w.keysFlags.engine(info)
	for _, g := range w.groups {
		w.inGroups = append(w.inGroups, w.engine.Namer().ParseGroup(g))
	}
	for _, pattern := range slices.Sorted(maps.Keys(w.identities)) {
		w.wide = append(w.wide, widePattern{w.engine.Namer().ParseGroup(pattern), w.identities[pattern]})
	}
}

func (p *keysFlags) needsRules() bool {
	return p.only != 0 || p.groups != nil || p.filter.Owners != nil
}

// learnWords finds the separators of names and, in a pass of its own, the words that
// stay: those of the report of the same keys.
func (e *env) learnWords(ctx context.Context, p *keysFlags, list []*input) error {
	if p.minKeys == 0 {
		p.redact = p.redact.Learn(naming.NewNamer(p.policy.Separators.Value), 1, func(func([]byte, int64) bool) {})
		return nil
	}
	r, err := e.scanBefore(ctx, p, list, "--redact-keep reads a snapshot twice, to find the words that stay: standard input "+
		"can be read once", "save it to a file first, or hash every word: --redact")
	if err == nil {
		p.redact = r.LearnWords(p.redact)
	}
	return err
}

// scanBefore returns the report of the keys, by a pass of its own, which standard input does not
// allow.
func (e *env) scanBefore(ctx context.Context, p *keysFlags, list []*input, problem,
	hint string) (*report.Report, error) {
	if slices.ContainsFunc(list, (*input).once) {
		return nil, usageError(problem).withHint(hint)
	}
	r, _, err := e.scanSources(ctx, p.policy, list, p.options(report.Options{}))
	return r, err
}

// learnIdentities finds in a pass of its own what the report of the same keys says that they are.
func (e *env) learnIdentities(ctx context.Context, p *keysFlags, list []*input) error {
	if p.only == 0 {
		return usageError("--unexplained is about findings").withHint("add --over no-ttl")
	}
	r, err := e.scanBefore(ctx, p, list, "--unexplained reads a snapshot twice, to recognise libraries: standard input can "+
		"be read once", "save it to a file first")
	if err != nil {
		return err
	}
	p.identities = map[string]*report.Identity{}
	namer := naming.NewNamer(p.policy.Separators.Value)
	for i := range r.Groups {
		g := &r.Groups[i]
		if g.Identity == nil {
			continue
		}
		pattern := string(g.Group)
		if !strings.Contains(pattern, "*") { // the name of the only key
			pattern = string(namer.AppendPattern(nil, []byte(g.Group)))
		}
		p.identities[pattern] = g.Identity
	}
	return nil
}

// keyRules returns the rules of a selector that look at single keys. It is an error
// if there are none.
func keyRules(selector string) (thresholds.RuleSet, error) {
	set, err := thresholds.Select(selector)
	if err != nil {
		return 0, err
	}
	var whole thresholds.RuleSet
	for _, r := range thresholds.Rules() {
		if r.Instance {
			whole |= 1 << r.ID
		}
	}
	if set&^whole == 0 {
		return 0, message.Errorf("{rules} looks at the whole instance and flags no key",
			message.Text("rules", selector)).WithHint("rdblens scan reports it")
	}
	return set &^ whole, nil
}
