package report

import (
	"slices"

	"github.com/rdblens/rdblens/parser/message"
)

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
