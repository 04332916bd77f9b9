package report

import (
	"slices"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds"
)

// The sections of sums: by type, database and owner, and the histograms.

// sizeTitle names the size that ranks things: memory where it is known.
func (d *details) sizeTitle() string {
	if d.r.Totals.MemoryBytes.Known() {
		return "memory"
	}
	return "value"
}

func (d *details) types() {
	rows := d.r.Types
	if len(rows) == 0 {
		return
	}
	d.section(word("By type"), message.Message{})
	d.rows(len(rows),
		wordColumn("type", func(i int) string { return rows[i].Type }),
		countColumn("keys", func(i int) Figure { return Figure(rows[i].Keys) }),
		countColumn("elements", func(i int) Figure { return Figure(rows[i].Elements) }),
		sizeColumn("value", func(i int) Figure { return Figure(rows[i].ValueBytes) }),
		sizeColumn("serialized", func(i int) Figure { return Figure(rows[i].SerializedBytes) }).drop(2),
		sizeColumn("memory", func(i int) Figure { return rows[i].MemoryBytes }),
		rightColumn("share", func(i int) message.Message { return percentText(rows[i].Share) }),
		countColumn("average B", func(i int) Figure { return rows[i].AverageBytes }).drop(3),
		sizeColumn("largest", func(i int) Figure { return sizeOf(rows[i].MaxMemoryBytes, int64(rows[i].MaxValueBytes)) }),
		nameColumn("largest key", func(i int) message.Message { return keyText(rows[i].LargestKey) }).drop(1))
}

func (d *details) encodings() {
	rows := d.r.Encodings
	if len(rows) == 0 {
		return
	}
	d.section(word("By encoding"), message.Message{})
	d.rows(len(rows),
		wordColumn("type", func(i int) string { return rows[i].Type }),
		wordColumn("encoding", func(i int) string { return rows[i].Encoding }),
		countColumn("keys", func(i int) Figure { return Figure(rows[i].Keys) }),
		countColumn("elements", func(i int) Figure { return Figure(rows[i].Elements) }),
		sizeColumn("value", func(i int) Figure { return Figure(rows[i].ValueBytes) }).drop(1),
		sizeColumn("memory", func(i int) Figure { return rows[i].MemoryBytes }),
		countColumn("no TTL", func(i int) Figure { return Figure(rows[i].WithoutTTL) }),
		sizeColumn("memory without TTL", func(i int) Figure { return rows[i].WithoutTTLMemory }).drop(2))
}

func (d *details) databases() {
	rows := d.r.Databases
	if !severalDatabases(d.r) {
		return
	}
	d.section(word("By database"), message.Message{})
	d.rows(len(rows),
		d.r.inputColumn(func(i int) int { return rows[i].Input }),
		rightColumn("database", func(i int) message.Message {
			if rows[i].DB == OtherDatabases {
				return word("(others)")
			}
			return only(message.Int("n", int64(rows[i].DB)))
		}),
		countColumn("keys", func(i int) Figure { return Figure(rows[i].Keys) }),
		countColumn("with TTL", func(i int) Figure { return Figure(rows[i].WithTTL) }),
		sizeColumn("value", func(i int) Figure { return Figure(rows[i].ValueBytes) }),
		sizeColumn("memory", func(i int) Figure { return rows[i].MemoryBytes }))
}

func (d *details) budgets() {
	type row struct {
		*Budget
		*BudgetLimit
		measure thresholds.BudgetMeasure
		now     int64
	}
	var rows []row
	for i := range d.r.Budgets {
		b := &d.r.Budgets[i]
		for n := range b.Limits {
			for m := range thresholds.BudgetGrowth { // diff is about growth
				if b.Limits[n].Measure == m.String() {
					rows = append(rows, row{b, &b.Limits[n], m, b.sums().Measure(m)})
				}
			}
		}
	}
	if rows == nil {
		return
	}
	d.section(word("Budgets"), message.Message{})
	d.rows(len(rows),
		d.r.inputColumn(func(i int) int {
			if rows[i].Inputs > 1 {
				return -1
			}
			return rows[i].Input
		}),
		nameColumn("budget", func(i int) message.Message {
			return sentenceOf(rows[i].Message, string(rows[i].Budget.Budget))
		}),
		wordColumn("of", func(i int) string { return rows[i].Measure }),
		rightColumn("now", func(i int) message.Message {
			if rows[i].measure == thresholds.BudgetMemory {
				return sizeText(Figure(rows[i].now))
			}
			return only(message.Limit("n", rows[i].measure.Unit(), rows[i].now))
		}),
		rightColumn("limit", func(i int) message.Message {
			return only(message.Limit("n", rows[i].measure.Unit(), rows[i].Limit))
		}),
		rightColumn("used", func(i int) message.Message { return shareText(rows[i].now, rows[i].Limit) }),
		wordColumn("exceeded", func(i int) string {
			if !rows[i].Exceeded {
				return ""
			}
			return rows[i].Severity
		}),
		nameColumn("reason", func(i int) message.Message { return reasonText(rows[i].Reason, rows[i].Source) }).drop(1))
}

