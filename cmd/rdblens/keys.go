package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/report"
	"github.com/rdblens/rdblens/thresholds"
)

// keysOptions are the flags of keys.
type keysOptions struct {
	scanFlags
	formats []string
	only    string // rules
}

func newKeys(e *env) *cobra.Command {
	var o keysOptions
	cmd := &cobra.Command{
		Use:   "keys FILE...",
		Short: "Write a row for every key, in the order of the file",
		Long: `keys writes a row for every key that the filters keep, streamed in constant
memory and in the order of the file. A figure that is not known is an empty cell
(csv) or null (jsonl). The offset of a key counts bytes from the snapshot's magic
on: inside of what is compressed, and behind the head of a replication stream.`,
		Example: `  rdblens keys dump.rdb > keys.csv
  rdblens keys --type hash --min-elements 5000 dump.rdb
  rdblens keys --rule big-string,no-ttl --format jsonl dump.rdb`,
		Args: atLeastOneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			return e.keys(cmd.Context(), &o, args)
		},
	}
	o.register(cmd)
	cmd.Flags().StringArrayVarP(&o.formats, "format", "f", []string{"csv"}, "csv or jsonl, with =FILE to a file")
	cmd.Flags().StringVar(&o.only, "rule", "", "only keys with a finding of these rules, such as big-string,no-ttl or key-*")
	cmd.RegisterFlagCompletionFunc("rule", completeRules)
	cmd.RegisterFlagCompletionFunc("format", completeWords("csv", "jsonl"))
	return cmd
}

// maxRowJobs bounds the goroutines that make rows: a megabyte of small keys
// makes ten of rows, and each goroutine has as much in hand.
const maxRowJobs = 4

// keysPlan is what the flags of keys come to.
type keysPlan struct {
	*plan
	header string
	row    appendRow
	path   string // "" is standard output
	only   thresholds.RuleSet
}

func (o *keysOptions) compile(e *env) (*keysPlan, error) {
	p := new(keysPlan)
	if len(o.formats) > 1 {
		return nil, usageError("--format: keys writes one format", "run it once for each")
	}
	given := strings.Join(o.formats, "")
	format, path, toFile := strings.Cut(given, "=")
	switch format {
	case "csv":
		p.header = report.KeysHeader
		p.row = func(dst []byte, k *parser.Key, _ []thresholds.Finding) []byte { return report.AppendKeyCSV(dst, k) }
	case "jsonl":
		p.row = report.AppendKeyJSON
	default:
		return nil, usageError(fmt.Sprintf("--format: unknown format %q", format), "keys writes csv or jsonl, to a file with csv=FILE")
	}
	if toFile && path == "" {
		return nil, usageError(fmt.Sprintf("--format: no file name after %q", given), "-f csv=keys.csv")
	}
	if path != "-" {
		p.path = path
	}
	var err error
	if o.only != "" {
		if p.only, err = keyRules(o.only); err != nil {
			return nil, err
		}
		if o.rules == "" {
			o.rules = o.only // a rule that is asked for by name is on, whatever the profile
		}
	}
	p.plan, err = o.scanFlags.compile(e)
	return p, err
}

func (e *env) keys(ctx context.Context, o *keysOptions, args []string) error {
	p, err := o.compile(e)
	if err != nil {
		return err
	}
	list, err := e.inputs(args)
	if err != nil {
		return err
	}
	if err := report.CheckTargets([]report.Target{{Path: p.path}}, args); err != nil {
		return outputError(err)
	}
	out := e.stdout
	var file *report.File
	if p.path != "" {
		if file, err = report.Create(p.path, args); err != nil {
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

// writeKeys writes the rows of all inputs. The error is one of writing.
func (e *env) writeKeys(ctx context.Context, p *keysPlan, list []*input, out io.Writer) (*failures, error) {
	bad := new(failures)
	if _, err := io.WriteString(out, p.header); err != nil {
		return bad, err
	}
	for _, in := range list {
		keys := int64(0)
		info, err := p.keysOf(ctx, e, in, out)
		if info != nil {
			keys = info.Keys
		}
		var writing *writingError
		if errors.As(err, &writing) {
			return bad, writing.err
		}
		bad.add(in.name, keys, err)
	}
	return bad, nil
}

// keysOf writes the rows of one input.
func (p *keysPlan) keysOf(ctx context.Context, e *env, in *input, out io.Writer) (*parser.Info, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	src, err := in.open(ctx, e.stdin)
	if err != nil {
		return nil, err
	}
	defer in.close(src)
	w := &rowWriter{keysPlan: p, out: out, spare: make(chan []byte, spareChunks)}
	options := p.parse
	options.Jobs = min(cmp.Or(p.jobs, runtime.GOMAXPROCS(0)), maxRowJobs)
	options.Memory = p.model
	options.Header = func(info *parser.Info) {
		if p.only != 0 || p.filter.owners != nil {
			w.engine = p.engine(info)
		}
	}
	return parser.Run(ctx, src, options, w.newSink)
}

// keyRules gives the rules that a selector names, which must look at single keys.
func keyRules(selector string) (thresholds.RuleSet, error) {
	set, err := thresholds.Select(selector)
	if err != nil {
		return 0, policyError(err)
	}
	var whole thresholds.RuleSet
	for _, r := range thresholds.Rules() {
		if r.Instance {
			whole |= 1 << r.ID
		}
	}
	if set&^whole == 0 {
		return 0, usageError(fmt.Sprintf("--rule %s: it looks at the whole instance and flags no key", selector), "rdblens scan reports it")
	}
	return set &^ whole, nil
}
