package report

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report/text"
	"github.com/rdblens/rdblens/thresholds"
)

// A Diff in the formats of reports. For people, it is one sequence of sections, of
// which a screen has the first rows. The formats of a terminal and of a mail are
// empty if nothing changed.

// diffFormats are the formats of a Diff, by the names of those of a report.
var diffFormats = writers[*Diff]{
	"table": writeDiffTable, "details": writeDiffDetails, "markdown": writeDiffMarkdown, "summary": writeDiffSummary, "json": writeDiffJSON, "html": writeDiffHTML,
}

func writeDiffJSON(w *bufio.Writer, d *Diff, _ WriteOptions) error {
	return writeJSONFields(w, reflect.ValueOf(*d))
}

func writeDiffTable(w *bufio.Writer, d *Diff, o WriteOptions) error {
	if !d.Changed {
		return nil
	}
	rows := screenLines
	return writeScreen(w, o, func(p page) { d.write(p, rows, false) }, func() bool { rows--; return rows >= 0 })
}

func writeDiffDetails(w *bufio.Writer, d *Diff, o WriteOptions) error {
	return writeText(w, o, func(p page) { d.write(p, math.MaxInt, true) })
}

func writeDiffMarkdown(w *bufio.Writer, d *Diff, o WriteOptions) error {
	for rows := 1000; ; rows /= 2 {
		var b bytes.Buffer
		d.write(inLanguage(&markdownPage{w: &b, cell: text.MaxCell}, o.Language), rows, true)
		if b.Len() <= cmp.Or(o.LimitBytes, DefaultLimitBytes) || rows == 0 {
			w.Write(b.Bytes())
			return nil
		}
	}
}

func writeDiffSummary(w *bufio.Writer, d *Diff, o WriteOptions) error {
	if !d.Changed {
		return nil
	}
	lines := append(slices.Clone(d.Alerts[:min(len(d.Alerts), 3)]), d.about()[1])
	for _, part := range []struct {
		title string
		n     int
		cell  func(i int) string
	}{
		{"new findings", len(d.Findings.New), func(i int) string { return d.Findings.New[i].line() }},
		{"resolved findings", len(d.Findings.Resolved), func(i int) string { return d.Findings.Resolved[i].line() }},
		{"keys", len(d.shownKeys(false)), func(i int) string { return d.shownKeys(false)[i].line() }},
		{"groups", len(d.changedGroups(false)), func(i int) string { return d.groupLine(d.changedGroups(false)[i]) }},
	} {
		if part.n == 0 {
			continue
		}
		var items []string
		for i := range min(part.n, 3) {
			items = append(items, part.cell(i))
		}
		lines = append(lines, thresholds.Fill("{what} ({n}): {list}", "what", part.title, "n", message.FormatCount(int64(part.n)), "list", strings.Join(items, "; ")))
	}
	writeLines(w, lines, o)
	return nil
}

func (f *DiffFinding) line() string {
	return f.Severity + " " + f.Rule + " " + shortName(f.what())
}

// what returns what a finding is about.
func (f *DiffFinding) what() Name {
	if f.Group == "" || max(f.CountAfter, f.CountBefore) == 1 && f.Subject != "" {
		return f.Subject
	}
	return f.Group
}

func (k *shownKey) line() string {
	before, after := k.sizes()
	return k.change + " " + shortName(k.Key) + " " + signedSize(after-before)
}

func (d *Diff) groupLine(r *DiffRow) string {
	before, after := d.Size(r)
	return strings.TrimSpace(r.changeText() + " " + d.rowName(r) + " " + signedSize(after-before))
}

// changeText returns what changed of a row.
func (r *DiffRow) changeText() string {
	if r.Change == ChangeRenamed { // as it seems
		return ChangeRenamed + "?"
	}
	if r.Change != "" && r.TTL != "" {
		return r.Change + ", " + r.TTL
	}
	return r.Change + r.TTL
}

// rowName returns the name of a row.
func (d *Diff) rowName(r *DiffRow) string {
	switch {
	case r.RenamedTo != nil:
		return thresholds.Fill("{before} -> {after}", "before", r.Group.Display(), "after", r.RenamedTo.Display())
	case r.Group != nil:
		return r.Group.Display()
	}
	return cmp.Or(r.Type, "all keys")
}