func (b *Budget) sums() thresholds.BudgetSums {
	return thresholds.BudgetSums{Keys: b.Keys, Bytes: b.Bytes, WithoutTTL: b.WithoutTTL}
}

func (d *details) owners() {
	rows := d.r.Owners
	if !d.r.hasOwners() {
		return
	}
	d.section(word("By owner"), message.Message{})
	d.rows(len(rows),
		nameColumn("owner", func(i int) message.Message {
			if rows[i].Owner == "" {
				return word("(no owner)")
			}
			return ownerText(rows[i].Owner)
		}),
		countColumn("keys", func(i int) Figure { return Figure(rows[i].Keys) }),
		countColumn("elements", func(i int) Figure { return Figure(rows[i].Elements) }).drop(1),
		sizeColumn("value", func(i int) Figure { return Figure(rows[i].ValueBytes) }).drop(2),
		sizeColumn("memory", func(i int) Figure { return rows[i].MemoryBytes }),
		rightColumn("no TTL", func(i int) message.Message { return shareText(rows[i].WithoutTTL, rows[i].Keys) }),
		countColumn("errors", func(i int) Figure { return Figure(rows[i].Findings.Error) }),
		countColumn("warnings", func(i int) Figure { return Figure(rows[i].Findings.Warning) }),
		countColumn("info", func(i int) Figure { return Figure(rows[i].Findings.Info) }))
}

func (d *details) expiry() {
	if len(d.r.Expiry) == 0 || d.r.Totals.Keys == 0 {
		return
	}
	d.section(word("TTL"), word("time left when the snapshot was taken"))
	d.bars("TTL", d.r.Expiry)
}

func (d *details) bars(title string, rows []Bucket) {
	var keys, most int64
	for _, b := range rows {
		keys += b.Keys
		most = max(most, b.Keys)
	}
	d.rows(len(rows),
		leftColumn(title, func(i int) message.Message { return word(rows[i].Label) }),
		countColumn("keys", func(i int) Figure { return Figure(rows[i].Keys) }),
		rightColumn("share", func(i int) message.Message { return shareText(rows[i].Keys, keys) }),
		barColumn(func(i int) float64 { return ratio(rows[i].Keys, max(most, 1)) }).drop(1),
		sizeColumn("value", func(i int) Figure { return Figure(rows[i].ValueBytes) }).drop(2),
		sizeColumn("memory", func(i int) Figure { return rows[i].MemoryBytes }))
}

func (d *details) histograms() {
	h := &d.r.Histograms
	begun := false
	for _, part := range []struct {
		label   string
		buckets []Bucket
	}{{"key length", h.KeyLength}, {"elements", h.Elements}, {"idle", h.Idle}, {"LFU counter", h.LFU}} {
		used := slices.DeleteFunc(slices.Clone(part.buckets), func(b Bucket) bool { return b.Keys == 0 })
		if len(used) == 0 {
			continue
		}
		if !begun {
			d.section(word("Distribution of keys"), word("key length in bytes, elements of collections, idle time"))
			begun = true
		}
		d.bars(part.label, used)
	}
}

// The sections that list keys and groups of keys.

var measureTitles = map[string]string{ByMemory: "memory", ByMemoryUsage: "memory usage", ByValueBytes: "value bytes",
	ByElements: "elements", BySerialized: "serialized bytes", ByLargest: "largest element"}

// ttlText returns the TTL of a key, or its expiry where the time of the snapshot
// is unknown.
func ttlText(k *KeyRow) message.Message {
	switch {
	case k.TTL != nil:
		return only(message.Duration("time", *k.TTL))
	case k.ExpireAt != nil:
		return message.New("at {time}", message.Time("time", *k.ExpireAt/1000))
	case k.FieldsWithTTL > 0:
		return message.Plural(int64(k.FieldsWithTTL), "1 field", "{n} fields")
	}
	return word("none")
}

func (d *details) top() {
	rows := d.r.Top[d.r.By]
	if len(rows) == 0 {
		return
	}
	d.section(word("Largest keys"), message.New("by {measure}; --by selects the measure, JSON has all of them",
		message.Word("measure", measureTitles[d.r.By])))
	d.table(d.r.keysTable(rows, true))
}

