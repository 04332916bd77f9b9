package report

import (
	"bufio"
	"strings"

	"github.com/rdblens/rdblens/report/text"
)

// CSV of the findings: a line for each of the worst examples of each rule and
// severity, with the sums of the whole finding repeated on it (keys --rule lists
// every offender). A finding without examples has one line. Texts and commands
// are sentences of ours; several in one cell are separated by semicolons, and so
// are the groups of a subject. The commands are for reading, those of each advice
// after its kind: JSON and table have them for pasting.

func init() {
	register(&Format{Name: "findings.csv", Doc: "findings with their worst examples", Extension: ".findings.csv", rank: 4, write: writeFindingsCSV})
}

func writeFindingsCSV(w *bufio.Writer, r *Report, _ WriteOptions) error {
	c := newCSVWriter(w, "rule,severity,count,value_bytes,memory_bytes,memory_usage_bytes,rank,snapshot,db,key,type,encoding,group,owner,"+
		"subject,measured,limit,text,advice,commands,groups")
	for i := range r.Rules {
		f := &r.Rules[i]
		finding := func() {
			c.sentences(f.Rule, f.Severity)
			c.counts(f.Count)
			c.figures(f.ValueBytes, f.MemoryBytes, f.MemoryUsage)
		}
		for j := range f.Examples {
			finding()
			c.counts(int64(j + 1))
			c.example(r, &f.Examples[j])
			c.end()
		}
		if len(f.Examples) == 0 {
			finding()
			c.names(make([]Name, 15)...)
			c.end()
		}
	}
	return nil
}

// example appends the columns from snapshot on.
func (c *csvWriter) example(r *Report, e *Example) {
	c.names(r.inputName(e.Input))
	if k := e.KeyRow; k != nil {
		c.counts(int64(k.DB))
		c.names(k.Key)
		c.sentences(k.Type, k.Encoding)
		c.names(k.Group)
		c.sentences(k.Owner)
	} else {
		c.names("", "", "", "", "", "")
	}
	c.names(e.Subject)
	c.figures(e.Measured, e.Limit)
	var advice, commands, groups []string
	for _, a := range e.Advice {
		advice = append(advice, a.Text)
		if len(a.Commands) > 0 {
			commands = append(commands, a.Kind+": "+strings.Join(a.Commands, " | "))
		}
	}
	for _, g := range e.Groups {
		groups = append(groups, strings.ReplaceAll(string(text.AppendEscaped(nil, []byte(g))), ";", `\x3b`))
	}
	c.sentences(e.Text, strings.Join(advice, "; "), strings.Join(commands, "; "), strings.Join(groups, "; "))
}