// signedSize returns a change of a size: "+28 MB".
func signedSize(n int64) string {
	if n < 0 {
		return "-" + message.FormatBytes(-n)
	}
	return "+" + message.FormatBytes(n)
}

func signedCount(n int64) string {
	if n <= 0 {
		return message.FormatCount(n)
	}
	return "+" + message.FormatCount(n)
}

// growthText returns a change as a percentage of what was there before: "+30.0%".
func growthText(before, after int64) string {
	switch {
	case before == after:
		return ""
	case before == 0:
		return "new"
	}
	return fmt.Sprintf("%+.1f%%", 100*float64(after-before)/float64(before))
}

// roundShare returns a share in whole percent, "" of nothing.
func roundShare(part, whole int64) string {
	if whole == 0 {
		return ""
	}
	return fmt.Sprintf("%.0f%%", 100*ratio(part, whole))
}

// wasIs returns a figure on both sides, once if they are the same.
func wasIs(before, after string) string {
	if before == after {
		return after
	}
	return before + " -> " + after
}

// about says what was compared, what all keys take, and what is predicted.
func (d *Diff) about() []string {
	t := &d.Totals
	before, after := d.Size(t)
	later := "at an unknown time"
	if d.New.Created.Known() {
		later = message.FormatTime(int64(d.New.Created))
		if by := int64(d.New.Created - d.Old.Created); d.Old.Created.Known() && by >= 0 {
			later = thresholds.Fill("{time}, {later} later", "time", later, "later", message.FormatDuration(by))
		}
	}
	lines := []string{
		thresholds.Fill("{a} -> {b}: {server}, taken {taken}", "a", text.ShortenMiddle(d.Old.fileName(), nameWidth), "b", text.ShortenMiddle(d.New.fileName(), nameWidth),
			"server", text.ShortenEnd(d.New.server(), nameWidth), "taken", later),
		thresholds.Fill("{keys} keys ({morekeys}), {size} of {what} ({moresize}); no TTL: {ttl} of keys",
			"keys", wasIs(message.FormatCount(t.KeysBefore), message.FormatCount(t.KeysAfter)), "morekeys", cmp.Or(growthText(t.KeysBefore, t.KeysAfter), "the same"),
			"size", wasIs(message.FormatBytes(before), message.FormatBytes(after)), "what", strings.ReplaceAll(strings.TrimSuffix(d.Measure, "_bytes"), "value", "values"),
			"moresize", cmp.Or(growthText(before, after), "the same"),
			"ttl", wasIs(cmp.Or(shareText(t.WithoutTTLBefore, t.KeysBefore), "none"), cmp.Or(shareText(t.WithoutTTLAfter, t.KeysAfter), "none"))),
	}
	if d.Old.Predicted.Known() && d.New.Predicted.Known() {
		s := thresholds.Fill("predicted used_memory {sizes} ({more})", "sizes", wasIs(sizeText(d.Old.Predicted), sizeText(d.New.Predicted)),
			"more", cmp.Or(growthText(int64(d.Old.Predicted), int64(d.New.Predicted)), "the same"))
		lines = append(lines, s)
	}
	return lines
}

// shownKey is a key with the list that it is on.
type shownKey struct {
	*DiffKey
	change string
}

// shownKeys returns the keys that changed, the largest change first: all, or those
// whose change is not that of their group.
func (d *Diff) shownKeys(all bool) (keys []shownKey) {
	for _, list := range []struct {
		change string
		keys   []DiffKey
	}{{ChangeNew, d.Keys.New}, {ChangeGone, d.Keys.Gone}, {ChangeGrown, d.Keys.Grown}, {ChangeShrunk, d.Keys.Shrunk}, {"now listed", d.Keys.Entered}, {"not listed", d.Keys.Left}} {
		for i := range list.keys {
			if all || list.keys[i].Shown {
				keys = append(keys, shownKey{&list.keys[i], list.change})
			}
		}
	}
	slices.SortStableFunc(keys, func(a, b shownKey) int { return cmp.Compare(b.DiffKey.change(), a.DiffKey.change()) })
	return keys
}

