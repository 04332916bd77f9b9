package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rdblens/rdblens/report"
	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/units"
)

// measures are the words of --by and what they rank by.
var measures = []struct{ word, column string }{
	{"memory", report.ByMemory},
	{"usage", report.ByMemoryUsage},
	{"value", report.ByValueBytes},
	{"elements", report.ByElements},
	{"serialized", report.BySerialized},
	{"largest", report.ByLargest},
}

// scanOptions are the flags of scan alone.
type scanOptions struct {
	scanFlags
	top       int
	by        string
	groupsBy  string
	formats   []string
	failOn    string
	maxMemory string
}

func newScan(e *env) *cobra.Command {
	var o scanOptions
	var words []string
	for _, m := range measures {
		words = append(words, m.word)
	}
	cmd := &cobra.Command{
		Use:   "scan FILE...",
		Short: "Report on snapshots: sizes, big keys, groups, lifetimes, and what breaks the rules",
		Long: `scan reads snapshots once and reports: totals, types, the largest keys by each
measure, groups of keys, lifetimes, and every rule that is broken, with advice.

FILE is a dump.rdb, the base of an append-only file or a captured replication
stream, plain or compressed (gzip, zstd, LZ4); - is standard input. Several
files make one report with a row for each. A filter cuts everything that
follows, totals, rules and exit code alike.`,
		Example: `  rdblens scan dump.rdb
  rdblens scan -f table -f json=report.json -f findings.csv dump.rdb
  rdblens scan --profile aliyun --fail-on error dump.rdb`,
		Args: atLeastOneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			return e.scan(cmd.Context(), &o, args)
		},
	}
	o.register(cmd)
	f := cmd.Flags()
	f.IntVar(&o.top, "top", 20, "keys in each list of the largest")
	f.StringVar(&o.by, "by", "memory", "order of the list that is shown: "+strings.Join(words, ", "))
	f.StringVar(&o.groupsBy, "groups-by", "", "order of the table of groups: "+strings.Join(report.GroupOrders(), ", "))
	f.StringArrayVarP(&o.formats, "format", "f", nil, "format, FORMAT=FILE, or a file whose name tells the format; can be repeated: "+strings.Join(report.FormatNames(), ", ")+" (default table)")
	f.StringVar(&o.failOn, "fail-on", "never", "exit with code 1 on findings of this severity or above: error, warning, info, never")
	f.StringVar(&o.maxMemory, "maxmemory", "", "say whether the keys fit into a server of this size, such as 4GB")
	cmd.RegisterFlagCompletionFunc("by", completeWords(words...))
	cmd.RegisterFlagCompletionFunc("groups-by", completeWords(report.GroupOrders()...))
	cmd.RegisterFlagCompletionFunc("format", completeWords(report.FormatNames()...))
	cmd.RegisterFlagCompletionFunc("fail-on", completeWords("error", "warning", "info", "never"))
	return cmd
}

// scanPlan is what the flags of scan come to.
type scanPlan struct {
	*plan
	options report.Options
	targets []report.Target
}

func (o *scanOptions) compile(e *env) (*scanPlan, error) {
	p := new(scanPlan)
	opt := &p.options
	if o.top < 0 || o.top > maxTop {
		return nil, usageError(fmt.Sprintf("--top: %d is not between 0 and %d", o.top, maxTop), "rdblens keys lists every key")
	}
	opt.Top = o.top
	var words []string
	for _, m := range measures {
		words = append(words, m.word)
		if o.by == m.word || o.by == m.column {
			opt.By = m.column
		}
	}
	if opt.By == "" {
		return nil, usageError(fmt.Sprintf("--by: unknown measure %q", o.by), "measures: "+strings.Join(words, ", "))
	}
	if opt.GroupOrder = o.groupsBy; o.groupsBy != "" && !slices.Contains(report.GroupOrders(), o.groupsBy) {
		return nil, usageError(fmt.Sprintf("--groups-by: unknown column %q", o.groupsBy), "columns: "+strings.Join(report.GroupOrders(), ", "))
	}
	if o.failOn != "never" {
		var ok bool
		if opt.FailOn, ok = thresholds.ParseSeverity(o.failOn); !ok || opt.FailOn == thresholds.Off {
			return nil, usageError(fmt.Sprintf("--fail-on: unknown severity %q", o.failOn), "error, warning, info or never")
		}
	}
	var err error
	if o.maxMemory != "" {
		if opt.MaxMemory, err = units.ParseBytes(o.maxMemory); err != nil || opt.MaxMemory == 0 {
			return nil, usageError(fmt.Sprintf("--maxmemory: %q is not a size", o.maxMemory), "write 512MB or 4GB")
		}
	}
	if len(o.formats) == 0 {
		o.formats = []string{"table"}
	}
	if p.targets, err = report.ParseTargets(o.formats); err != nil {
		return nil, usageError("--format: "+err.Error(), "-f table -f json=report.json -f findings.csv")
	}
	if p.plan, err = o.scanFlags.compile(e); err != nil {
		return nil, err
	}
	opt.Tool = report.Tool{Name: "rdblens", Version: toolVersion()}
	opt.Memory, opt.Jobs, opt.NoChecksum, opt.Strict = p.memory, p.jobs, p.parse.NoChecksum, p.parse.Strict
	return p, nil
}

// maxTop bounds the lists of the largest keys, which are kept while keys pass.
const maxTop = 1000

func (e *env) scan(ctx context.Context, o *scanOptions, args []string) error {
	p, err := o.compile(e)
	if err != nil {
		return err
	}
	list, err := e.inputs(args)
	if err != nil {
		return err
	}
	if err := report.CheckTargets(p.targets, args); err != nil {
		return outputError(err)
	}
	stop := e.progress(list)
	r, bad, err := e.scanInputs(ctx, p, list)
	stop()
	if err != nil {
		return err
	}
	if bad.unread == len(list) {
		return bad.end(e, len(list))
	}
	err = report.WriteAll(p.targets, e.stdout, args, r, report.WriteOptions{Width: terminalWidth(e.stdout)})
	if err != nil && !closedPipe(err) {
		bad.complain(e)
		return outputError(err)
	}
	if err := bad.end(e, len(list)); err != nil {
		return err
	}
	return p.verdict(r)
}

// verdict is the error that --fail-on asks for.
func (p *scanPlan) verdict(r *report.Report) error {
	if p.options.FailOn == thresholds.Off {
		return nil
	}
	n := r.Findings.Error
	if p.options.FailOn <= thresholds.Warning {
		n += r.Findings.Warning
	}
	if p.options.FailOn <= thresholds.Info {
		n += r.Findings.Info
	}
	if n == 0 {
		return nil
	}
	what := "findings"
	if n == 1 {
		what = "finding"
	}
	return &exitError{code: exitFindings, err: fmt.Errorf("%d %s at or above --fail-on %s", n, what, p.options.FailOn)}
}
