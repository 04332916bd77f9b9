package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rdblens/rdblens/report"
	"github.com/rdblens/rdblens/report/output"
	"github.com/rdblens/rdblens/report/text"
	"github.com/rdblens/rdblens/thresholds/units"
)

// trendFlags are the flags of trend.
type trendFlags struct {
	outputFlags
	maxMemory int64
	top       int
}

// Bounds of a trend.
const (
	maxTrendReports = 4000 // ten years of nights
	maxTrendGroups  = 200  // of each report: the largest
	sparkColumns    = 30
)

func newTrend(e *env) *cobra.Command {
	var o trendFlags
	cmd := &cobra.Command{
		Use:   "trend REPORT...",
		Short: "Show how memory, keys and findings change over saved reports, and when maxmemory is reached",
		Long: `trend reads JSON reports that scan -f json=FILE saved, plain or compressed (gzip,
zstd), in the order in which their snapshots were taken. A directory stands for all
reports in it. It shows memory, keys and findings, and memory by type, owner and
group; and when, at the growth between the last two reports, maxmemory is reached.`,
		Example: `  rdblens trend reports/
  rdblens trend --maxmemory 16GB -f table -f csv=trend.csv monday.json tuesday.json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError("no report given", "rdblens scan -f json=report.json dump.rdb saves one")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return e.trend(&o, args) },
	}
	o.outputFlags.register(cmd, []string{"table", "csv", "json"})
	option{name: "maxmemory", arg: "SIZE", usage: "the server's limit (default what the last report was made with)", hint: "write 512MB or 4GB", set: sizeOf(&o.maxMemory, 1)}.add(cmd)
	o.top = 10
	option{name: "top", arg: "N", value: "10", usage: "groups that are shown: those with most memory in the last report", set: wholeNumber(&o.top, 0, maxTrendGroups)}.add(cmd)
	return cmd
}

// trend is the JSON form, and what the other forms are made of.
type trend struct {
	Schema  string        `json:"schema"` // "rdblens-trend/1"
	Reports []trendReport `json:"reports"`
	Series  []trendSeries `json:"series"`
	// Full says when maxmemory is reached; nil if it is not known, or the keys do
	// not grow.
	Full *trendFull `json:"full"`
	top  int        // groups that the table shows
}

type trendReport struct {
	Report   report.Name `json:"report"` // path
	Time     int64       `json:"time"`   // when its newest snapshot was taken, seconds since the epoch
	Complete bool        `json:"complete"`
}

// trendSeries has a figure of each report, null where it is not known.
type trendSeries struct {
	Kind    string          `json:"kind"` // "total", "findings", "type", "owner" or "group"
	Name    report.Name     `json:"name"`
	Measure string          `json:"measure"` // "memory" (bytes), "keys" or "count"
	Values  []report.Figure `json:"values"`
}

type trendFull struct {
	MaxMemory int64   `json:"maxmemory"`
	Now       int64   `json:"now"`     // predicted used_memory of the last report, else memory of its keys
	PerDay    int64   `json:"per_day"` // bytes, between the last two reports
	Days      float64 `json:"days"`    // 0 if it is reached already
	Time      int64   `json:"time"`    // when, seconds since the epoch
}

func (e *env) trend(o *trendFlags, args []string) error {
	paths, err := reportPaths(args)
	if err != nil {
		return err
	}
	if err := report.CheckTargets(o.targets, paths); err != nil {
		return outputError(err)
	}
	b := trendBuilder{index: map[[3]string]int{}}
	for _, path := range paths {
		r, err := e.savedReport(&input{path: path, size: -1})
		switch {
		case err != nil:
			return &exitError{code: exitUsage, err: inputError(path, err.Error())}
		case r == nil:
			return &exitError{code: exitUsage, err: inputError(path, "not a saved report"), hint: "rdblens scan -f json=report.json writes one"}
		}
		if err := b.add(path, r); err != nil {
			return err
		}
	}
	t := b.finish(o)
	for _, target := range o.targets {
		if err := e.writeTrend(t, target, paths); err != nil {
			return outputError(err)
		}
	}
	return nil
}

// reportPaths returns the files that the arguments of trend stand for.
func reportPaths(args []string) (paths []string, err error) {
	for _, arg := range args {
		st, err := os.Stat(arg)
		switch {
		case err != nil:
			return nil, &exitError{code: exitUsage, err: err}
		case !st.IsDir():
			paths = append(paths, arg)
			continue
		}
		found := len(paths)
		for _, end := range []string{".json", ".json.gz", ".json.zst"} {
			list, _ := filepath.Glob(filepath.Join(strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(arg), "*"+end))
			paths = append(paths, list...)
		}
		if found == len(paths) {
			return nil, usageError(fmt.Sprintf("%q has no reports", arg), "reports are files that end in .json, .json.gz or .json.zst")
		}
	}
	if len(paths) > maxTrendReports {
		return nil, usageError(fmt.Sprintf("%d reports are too many", len(paths)), fmt.Sprintf("at most %d", maxTrendReports))
	}
	return paths, nil
}

// trendBuilder gathers what trend shows of each report.
type trendBuilder struct {
	points []trendPoint
	series []trendSeries // without values
	index  map[[3]string]int
}

type trendPoint struct {
	trendReport
	values    map[int]report.Figure // by index in series
	maxMemory int64
	used      report.Figure
}

func (b *trendBuilder) add(path string, r *report.Report) error {
	p := trendPoint{trendReport: trendReport{report.Name(path), 0, r.Complete}, values: map[int]report.Figure{}, used: 0}
	for i := range r.Inputs {
		in := &r.Inputs[i]
		p.Time = max(p.Time, int64(in.Created))
		if in.Memory == nil || !in.Memory.Predicted.Known() || !p.used.Known() {
			p.used = report.Unknown
		} else {
			p.used += in.Memory.Predicted
		}
		if in.Memory != nil && in.Memory.Fit != nil {
			p.maxMemory = in.Memory.Fit.MaxMemory
		}
	}
	if p.Time <= 0 {
		return &exitError{code: exitUsage, err: inputError(path, "its snapshot does not say when it was taken")}
	}
	set := func(kind string, name report.Name, measure string, v report.Figure) {
		id := [3]string{kind, string(name), measure}
		i, ok := b.index[id]
		if !ok {
			i = len(b.series)
			b.index[id] = i
			b.series = append(b.series, trendSeries{Kind: kind, Name: name, Measure: measure})
		}
		p.values[i] = v
	}
	set("total", "predicted used_memory", "memory", p.used)
	if !p.used.Known() {
		p.used = r.Totals.MemoryBytes
	}
	set("total", "keys", "memory", r.Totals.MemoryBytes)
	set("total", "keys", "keys", report.Figure(r.Totals.Keys))
	set("total", "keys without a TTL", "keys", report.Figure(r.Totals.WithoutTTL))
	set("findings", "error", "count", report.Figure(r.Findings.Error))
	set("findings", "warning", "count", report.Figure(r.Findings.Warning))
	set("findings", "info", "count", report.Figure(r.Findings.Info))
	for _, row := range r.Types {
		set("type", report.Name(row.Type), "memory", row.MemoryBytes)
	}
	for _, row := range r.Owners {
		set("owner", report.Name(cmp.Or(row.Owner, "(no owner)")), "memory", row.MemoryBytes)
	}
	groups := slices.Clone(r.Groups)
	slices.SortStableFunc(groups, func(x, y report.Group) int { return cmp.Compare(y.MemoryBytes, x.MemoryBytes) })
	for i := range groups[:min(len(groups), maxTrendGroups)] {
		set("group", groups[i].Group, "memory", groups[i].MemoryBytes)
		set("group", groups[i].Group, "keys", report.Figure(groups[i].Keys))
	}
	b.points = append(b.points, p)
	return nil
}

// finish orders the reports by time.
func (b *trendBuilder) finish(o *trendFlags) *trend {
	slices.SortStableFunc(b.points, func(x, y trendPoint) int { return cmp.Compare(x.Time, y.Time) })
	t := &trend{Schema: "rdblens-trend/1", Series: b.series, top: o.top}
	for i := range t.Series {
		for _, p := range b.points {
			v, ok := p.values[i]
			if !ok {
				v = report.Unknown
			}
			t.Series[i].Values = append(t.Series[i].Values, v)
		}
	}
	rank := []string{"total", "findings", "type", "owner", "group"}
	last := func(s *trendSeries) report.Figure { return s.Values[len(s.Values)-1] }
	slices.SortStableFunc(t.Series, func(x, y trendSeries) int {
		kind := cmp.Compare(slices.Index(rank, x.Kind), slices.Index(rank, y.Kind))
		if kind != 0 || x.Kind == "total" || x.Kind == "findings" {
			return kind
		}
		return cmp.Or(-cmp.Compare(x.Measure, y.Measure), cmp.Compare(last(&y), last(&x)), cmp.Compare(x.Name, y.Name))
	})
	for _, p := range b.points {
		t.Reports = append(t.Reports, p.trendReport)
	}
	t.full(b.points, o.maxMemory)
	return t
}

// full computes when maxmemory is reached.
func (t *trend) full(points []trendPoint, limit int64) {
	now := points[len(points)-1]
	if limit = cmp.Or(limit, now.maxMemory); limit == 0 || len(points) < 2 || !now.used.Known() {
		return
	}
	before := points[len(points)-2]
	seconds := now.Time - before.Time
	grown := int64(now.used - before.used)
	f := trendFull{MaxMemory: limit, Now: int64(now.used), Time: now.Time}
	if f.Now < limit {
		if seconds <= 0 || grown <= 0 || !before.used.Known() {
			return
		}
		f.Days = float64(limit-f.Now) / float64(grown) * float64(seconds) / 86400
		if f.Days > 36500 {
			return // a hundred years
		}
		f.Time += int64(f.Days * 86400)
	}
	if seconds > 0 {
		f.PerDay = int64(float64(grown) / float64(seconds) * 86400)
	}
	t.Full = &f
}

func (e *env) writeTrend(t *trend, target report.Target, inputs []string) error {
	write := map[string]func(io.Writer, *trend) error{"table": writeTrendTable, "csv": writeTrendCSV, "json": func(w io.Writer, t *trend) error {
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", " ")
		return encoder.Encode(t)
	}}[target.Format]
	if target.Path == "" {
		return output.NewError("", write(e.stdout, t))
	}
	f, err := output.Create(target.Path, inputs)
	if err != nil {
		return err
	}
	defer f.Abort()
	if err := write(f, t); err != nil {
		return err
	}
	return f.Commit()
}

func writeTrendCSV(out io.Writer, t *trend) error {
	w := bufio.NewWriter(out)
	w.WriteString("time,report,kind,name,measure,value\n")
	for i := range t.Series {
		s := &t.Series[i]
		for n, v := range s.Values {
			if v.Known() {
				line := strconv.AppendInt(nil, t.Reports[n].Time, 10)
				line = text.AppendCSV(append(line, ','), []byte(t.Reports[n].Report))
				line = text.AppendCSV(append(append(append(line, ','), s.Kind...), ','), []byte(s.Name))
				line = append(append(line, ','), s.Measure...)
				w.Write(append(strconv.AppendInt(append(line, ','), int64(v), 10), '\n'))
			}
		}
	}
	return w.Flush()
}

func writeTrendTable(out io.Writer, t *trend) error {
	w := bufio.NewWriter(out)
	first, last := t.Reports[0], t.Reports[len(t.Reports)-1]
	fmt.Fprintf(w, "%s, %s to %s\n", units.FormatCountOf(int64(len(t.Reports)), "report", "reports"), units.FormatTime(first.Time), units.FormatTime(last.Time))
	switch f := t.Full; {
	case f == nil:
	case f.Days == 0:
		fmt.Fprintf(w, "maxmemory %s is reached: %s\n", units.FormatBytes(f.MaxMemory), units.FormatBytes(f.Now))
	default:
		fmt.Fprintf(w, "maxmemory %s is reached in %s, on %s, at %s a day\n", units.FormatBytes(f.MaxMemory), units.FormatDuration(int64(f.Days*86400)),
			time.Unix(f.Time, 0).UTC().Format(time.DateOnly), units.FormatBytes(f.PerDay))
	}
	titles := map[string]string{"total": "TOTALS", "findings": "FINDINGS", "type": "MEMORY BY TYPE", "owner": "MEMORY BY OWNER", "group": "MEMORY BY GROUP"}
	for _, kind := range []string{"total", "findings", "type", "owner", "group"} {
		grid := text.Grid{Columns: []text.Column{{Title: kind}, {Title: "first", Right: true}, {Title: "last", Right: true}, {Title: "change", Right: true}, {Title: "over time"}}}
		for i := range t.Series {
			s := &t.Series[i]
			if s.Kind != kind || kind == "group" && (s.Measure != "memory" || len(grid.Rows) == t.top) {
				continue
			}
			format := units.FormatCount
			name := s.Name.Display()
			if s.Measure == "memory" {
				format = units.FormatBytes
			}
			if kind == "total" {
				name = string(s.Name)
				if name == "keys" && s.Measure == "memory" {
					name = "memory of the keys"
				}
			}
			from, to := s.Values[0], s.Values[len(s.Values)-1]
			grid.Add(name, figureText(from, format), figureText(to, format), changeText(from, to, format), sparkline(s.Values))
		}
		if len(grid.Rows) > 0 {
			fmt.Fprintf(w, "\n%s\n", titles[kind])
			grid.Write(w, text.Unlimited)
		}
	}
	return w.Flush()
}

func figureText(v report.Figure, format func(int64) string) string {
	if !v.Known() {
		return "-"
	}
	return format(int64(v))
}

func changeText(from, to report.Figure, format func(int64) string) string {
	switch {
	case !from.Known() || !to.Known():
		return ""
	case to < from:
		return "-" + format(int64(from-to))
	}
	return "+" + format(int64(to-from))
}

// sparkline returns the figures as bars from the least to the greatest; of more than
// sparkColumns it shows every n-th, and always the last.
func sparkline(values []report.Figure) string {
	const bars = "▁▂▃▄▅▆▇█"
	step := (len(values) + sparkColumns - 1) / sparkColumns
	least, most := report.Figure(math.MaxInt64), report.Unknown
	for _, v := range values {
		if v.Known() {
			least, most = min(least, v), max(most, v)
		}
	}
	var b strings.Builder
	for i := (len(values) - 1) % step; i < len(values); i += step {
		v := values[i]
		switch {
		case !v.Known():
			b.WriteByte(' ')
		case most == least:
			b.WriteString("▄")
		default:
			n := int(float64(v-least) / float64(most-least) * 7.999)
			b.WriteString(string([]rune(bars)[n]))
		}
	}
	return b.String()
}
