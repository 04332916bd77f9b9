package report

import (
	"slices"
	"strings"
	"unicode"

	"github.com/rdblens/rdblens/parser/message"
)

// bigKey is a row of the biggest keys: the largest key of a group, and what the list has of the
// group besides.
type bigKey struct {
	KeyRow
	more int64  // keys
	size Figure // of these, bytes
	open bool   // the list ends with one of them: there may be more
}

// bigKeys returns the largest keys of at most n groups by the measure of the report. Where groups
// have several keys on the list, the largest keys of other groups follow.
func bigKeys(r *Report, n int) (rows []bigKey) {
	list := r.Top[r.By]
	byGroup := map[Name]int{}
	folded := false
	for i := range list {
		k := &list[i]
		at, known := byGroup[k.Group]
		if !known || !alike(k.Group) {
			byGroup[k.Group] = len(rows)
			rows = append(rows, bigKey{KeyRow: *k})
			continue
		}
		row := &rows[at]
		row.more++
		row.size += sizeOf(k.Memory, int64(k.ValueBytes))
		row.open = i == len(list)-1 && int64(len(list)) < r.Totals.Keys
		folded = true
	}
	if byMemory := r.By == ByMemory || r.By == ByValueBytes && !r.Totals.MemoryBytes.Known(); folded && byMemory &&
		len(rows) < n {
		var others []*KeyRow
		for i := range r.Groups {
			g := &r.Groups[i]
			if g.LargestKey == nil {
				continue
			}
			if _, known := byGroup[g.LargestKey.Group]; !known {
				others = append(others, g.LargestKey)
			}
		}
		slices.SortFunc(others, compareKeys)
		for _, k := range others[:min(len(others), n-len(rows))] {
			rows = append(rows, bigKey{KeyRow: *k})
		}
	}
	return rows[:min(len(rows), n)]
}

// alike reports whether the keys of a group belong together: its pattern has a word.
func alike(group Name) bool { return strings.IndexFunc(string(group), unicode.IsLetter) >= 0 }

// called returns the name of the key, and how many more there are like it.
func (k *bigKey) called() message.Message {
	args := []message.Arg{message.Name("key", k.Key), message.Int("n", k.more), sizeArg("size", k.size)}
	switch {
	case k.more == 0:
		return named(k.Key)
	case k.open:
		return message.New("{key} +{n} or more alike ({size})", args...)
	}
	return message.New("{key} +{n} alike ({size})", args...)
}

// keysTable is the table of the first n biggest keys.
func (v *overview) keysTable(n int) table {
	rows := make([]KeyRow, n)
	for i := range rows {
		rows[i] = v.keys[i].KeyRow
	}
	t := v.r.keysTable(rows, false)
	for i := range t.columns {
		if t.columns[i].Title == "key" {
			t.columns[i] = nameColumn("key", func(i int) message.Message { return v.keys[i].called() })
		}
	}
	return t
}
