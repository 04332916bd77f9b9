package report

import (
	"cmp"
	"slices"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/thresholds"
)

// Keys gives the number of keys that were counted, Dropped that of those that
// BuildOptions.Keep did not want.
func (b *Builder) Keys() int64    { return b.keys }
func (b *Builder) Dropped() int64 { return b.dropped }

// databases gives the sums of the databases of one input, by number.
func (b *Builder) databases(input int) []Database {
	var list []Database
	for i := range b.tables.databases {
		if d := &b.tables.databases[i]; d.input == input {
			list = append(list, d.row())
		}
	}
	sortDatabases(list)
	return list
}

func (d *database) row() Database {
	return Database{Input: d.input, DB: d.db, Keys: d.keys, WithTTL: d.expiring, ValueBytes: d.values, MemoryBytes: d.memoryFigure(),
		WithTTLMemory: memoryFigure(d.expiringMemory, d.expiring)}
}

func sortDatabases(list []Database) {
	slices.SortFunc(list, func(a, b Database) int {
		// What is beyond the bound stands last.
		return cmp.Or(cmp.Compare(a.Input, b.Input), cmp.Compare(uint(a.DB), uint(b.DB)))
	})
}

// memoryFigure is the sum of memory, which is not known where there are keys
// and no byte: every key takes some.
func (s *sums) memoryFigure() Figure { return memoryFigure(s.memory, s.keys) }

func memoryFigure(memory, keys int64) Figure {
	if memory == 0 && keys > 0 {
		return Unknown
	}
	return Figure(memory)
}

// Report gives what was gathered. The caller sets Tool, Config, Filter, Inputs
// and Complete. A Builder that was never started gives an empty report.
func (b *Builder) Report() *Report {
	r := &Report{Schema: SchemaVersion, By: ByMemory, Top: map[string][]KeyRow{}, TopByType: map[string]map[string][]KeyRow{}}
	if b.engine == nil {
		for _, m := range Measures() {
			r.Top[m] = nil
		}
		return r
	}
	b.finish()
	b.tables.groups.settle(true)
	f := &finisher{b: b, r: r}
	f.totals()
	if !r.Totals.MemoryBytes.Known() {
		r.By = ByValueBytes
	}
	f.types()
	f.tops()
	f.rules()
	f.groups()
	f.owners()
	for i := range b.tables.databases {
		r.Databases = append(r.Databases, b.tables.databases[i].row())
	}
	sortDatabases(r.Databases)
	f.histograms()
	return r
}

// finisher makes the report of a Builder.
type finisher struct {
	b *Builder
	r *Report
	// selects tells the inputs with keys in another database than 0: commands
	// on their keys select the database, whichever it is.
	selects map[int]bool
}

// snapshotOf gives what is known of an input.
func (f *finisher) snapshotOf(input int) *snapshot {
	for i := range f.b.snapshots {
		if s := &f.b.snapshots[i]; s.input == input {
			return s
		}
	}
	return &f.b.snapshots[0]
}

func (f *finisher) totals() {
	t, tables := &f.r.Totals, &f.b.tables
	var all sums
	for typ := range tables.cells {
		for enc := range tables.cells[typ] {
			c := &tables.cells[typ][enc]
			all.add(&c.sums)
			t.WithTTL += c.expiring
		}
	}
	none, gone := f.b.spreads.expiry[noExpiry], f.b.spreads.expiry[expired]
	*t = Totals{
		Keys: all.keys, Elements: all.elements, ValueBytes: all.values, SerializedBytes: all.serialized,
		MemoryBytes: all.memoryFigure(), MemoryUsage: memoryFigure(all.usage, all.keys),
		MemoryBound: tables.bound > 0, NameBytes: all.names,
		WithTTL: t.WithTTL, WithoutTTL: all.keys - t.WithTTL,
		WithoutTTLBytes: none.values, WithoutTTLMemory: memoryFigure(none.memory, none.keys),
		Expired: Unknown, FieldsWithTTL: tables.fieldsTTL, StreamGroups: tables.streamGroups, StreamPending: tables.pending,
	}
	for i := range f.b.snapshots {
		s := &f.b.snapshots[i]
		if s.timed {
			t.Expired = Figure(gone.keys)
		}
		if t.MemoryBytes.Known() && !s.engine.Env().Memory {
			t.WithoutMemory += s.keys
		}
	}
	t.MemoryBound = t.MemoryBound || t.WithoutMemory > 0
}

