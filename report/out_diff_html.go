package report

import (
	"bufio"
	"cmp"
	"slices"

	"github.com/rdblens/rdblens/parser/message"
)

// htmlDiffRows is the most rows of a table of the page.
const htmlDiffRows = 300

// writeDiffHTML writes the page of reports with the sections of a comparison. In the
// map, the area of a group is the larger of its sizes and the colour its growth.
func writeDiffHTML(w *bufio.Writer, d *Diff, o WriteOptions) error {
	v := emptyHTMLView(o)
	v.Sections, v.Wrong, v.About = true, d.alerts(), d.about()[:1]
	v.Title = message.New("{before} -> {after}", fileArg("before", d.Old.Name), fileArg("after", d.New.Name))
	v.Foot = parts(" ", verbatim(d.Tool.Name), verbatim(d.Tool.Version))
	v.Legend = []string{"up3", "up2", "up1", "same", "down1", "down2", "down3"}
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
	budget := htmlFindingsBytes + htmlGroupsBytes + htmlKeysBytes
	p := &htmlPage{htmlStyle: v.htmlStyle, budget: &budget}
	d.write(p, htmlDiffRows, true)
	v.Rest = p.sections[1:] // behind the head
	v.diffMap(d)
	return v.write(w, o)
}

// diffMap fills in what the map is made of.
func (v *htmlView) diffMap(d *Diff) {
	v.Data = htmlData{Separators: d.Separators, Types: []string{""}, Groups: []htmlGroup{}, Keys: [][3]any{}, Compared: true}
	v.mapText()
	size := func(r *DiffRow) int64 { before, after := d.Size(r); return max(before, after) }
	rows := make([]*DiffRow, len(d.Groups))
	for i := range d.Groups {
		rows[i] = &d.Groups[i]
	}
	slices.SortStableFunc(rows, func(a, b *DiffRow) int { return cmp.Compare(size(b), size(a)) })
	budget := htmlMapBytes
	index := map[string]int{}
	for _, r := range rows {
		before, after := d.Size(r)
		name := r.Group.Display()
		if r.RenamedTo != nil {
			name = r.RenamedTo.Display()
		}
		if budget -= len(name) + 60; budget < 0 {
			break
		}
		index[name] = len(v.Data.Groups)
		v.Data.Groups = append(v.Data.Groups, htmlGroup{name, max(r.KeysBefore, r.KeysAfter), size(r), max(0, int64(r.WithoutTTLMemoryAfter)), 0, 0, []any{before, after}})
	}
	for _, k := range d.shownKeys(true) {
		if at, ok := index[k.Group.Display()]; ok && len(v.Data.Keys) < htmlMapKeys {
			before, after := k.sizes()
			v.Data.Keys = append(v.Data.Keys, [3]any{k.Key.Display(), max(before, after), at})
		}
	}
}
