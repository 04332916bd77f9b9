package report

import (
	"bufio"
	"strings"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report/text"
)

// CSV of the findings: a line for each of the worst examples of each rule and
// severity, with the sums of the whole finding repeated on it (keys --over lists
// every offender). A finding without examples has one line. Texts and commands
// are sentences of ours; several in one cell are separated by semicolons, and so
// are the groups of a subject. Commands stand one a line of their cell, so that they
// can be pasted: those that only look in `commands`, those that change data in
// `changes`, with the condition of each on the same line of `conditions`.

func init() {
	register(&Format{Name: "findings.csv", Doc: "findings with their worst examples", Extension: ".findings.csv", rank: 4,
		write: writeFindingsCSV})
}

func writeFindingsCSV(w *bufio.Writer, r *Report, o WriteOptions) error {
	style := textStyle(o.Language.Catalogue())
	c := newCSVWriter(w, "rule,severity,count,value_bytes,memory_bytes,memory_usage_bytes,rank,snapshot,db,key,type,encoding,group,owner,"+
		"subject,measured,limit,text,advice,commands,groups,conditions,changes,reason,source,profile,config")
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
			c.example(r, &f.Examples[j], style)
			c.config(r)
			c.end()
		}
		if len(f.Examples) == 0 {
			finding()
			c.names(make([]Name, 19)...)
			c.config(r)
			c.end()
		}
	}
	return nil
}

// config appends the profile and the path of the configuration that judged.
func (c *csvWriter) config(r *Report) { c.names(Name(r.Config.Profile), Name(r.Config.File)) }

// example appends the columns from snapshot to source, sentences in the language of a
// style.
func (c *csvWriter) example(r *Report, e *Example, style *style) {
	in := func(m message.Message, english string) string {
		if style.catalogue == nil || m.IsZero() {
			return english
		}
		return style.line(m)
	}
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
	var advice, commands, groups, conditions, changes []string
	for _, a := range e.Advice {
		advice = append(advice, in(a.Message, a.Text))
		if !a.ChangesData {
			commands = append(commands, a.Commands...)
			continue
		}
		for _, command := range a.Commands {
			conditions, changes = append(conditions, in(a.ConditionMessage, a.Condition)), append(changes, command)
		}
	}
	for _, g := range e.Groups {
		groups = append(groups, strings.ReplaceAll(string(text.AppendEscaped(nil, []byte(g))), ";", `\x3b`))
	}
	c.sentences(in(e.Message, e.Text), strings.Join(advice, "; "))
	c.lines(commands)
	c.sentences(strings.Join(groups, "; "))
	c.lines(conditions)
	c.lines(changes)
	c.sentences(e.Reason, e.Source)
}

// lines appends a cell with a sentence of ours on each line.
func (c *csvWriter) lines(list []string) {
	if len(list) > 0 {
		c.line = append(c.line, '"')
	}
	for i, s := range list {
		cell := text.AppendCSVSentence(nil, s)
		if len(cell) > 0 && cell[0] == '"' { // that of the cell
			cell = cell[1 : len(cell)-1]
		}
		c.line = append(append(c.line, cell...), "\n\""[min(1, (i+1)/len(list))])
	}
	c.line = append(c.line, ',')
}