// changedGroups returns the groups that changed: all, or those that single keys do
// not explain.
func (d *Diff) changedGroups(all bool) (rows []*DiffRow) {
	for i := range d.Groups {
		if r := &d.Groups[i]; (r.Change != "" && (all || !r.Explained)) || r.TTL != "" {
			rows = append(rows, r)
		}
	}
	return rows
}

// write writes the sections, each with at most so many rows; full is with what did
// not change, too.
func (d *Diff) write(p page, most int, full bool) {
	for _, s := range d.Alerts {
		p.alert(s)
	}
	for _, s := range d.about() {
		p.sentence(s)
	}
	if !d.Changed {
		p.sentence(thresholds.Fill("Nothing changed by {share} and {bytes} or more, and no finding is new or resolved.", "share", message.FormatPercent(d.MinShare), "bytes", message.FormatBytes(d.MinBytes)))
	}
	rest := func(n int) (shown int) {
		return min(n, most)
	}
	omitted := func(n int) {
		if n > most {
			p.sentence(thresholds.Fill("  and {rows} (--details)", "rows", message.FormatCountOf(int64(n-most), "more row", "more rows")))
		}
	}
	f := &d.Findings
	if n := len(f.New) + len(f.Resolved); n > 0 || full {
		p.section("Findings", thresholds.Fill("{new} new, {resolved} resolved, {same} still there, by rule and group", "new", message.FormatCount(int64(len(f.New))),
			"resolved", message.FormatCount(int64(len(f.Resolved))), "same", message.FormatCount(int64(len(f.Persisting)))))
		rows := slices.Concat(f.New, f.Resolved)
		if full {
			rows = append(rows, f.Persisting...)
		}
		state := func(i int) string {
			switch {
			case i >= n:
				return "still there"
			case i >= len(f.New):
				return "resolved"
			case rows[i].SeverityBefore != "":
				return "worse"
			}
			return "new"
		}
		d.findingsTable(p, rows[:rest(len(rows))], state, full)
		omitted(len(rows))
	}
	if keys := d.shownKeys(full); len(keys) > 0 {
		p.section("Keys", thresholds.Fill("{n} of {all} compared one by one", "n", message.FormatCount(int64(len(keys))), "all", message.FormatCount(d.Keys.Compared)))
		d.keysTable(p, keys[:rest(len(keys))])
		omitted(len(keys))
	}
	if groups := d.changedGroups(full); len(groups) > 0 {
		p.section("Groups", thresholds.Fill("{n} of {all}, by {share} and {bytes} or more", "n", message.FormatCount(int64(len(groups))), "all", message.FormatCount(int64(len(d.Groups))),
			"share", message.FormatPercent(d.MinShare), "bytes", message.FormatBytes(d.MinBytes)))
		d.rowsTable(p, "group", groups[:rest(len(groups))])
		omitted(len(groups))
	}
	var types []*DiffRow
	for i := range d.Types {
		if r := &d.Types[i]; full || r.changed() {
			types = append(types, r)
		}
	}
	if len(types) > 0 {
		p.section("Types", "")
		d.rowsTable(p, "type", types[:rest(len(types))])
		omitted(len(types))
	}
	if full {
		p.section("All keys", "")
		d.rowsTable(p, "", []*DiffRow{&d.Totals})
		for i, s := range d.Notes {
			if i == 0 {
				p.section("How this was compared", "")
			}
			p.sentence(s)
		}
		return
	}
	for i, s := range d.Notes[:min(len(d.Notes), 3)] {
		if i == 0 {
			p.foot(s)
		} else {
			p.sentence(s)
		}
	}
	p.foot("More: --details, -f diff.html (a page with a map), -f json")
}

