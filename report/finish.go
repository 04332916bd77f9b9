package report

import (
	"cmp"
	"slices"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/report/internal/agg"
	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// newReport returns the report of what a Builder gathered of inputs. Scan adds the
// tool and the configuration.
func newReport(b *agg.Builder, opt *Options, inputs []Input) *Report {
	r := &Report{Schema: SchemaVersion, Inputs: inputs, FixFirst: []Step{}, Savings: []Step{}, By: opt.By,
		Top: map[string][]KeyRow{}, TopByType: map[string]map[string][]KeyRow{}}
	if r.By == "" {
		r.By = ByMemory
	}
	if !b.Finish() {
		for _, m := range Measures() {
			r.Top[m] = nil
		}
		return r
	}
	f := &finisher{Builder: b, opt: opt, r: r, owner: b.Engine(0).Owners()}
	f.identify()
	f.judgeGroups()
	f.findExamples()
	f.totals()
	if r.By == ByMemory && !r.Totals.MemoryBytes.Known() {
		r.By = ByValueBytes
	}
	f.nodes()
	f.groups()
	f.types()
	f.tops()
	f.findSameServers()
	f.rules()
	f.tree()
	f.owners()
	f.budgets()
	for i := range b.Tables.Databases {
		r.Databases = append(r.Databases, databaseRow(&b.Tables.Databases[i]))
	}
	sortDatabases(r.Databases)
	f.histograms()
	r.Bounds = f.bounds()
	f.Tables.Groups.DropTree() // steps need much memory where there are many groups
	f.steps()
	for _, fleet := range b.Fleets {
		f.slots(fleet.SlotRanges())
		if len(b.Fleets) == 1 { // of several, each has its own time
			r.ExpiryTimes = fleet.ExpiryTimes()
		}
	}
	return r
}

func (f *finisher) slots(ranges []thresholds.SlotRange) {
	if f.r.Slots == nil {
		f.r.Slots = ranges
		return
	}
	for i, r := range ranges {
		f.r.Slots[i].Keys += r.Keys
		f.r.Slots[i].Bytes += r.Bytes
	}
}

type finisher struct {
	*agg.Builder
	opt   *Options
	r     *Report
	owner []string // names, see thresholds.Engine.Owners
	// sourceOwner has the owners that CODEOWNERS names of the line that writes the keys of a group, by its
	// pattern, where the configuration names none.
	sourceOwner map[string]string
	// selects has the inputs with keys in another database than 0: commands on
	// their keys select the database, whichever it is.
	selects  map[int]bool
	examples map[*agg.RetainedKey][]thresholds.Finding // that are shown of each key

	grownEntries []bool // see growing
	// known are the identities of groups, by their patterns.
	known     map[string]*Identity
	ttls      map[string]int64    // the longest TTLs of groups, in seconds
	longest   map[string][2]int64 // lengths of the longest names and strings of their samples
	explained explained
	counted   [agg.RuleSeverities]bool // findings that are only counted
	// Judgements are those of the Builder, and those about groups.
	Judgements []agg.Judgement
	backlogs   map[string]backlog // by pattern
}

func databasesOf(b *agg.Builder, input int) []Database {
	var list []Database
	for i := range b.Tables.Databases {
		if d := &b.Tables.Databases[i]; d.Input == input {
			list = append(list, databaseRow(d))
		}
	}
	sortDatabases(list)
	return list
}

func databaseRow(d *agg.Database) Database {
	return Database{Input: d.Input, DB: d.DB, Keys: d.Keys, WithTTL: d.WithTTL, ValueBytes: d.ValueBytes,
		MemoryBytes: memoryFigure(d.Memory, d.Keys), WithTTLMemory: memoryFigure(d.WithTTLMemory, d.WithTTL)}
}

func sortDatabases(list []Database) {
	slices.SortFunc(list, func(a, b Database) int {
		// OtherDatabases is last.
		return cmp.Or(cmp.Compare(a.Input, b.Input), cmp.Compare(uint(a.DB), uint(b.DB)))
	})
}

// memoryFigure returns the memory of keys, unknown if it is 0: every key takes
// some.
func memoryFigure(memory, keys int64) Figure {
	if memory == 0 && keys > 0 {
		return Unknown
	}
	return Figure(memory)
}

func (f *finisher) totals() {
	t, tables := &f.r.Totals, &f.Tables
	var all agg.Cell
	for typ := range tables.Cells {
		for enc := range tables.Cells[typ] {
			all.Add(&tables.Cells[typ][enc])
		}
	}
	none := f.Histograms.NoExpiry()
	*t = Totals{
		Keys: all.Keys, Elements: all.Elements, ValueBytes: all.ValueBytes, SerializedBytes: all.Serialized,
		MemoryBytes: memoryFigure(all.Memory, all.Keys), MemoryUsage: memoryFigure(all.MemoryUsage, all.Keys),
		MemoryBound: tables.MemoryBound > 0, MemoryApproximate: tables.MemoryApproximate > 0, NameBytes: all.NameBytes,
		WithTTL: all.WithTTL, WithoutTTL: all.Keys - all.WithTTL,
		WithoutTTLBytes: none.ValueBytes, WithoutTTLMemory: memoryFigure(none.Memory, none.Keys),
		Expired: Unknown, FieldsWithTTL: tables.FieldsWithTTL, StreamGroups: tables.StreamGroups,
		StreamPending: tables.StreamPending, Stalling: tables.Stalling,
	}
	for i := range f.Snapshots {
		s := &f.Snapshots[i]
		if s.Timed {
			t.Expired = Figure(f.Histograms.Expired().Keys)
		}
		if t.MemoryBytes.Known() && !s.Env.Memory {
			t.WithoutMemory += s.Keys
		}
	}
	t.MemoryBound = t.MemoryBound || t.WithoutMemory > 0
}

// nodes adds the totals of each of several snapshots.
func (f *finisher) nodes() {
	if len(f.Snapshots) < 2 {
		return
	}
	for i := range f.Snapshots {
		s := &f.Snapshots[i]
		n := Node{Input: s.Input, Keys: s.Keys, ValueBytes: s.ValueBytes, MemoryBytes: Unknown, WithoutTTL: s.WithoutTTL,
			Findings: Counts{Error: s.Found[thresholds.Error], Warning: s.Found[thresholds.Warning],
				Info: s.Found[thresholds.Info]}}
		if s.Env.Memory {
			n.MemoryBytes = Figure(s.Memory)
		}
		f.r.Nodes = append(f.r.Nodes, n)
	}
	f.r.rankNodes()
}

func (r *Report) rankNodes() {
	for i := range r.Nodes {
		n := &r.Nodes[i]
		part, whole := n.ValueBytes, r.Totals.ValueBytes
		if r.Totals.MemoryBytes.Known() {
			part, whole = int64(max(n.MemoryBytes, 0)), int64(r.Totals.MemoryBytes)
		}
		n.Share = shareOf(part, whole)
		n.Skew = n.Share * float64(len(r.Nodes))
	}
	slices.SortStableFunc(r.Nodes, func(a, b Node) int {
		return cmp.Or(cmp.Compare(sizeOf(b.MemoryBytes, b.ValueBytes), sizeOf(a.MemoryBytes, a.ValueBytes)),
			cmp.Compare(a.Input, b.Input))
	})
}

func (f *finisher) types() {
	r := f.r
	whole := int64(r.Totals.MemoryBytes)
	memory := whole > 0
	if !memory {
		whole = r.Totals.ValueBytes
	}
	for typ := range parser.NumTypes {
		var c agg.Cell
		for enc := range parser.NumEncodings {
			from := &f.Tables.Cells[typ][enc]
			if from.Keys == 0 {
				continue
			}
			c.Add(from)
			r.Encodings = append(r.Encodings, Encoding{Type: typ.String(), Encoding: enc.String(), Keys: from.Keys,
				Elements: from.Elements, ValueBytes: from.ValueBytes, MemoryBytes: memoryFigure(from.Memory, from.Keys),
				WithoutTTL:       from.Keys - from.WithTTL,
				WithoutTTLMemory: memoryFigure(from.Memory-from.WithTTLMemory, from.Keys-from.WithTTL)})
		}
		if c.Keys == 0 {
			continue
		}
		highest := func(measure int) Figure {
			if list := f.Top.Type(typ, measure); len(list) > 0 {
				return Figure(list[0].Value)
			}
			return Unknown
		}
		row := TypeRow{Type: typ.String(), Keys: c.Keys, Elements: c.Elements, ValueBytes: c.ValueBytes,
			SerializedBytes: c.Serialized, MemoryBytes: memoryFigure(c.Memory, c.Keys),
			MemoryUsage: memoryFigure(c.MemoryUsage, c.Keys), AverageBytes: Unknown, WithTTL: c.WithTTL,
			MaxMemoryBytes: highest(agg.ByMemory), MaxValueBytes: highest(agg.ByValueBytes),
			MaxElements: highest(agg.ByElements)}
		if row.MaxValueBytes.Known() {
			row.AverageBytes = Figure(c.ValueBytes / c.Keys)
		}
		part := c.ValueBytes
		if memory {
			part = c.Memory
		}
		row.Share = shareOf(part, whole)
		for _, measure := range []int{agg.ByMemory, agg.ByValueBytes, agg.BySerialized} {
			if list := f.Top.Type(typ, measure); len(list) > 0 {
				key := f.row(&list[0])
				row.LargestKey = &key
				break
			}
		}
		r.Types = append(r.Types, row)
	}
	sortBySize(r.Types, func(row *TypeRow) Figure { return sizeOf(row.MemoryBytes, row.ValueBytes) })
	sortBySize(r.Encodings, func(row *Encoding) Figure { return sizeOf(row.MemoryBytes, row.ValueBytes) })
}

func (f *finisher) row(e *agg.Entry) KeyRow {
	retained := f.Top.Key(e)
	key := retained.Key()
	return f.rowOf(&key, retained, string(retained.Group()))
}

// rowOf returns the row of a key of a group that was retained as from.
func (f *finisher) rowOf(k *parser.Key, from *agg.RetainedKey, group string) KeyRow {
	row := newKeyRow(k)
	row.Input = int(from.Input)
	if row.Group = f.pattern(group); row.Group == row.Key {
		row.Key = row.Group // one string: a report may have a group for each key
	}
	row.Owner = cmp.Or(f.owner[from.Owner], f.sourceOwner[group])
	row.Findings = f.findingsOf(k, from, f.known[group])
	if ttl, ok := TTL(k, f.Snapshot(row.Input).Env.Created); ok {
		row.TTL = &ttl
	}
	return row
}

// denseHyperLogLog is the length of a HyperLogLog in bytes, which is not too large: 16,384
// registers of six bits behind a header of 16 bytes (hyperloglog.c).
const denseHyperLogLog = 16 + 16384*6/8

// findingsOf returns what the rules find about a key, and what they found when all of it
// was known, unless its identity explains it.
func (f *finisher) findingsOf(k *parser.Key, from *agg.RetainedKey, id *Identity) (list []KeyFinding) {
	engine := f.Engine(int(from.Input))
	var facts naming.Facts
	engine.Namer().Facts(k.Name, &facts)
	var rules thresholds.RuleSet
	known := f.examples[from]
	for i, found := range slices.Concat(known, engine.Check(k, &facts, nil)) {
		if i >= len(known) && k.ValueBytes == denseHyperLogLog && found.Rule.Name() == "big-string" {
			continue // it may be one, which the first bytes of the value would tell
		}
		if found.Ignored == 0 && !rules.Has(found.Rule) && !(id != nil && id.Explains(found.Rule.Name())) {
			rules |= 1 << found.Rule
			measured, limit := measure(found)
			list = append(list, KeyFinding{found.Rule.Name(), found.Severity.String(), measured, limit, found.Unit().String()})
		}
	}
	slices.SortStableFunc(list,
		func(a, b KeyFinding) int { return cmp.Compare(severityOf(b.Severity), severityOf(a.Severity)) })
	return list
}

func (f *finisher) findExamples() {
	f.examples = map[*agg.RetainedKey][]thresholds.Finding{}
	for at := range agg.RuleSeverities {
		list := f.Top.Examples(at)
		for i := range list {
			key := f.Top.Key(&list[i])
			f.examples[key] = append(f.examples[key], list[i].Finding)
		}
	}
}

func (f *finisher) pattern(text string) Name { return Name(f.Tables.Groups.Name(text)) }

// TTL returns the seconds that a key had left when its snapshot was taken, rounded
// down; they are negative if it had expired. created is that time in seconds since
// the epoch. It returns false if the key has no expiry or created is not a time.
func TTL(k *parser.Key, created int64) (seconds int64, ok bool) {
	ms, ok := agg.TTL(k, created)
	return floorSeconds(ms), ok
}

// floorSeconds returns the whole seconds in milliseconds, rounded down.
func floorSeconds(ms int64) int64 {
	s := ms / 1000
	if ms%1000 < 0 {
		s--
	}
	return s
}

func (f *finisher) list(entries []agg.Entry) []KeyRow {
	rows := make([]KeyRow, min(len(entries), f.opt.Top))
	for i := range rows {
		rows[i] = f.row(&entries[i])
	}
	return rows
}

func (f *finisher) tops() {
	for m, name := range Measures() {
		f.r.Top[name] = f.list(f.Top.Overall(m))
		for typ := range parser.NumTypes {
			list := f.list(f.Top.Type(typ, m))
			if len(list) == 0 {
				continue
			}
			byMeasure := f.r.TopByType[typ.String()]
			if byMeasure == nil {
				byMeasure = map[string][]KeyRow{}
				f.r.TopByType[typ.String()] = byMeasure
			}
			byMeasure[name] = list
		}
	}
	f.r.Hot = f.list(f.Top.Hot())
}

func (f *finisher) budgets() {
	for i, b := range f.Engine(0).Policy().Budgets {
		for _, j := range f.Judgements {
			for _, judged := range j.Budgets {
				if judged.Index != i {
					continue
				}
				sum := judged.Sums
				row := Budget{Input: nodeOf(j.Nodes, judged.Largest), Budget: Name(thresholds.SubjectText(b.Subject())),
					Message: b.Subject(),
					Keys:    sum.Keys, Bytes: sum.Bytes, WithoutTTL: sum.WithoutTTL, Reason: b.Reason, Source: b.Source}
				if len(j.Nodes) > 1 {
					row.Inputs = len(j.Nodes)
				}
				for _, l := range b.Limits {
					row.Limits = append(row.Limits, BudgetLimit{Measure: l.Measure.String(), Severity: l.Severity.String(),
						Limit: l.Value, Exceeded: sum.Measure(l.Measure) > l.Value})
				}
				f.r.Budgets = append(f.r.Budgets, row)
			}
		}
	}
}

// nodeOf returns the number of the snapshot with the largest part of something, the
// first if that is not known.
func nodeOf(nodes []thresholds.NodeSums, largest thresholds.NodeSums) int {
	if largest.Keys > 0 {
		return largest.Node
	}
	return nodes[0].Node
}

func (f *finisher) histograms() {
	h := &f.Histograms
	f.r.Expiry = f.buckets(h.Expiry())
	f.r.Histograms = Histograms{KeyLength: f.buckets(h.KeyLength()), Elements: f.buckets(h.Elements()),
		Idle: f.buckets(h.Idle()), LFU: f.buckets(h.LFU())}
}

func (f *finisher) buckets(from []agg.Bucket) []Bucket {
	var list []Bucket
	for _, b := range from {
		row := Bucket{Label: b.Label, Min: b.Min, Max: b.Max, Keys: b.Keys, ValueBytes: b.ValueBytes, MemoryBytes: Unknown}
		if f.r.Totals.MemoryBytes.Known() {
			row.MemoryBytes = Figure(b.Memory)
		}
		list = append(list, row)
	}
	return list
}
