package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rdblens/rdblens/thresholds"
)

// Metrics in the Prometheus text format, version 0.0.4, for the textfile collector
// of node_exporter. Sizes are bytes, times seconds since the epoch. A figure that
// is unknown has no line.

func init() {
	register(&Format{Name: "prometheus", Doc: "metrics, for the textfile collector of node_exporter", Extension: ".prom",
		rank: 9, write: writePrometheus})
}

const (
	// maxGroupMetrics bounds the groups that have metrics: the largest by memory.
	// All others are one group.
	maxGroupMetrics = 100
	// minGroupMetrics is the least number of keys of such a group, so that the name
	// of no single key is published.
	minGroupMetrics = 16
)

// The values of the label "group" that stand for groups without metrics of their
// own: those with fewer keys than minGroupMetrics, and those that are too many.
const (
	smallGroups = "(small)"
	otherGroups = FoldedGroup
)

type sample struct {
	labels []string // names and values, alternating
	value  Figure
}

type metricsWriter struct {
	w         *bufio.Writer
	snapshots []string // labels of the inputs, no two the same
	job       []string // label of all samples and its value, nil none
}

// add writes a metric of type gauge, which nothing is written of without samples.
// Samples with equal labels are added up: a series may occur once only.
func (m metricsWriter) add(name, help string, samples ...sample) {
	var order []string
	sums := map[string]Figure{}
	for _, s := range samples {
		if !s.value.Known() {
			continue
		}
		labels := m.labels(s.labels)
		if _, ok := sums[labels]; !ok {
			order = append(order, labels)
		}
		sums[labels] += s.value
	}
	if len(order) > 0 {
		fmt.Fprintf(m.w, "# HELP rdblens_%s %s\n# TYPE rdblens_%[1]s gauge\n", name, help)
	}
	for _, labels := range order {
		fmt.Fprintf(m.w, "rdblens_%s%s %d\n", name, labels, sums[labels])
	}
}

// labels returns labels and their values, alternating, with that of the job first.
func (m metricsWriter) labels(list []string) string {
	list = append(slices.Clip(m.job), list...)
	if len(list) == 0 {
		return ""
	}
	var b strings.Builder
	for i := 0; i < len(list); i += 2 {
		b.WriteByte("{,"[min(i, 1)])
		fmt.Fprintf(&b, `%s="%s"`, list[i], labelValue(list[i+1]))
	}
	return b.String() + "}"
}

// labelValue returns a text as the value of a label of a metric, without its quotes.
func labelValue(s string) string { return labelEscapes.Replace(Name(s).Display()) }

var labelEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

func samplesOf[T any](rows []T, f func(*T) sample) []sample {
	list := make([]sample, len(rows))
	for i := range rows {
		list[i] = f(&rows[i])
	}
	return list
}

func boolFigure(b bool) Figure {
	if b {
		return 1
	}
	return 0
}

func writePrometheus(w *bufio.Writer, r *Report, o WriteOptions) error {
	m := metricsWriter{w: w}
	m.report(r, o)
	return nil
}

// WriteNight writes the metrics of a nightly run: its exit code, the report of all inputs,
// nil if there is none, and what is known of each. All have the label job.
func WriteNight(w io.Writer, job string, code int, r *Report, nights []Night, o WriteOptions) error {
	m := metricsWriter{w: bufio.NewWriter(w), job: []string{"job", job}}
	if r != nil {
		m.report(r, o)
	} else {
		m.add("complete", "1 if every snapshot was read to its end.", sample{nil, 0})
	}
	m.add("snapshot_missing", "1 if a snapshot was not given that was there before.",
		samplesOf(nights, func(in *Night) sample {
			return sample{[]string{"snapshot", in.Name}, boolFigure(in.Gone)}
		})...)
	var findings []sample
	for i := range nights {
		if now := nights[i].Now; now != nil {
			findings = append(findings, bySeverity(&now.Findings, "snapshot", nights[i].Name)...)
		}
	}
	m.add("snapshot_findings", "Findings of a snapshot by severity.", findings...)
	m.add("exit_code", "Exit code of the nightly run.", sample{nil, Figure(code)})
	m.add("run_timestamp_seconds", "When the nightly run began.", sample{nil, Figure(o.Now.Unix())})
	return m.w.Flush()
}

func bySeverity(c *Counts, labels ...string) (list []sample) {
	for i, n := range []int64{c.Error, c.Warning, c.Info} {
		list = append(list, sample{append(slices.Clip(labels), "severity", []string{"error", "warning", "info"}[i]),
			Figure(n)})
	}
	return list
}

