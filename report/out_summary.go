package report

import (
	"bufio"
	"strings"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report/text"
)

// A few lines for the end of a mail: what is wrong with the files, what they are,
// and what is worst, by name. A sentence has one line, however long.

func init() {
	register(&Format{Name: "summary", Doc: "at most ten lines, for a mail", Extension: ".summary.txt", rank: 4,
		write: writeSummary})
}

const summaryLines = 10

// summaryWidth is the width, in columns, to which a line is cut.
const summaryWidth = 240

func writeSummary(w *bufio.Writer, r *Report, o WriteOptions) error {
	v := newOverview(r, o)
	lines := append(v.wrong[:min(len(v.wrong), 3):min(len(v.wrong), 3)], v.about[:min(len(v.about), v.lead)]...)
	if r.Config.Profile != "" {
		lines = append(lines, message.New("problems: {problems}", message.Phrase("problems", v.broken)))
	}
	if len(v.keys) > 0 {
		k := &v.keys[0].KeyRow
		lines = append(lines, message.New("biggest key: {key}, {type}, {size}", message.Name("key", k.Key),
			message.Text("type", k.Type), sizeArg("size", sizeOf(k.Memory, int64(k.ValueBytes)))))
	}
	if len(v.groups) > 0 {
		g := &v.groups[0]
		lines = append(lines, message.New("biggest group: {group}, {keys}, {size}", message.Name("group", g.name()),
			keysArg("keys", g.Keys), sizeArg("size", sizeOf(g.MemoryBytes, g.ValueBytes))))
	}
	for _, p := range v.problems {
		e := p.worst()
		if len(lines) == summaryLines || e == nil {
			break
		}
		lines = append(lines, message.New("{severity} {rule}: {key}: {text}", message.Text("severity", p.Severity),
			message.Text("rule", p.Rule),
			message.Phrase("key", e.subjectText()), message.Phrase("text", sentenceOf(e.Message, e.Text))))
	}
	writeLines(w, lines, o)
	return nil
}

func writeLines(w *bufio.Writer, lines []message.Message, o WriteOptions) {
	style := textStyle(o.Language.Catalogue())
	for _, m := range lines[:min(len(lines), summaryLines)] {
		w.WriteString(strings.TrimRight(text.ShortenEnd(style.line(m), summaryWidth), " ") + "\n")
	}
}