func (d *Diff) findingsTable(p page, rows []DiffFinding, state func(i int) string, full bool) {
	count := func(n int64) string {
		if n == 0 {
			return ""
		}
		return message.FormatCount(n)
	}
	p.table(table{len(rows), []column{
		leftColumn("change", state),
		leftColumn("severity", func(i int) string { return rows[i].Severity }),
		leftColumn("rule", func(i int) string { return rows[i].Rule }),
		rightColumn("before", func(i int) string { return count(rows[i].CountBefore) }).drop(2),
		rightColumn("now", func(i int) string { return count(rows[i].CountAfter) }).drop(1),
		nameColumn("group or key", func(i int) string { return rows[i].what().Display() }),
		nameColumn("owner", func(i int) string { return text.Sanitize(rows[i].Owner) }).drop(3),
		sentenceColumn("the worst", func(i int) string { return text.Sanitize(rows[i].Text) }).only(full),
	}})
}

func (d *Diff) keysTable(p page, rows []shownKey) {
	several := slices.ContainsFunc(rows, func(k shownKey) bool { return k.DB != 0 })
	p.table(table{len(rows), []column{
		leftColumn("change", func(i int) string { return rows[i].change }),
		leftColumn("type", func(i int) string { return rows[i].Type }),
		rightColumn("before", func(i int) string {
			if k := rows[i]; k.change == "now listed" && k.Limit.Known() {
				return "at most " + sizeText(k.Limit)
			}
			return sizeText(sizeOf(rows[i].MemoryBytesBefore, int64(rows[i].ValueBytesBefore)))
		}),
		rightColumn("now", func(i int) string {
			if k := rows[i]; k.change == "not listed" && k.Limit.Known() {
				return "at most " + sizeText(k.Limit)
			}
			return sizeText(sizeOf(rows[i].MemoryBytesAfter, int64(rows[i].ValueBytesAfter)))
		}),
		rightColumn("growth", func(i int) string {
			if rows[i].change != ChangeGrown && rows[i].change != ChangeShrunk {
				return ""
			}
			return growthText(rows[i].sizes())
		}),
		rightColumn("elements", func(i int) string {
			if k := rows[i]; k.ElementsAfter.Known() && k.ElementsBefore.Known() {
				return signedCount(int64(k.ElementsAfter - k.ElementsBefore))
			}
			return countText(max(rows[i].ElementsBefore, rows[i].ElementsAfter))
		}).drop(2),
		rightColumn("db", func(i int) string { return strconv.Itoa(rows[i].DB) }).only(several).drop(1),
		nameColumn("key", func(i int) string { return rows[i].Key.Display() }),
	}})
}

// rowsTable has groups, types, or all keys.
func (d *Diff) rowsTable(p page, title string, rows []*DiffRow) {
	size := func(i int) (before, after int64) { return d.Size(rows[i]) }
	name := nameColumn(cmp.Or(title, "keys"), func(i int) string { return d.rowName(rows[i]) }).only(title != "")
	if slices.ContainsFunc(rows, func(r *DiffRow) bool { return r.RenamedTo != nil }) {
		name.First = 40 // two names
	}
	p.table(table{len(rows), []column{
		leftColumn("change", func(i int) string { return rows[i].changeText() }).only(title == "group"),
		rightColumn("before", func(i int) string { before, _ := size(i); return message.FormatBytes(before) }).drop(2),
		rightColumn("now", func(i int) string { _, after := size(i); return message.FormatBytes(after) }).drop(3),
		rightColumn("by", func(i int) string {
			before, after := size(i)
			if before == after {
				return ""
			}
			return signedSize(after - before)
		}),
		rightColumn("growth", func(i int) string { return growthText(size(i)) }),
		countColumn("keys", func(i int) Figure { return Figure(max(rows[i].KeysAfter, rows[i].KeysBefore)) }).drop(4),
		rightColumn("by", func(i int) string {
			if rows[i].KeysAfter == rows[i].KeysBefore {
				return ""
			}
			return signedCount(rows[i].KeysAfter - rows[i].KeysBefore)
		}).drop(1),
		rightColumn("no TTL", func(i int) string {
			r := rows[i]
			before, after := roundShare(r.WithoutTTLBefore, r.KeysBefore), roundShare(r.WithoutTTLAfter, r.KeysAfter)
			if before == "" || after == "" {
				return before + after
			}
			return wasIs(before, after)
		}),
		nameColumn("owner", func(i int) string { return text.Sanitize(rows[i].Owner) }).drop(5),
		name,
	}})
}
