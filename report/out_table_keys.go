package report

import (
	"strconv"

	"github.com/rdblens/rdblens/internal/text"
)

// The sections that list keys and groups of keys.

// measureTitles are the words for the measures.
var measureTitles = map[string]string{ByMemory: "memory", ByMemoryUsage: "memory usage", ByValueBytes: "value bytes", ByElements: "elements",
	BySerialized: "serialized bytes", ByLargest: "largest element"}

// keyGrid is a table of keys; first are the columns before the key.
type keyGrid struct {
	text.Grid
	memory, usage, value, serialized, largest byteScale
	db                                        bool // some key is not in database 0
}

func (t *tableWriter) newKeyGrid(rows []KeyRow, first ...text.Column) *keyGrid {
	var memory, usage, value, serialized, largest []int64
	db := t.severalDatabases()
	for i := range rows {
		k := &rows[i]
		memory, usage, value = append(memory, int64(k.Memory)), append(usage, int64(k.MemoryUsage)), append(value, int64(k.ValueBytes))
		serialized, largest = append(serialized, int64(k.Serialized)), append(largest, int64(k.Largest))
		db = db || k.DB != 0
	}
	g := &keyGrid{db: db, memory: scaleOf(memory...), usage: scaleOf(usage...), value: scaleOf(value...), serialized: scaleOf(serialized...), largest: scaleOf(largest...)}
	// The measure that ranks the list never goes.
	drop := func(measure string, at int) int {
		if t.r.By == measure {
			return 0
		}
		return at
	}
	g.Columns = append(first, text.Column{Title: "snapshot", Shrink: text.ShrinkMiddle, Drop: 5}, text.Column{Title: "db", Right: true, Drop: 4}, text.Column{Title: "key", Shrink: text.ShrinkMiddle},
		text.Column{Title: "memory " + g.memory.unit, Right: true, Drop: drop(ByMemory, 1)},
		text.Column{Title: "usage " + g.usage.unit, Right: true, Drop: drop(ByMemoryUsage, 8)},
		text.Column{Title: "value " + g.value.unit, Right: true, Drop: drop(ByValueBytes, 3)},
		text.Column{Title: "serialized " + g.serialized.unit, Right: true, Drop: drop(BySerialized, 9)},
		text.Column{Title: "elements", Right: true},
		text.Column{Title: "largest " + g.largest.unit, Right: true, Drop: drop(ByLargest, 6)},
		text.Column{Title: "largest element", Shrink: text.ShrinkMiddle, Drop: drop(ByLargest, 7)},
		text.Column{Title: "expires in", Right: true, Drop: 2})
	return g
}

// addKey adds a key; only the ranking ones of the less common measures are shown.
func (t *tableWriter) addKey(g *keyGrid, k *KeyRow, first ...string) {
	db, usage, serialized, element := "", "", "", ""
	if g.db {
		db = strconv.Itoa(k.DB)
	}
	if t.r.By == ByMemoryUsage {
		usage = g.usage.format(k.MemoryUsage)
	}
	if t.r.By == BySerialized {
		serialized = g.serialized.format(k.Serialized)
	}
	if k.LargestElement != nil {
		element = k.LargestElement.Display()
	}
	g.Add(append(first, t.inputName(k.Input), db, k.Key.Display(), g.memory.format(k.Memory), usage, g.value.format(k.ValueBytes), serialized,
		k.Elements.count(), g.largest.format(k.Largest), element, expiresText(k))...)
}

// expiresText gives the time a key has left, or when it expires where the time
// of the snapshot is not known.
func expiresText(k *KeyRow) string {
	switch {
	case k.TTL != nil:
		return duration(*k.TTL)
	case k.ExpireAt != nil:
		return "at " + instant(*k.ExpireAt/1000)
	case k.FieldsWithTTL > 0:
		return grouped(int64(k.FieldsWithTTL)) + " fields"
	}
	return "never"
}

