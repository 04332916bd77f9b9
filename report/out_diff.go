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
)

// A Diff in the formats of reports. For people, it is one sequence of sections, of
// which a screen has the first rows. The formats of a terminal and of a mail are
// empty if nothing changed.

var diffFormats = writers[*Diff]{
	"table": writeDiffTable, "markdown": writeDiffMarkdown, "summary": writeDiffSummary, "html": writeDiffHTML,
	"details": func(w *bufio.Writer, d *Diff, o WriteOptions) error {
		return writeText(w, o, func(p page) { d.write(p, math.MaxInt, true) })
	},
	"json": func(w *bufio.Writer, d *Diff, _ WriteOptions) error { return writeJSONFields(w, reflect.ValueOf(*d)) },
}

func writeDiffTable(w *bufio.Writer, d *Diff, o WriteOptions) error {
	if !d.Changed {
		return nil
	}
	lines := linesOf(o)
	rows := lines
	return writeScreen(w, o, lines, func(p page) { d.write(p, rows, false) }, func() bool {
		if rows == 0 {
			return false
		}
		rows--
		return true
	})
}

func writeDiffMarkdown(w *bufio.Writer, d *Diff, o WriteOptions) error {
	for rows := 1000; ; rows /= 2 {
		var b bytes.Buffer
		d.write(newMarkdownPage(&b, o, text.MaxCell, 0), rows, true)
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
	alerts := d.alerts()
	lines := append(slices.Clone(alerts[:min(len(alerts), 3)]), d.about()[1])
	places := d.changedPlaces()
	for _, part := range []struct {
		title string
		n     int
		cell  func(i int) message.Message
	}{
		{"new findings", len(d.Findings.New), func(i int) message.Message { return d.Findings.New[i].line() }},
		{"resolved findings", len(d.Findings.Resolved), func(i int) message.Message { return d.Findings.Resolved[i].line() }},
		{"keys", len(d.shownKeys(false)), func(i int) message.Message { return d.shownKeys(false)[i].line() }},
		{"groups", len(places), func(i int) message.Message { return d.groupLine(places[i]) }},
	} {
		if part.n == 0 {
			continue
		}
		var items []message.Message
		for i := range min(part.n, 3) {
			items = append(items, part.cell(i))
		}
		lines = append(lines, message.New("{what} ({n}): {list}", message.Word("what", part.title),
			message.Int("n", int64(part.n)), message.List("list", "; ", items)))
	}
	writeLines(w, lines, o)
	return nil
}

func (d *Diff) alerts() []message.Message { return sentencesOf(d.AlertMessages, d.Alerts) }

func (f *DiffFinding) line() message.Message {
	return message.New("{severity} {rule} {subject}", message.Text("severity", f.Severity), message.Text("rule", f.Rule),
		message.Phrase("subject", f.what()))
}

func (f *DiffFinding) what() message.Message {
	switch {
	case f.Group != "" && (max(f.CountAfter, f.CountBefore) != 1 || f.Subject == ""):
		return named(f.Group)
	case !f.SubjectMessage.IsZero():
		return f.SubjectMessage
	}
	return named(f.Subject)
}

func (k *shownKey) line() message.Message {
	before, after := k.sizes()
	return message.New("{change} {key} {size}", message.Word("change", k.change), message.Name("key", k.Key),
		message.Phrase("size", signedSize(after-before)))
}

func (d *Diff) groupLine(r *DiffRow) message.Message {
	before, after := d.Size(r)
	return parts(" ", r.changeText(), d.rowName(r), signedSize(after-before))
}

// changeText returns what changed of a row, zero if nothing did.
func (r *DiffRow) changeText() message.Message {
	change := when(r.Change != "", r.Change)
	if r.Change == ChangeRenamed { // as it seems
		change = word(ChangeRenamed + "?")
	}
	if r.Change == "" && r.TTL == "" {
		return message.Message{}
	}
	return parts(", ", change, when(r.TTL != "", r.TTL))
}

func (d *Diff) rowName(r *DiffRow) message.Message {
	switch {
	case r.RenamedTo != nil:
		return message.New("{before} -> {after}", message.Name("before", *r.Group), message.Name("after", *r.RenamedTo))
	case r.Prefix:
		return named(*r.Group + restOfPrefix)
	case r.Group != nil:
		return named(*r.Group)
	case r.Type != "":
		return verbatim(r.Type)
	}
	return word("all keys")
}

// signedSize returns a change of a size: "+28 MB".
func signedSize(n int64) message.Message {
	if n < 0 {
		return message.New("-{size}", message.Size("size", -n))
	}
	return message.New("+{size}", message.Size("size", n))
}

func signedCount(n int64) message.Message {
	if n <= 0 {
		return only(message.Int("n", n))
	}
	return message.New("+{n}", message.Int("n", n))
}

// growthText returns a change as a percentage of what was there before: "+30.0%"; zero if
// there is none.
func growthText(before, after int64) message.Message {
	switch {
	case before == after:
		return message.Message{}
	case before == 0:
		return word("new")
	}
	return verbatim(fmt.Sprintf("%+.1f%%", 100*float64(after-before)/float64(before)))
}

// roundShare returns a share in whole percent, zero of nothing.
func roundShare(part, whole int64) message.Message {
	if whole == 0 {
		return message.Message{}
	}
	return verbatim(fmt.Sprintf("%.0f%%", 100*ratio(part, whole)))
}

// wasIs returns a figure on both sides, once if they are the same.
func wasIs(before, after message.Message) message.Message {
	if before.String() == after.String() {
		return after
	}
	return message.New("{before} -> {after}", message.Phrase("before", before), message.Phrase("after", after))
}

func orWord(m message.Message, id string) message.Message {
	if m.IsZero() {
		return word(id)
	}
	return m
}

// about says what was compared, what all keys take, and what is predicted.
func (d *Diff) about() []message.Message {
	t := &d.Totals
	before, after := d.Size(t)
	later := word("at an unknown time")
	if d.New.Created.Known() {
		later = only(message.Time("time", int64(d.New.Created)))
		if by := int64(d.New.Created - d.Old.Created); d.Old.Created.Known() && by >= 0 {
			later = message.New("{time}, {later} later", message.Phrase("time", later), message.Duration("later", by))
		}
	}
	count := func(n int64) message.Message { return only(message.Int("n", n)) }
	size := func(n int64) message.Message { return only(message.Size("n", n)) }
	what := "memory"
	if d.Measure == ByValueBytes {
		what = "values"
	}
	lines := []message.Message{
		message.New("{a} -> {b}: {server}, taken {taken}", fileArg("a", d.Old.Name), fileArg("b", d.New.Name),
			message.Phrase("server", d.New.server()),
			message.Phrase("taken", later)),
		message.New("{keys} keys ({morekeys}), {size} of {what} ({moresize}); no TTL: {ttl} of keys",
			message.Phrase("keys", wasIs(count(t.KeysBefore), count(t.KeysAfter))),
			message.Phrase("morekeys", orWord(growthText(t.KeysBefore, t.KeysAfter), "the same")),
			message.Phrase("size", wasIs(size(before), size(after))), message.Word("what", what),
			message.Phrase("moresize", orWord(growthText(before, after), "the same")),
			message.Phrase("ttl", wasIs(orWord(shareText(t.WithoutTTLBefore, t.KeysBefore), "none"),
				orWord(shareText(t.WithoutTTLAfter, t.KeysAfter), "none")))),
	}
	if d.Old.Predicted.Known() && d.New.Predicted.Known() {
		lines = append(lines, message.New("predicted used_memory {sizes} ({more})",
			message.Phrase("sizes", wasIs(sizeText(d.Old.Predicted), sizeText(d.New.Predicted))),
			message.Phrase("more", orWord(growthText(int64(d.Old.Predicted), int64(d.New.Predicted)), "the same"))))
	}
	return lines
}

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
	}{{ChangeNew, d.Keys.New}, {ChangeGone, d.Keys.Gone}, {ChangeGrown, d.Keys.Grown}, {ChangeShrunk, d.Keys.Shrunk},
		{"now listed", d.Keys.Entered}, {"not listed", d.Keys.Left}} {
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

func (d *Diff) write(p page, most int, full bool) {
	for _, m := range d.alerts() {
		p.alert(m)
	}
	for _, m := range d.about() {
		p.sentence(m)
	}
	d.sections(p, most, full)
}

// sections writes what changed, at most so many rows of each kind; full is with what did not
// change, too.
func (d *Diff) sections(p page, most int, full bool) {
	least := []message.Arg{message.Share("share", d.MinShare), message.Size("bytes", d.MinBytes)}
	if !d.Changed {
		p.sentence(message.New("Nothing changed by {share} and {bytes} or more, and no finding is new or resolved.",
			least...))
	}
	part := func(title string, note message.Message, n int, write func(rows int)) {
		if n == 0 {
			return
		}
		p.section(word(title), note)
		if write(min(n, most)); n > most {
			p.sentence(message.New("  and {rows} (--details)",
				message.Number("rows", int64(n-most), "1 more row", "{n} more rows")))
		}
	}
	table := func(title string, note message.Message, name string, rows []*DiffRow) {
		part(title, note, len(rows), func(n int) { d.rowsTable(p, name, rows[:n]) })
	}
	f := &d.Findings
	rows, changed := slices.Concat(f.New, f.Resolved), len(f.New)+len(f.Resolved)
	if full {
		rows = append(rows, f.Persisting...)
	}
	state := func(i int) string {
		switch {
		case i >= changed:
			return "still there"
		case i >= len(f.New):
			return "resolved"
		case rows[i].SeverityBefore != "":
			return "worse"
		}
		return "new"
	}
	fixes := d.fixes()
	part("Fix first", word("what is new"), min(len(fixes), overviewFixes), func(n int) { p.list(fixes[:n]) })
	part("Findings", message.New("{new} new, {resolved} resolved, {same} still there, by rule and group",
		message.Int("new", int64(len(f.New))), message.Int("resolved", int64(len(f.Resolved))),
		message.Int("same", int64(len(f.Persisting)))),
		len(rows), func(n int) { d.findingsTable(p, rows[:n], state, full) })
	keys := d.shownKeys(full)
	part("Keys", message.New("{n} of {all} compared one by one", message.Int("n", int64(len(keys))),
		message.Int("all", d.Keys.Compared)),
		len(keys), func(n int) { d.keysTable(p, keys[:n]) })
	places := d.changedPlaces()
	if full && len(d.Prefixes) > 0 {
		places = pointersTo(d.Prefixes)
	}
	if len(d.Prefixes) > 0 {
		table("Where it changed", message.New("prefixes and groups of names, by {share} and {bytes} or {keys} or more",
			append(least, keysArg("keys", d.MinKeys))...), "group", places)
	}
	if len(d.Prefixes) == 0 { // else groups are what prefixes have
		var gone []*DiffRow
		groups := slices.DeleteFunc(d.changedGroups(full), func(r *DiffRow) bool {
			if r.Change == ChangeGone {
				gone = append(gone, r)
			}
			return r.Change == ChangeGone
		})
		table("Gone", message.Plural(int64(len(gone)), "1 group of names has no keys any more",
			"{n} groups of names have no keys any more"), "group", gone)
		table("Groups", message.New("{n} of {all}, by {share} and {bytes} or more",
			append(least, message.Int("n", int64(len(groups))), message.Int("all", int64(len(d.Groups))))...), "group", groups)
	}
	var types []*DiffRow
	for i := range d.Types {
		if r := &d.Types[i]; full || r.changed() {
			types = append(types, r)
		}
	}
	if full || most >= len(places) { // else these need the lines
		table("Types", message.Message{}, "type", types)
	}
	notes := sentencesOf(d.NoteMessages, d.Notes)
	if full {
		p.section(word("All keys"), message.Message{})
		d.rowsTable(p, "", []*DiffRow{&d.Totals})
		for i, m := range notes {
			if i == 0 {
				p.section(word("How this was compared"), message.Message{})
			}
			p.sentence(m)
		}
		return
	}
	for i, m := range notes[:min(len(notes), 3)] {
		if i == 0 {
			p.foot(m)
		} else {
			p.sentence(m)
		}
	}
	p.foot(word("More: --details, -f diff.html (a page), -f json"))
}

// fixes says what to do about new findings, once for each group.
func (d *Diff) fixes() (list []message.Message) {
	seen := map[string]bool{}
	for i := range d.Findings.New {
		f := &d.Findings.New[i]
		if about := f.what().String(); !f.Fix.IsZero() && !seen[about] {
			seen[about] = true
			list = append(list, WithSource(f.Fix, f.Owner, f.Source, strings.HasSuffix(f.Rule, "-ttl")))
		}
	}
	return list
}

func pointersTo(rows []DiffRow) (list []*DiffRow) {
	for i := range rows {
		list = append(list, &rows[i])
	}
	return list
}

func (d *Diff) findingsTable(p page, rows []DiffFinding, state func(i int) string, full bool) {
	count := func(n int64) message.Message { return only(message.Int("n", n)) }
	p.table(table{len(rows), []column{
		leftColumn("change", func(i int) message.Message { return word(state(i)) }),
		wordColumn("severity", func(i int) string { return rows[i].Severity }),
		wordColumn("rule", func(i int) string { return rows[i].Rule }),
		rightColumn("found", func(i int) message.Message {
			if rows[i].CountBefore == 0 {
				return count(rows[i].CountAfter)
			}
			return wasIs(count(rows[i].CountBefore), count(rows[i].CountAfter))
		}).drop(1),
		nameColumn("group or key", func(i int) message.Message { return rows[i].what() }),
		sentenceColumn("why", func(i int) message.Message {
			if why := sentenceOf(rows[i].ReasonMessage, rows[i].Reason); !full || !why.IsZero() {
				return why
			}
			return sentenceOf(rows[i].Message, rows[i].Text)
		}).below(true),
		nameColumn("owner", func(i int) message.Message { return ownerText(rows[i].Owner) }).below(true),
		sourceColumn(len(rows), func(i int) []SourceLine { return rows[i].Source }).below(true),
	}})
}

func (d *Diff) keysTable(p page, rows []shownKey) {
	several := slices.ContainsFunc(rows, func(k shownKey) bool { return k.DB != 0 })
	// size is that of a side: of a key that a list does not have, the most that it can be.
	size := func(k shownKey, change string, memory, value Figure) message.Message {
		if k.change == change && k.Limit.Known() {
			return message.New("at most {size}", sizeArg("size", k.Limit))
		}
		return sizeText(sizeOf(memory, int64(value)))
	}
	p.table(table{len(rows), []column{
		leftColumn("change", func(i int) message.Message { return word(rows[i].change) }),
		wordColumn("type", func(i int) string { return rows[i].Type }),
		rightColumn("before", func(i int) message.Message {
			return size(rows[i], "now listed", rows[i].MemoryBytesBefore, rows[i].ValueBytesBefore)
		}),
		rightColumn("now", func(i int) message.Message {
			return size(rows[i], "not listed", rows[i].MemoryBytesAfter, rows[i].ValueBytesAfter)
		}),
		rightColumn("growth", func(i int) message.Message {
			if rows[i].change != ChangeGrown && rows[i].change != ChangeShrunk {
				return message.Message{}
			}
			return growthText(rows[i].sizes())
		}),
		rightColumn("elements", func(i int) message.Message {
			if k := rows[i]; k.ElementsAfter.Known() && k.ElementsBefore.Known() {
				return signedCount(int64(k.ElementsAfter - k.ElementsBefore))
			}
			return countText(max(rows[i].ElementsBefore, rows[i].ElementsAfter))
		}).drop(2),
		rightColumn("db", func(i int) message.Message { return verbatim(strconv.Itoa(rows[i].DB)) }).only(several).drop(1),
		nameColumn("key", func(i int) message.Message { return named(rows[i].Key) }),
		sourceColumn(len(rows), func(i int) []SourceLine { return rows[i].Source }).below(true),
	}})
}

// rowsTable has groups, types, or all keys.
func (d *Diff) rowsTable(p page, title string, rows []*DiffRow) {
	size := func(i int) (before, after int64) { return d.Size(rows[i]) }
	name := nameColumn(cmp.Or(title, "keys"), func(i int) message.Message { return d.rowName(rows[i]) }).only(title != "")
	if slices.ContainsFunc(rows, func(r *DiffRow) bool { return r.RenamedTo != nil }) {
		name.First = 40 // two names
	}
	p.table(table{len(rows), []column{
		leftColumn("change", func(i int) message.Message { return rows[i].changeText() }).only(title == "group"),
		rightColumn("before", func(i int) message.Message { before, _ := size(i); return sizeText(Figure(before)) }).drop(1),
		rightColumn("now", func(i int) message.Message { _, after := size(i); return sizeText(Figure(after)) }),
		rightColumn("by", func(i int) message.Message {
			before, after := size(i)
			if before == after {
				return message.Message{}
			}
			return signedSize(after - before)
		}).drop(4),
		rightColumn("growth", func(i int) message.Message { return growthText(size(i)) }).drop(5),
		countColumn("keys", func(i int) Figure { return Figure(max(rows[i].KeysAfter, rows[i].KeysBefore)) }).drop(3),
		rightColumn("keys by", func(i int) message.Message {
			if rows[i].KeysAfter == rows[i].KeysBefore {
				return message.Message{}
			}
			return signedCount(rows[i].KeysAfter - rows[i].KeysBefore)
		}).drop(2),
		rightColumn("no TTL", func(i int) message.Message {
			r := rows[i]
			before, after := roundShare(r.WithoutTTLBefore, r.KeysBefore), roundShare(r.WithoutTTLAfter, r.KeysAfter)
			switch {
			case before.IsZero():
				return after
			case after.IsZero():
				return before
			}
			return wasIs(before, after)
		}),
		name,
		nameColumn("owner", func(i int) message.Message { return ownerText(rows[i].Owner) }).below(true),
		sourceColumn(len(rows), func(i int) []SourceLine { return rows[i].Source }).below(true),
	}})
}
