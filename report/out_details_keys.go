package report

import (
	"slices"

	"github.com/rdblens/rdblens/parser/message"
)

// The sections that list keys and groups of keys.

// measureTitles are the words for the measures.
var measureTitles = map[string]string{ByMemory: "memory", ByMemoryUsage: "memory usage", ByValueBytes: "value bytes", ByElements: "elements",
	BySerialized: "serialized bytes", ByLargest: "largest element"}

// ttlText returns the TTL of a key, or its expiry where the time of the snapshot
// is unknown.
func ttlText(k *KeyRow) string {
	switch {
	case k.TTL != nil:
		return message.FormatDuration(*k.TTL)
	case k.ExpireAt != nil:
		return "at " + message.FormatTime(*k.ExpireAt/1000)
	case k.FieldsWithTTL > 0:
		return message.FormatCount(int64(k.FieldsWithTTL)) + " fields"
	}
	return "none"
}

func (d *details) top() {
	rows := d.r.Top[d.r.By]
	if len(rows) == 0 {
		return
	}
	d.section("Largest keys", "by "+measureTitles[d.r.By]+"; --by selects the measure, JSON has all of them")
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
	d.section("Largest keys of each type", "by "+measureTitles[d.r.By])
	d.table(d.r.keysTable(all, true))
}

func (d *details) hot() {
	rows := d.r.Hot
	if len(rows) == 0 {
		return
	}
	rows = rows[:min(len(rows), detailsHot)]
	d.section("Hot keys", "highest LFU counters, 0 to 255, as the server that wrote the snapshot counted")
	t := d.r.keysTable(rows, true)
	t.columns = slices.Insert(t.columns, 0, countColumn("counter", func(i int) Figure { return rows[i].Freq }))
	d.table(t)
}

func (d *details) groups() {
	all := d.r.Groups
	if len(all) == 0 {
		return
	}
	rows := all[:min(len(all), detailsGroups)]
	note := message.FormatCountOf(int64(len(all)), "pattern", "patterns")
	if len(rows) < len(all) {
		note += ", the first " + message.FormatCount(int64(len(rows))) + "; -f groups.csv and JSON have all"
	}
	if d.r.GroupsFolded > 0 {
		note += "; " + message.FormatCountOf(d.r.GroupsFolded, "pattern is", "patterns are") + " folded into wider ones"
	}
	d.section("Groups", note)
	for _, s := range d.r.Bounds.sentences() {
		d.sentence(s)
	}
	d.table(d.r.groupsTable(rows, true))
}
