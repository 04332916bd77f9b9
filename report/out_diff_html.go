package report

import (
	"bufio"
	"slices"

	"github.com/rdblens/rdblens/parser/message"
)

func writeDiffHTML(w *bufio.Writer, d *Diff, o WriteOptions) error {
	v := &htmlView{htmlPage: newHTMLPage(o), Wrong: d.alerts(), About: d.about(), Verdict: d.headline(),
		Title: message.New("{before} -> {after}", fileArg("before", d.Old.Name), fileArg("after", d.New.Name)),
		Foot:  parts(" ", verbatim(d.Tool.Name), verbatim(d.Tool.Version))}
	d.waterfall(v.htmlPage)
	d.sections(v.htmlPage, htmlRows, true)
	return v.write(w)
}

func (d *Diff) headline() message.Message {
	before, after := d.Size(&d.Totals)
	gone := int64(0)
	for i := range d.Groups {
		if d.Groups[i].Change == ChangeGone {
			gone++
		}
	}
	args := []message.Arg{message.Size("size", max(after-before, before-after)),
		message.Phrase("growth", orWord(growthText(before, after), "0%")),
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
	return parts(" ", first, found,
		when(gone > 0, "{groups} gone.", message.Number("groups", gone, "1 group is", "{n} groups are")))
}

// htmlSteps is the most groups of a waterfall.
const htmlSteps = 10

// waterfall writes the way from the size before to that now: the groups that changed most,
// and all others together.
func (d *Diff) waterfall(p page) {
	before, after := d.Size(&d.Totals)
	change := func(r *DiffRow) int64 {
		was, is := d.Size(r)
		return is - was
	}
	rows := slices.DeleteFunc(pointersTo(d.Groups), func(r *DiffRow) bool { return change(r) == 0 })
	sortBySize(rows, func(r **DiffRow) Figure { return Figure(max(change(*r), -change(*r))) })
	rows = rows[:min(len(rows), htmlSteps)]
	if len(rows) == 0 {
		return
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
	last := len(list)
	list = append(list, step{word("now"), 0, after})
	least, most := min(before, after), max(before, after, 1)
	for _, s := range list[1:last] {
		least, most = min(least, s.from, s.to), max(most, s.from, s.to)
	}
	least = max(0, least-(most-least)/4) // where the scale begins
	p.section(word("What changed most"), when(least > 0, "the scale begins at {size}", message.Size("size", least)))
	p.table(table{len(list), []column{
		nameColumn("group", func(i int) message.Message { return list[i].label }),
		rightColumn("size", func(i int) message.Message {
			if s := &list[i]; i > 0 && i < last {
				return signedSize(s.to - s.from)
			}
			return sizeText(Figure(list[i].to))
		}),
		spanColumn(func(i int) span {
			s, class := list[i], "more"
			switch {
			case i == 0 || i == last:
				class = "whole"
			case s.to < s.from:
				class = "fewer"
			}
			place := func(size int64) float64 { return ratio(max(size, least)-least, max(most-least, 1)) }
			return span{place(min(s.from, s.to)), place(max(s.from, s.to)), class}
		}),
	}})
}
