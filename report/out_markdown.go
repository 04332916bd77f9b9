package report

import (
	"bufio"
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report/text"
	"github.com/rdblens/rdblens/thresholds"
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
	_, err := w.WriteString(translator(o.Language)(thresholds.Fill("{keys}: {problems}. The names are too long for {limit}.", "keys", message.FormatCountOf(r.Totals.Keys, "key", "keys"),
		"problems", v.broken, "limit", message.FormatExactBytes(int64(o.LimitBytes)))) + "\n")
	return err
}

// ticketParts returns the ticketSections with names of at most cell columns.
func (v *overview) ticketParts(cell int, o WriteOptions) (parts []string) {
	for _, s := range ticketSections {
		var part bytes.Buffer
		d := newDetails(inLanguage(&markdownPage{w: &part, cell: cell, level: 1}, o.Language), v.r, o)
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
	v.write(inLanguage(&markdownPage{w: &b, cell: cell}, o.Language), rows)
	translate := translator(o.Language)
	var left []string
	for i, s := range ticketSections {
		if parts[i] != "" {
			left = append(left, s.title)
		}
	}
	left = append(left, v.omitted(rows)...)
	for i, s := range ticketSections {
		opening := "\n<details>\n<summary>" + translate(s.title) + "</summary>\n"
		if parts[i] != "" && b.Len()+len(opening)+len(parts[i])+len(v.ticketFoot(left, cell, o)) <= o.LimitBytes {
			b.WriteString(opening + parts[i])
			left = slices.DeleteFunc(left, func(title string) bool { return title == s.title })
		}
	}
	return append(b.Bytes(), v.ticketFoot(left, cell, o)...)
}

// omitted lists the rows that a ticket leaves out.
func (v *overview) omitted(rows screenRows) (list []string) {
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
		{max(len(v.wrong), len(v.about)-2) - rows.alerts, "1 remark on the files", "{n} remarks on the files"},
	} {
		switch {
		case part.n == 1:
			list = append(list, part.one)
		case part.n > 1:
			list = append(list, thresholds.Fill(part.many, "n", message.FormatCount(int64(part.n))))
		}
	}
	return list
}

// ticketFoot says what was left out, and which tool made the ticket.
func (v *overview) ticketFoot(left []string, cell int, o WriteOptions) string {
	s := ""
	if len(left) > 0 {
		s = "\n" + text.MarkdownText(thresholds.Fill("Left out to stay within {limit}: {left}.", "limit", message.FormatExactBytes(int64(o.LimitBytes)), "left", strings.Join(left, "; "))) + "\n"
	}
	s += "\n---\n\n" + text.MarkdownText(v.r.Tool.Name+" "+v.r.Tool.Version)
	if o.Command != "" {
		s += ": " + text.MarkdownCode(text.ShortenMiddle(text.Sanitize(o.Command), max(cell, 120)))
	}
	return s + "\n"
}

// markdownPage is the page of a ticket.
type markdownPage struct {
	w     *bytes.Buffer
	cell  int // columns to which names are cut
	level int // of the titles, 0 or 1
}

// block begins a block of its own.
func (p *markdownPage) block(format string, args ...any) {
	fmt.Fprintf(p.w, "\n"+format+"\n", args...)
}

func (p *markdownPage) text(s string) string {
	return strings.ReplaceAll(text.MarkdownText(s), text.NBSP, " ")
}

func (p *markdownPage) section(title, note string) {
	p.block("%s %s", strings.Repeat("#", 3+p.level), p.text(title))
	if note != "" {
		p.block("*%s*", p.text(note))
	}
}

func (p *markdownPage) heading(s string)  { p.block("##### %s", p.text(s)) }
func (p *markdownPage) alert(s string)    { p.block("> **%s**", p.text(s)) }
func (p *markdownPage) sentence(s string) { p.block("%s", p.text(s)) }
func (p *markdownPage) foot(string)       {}

func (p *markdownPage) field(label, s string) {
	if label != "" {
		label = "**" + p.text(label) + "**: "
	}
	p.block("%s%s", label, p.text(s))
}

func (p *markdownPage) list(items []string) {
	p.w.WriteString("\n")
	for i, s := range items {
		fmt.Fprintf(p.w, "%d. %s\n", i+1, p.text(s))
	}
}

// commands are in a block of code, which ends at a line of three backticks alone.
func (p *markdownPage) commands(list []string) {
	if len(list) > 0 {
		p.block("```\n%s\n```", strings.Join(list, "\n"))
	}
}

func (p *markdownPage) table(t table) {
	g := t.grid()
	var shown []int // columns that are not empty
	for c := range g.Columns {
		for _, row := range g.Rows {
			if row[c] != "" {
				shown = append(shown, c)
				break
			}
		}
	}
	if shown == nil {
		return
	}
	line := func(cell func(c int) string) {
		for _, c := range shown {
			p.w.WriteString("| " + cell(c) + " ")
		}
		p.w.WriteString("|\n")
	}
	p.w.WriteString("\n")
	line(func(c int) string { return g.Columns[c].Title })
	line(func(c int) string {
		if g.Columns[c].Right {
			return "---:"
		}
		return "---"
	})
	for _, row := range g.Rows {
		line(func(c int) string {
			switch {
			case g.Columns[c].Shrink == text.ShrinkMiddle:
				return text.MarkdownCode(text.ShortenMiddle(row[c], p.cell))
			case p.cell < text.MaxCell:
				return p.text(text.ShortenEnd(row[c], 2*p.cell))
			}
			return p.text(row[c])
		})
	}
}
