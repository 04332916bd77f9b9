package report

import (
	"bufio"

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
	budget := htmlFindingsBytes + htmlGroupsBytes + htmlKeysBytes
	p := &htmlPage{htmlStyle: v.htmlStyle, budget: &budget}
	d.write(p, htmlDiffRows, true)
	v.Rest = p.sections[1:] // behind the head
	return v.write(w, o)
}
