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
	register(&Format{Name: "markdown", Doc: "a ticket in Markdown, for GitHub and GitLab", Extension: ".md", rank: 3,
		write: writeMarkdown})
}

// DefaultLimitBytes is the size of a ticket unless WriteOptions say otherwise, in
// bytes: a comment on GitHub takes 65,536. MinLimitBytes is the least possible.
const (
	DefaultLimitBytes = 60_000
	MinLimitBytes     = 4096
)

func writeMarkdown(w *bufio.Writer, r *Report, o WriteOptions) error {
	if o.LimitBytes <= 0 {
		o.LimitBytes = DefaultLimitBytes
	}
	v := newOverview(r, o)
	parts := v.ticketParts(o)
	for rows, more := v.all(), true; more; more = rows.less() {
		if ticket := v.ticket(rows, parts, o); len(ticket) <= o.LimitBytes {
			w.Write(ticket)
			return nil
		}
	}
	// Names of many characters without a width.
	_, err := w.WriteString(markdownStyle(o.Language.Catalogue()).sentence(message.New("{keys}: {problems}. The names are too long for {limit}.",
		keysArg("keys", r.Totals.Keys), message.Phrase("problems", v.broken),
		message.ExactSize("limit", int64(o.LimitBytes)))) + "\n")
	return err
}

type ticketPart struct {
	text  string // "" is none
	names wholeNames
}

func (v *overview) ticketParts(o WriteOptions) (parts []ticketPart) {
	for _, s := range sections {
		var b bytes.Buffer
		p := newMarkdownPage(&b, o, nameWidth, 1)
		if s.name != "savings" { // they are part of the overview
			s.write(newDetails(p, v.r, o))
		}
		if b.Len() > 0 {
			b.WriteString("\n</details>\n")
		}
		parts = append(parts, ticketPart{b.String(), p.names})
	}
	return parts
}

// ticketAlerts is the most alerts before what is to be done.
const ticketAlerts = 2

// ticket returns the overview with the given rows, followed by those of the parts that fit.
// It begins with what is wrong with the files, the verdict, and what to do; the evidence is
// folded. Names that are cut stand once as they are, at the end.
func (v *overview) ticket(rows screenRows, parts []ticketPart, o WriteOptions) []byte {
	var b bytes.Buffer
	p := newMarkdownPage(&b, o, nameWidth, 0)
	wrong := v.wrong[:min(len(v.wrong), rows.alerts)]
	first := min(len(wrong), ticketAlerts)
	for _, m := range wrong[:first] {
		p.alert(m)
	}
	if v.r.Config.Profile != "" {
		p.strong(v.verdict())
	}
	about := v.about[:min(len(v.about), 2+rows.alerts)]
	if len(about) > 1 {
		p.sentence(message.New("{file}; {keys}", message.Phrase("file", about[0]), message.Phrase("keys", about[1])))
		about = about[2:]
	}
	if rows.fixes > 0 {
		p.section(word("Fix first"), message.Message{})
		p.tasks(v.fixes[:rows.fixes])
	}
	for _, m := range wrong[first:] {
		p.alert(m)
	}
	for _, m := range about {
		p.sentence(m)
	}
	v.evidence(p, rows)
	var left []message.Message
	for i, s := range sections {
		if parts[i].text != "" {
			left = append(left, word(s.title))
		}
	}
	left = append(left, v.omitted(rows)...)
	names := p.names
	room := o.LimitBytes - len(names.block(p, o.LimitBytes))
	for i, s := range sections {
		opening := p.opening(word(s.title))
		if parts[i].text != "" && b.Len()+len(opening)+len(parts[i].text)+len(v.ticketFoot(left, o)) <= room {
			b.WriteString(opening + parts[i].text)
			left = slices.DeleteFunc(left, func(m message.Message) bool { return m.ID == s.title })
			for _, name := range parts[i].names {
				names.add(name)
			}
		}
	}
	foot := v.ticketFoot(left, o)
	b.WriteString(names.block(p, o.LimitBytes-b.Len()-len(foot)))
	b.WriteString(foot)
	return b.Bytes()
}

func (v *overview) evidence(p *markdownPage, rows screenRows) {
	fold := func(n int, title string, note message.Message, t table) {
		if n == 0 {
			return
		}
		p.w.WriteString(p.opening(word(title)))
		if !note.IsZero() {
			p.block("*%s*", p.style.sentence(note))
		}
		p.table(t)
		if title == "Problems" {
			for _, m := range v.r.countedText() {
				p.sentence(m)
			}
		}
		p.w.WriteString("\n</details>\n")
	}
	fold(rows.keys, "Biggest keys", v.keysNote(), v.keysTable(rows.keys))
	fold(rows.nodes, "Nodes", v.r.nodesNote(rows.nodes), v.r.nodesTable(v.nodes[:rows.nodes]))
	if rows.groups > 0 {
		fold(1, "Where the memory is", v.placesNote(), v.r.groupsTable(v.places(rows.groups), false))
	}
	if v.r.Config.Profile != "" || rows.problems > 0 {
		fold(max(rows.problems, 1), "Problems", v.broken, v.problemsTable(rows.problems))
	}
	fold(rows.savings, "What could be saved", v.r.savingsNote(), v.savingsTable(rows.savings))
}

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

func (v *overview) ticketFoot(left []message.Message, o WriteOptions) string {
	style := markdownStyle(o.Language.Catalogue())
	s := ""
	if len(left) > 0 {
		s = "\n" + style.sentence(message.New("Left out to stay within {limit}: {left}.",
			message.ExactSize("limit", int64(o.LimitBytes)), message.List("left", "; ", left))) + "\n"
	}
	s += "\n---\n\n" + text.MarkdownText(v.r.Tool.Name+" "+v.r.Tool.Version)
	if o.Command != "" {
		s += ": " + text.MarkdownCode(text.ShortenMiddle(text.Sanitize(o.Command), 2*nameWidth))
	}
	return s + "\n"
}