func (t *tableWriter) top() {
	rows := t.r.Top[t.r.By]
	if len(rows) == 0 {
		return
	}
	t.section("LARGEST KEYS", "by "+measureTitles[t.r.By]+"; --by chooses, JSON has them by every measure")
	g := t.newKeyGrid(rows, text.Column{Title: "#", Right: true}, text.Column{Title: "type"})
	for i := range rows {
		t.addKey(g, &rows[i], strconv.Itoa(i+1), rows[i].Type)
	}
	t.grid(&g.Grid)
}

func (t *tableWriter) topByType() {
	if len(t.r.Types) < 2 {
		return
	}
	var all []KeyRow
	for i := range t.r.Types {
		rows := t.r.TopByType[t.r.Types[i].Type][t.r.By]
		all = append(all, rows[:min(len(rows), tablePerType)]...)
	}
	if len(all) == 0 {
		return
	}
	t.section("LARGEST KEYS OF EACH TYPE", "by "+measureTitles[t.r.By])
	g := t.newKeyGrid(all, text.Column{Title: "type"}, text.Column{Title: "encoding", Drop: 10})
	for i := range all {
		name := ""
		if i == 0 || all[i].Type != all[i-1].Type {
			name = all[i].Type
		}
		t.addKey(g, &all[i], name, all[i].Encoding)
	}
	t.grid(&g.Grid)
}

func (t *tableWriter) hot() {
	rows := t.r.Hot
	if len(rows) == 0 {
		return
	}
	rows = rows[:min(len(rows), tableHot)]
	t.section("HOT KEYS", "highest LFU counters, 0 to 255, as seen by the server that saved")
	g := t.newKeyGrid(rows, text.Column{Title: "counter", Right: true}, text.Column{Title: "type"})
	for i := range rows {
		t.addKey(g, &rows[i], rows[i].Freq.count(), rows[i].Type)
	}
	t.grid(&g.Grid)
}

func (t *tableWriter) groups() {
	rows := t.r.Groups
	if len(rows) == 0 {
		return
	}
	shown := rows[:min(len(rows), tableGroups)]
	var values, memory []int64
	for i := range shown {
		values, memory = append(values, shown[i].ValueBytes), append(memory, int64(shown[i].MemoryBytes))
	}
	v, m := scaleOf(values...), scaleOf(memory...)
	note := counted(int64(len(rows)), "pattern", "patterns")
	if len(shown) < len(rows) {
		note += ", the first " + grouped(int64(len(shown))) + "; -f groups.csv and JSON have all"
	}
	if t.r.GroupsFolded > 0 {
		note += "; " + counted(t.r.GroupsFolded, "pattern is", "patterns are") + " folded into wider ones"
	}
	t.section("GROUPS", note)
	g := &text.Grid{Columns: []text.Column{{Title: "group", Shrink: text.ShrinkMiddle}, {Title: "keys", Right: true}, {Title: "elements", Right: true, Drop: 4},
		{Title: "value " + v.unit, Right: true, Drop: 3}, {Title: "memory " + m.unit, Right: true}, {Title: "no expiry", Right: true},
		{Title: "expires in", Right: true, Drop: 5}, {Title: "median", Right: true, Drop: 2}, {Title: "longest", Right: true, Drop: 6},
		{Title: "findings", Right: true}, {Title: "owner", Shrink: text.ShrinkMiddle, Drop: 1}, {Title: "largest key", Shrink: text.ShrinkMiddle, Drop: 7}}}
	for i := range shown {
		row := &shown[i]
		key := ""
		if row.LargestKey != nil && row.Keys > 1 {
			key = row.LargestKey.Key.Display()
		}
		g.Add(row.Group.Display(), grouped(row.Keys), grouped(row.Elements), v.format(Figure(row.ValueBytes)), m.format(row.MemoryBytes),
			percent(ratio(row.WithoutTTL, row.Keys)), ttl(row.TTLMin), ttl(row.TTLMedian), ttl(row.TTLMax), grouped(row.Findings),
			text.Sanitize(row.Owner), key)
	}
	t.grid(g)
}