func (f *finisher) types() {
	r, tables := f.r, &f.b.tables
	whole := int64(f.r.Totals.MemoryBytes)
	memory := whole > 0
	if !memory {
		whole = f.r.Totals.ValueBytes
	}
	for typ := range parser.NumTypes {
		var c cell
		for enc := range parser.NumEncodings {
			from := &tables.cells[typ][enc]
			if from.keys == 0 {
				continue
			}
			c.add(&from.sums)
			c.expiring += from.expiring
			r.Encodings = append(r.Encodings, Encoding{Type: typ.String(), Encoding: enc.String(), Keys: from.keys,
				Elements: from.elements, ValueBytes: from.values, MemoryBytes: from.memoryFigure()})
		}
		if c.keys == 0 {
			continue
		}
		lists := &f.b.tops.types[typ]
		row := TypeRow{Type: typ.String(), Keys: c.keys, Elements: c.elements, ValueBytes: c.values, SerializedBytes: c.serialized,
			MemoryBytes: c.memoryFigure(), MemoryUsage: memoryFigure(c.usage, c.keys), AverageBytes: Unknown, WithTTL: c.expiring,
			MaxMemoryBytes: lists[0].highest(), MaxValueBytes: lists[2].highest(), MaxElements: lists[3].highest()}
		if row.MaxValueBytes.Known() {
			row.AverageBytes = Figure(c.values / c.keys)
		}
		part := c.values
		if memory {
			part = c.memory
		}
		row.Share = shareOf(part, whole)
		for _, m := range []int{0, 2, 4} { // memory, value bytes, serialized bytes
			if len(lists[m]) > 0 {
				key := f.row(&lists[m][0])
				row.LargestKey = &key
				break
			}
		}
		r.Types = append(r.Types, row)
	}
	slices.SortStableFunc(r.Types, func(a, b TypeRow) int {
		return cmp.Compare(sizeOf(b.MemoryBytes, b.ValueBytes), sizeOf(a.MemoryBytes, a.ValueBytes))
	})
	slices.SortStableFunc(r.Encodings, func(a, b Encoding) int {
		return cmp.Compare(sizeOf(b.MemoryBytes, b.ValueBytes), sizeOf(a.MemoryBytes, a.ValueBytes))
	})
}

// highest gives the value of the first entry, unknown where there is none.
func (r ranking) highest() Figure {
	if len(r) == 0 {
		return Unknown
	}
	return Figure(r[0].value)
}

// row gives the row of a list's entry.
func (f *finisher) row(e *entry) KeyRow { return f.rowOf(&f.b.tops.rows.list[e.row]) }

// rowOf gives the row of a key that was kept.
func (f *finisher) rowOf(k *kept) KeyRow {
	row := NewKeyRow(&k.key)
	s := f.snapshotOf(int(k.input))
	row.Input = int(k.input)
	row.Group = Name(f.b.tables.groups.patternOf(k.key.Name))
	row.Owner = s.engine.Owners()[k.owner]
	if k.key.HasExpire && s.timed {
		left := floorSeconds(timeLeft(k.key.ExpireAt, s.created))
		row.TTL = &left
	}
	return row
}

// floorSeconds gives the whole seconds in milliseconds, rounded down.
func floorSeconds(ms int64) int64 {
	s := ms / 1000
	if ms%1000 < 0 {
		s--
	}
	return s
}

func (f *finisher) list(r ranking) []KeyRow {
	var rows []KeyRow
	for i := range r[:min(len(r), f.b.opt.Top)] {
		rows = append(rows, f.row(&r[i]))
	}
	return rows
}

func (f *finisher) tops() {
	for m, name := range Measures() {
		f.r.Top[name] = f.list(f.b.tops.overall[m])
		for typ := range parser.NumTypes {
			list := f.list(f.b.tops.types[typ][m])
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
	f.r.Hot = f.list(f.b.tops.hot)
}

func (f *finisher) owners() {
	if len(f.b.tables.owners) < 2 {
		return
	}
	names := f.b.engine.Owners()
	for i := range f.b.tables.owners {
		o := &f.b.tables.owners[i]
		f.r.Owners = append(f.r.Owners, Owner{Owner: names[i], Keys: o.keys, Elements: o.elements, ValueBytes: o.values,
			MemoryBytes: o.memoryFigure(), WithoutTTL: o.without,
			Findings: Counts{Error: o.findings[thresholds.Error], Warning: o.findings[thresholds.Warning],
				Info: o.findings[thresholds.Info], Ignored: o.ignored}})
	}
	slices.SortStableFunc(f.r.Owners, func(a, b Owner) int {
		return cmp.Compare(sizeOf(b.MemoryBytes, b.ValueBytes), sizeOf(a.MemoryBytes, a.ValueBytes))
	})
}

func (f *finisher) histograms() {
	s, memory := &f.b.spreads, f.r.Totals.MemoryBytes.Known()
	f.r.Expiry = expiryBuckets(&s.expiry, memory)
	f.r.Histograms = Histograms{
		KeyLength: lengthScale.buckets(&s.lengths, memory),
		Elements:  elementsScale.buckets(&s.elements, memory),
		Idle:      idleScale.buckets(&s.idle, memory),
	}
	if s.freqs {
		var all bars
		for n := range s.freq {
			all[lfuScale.bar(int64(n))].add(&s.freq[n])
		}
		f.r.Histograms.LFU = lfuScale.buckets(&all, memory)
	}
}
