package report

import (
	"bufio"
	"cmp"
	"slices"

	"github.com/rdblens/rdblens/parser/message"
)

// htmlDiffRows is the most rows of a table of the page.
const htmlDiffRows = 300

// writeDiffHTML writes the page of reports with the sections of a comparison.
func writeDiffHTML(w *bufio.Writer, d *Diff, o WriteOptions) error {
	v := emptyHTMLView(o)
	v.Sections, v.Wrong, v.About = true, d.alerts(), d.about()[:1]
	v.Title = message.New("{before} -> {after}", fileArg("before", d.Old.Name), fileArg("after", d.New.Name))
	v.Foot = parts(" ", verbatim(d.Tool.Name), verbatim(d.Tool.Version))
	if d.Measure != ByMemory {
		v.SizeLabel = "value bytes"
	}
	t := &d.Totals
	before, after := d.Size(t)
	count := func(n int) message.Message { return only(message.Int("n", int64(n))) }
	size := message.Word("size", v.SizeLabel)
	v.Cards = []htmlFact{
		{signedCount(t.KeysAfter - t.KeysBefore), message.New("keys, now {n}", message.Int("n", t.KeysAfter))},
		{signedSize(after - before), message.New("{size}, now {n}", size, message.Size("n", after))},
		{orWord(growthText(before, after), "0%"), message.New("growth of {size}", size)},
		{orWord(shareText(t.WithoutTTLAfter, t.KeysAfter), "0%"),
			message.New("of the keys have no TTL, before {share}", message.Phrase("share", orWord(shareText(t.WithoutTTLBefore, t.KeysBefore), "0%")))},
		{count(len(d.Findings.New)), word("new findings")},
		{count(len(d.Findings.Resolved)), word("resolved findings")},
	}
	v.Verdict = d.headline()
	budget := htmlFindingsBytes + htmlGroupsBytes + htmlKeysBytes
	p := &htmlPage{htmlStyle: v.htmlStyle, budget: &budget}
	d.write(p, htmlDiffRows, true)
	v.Rest = slices.Insert(p.sections[1:], 0, d.waterfall()...) // behind the head
	return v.write(w, o)
}

// headline says in a sentence what changed.
func (d *Diff) headline() message.Message {
	before, after := d.Size(&d.Totals)
	gone := int64(0)
	for i := range d.Groups {
		if d.Groups[i].Change == ChangeGone {
			gone++
		}
	}
	args := []message.Arg{message.Size("size", max(after-before, before-after)), message.Phrase("growth", orWord(growthText(before, after), "0%")),
		message.Phrase("keys", orWord(signedCount(d.Totals.KeysAfter-d.Totals.KeysBefore), "0"))}
	first := message.New("As large as before, {keys} keys.", args...)
	switch {
	case after > before:
		first = message.New("{size} more ({growth}), {keys} keys.", args...)
	case after < before:
		first = message.New("{size} less ({growth}), {keys} keys.", args...)
	}
	f := &d.Findings
	found := message.Plural(int64(len(f.New)), "1 new finding.", "{n} new findings.")
	if len(f.New) == 0 {
		found = word("No new findings.")
	}
	return parts(" ", first, found, when(gone > 0, "{groups} gone.", message.Number("groups", gone, "1 group is", "{n} groups are")))
}

// htmlSteps is the most groups of a waterfall.
const htmlSteps = 10

// htmlStep is a step of a waterfall: a bar from one size to another. X and Width are in
// thousandths.
type htmlStep struct {
	Label, Size message.Message
	Class       string
	X, Width    int
}

// waterfall returns the section with the way from the size before to that now: the groups
// that changed most, and all others together.
func (d *Diff) waterfall() []htmlSection {
	before, after := d.Size(&d.Totals)
	rows := pointersTo(d.Groups)
	change := func(r *DiffRow) int64 {
		was, is := d.Size(r)
		return is - was
	}
	rows = slices.DeleteFunc(rows, func(r *DiffRow) bool { return change(r) == 0 })
	slices.SortStableFunc(rows, func(a, b *DiffRow) int {
		return cmp.Compare(max(change(b), -change(b)), max(change(a), -change(a)))
	})
	rows = rows[:min(len(rows), htmlSteps)]
	if len(rows) == 0 {
		return nil
	}
	type step struct {
		label    message.Message
		from, to int64
	}
	list, at := []step{{word("before"), 0, before}}, before
	for _, r := range rows {
		list = append(list, step{d.rowName(r), at, at + change(r)})
		at += change(r)
	}
	if at != after {
		list = append(list, step{word("everything else"), at, after})
	}
	list = append(list, step{word("now"), 0, after})
	least, most := min(before, after), max(before, after, 1)
	for _, s := range list[1 : len(list)-1] {
		least, most = min(least, s.from, s.to), max(most, s.from, s.to)
	}
	least = max(0, least-(most-least)/4) // where the scale begins
	x := func(size int64) int { return int(float64(max(size, least)-least) / float64(max(most-least, 1)) * 1000) }
	section := htmlSection{ID: "part-waterfall", Title: word("What changed most")}
	if least > 0 {
		section.Note = message.New("the scale begins at {size}", message.Size("size", least))
	}
	block := htmlBlock{}
	for i, s := range list {
		from, to := x(min(s.from, s.to)), x(max(s.from, s.to))
		h := htmlStep{s.label, signedSize(s.to - s.from), "more", from, max(to-from, 2)}
		switch {
		case i == 0 || i == len(list)-1:
			h.Class, h.Size = "whole", sizeText(Figure(s.to))
		case s.to < s.from:
			h.Class = "less-size"
		}
		block.Steps = append(block.Steps, h)
	}
	section.Blocks = []htmlBlock{block}
	return []htmlSection{section}
}
