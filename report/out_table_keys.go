package report

import (
	"strconv"

	"github.com/rdblens/rdblens/report/text"
	"github.com/rdblens/rdblens/thresholds/units"
)

// The sections that list keys and groups of keys.

// measureTitles are the words for the measures.
var measureTitles = map[string]string{ByMemory: "memory", ByMemoryUsage: "memory usage", ByValueBytes: "value bytes", ByElements: "elements",
	BySerialized: "serialized bytes", ByLargest: "largest element"}

// keyTable writes a table of keys, with the given columns before the key.
func (t *tableWriter) keyTable(rows []KeyRow, first ...column) {
	db := t.severalDatabases()
	for i := range rows {
		db = db || rows[i].DB != 0
	}
	// The measure that ranks the list is never dropped; some others are shown only
	// then.
	drop := func(measure string, rank int) int {
		if t.r.By == measure {
			return 0
		}
		return rank
	}
	ranking := func(measure string, size func(i int) Figure) func(i int) Figure {
		return func(i int) Figure {
			if t.r.By == measure {
				return size(i)
			}
			return Unknown
		}
	}
	t.table(len(rows), append(first,
		nameColumn("snapshot", func(i int) string { return t.inputName(rows[i].Input) }).drop(5),
		rightColumn("db", func(i int) string {
			if !db {
				return ""
			}
			return strconv.Itoa(rows[i].DB)
		}).drop(4),
		nameColumn("key", func(i int) string { return rows[i].Key.Display() }),
		sizeColumn("memory", func(i int) Figure { return rows[i].Memory }).drop(drop(ByMemory, 1)),
		sizeColumn("usage", ranking(ByMemoryUsage, func(i int) Figure { return rows[i].MemoryUsage })).drop(drop(ByMemoryUsage, 8)),
		sizeColumn("value", func(i int) Figure { return rows[i].ValueBytes }).drop(drop(ByValueBytes, 3)),
		sizeColumn("serialized", ranking(BySerialized, func(i int) Figure { return rows[i].Serialized })).drop(drop(BySerialized, 9)),
		countColumn("elements", func(i int) int64 { return int64(rows[i].Elements) }),
		sizeColumn("largest", func(i int) Figure { return rows[i].Largest }).drop(drop(ByLargest, 6)),
		nameColumn("largest element", func(i int) string {
			if rows[i].LargestElement == nil {
				return ""
			}
			return rows[i].LargestElement.Display()
		}).drop(drop(ByLargest, 7)),
		rightColumn("TTL", func(i int) string { return ttlText(&rows[i]) }).drop(2))...)
}

// ttlText returns the TTL of a key, or its expiry where the time of the snapshot
// is unknown.
func ttlText(k *KeyRow) string {
	switch {
	case k.TTL != nil:
		return units.FormatDuration(*k.TTL)
	case k.ExpireAt != nil:
		return "at " + units.FormatTime(*k.ExpireAt/1000)
	case k.FieldsWithTTL > 0:
		return units.FormatCount(int64(k.FieldsWithTTL)) + " fields"
	}
	return "none"
}

func (t *tableWriter) top() {
	rows := t.r.Top[t.r.By]
	if len(rows) == 0 {
		return
	}
	t.section("LARGEST KEYS", "by "+measureTitles[t.r.By]+"; --by selects the measure, JSON has all of them")
	t.keyTable(rows,
		rightColumn("#", func(i int) string { return strconv.Itoa(i + 1) }),
		leftColumn("type", func(i int) string { return rows[i].Type }))
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
	t.keyTable(all,
		leftColumn("type", func(i int) string {
			if i > 0 && all[i].Type == all[i-1].Type {
				return ""
			}
			return all[i].Type
		}),
		leftColumn("encoding", func(i int) string { return all[i].Encoding }).drop(10))
}

func (t *tableWriter) hot() {
	rows := t.r.Hot
	if len(rows) == 0 {
		return
	}
	rows = rows[:min(len(rows), tableHot)]
	t.section("HOT KEYS", "highest LFU counters, 0 to 255, as the server that wrote the snapshot counted")
	t.keyTable(rows,
		countColumn("counter", func(i int) int64 { return int64(rows[i].Freq) }),
		leftColumn("type", func(i int) string { return rows[i].Type }))
}

func (t *tableWriter) groups() {
	all := t.r.Groups
	if len(all) == 0 {
		return
	}
	rows := all[:min(len(all), tableGroups)]
	note := units.FormatCountOf(int64(len(all)), "pattern", "patterns")
	if len(rows) < len(all) {
		note += ", the first " + units.FormatCount(int64(len(rows))) + "; -f groups.csv and JSON have all"
	}
	if t.r.GroupsFolded > 0 {
		note += "; " + units.FormatCountOf(t.r.GroupsFolded, "pattern is", "patterns are") + " folded into wider ones"
	}
	t.section("GROUPS", note)
	ttl := func(seconds *int64) string {
		if seconds == nil {
			return ""
		}
		return units.FormatDuration(*seconds)
	}
	t.table(len(rows),
		nameColumn("group", func(i int) string { return rows[i].Group.Display() }),
		countColumn("keys", func(i int) int64 { return rows[i].Keys }),
		countColumn("elements", func(i int) int64 { return rows[i].Elements }).drop(4),
		sizeColumn("value", func(i int) Figure { return Figure(rows[i].ValueBytes) }).drop(3),
		sizeColumn("memory", func(i int) Figure { return rows[i].MemoryBytes }),
		rightColumn("no TTL", func(i int) string { return units.FormatPercent(ratio(rows[i].WithoutTTL, rows[i].Keys)) }),
		rightColumn("min TTL", func(i int) string { return ttl(rows[i].TTLMin) }).drop(5),
		rightColumn("median", func(i int) string { return ttl(rows[i].TTLMedian) }).drop(2),
		rightColumn("max", func(i int) string { return ttl(rows[i].TTLMax) }).drop(6),
		countColumn("findings", func(i int) int64 { return rows[i].Findings }),
		nameColumn("owner", func(i int) string { return text.Sanitize(rows[i].Owner) }).drop(1),
		nameColumn("largest key", func(i int) string {
			if rows[i].Keys < 2 {
				return ""
			}
			return displayKey(rows[i].LargestKey)
		}).drop(7))
}
