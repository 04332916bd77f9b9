package report

import (
	"bufio"
	"bytes"
	"slices"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report/text"
)

// The report as a ticket, in the dialect of Markdown that GitHub and GitLab share:
// the parts of the overview, and below them, folded, the sections of the details.

func init() {
	register(&Format{Name: "markdown", Doc: "a ticket in Markdown, for GitHub and GitLab", Extension: ".md", rank: 3, write: writeMarkdown})
}

// DefaultLimitBytes is the size of a ticket unless WriteOptions say otherwise, in
// bytes: a comment on GitHub takes 65,536. MinLimitBytes is the least possible.
const (
	DefaultLimitBytes = 60_000
	MinLimitBytes     = 4096
)

// ticketSections are the sections of the details that a ticket has, the most
// important first.
var ticketSections = []struct {
	name, title string
}{
	{"findings", "All problems, their worst keys, and what to do"},
	{"target", "What the other server does not load"},
	{"keys", "The largest keys"},
	{"groups", "Groups of keys"},
	{"snapshots", "The files, and the memory of a server with their keys"},
	{"types", "Types"},
	{"totals", "Totals"},
	{"owners", "Owners"},
	{"databases", "Databases"},
	{"expiry", "TTLs"},
	{"histograms", "Distributions"},
	{"ignored", "Ignored findings"},
}

func writeMarkdown(w *bufio.Writer, r *Report, o WriteOptions) error {
	if o.LimitBytes <= 0 {
		o.LimitBytes = DefaultLimitBytes
	}
	v := newOverview(r, o)
	for _, cell := range []int{text.MaxCell, 200, 60} {
		parts := v.ticketParts(cell, o)
		for rows, more := v.all(), true; more; more = cell == 60 && rows.less() {
			if ticket := v.ticket(rows, cell, parts, o); len(ticket) <= o.LimitBytes {
				w.Write(ticket)
				return nil
			}
		}
	}
	// Names of many characters without a width.
	_, err := w.WriteString(markdownStyle(o.Language.Catalogue()).sentence(message.New("{keys}: {problems}. The names are too long for {limit}.",
		keysArg("keys", r.Totals.Keys), message.Phrase("problems", v.broken), message.ExactSize("limit", int64(o.LimitBytes)))) + "\n")
	return err
}

// ticketParts returns the ticketSections with names of at most cell columns.
func (v *overview) ticketParts(cell int, o WriteOptions) (parts []string) {
	for _, s := range ticketSections {
		var part bytes.Buffer
		d := newDetails(newMarkdownPage(&part, o, cell, 1), v.r, o)
		for _, known := range sections {
			if known.name == s.name {
				known.write(d)
			}
		}
		if part.Len() > 0 {
			part.WriteString("\n</details>\n")
		}
		parts = append(parts, part.String())
	}
	return parts
}

// ticket returns the overview with the given rows and names of at most cell columns,
// followed by those of the parts that fit.
func (v *overview) ticket(rows screenRows, cell int, parts []string, o WriteOptions) []byte {
	var b bytes.Buffer
	p := newMarkdownPage(&b, o, cell, 0)
	v.write(p, rows)
	var left []message.Message
	for i, s := range ticketSections {
		if parts[i] != "" {
			left = append(left, word(s.title))
		}
	}
	left = append(left, v.omitted(rows)...)
	for i, s := range ticketSections {
		opening := "\n<details>\n<summary>" + p.style.sentence(word(s.title)) + "</summary>\n"
		if parts[i] != "" && b.Len()+len(opening)+len(parts[i])+len(v.ticketFoot(left, cell, o)) <= o.LimitBytes {
			b.WriteString(opening + parts[i])
			left = slices.DeleteFunc(left, func(m message.Message) bool { return m.ID == s.title })
		}
	}
	return append(b.Bytes(), v.ticketFoot(left, cell, o)...)
}

// omitted lists the rows that a ticket leaves out.
func (v *overview) omitted(rows screenRows) (list []message.Message) {
	for _, part := range []struct {
		n         int
		one, many string
	}{
		{len(v.keys) - rows.keys, "1 of the biggest keys", "{n} of the biggest keys"},
		{len(v.groups) - rows.groups, "1 of the groups", "{n} of the groups"},
		{len(v.problems) - rows.problems, "1 problem", "{n} problems"},
		{len(v.fixes) - rows.fixes, "1 thing to fix", "{n} things to fix"},
		{len(v.savings) - rows.savings, "1 saving", "{n} savings"},
		{len(v.nodes) - rows.nodes, "1 of the nodes", "{n} of the nodes"},
		{max(len(v.wrong), len(v.about)-v.lead) - rows.alerts, "1 remark on the files", "{n} remarks on the files"},
	} {
		if part.n > 0 {
			list = append(list, message.Plural(int64(part.n), part.one, part.many))
		}
	}
	return list
}

// ticketFoot says what was left out, and which tool made the ticket.
func (v *overview) ticketFoot(left []message.Message, cell int, o WriteOptions) string {
	style := markdownStyle(o.Language.Catalogue())
	s := ""
	if len(left) > 0 {
		s = "\n" + style.sentence(message.New("Left out to stay within {limit}: {left}.", message.ExactSize("limit", int64(o.LimitBytes)),
			message.List("left", "; ", left))) + "\n"
	}
	s += "\n---\n\n" + text.MarkdownText(v.r.Tool.Name+" "+v.r.Tool.Version)
	if o.Command != "" {
		s += ": " + text.MarkdownCode(text.ShortenMiddle(text.Sanitize(o.Command), max(cell, 120)))
	}
	return s + "\n"
}
