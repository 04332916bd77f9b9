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
	more int64 // keys
	open bool  // the list ends with one of them: there may be more
}

// bigKeys returns the largest keys of at most n groups by the measure of the report. Where groups
// have several keys on the list, the largest keys of other groups follow.
func bigKeys(r *Report, n int) (rows []bigKey) {
	list := r.Top[r.By]
	byGroup := map[Name]int{}
	folded, byMemory := false, r.By == ByMemory || r.By == ByValueBytes && !r.Totals.MemoryBytes.Known()
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
		row.open = i == len(list)-1 && int64(len(list)) < r.Totals.Keys
		folded = true
	}
	if folded && byMemory && len(rows) < n {
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

// others says how many more keys there are like it.
func (k *bigKey) others() message.Message {
	switch {
	case k.more == 0:
		return message.Message{}
	case k.open:
		return message.New("+{n} or more", message.Int("n", k.more))
	}
	return signedCount(k.more)
}

func (v *overview) keysTable(n int) table {
	rows := make([]KeyRow, n)
	for i := range rows {
		rows[i] = v.keys[i].KeyRow
	}
	t := v.r.keysTable(rows, false)
	t.columns = append(t.columns, leftColumn("alike", func(i int) message.Message { return v.keys[i].others() }).drop(1))
	return t
}