func (d *details) topByType() {
	if len(d.r.Types) < 2 {
		return
	}
	var all []KeyRow
	for i := range d.r.Types {
		rows := d.r.TopByType[d.r.Types[i].Type][d.r.By]
		all = append(all, rows[:min(len(rows), detailsPerType)]...)
	}
	if len(all) == 0 {
		return
	}
	d.section(word("Largest keys of each type"),
		message.New("by {measure}", message.Word("measure", measureTitles[d.r.By])))
	d.table(d.r.keysTable(all, true))
}

func (d *details) hot() {
	rows := d.r.Hot
	if len(rows) == 0 {
		return
	}
	rows = rows[:d.most(len(rows), detailsHot)]
	d.section(word("Hot keys"), word("highest LFU counters, 0 to 255, as the server that wrote the snapshot counted"))
	t := d.r.keysTable(rows, true)
	t.columns = slices.Insert(t.columns, 0, countColumn("counter", func(i int) Figure { return rows[i].Freq }))
	d.table(t)
}

func (d *details) groups() {
	all := d.r.Groups
	if len(all) == 0 {
		return
	}
	rows := all[:d.most(len(all), detailsGroups)]
	notes := []message.Message{message.Plural(int64(len(all)), "1 pattern", "{n} patterns")}
	if len(rows) < len(all) {
		notes = []message.Message{message.New("{patterns}, the first {n}", message.Phrase("patterns", notes[0]),
			message.Int("n", int64(len(rows)))), word("-f groups.csv and JSON have all")}
	}
	if d.r.GroupsFolded > 0 {
		notes = append(notes, message.Plural(d.r.GroupsFolded, "1 pattern is folded into a wider one",
			"{n} patterns are folded into wider ones"))
	}
	d.section(word("Groups"), only(message.List("notes", "; ", notes)))
	for _, m := range d.r.Bounds.sentences() {
		d.sentence(m)
	}
	d.table(d.r.groupsTable(placesOf(rows), true))
}

// targetSentence reports whether the server of Options.Target loads the snapshot, zero if
// that was not asked. blocked reports that it does not.
func (in *Input) targetSentence() (m message.Message, blocked bool) {
	t := in.Target
	if t == nil {
		return message.Message{}, false
	}
	args := []message.Arg{message.Text("server", t.Server), fileArg("file", in.Name)}
	if len(t.Problems) > 0 {
		p := &t.Problems[0]
		args = append(args, message.Phrase("problem", sentenceOf(p.Message, p.Text)),
			message.Int("n", int64(len(t.Problems)-1)))
	}
	sentence := func(id string) message.Message { return message.New(id, args...) }
	switch {
	case t.Loads == "unknown":
		return sentence("target: whether {server} loads {file} is unknown, because it was not read to its end"), false
	case t.Loads == "no" && len(t.Problems) == 1:
		return sentence("TARGET: {server} does not load {file}: {problem}."), true
	case t.Loads == "no":
		return sentence("TARGET: {server} does not load {file}: {problem}. More problems: {n} (--details)."), true
	case t.Loads == "conditional" && len(t.Problems) == 1:
		return sentence("target: {server} loads {file} if it is prepared: {problem}"), false
	case t.Loads == "conditional":
		return sentence("target: {server} loads {file} if it is prepared: {problem}; more problems: {n} (--details)"), false
	case len(t.Problems) > 0:
		return sentence("target: {server} loads {file}, but not all of it: {problem}"), false
	}
	if memory := in.Memory; memory != nil {
		if i := slices.IndexFunc(memory.WhatIf,
			func(w WhatIf) bool { return w.Model == t.Model && w.State == "reloaded" }); i >= 0 {
			args = append(args, sizeArg("used", memory.WhatIf[i].Predicted))
			return sentence("target: {server} loads {file} and has then a used_memory of {used}"), false
		}
	}
	return sentence("target: {server} loads {file}"), false
}

// target lists what the server of Options.Target does not load.
func (d *details) target() {
	begun := false
	for i := range d.r.Inputs {
		in := &d.r.Inputs[i]
		m, _ := in.targetSentence()
		if m.IsZero() {
			continue
		}
		if !begun {
			d.section(word("Target"), message.Message{})
			begun = true
		}
		d.sentence(m)
		var items []message.Message
		for i := range in.Target.Problems {
			items = append(items, in.Target.Problems[i].sentence())
		}
		d.list(items)
	}
}

func (p *TargetProblem) sentence() message.Message {
	args := []message.Arg{message.Text("severity", p.Severity), message.Phrase("problem", sentenceOf(p.Message, p.Text)),
		keysArg("keys", p.Count),
		sizeArg("memory", p.MemoryBytes)}
	if len(p.Examples) == 0 {
		return message.New("{severity}: {problem}", args...)
	}
	var keys []message.Message
	for _, e := range p.Examples {
		keys = append(keys, named(e.Key))
	}
	return message.New("{severity}: {problem}: {keys}, {memory}; the largest: {names}",
		append(args, message.List("names", ", ", keys))...)
}
