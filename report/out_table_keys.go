package report

import "strconv"

// The sections that list keys and groups of keys.

// measureTitles are the words for the measures.
var measureTitles = map[string]string{ByMemory: "memory", ByMemoryUsage: "memory usage", ByValueBytes: "value bytes", ByElements: "elements",
	BySerialized: "serialized bytes", ByLargest: "largest element"}

// keyGrid is a table of keys; first are the columns before the key.
type keyGrid struct {
	grid
	memory, usage, value, serialized, largest byteScale
	db                                        bool // some key is not in database 0
}

func (t *tableWriter) newKeyGrid(rows []KeyRow, first ...column) *keyGrid {
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
	g.columns = append(first, column{title: "snapshot", flex: true, drop: 5}, column{title: "db", right: true, drop: 4}, column{title: "key", flex: true},
		column{title: "memory " + g.memory.unit, right: true, drop: drop(ByMemory, 1)},
		column{title: "usage " + g.usage.unit, right: true, drop: drop(ByMemoryUsage, 8)},
		column{title: "value " + g.value.unit, right: true, drop: drop(ByValueBytes, 3)},
		column{title: "serialized " + g.serialized.unit, right: true, drop: drop(BySerialized, 9)},
		column{title: "elements", right: true},
		column{title: "largest " + g.largest.unit, right: true, drop: drop(ByLargest, 6)},
		column{title: "largest element", flex: true, drop: drop(ByLargest, 7)},
		column{title: "expires in", right: true, drop: 2})
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
	g.add(append(first, t.inputName(k.Input), db, k.Key.Display(), g.memory.format(k.Memory), usage, g.value.format(k.ValueBytes), serialized,
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
	g := t.newKeyGrid(rows, column{title: "#", right: true}, column{title: "type"})
	for i := range rows {
		t.addKey(g, &rows[i], strconv.Itoa(i+1), rows[i].Type)
	}
	t.grid(&g.grid)
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
	g := t.newKeyGrid(all, column{title: "type"}, column{title: "encoding", drop: 10})
	for i := range all {
		name := ""
		if i == 0 || all[i].Type != all[i-1].Type {
			name = all[i].Type
		}
		t.addKey(g, &all[i], name, all[i].Encoding)
	}
	t.grid(&g.grid)
}

func (t *tableWriter) hot() {
	rows := t.r.Hot
	if len(rows) == 0 {
		return
	}
	rows = rows[:min(len(rows), tableHot)]
	t.section("HOT KEYS", "highest LFU counters, 0 to 255, as seen by the server that saved")
	g := t.newKeyGrid(rows, column{title: "counter", right: true}, column{title: "type"})
	for i := range rows {
		t.addKey(g, &rows[i], rows[i].Freq.count(), rows[i].Type)
	}
	t.grid(&g.grid)
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
	g := &grid{columns: []column{{title: "group", flex: true}, {title: "keys", right: true}, {title: "elements", right: true, drop: 4},
		{title: "value " + v.unit, right: true, drop: 3}, {title: "memory " + m.unit, right: true}, {title: "no expiry", right: true},
		{title: "expires in", right: true, drop: 5}, {title: "median", right: true, drop: 2}, {title: "longest", right: true, drop: 6},
		{title: "findings", right: true}, {title: "owner", flex: true, drop: 1}, {title: "largest key", flex: true, drop: 7}}}
	for i := range shown {
		row := &shown[i]
		key := ""
		if row.LargestKey != nil && row.Keys > 1 {
			key = row.LargestKey.Key.Display()
		}
		g.add(row.Group.Display(), grouped(row.Keys), grouped(row.Elements), v.format(Figure(row.ValueBytes)), m.format(row.MemoryBytes),
			percent(ratio(row.WithoutTTL, row.Keys)), ttl(row.TTLMin), ttl(row.TTLMedian), ttl(row.TTLMax), grouped(row.Findings),
			DisplayText(row.Owner), key)
	}
	t.grid(g)
}
