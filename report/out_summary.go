package report

import (
	"bufio"
	"strings"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report/text"
	"github.com/rdblens/rdblens/thresholds"
)

// A few lines for the end of a mail: what is wrong with the files, what they are,
// and what is worst, by name. A sentence has one line, however long.

func init() {
	register(&Format{Name: "summary", Doc: "at most ten lines, for a mail", Extension: ".summary.txt", rank: 4, write: writeSummary})
}

// summaryLines is the most lines of a summary.
const summaryLines = 10

// summaryWidth is the width, in columns, to which a line is cut.
const summaryWidth = 240

func writeSummary(w *bufio.Writer, r *Report, o WriteOptions) error {
	v := newOverview(r, o)
	lines := append(v.wrong[:min(len(v.wrong), 3)], v.about[:min(len(v.about), 2)]...)
	if r.Config.Profile != "" {
		lines = append(lines, thresholds.Fill("problems: {problems}", "problems", v.broken))
	}
	if len(v.keys) > 0 {
		k := &v.keys[0]
		lines = append(lines, thresholds.Fill("biggest key: {key}, {type}, {size}", "key", shortName(k.Key), "type", k.Type, "size", sizeText(sizeOf(k.Memory, int64(k.ValueBytes)))))
	}
	if len(v.groups) > 0 {
		g := &v.groups[0]
		lines = append(lines, thresholds.Fill("biggest group: {group}, {keys}, {size}", "group", shortName(g.name()), "keys", message.FormatCountOf(g.Keys, "key", "keys"),
			"size", sizeText(sizeOf(g.MemoryBytes, g.ValueBytes))))
	}
	for _, p := range v.problems {
		e := p.worst()
		if len(lines) == summaryLines || e == nil {
			break
		}
		lines = append(lines, thresholds.Fill("{severity} {rule}: {key}: {text}", "severity", p.Severity, "rule", p.Rule, "key", shortName(e.subject()), "text", text.Sanitize(e.Text)))
	}
	writeLines(w, lines, o)
	return nil
}

// writeLines writes the lines of a summary.
func writeLines(w *bufio.Writer, lines []string, o WriteOptions) {
	translate := translator(o.Language)
	for _, line := range lines[:min(len(lines), summaryLines)] {
		w.WriteString(strings.TrimRight(text.ShortenEnd(translate(line), summaryWidth), " ") + "\n")
	}
}
