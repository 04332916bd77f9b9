package report

import (
	"bufio"
	"strconv"
	"strings"

	"github.com/rdblens/rdblens/internal/text"
)

// CSV of the findings: a line for each of the worst examples of each rule and
// severity, with the sums of the whole finding repeated on it (keys --rule lists
// every offender). A finding without examples has one line. Texts and commands
// are ours and not in the writing of names; several in one cell stand behind
// semicolons, as do the groups of a subject. The commands are there to be read,
// each advice's behind its kind: JSON and table have them to be pasted.

func init() {
	register(&Format{Name: "findings.csv", Doc: "findings with their worst examples", rank: 4, write: writeFindingsCSV})
}

func writeFindingsCSV(w *bufio.Writer, r *Report, _ WriteOptions) error {
	w.WriteString("rule,severity,count,value_bytes,memory_bytes,memory_usage_bytes,rank,snapshot,db,key,type,encoding,group,owner,subject,measured,limit,text,advice,commands,groups\n")
	for i := range r.Rules {
		f := &r.Rules[i]
		writeExampleCSV(w, r, f, 0)
		for j := 1; j < len(f.Examples); j++ {
			writeExampleCSV(w, r, f, j)
		}
	}
	return nil
}

func writeExampleCSV(w *bufio.Writer, r *Report, f *Finding, n int) {
	b := text.AppendCSVSentence(w.AvailableBuffer(), f.Rule)
	b = append(append(append(b, ','), f.Severity...), ',')
	b = text.AppendCells(b, f.Count, int64(f.ValueBytes), int64(f.MemoryBytes), int64(f.MemoryUsage))
	if n >= len(f.Examples) {
		w.Write(append(b, ",,,,,,,,,,,,,,\n"...))
		return
	}
	e := &f.Examples[n]
	b = strconv.AppendInt(b, int64(n+1), 10)
	b = append(b, ',')
	b = appendInputCSV(b, r, e.Input)
	b = append(b, ',')
	if k := e.KeyRow; k != nil {
		b = strconv.AppendInt(b, int64(k.DB), 10)
		b = append(b, ',')
		b = text.AppendCSV(b, []byte(k.Key))
		b = append(append(append(b, ','), k.Type...), ',')
		b = append(append(b, k.Encoding...), ',')
		b = text.AppendCSV(b, []byte(k.Group))
		b = append(b, ',')
		b = text.AppendCSVSentence(b, k.Owner)
	} else {
		b = append(b, ",,,,,"...)
	}
	b = append(b, ',')
	b = text.AppendCSV(b, []byte(e.Subject))
	b = append(b, ',')
	b = text.AppendCells(b, int64(e.Measured), int64(e.Limit))
	b = text.AppendCSVSentence(b, e.Text)
	b = append(b, ',')
	var advice, commands []string
	for _, a := range e.Advice {
		advice = append(advice, a.Text)
		if len(a.Commands) > 0 {
			commands = append(commands, a.Kind+": "+strings.Join(a.Commands, " | "))
		}
	}
	b = text.AppendCSVSentence(b, strings.Join(advice, "; "))
	b = append(b, ',')
	b = text.AppendCSVSentence(b, strings.Join(commands, "; "))
	b = append(b, ',')
	var groups []string
	for _, g := range e.Groups {
		groups = append(groups, strings.ReplaceAll(string(text.AppendEscaped(nil, []byte(g))), ";", `\x3b`))
	}
	b = text.AppendCSVSentence(b, strings.Join(groups, "; "))
	w.Write(append(b, '\n'))
}
