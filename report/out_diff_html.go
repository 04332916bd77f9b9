package report

import (
	"bufio"
	"cmp"
	"slices"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report/text"
)

// htmlDiffRows is the most rows of a table of the page.
const htmlDiffRows = 300

// writeDiffHTML writes the page of reports with the sections of a comparison. In the
// map, the area of a group is the larger of its sizes and the colour its growth.
func writeDiffHTML(w *bufio.Writer, d *Diff, o WriteOptions) error {
	v := emptyHTMLView(o)
	v.Sections, v.Wrong, v.About = true, d.Alerts, d.about()[:1]
	v.Title = d.Old.fileName() + " -> " + d.New.fileName()
	v.Foot = text.Sanitize(d.Tool.Name + " " + d.Tool.Version)
	v.Legend = []string{"up3", "up2", "up1", "same", "down1", "down2", "down3"}
	if d.Measure != ByMemory {
		v.SizeLabel = "value bytes"
	}
	t := &d.Totals
	before, after := d.Size(t)
	v.Cards = []htmlFact{
		{signedCount(t.KeysAfter - t.KeysBefore), "keys, now " + message.FormatCount(t.KeysAfter)},
		{signedSize(after - before), v.SizeLabel + ", now " + message.FormatBytes(after)},
		{cmp.Or(growthText(before, after), "0%"), "growth of " + v.SizeLabel},
		{cmp.Or(shareText(t.WithoutTTLAfter, t.KeysAfter), "0%"), "of the keys have no TTL, before " + cmp.Or(shareText(t.WithoutTTLBefore, t.KeysBefore), "0%")},
		{message.FormatCount(int64(len(d.Findings.New))), "new findings"},
		{message.FormatCount(int64(len(d.Findings.Resolved))), "resolved findings"},
	}
	budget := htmlFindingsBytes + htmlGroupsBytes + htmlKeysBytes
	p := &htmlPage{budget: &budget, translate: v.translate}
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