func (m metricsWriter) report(r *Report, o WriteOptions) {
	for i := range r.Inputs {
		label := string(r.Inputs[i].Name)
		for n := 2; slices.Contains(m.snapshots, label); n++ {
			label = fmt.Sprintf("%s (%d)", r.Inputs[i].Name, n)
		}
		m.snapshots = append(m.snapshots, label)
	}
	now := o.Now
	if now.IsZero() {
		now = time.Now()
	}
	m.add("scan_timestamp_seconds", "When the scan ended.", sample{nil, Figure(now.Unix())})
	if o.Elapsed > 0 {
		fmt.Fprintf(m.w, "# HELP rdblens_scan_duration_seconds How long the scan took.\n# TYPE "+
			"rdblens_scan_duration_seconds "+
			"gauge\nrdblens_scan_duration_seconds%s %s\n",
			m.labels(nil), strconv.FormatFloat(o.Elapsed.Seconds(), 'f', 3, 64))
	}
	m.add("complete", "1 if every snapshot was read to its end.", sample{nil, boolFigure(r.Complete)})
	m.inputs(r, now)

	t := &r.Totals
	m.add("keys", "Keys.", sample{nil, Figure(t.Keys)})
	m.add("memory_bytes", "Memory of all keys.", sample{nil, t.MemoryBytes})
	m.add("value_bytes", "Bytes of all values, without any overhead.", sample{nil, Figure(t.ValueBytes)})
	m.add("keys_without_ttl", "Keys without a TTL.", sample{nil, Figure(t.WithoutTTL)})
	m.add("memory_without_ttl_bytes", "Memory of the keys without a TTL.", sample{nil, t.WithoutTTLMemory})
	m.add("keys_expired", "Keys that were past their expiry when the snapshot was taken.", sample{nil, t.Expired})

	m.add("type_keys", "Keys by type.",
		samplesOf(r.Types, func(t *TypeRow) sample { return sample{[]string{"type", t.Type}, Figure(t.Keys)} })...)
	m.add("type_memory_bytes", "Memory by type.",
		samplesOf(r.Types, func(t *TypeRow) sample { return sample{[]string{"type", t.Type}, t.MemoryBytes} })...)
	m.add("type_largest_key_bytes", "Memory of the largest key by type.",
		samplesOf(r.Types, func(t *TypeRow) sample { return sample{[]string{"type", t.Type}, t.MaxMemoryBytes} })...)
	m.add("type_most_elements", "Elements of the key with most of them by type.",
		samplesOf(r.Types, func(t *TypeRow) sample { return sample{[]string{"type", t.Type}, t.MaxElements} })...)

	database := func(d *Database) []string {
		db := strconv.Itoa(d.DB)
		if d.DB == OtherDatabases {
			db = "(other)"
		}
		return []string{"snapshot", m.snapshots[d.Input], "db", db}
	}
	m.add("database_keys", "Keys by database.",
		samplesOf(r.Databases, func(d *Database) sample { return sample{database(d), Figure(d.Keys)} })...)
	m.add("database_memory_bytes", "Memory by database.",
		samplesOf(r.Databases, func(d *Database) sample { return sample{database(d), d.MemoryBytes} })...)
	m.add("database_keys_without_ttl", "Keys without a TTL by database.",
		samplesOf(r.Databases, func(d *Database) sample { return sample{database(d), Figure(d.Keys - d.WithTTL)} })...)

	owner := func(o *Owner) []string { return []string{"owner", cmp.Or(o.Owner, "(none)")} }
	m.add("owner_keys", "Keys by owner.",
		samplesOf(r.Owners, func(o *Owner) sample { return sample{owner(o), Figure(o.Keys)} })...)
	m.add("owner_memory_bytes", "Memory by owner.",
		samplesOf(r.Owners, func(o *Owner) sample { return sample{owner(o), o.MemoryBytes} })...)
	m.add("owner_keys_without_ttl", "Keys without a TTL by owner.",
		samplesOf(r.Owners, func(o *Owner) sample { return sample{owner(o), Figure(o.WithoutTTL)} })...)

	groups := metricGroups(r.Groups)
	m.add("group_keys", "Keys by group of names.",
		samplesOf(groups, func(g *Group) sample { return sample{[]string{"group", string(g.Group)}, Figure(g.Keys)} })...)
	m.add("group_memory_bytes", "Memory by group of names.",
		samplesOf(groups, func(g *Group) sample { return sample{[]string{"group", string(g.Group)}, g.MemoryBytes} })...)
	m.add("group_keys_without_ttl", "Keys without a TTL by group of names.", samplesOf(groups, func(g *Group) sample {
		return sample{[]string{"group", string(g.Group)}, Figure(g.WithoutTTL)}
	})...)

	m.budgets(r)
	if c := &r.Config; c.Profile != "" && len(r.Passed) > 0 {
		broken := r.broken()
		of := []string{"profile", c.Profile, "config", c.File, "result"}
		m.add("rules", "Rules that keys were checked against, by profile, configuration and whether they found anything.",
			sample{append(slices.Clone(of), "passed"), Figure(len(r.Passed))}, sample{append(of, "broken"), Figure(len(broken))})
	}
	m.add("findings", "Findings by rule and severity.", samplesOf(r.Rules, func(f *Finding) sample {
		return sample{[]string{"rule", f.Rule, "severity", f.Severity}, Figure(f.Count)}
	})...)
	m.add("severity_findings", "Findings by severity.", bySeverity(&r.Findings)...)
}

