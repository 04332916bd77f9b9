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