func (m metricsWriter) inputs(r *Report, now time.Time) {
	add := func(name, help string, value func(*Input) Figure) {
		samples := make([]sample, len(r.Inputs))
		for i := range r.Inputs {
			samples[i] = sample{[]string{"snapshot", m.snapshots[i]}, value(&r.Inputs[i])}
		}
		m.add("snapshot_"+name, help, samples...)
	}
	add("complete", "1 if the snapshot was read to its end.", func(in *Input) Figure { return boolFigure(in.Complete) })
	add("timestamp_seconds", "When the snapshot was taken.", func(in *Input) Figure { return in.Created })
	add("age_seconds", "Age of the snapshot when the scan ended.", func(in *Input) Figure {
		if !in.Created.Known() {
			return Unknown
		}
		return max(0, Figure(now.Unix())-in.Created)
	})
	add("bytes", "Size of the file, as it is stored.", func(in *Input) Figure { return in.FileBytes })
	add("keys", "Keys of the snapshot.", func(in *Input) Figure { return Figure(in.Keys) })
	add("used_memory_bytes", "used_memory when the snapshot was taken.", func(in *Input) Figure { return in.UsedMem })
	add("predicted_memory_bytes", "Predicted used_memory.", func(in *Input) Figure {
		if in.Memory == nil {
			return Unknown
		}
		return in.Memory.Predicted
	})
}

func (m metricsWriter) budgets(r *Report) {
	var now, limits []sample
	for i := range r.Budgets {
		b := &r.Budgets[i]
		for measure := range thresholds.NumBudgetMeasures {
			snapshot := m.snapshots[b.Input]
			if b.Inputs > 1 {
				snapshot = ""
			}
			labels := []string{"snapshot", snapshot, "budget", string(b.Budget), "measure", measure.String()}
			used := false
			for _, l := range b.Limits {
				if l.Measure == measure.String() {
					used = measure != thresholds.BudgetGrowth
					limits = append(limits, sample{append(slices.Clone(labels), "severity", l.Severity), Figure(l.Limit)})
				}
			}
			if used {
				now = append(now, sample{labels, Figure(b.sums().Measure(measure))})
			}
		}
	}
	m.add("budget_used", "What the keys of a budget have: keys, bytes of memory, hundredths of a percent without a TTL.",
		now...)
	m.add("budget_limit", "Limits of budgets, in the same units; growth in hundredths of a percent a day.", limits...)
}

// metricGroups returns the groups that have metrics, the largest first, and the
// sums of the others, if there are any.
func metricGroups(all []Group) []Group {
	sorted := append([]Group(nil), all...)
	sortGroups(sorted, "")
	small, other := Group{Group: smallGroups}, Group{Group: otherGroups}
	var list []Group
	for _, g := range sorted {
		switch {
		case g.Group == FoldedGroup:
			other.addGroup(&g)
		case g.Keys < minGroupMetrics:
			small.addGroup(&g)
		case len(list) == maxGroupMetrics:
			other.addGroup(&g)
		default:
			list = append(list, g)
		}
	}
	for _, g := range []Group{small, other} {
		if g.Keys > 0 {
			list = append(list, g)
		}
	}
	return list
}

func (g *Group) addGroup(o *Group) {
	g.Keys += o.Keys
	g.WithoutTTL += o.WithoutTTL
	if g.MemoryBytes.Known() && o.MemoryBytes.Known() {
		g.MemoryBytes += o.MemoryBytes
	} else {
		g.MemoryBytes = Unknown
	}
}
