package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report/text"
	"github.com/rdblens/rdblens/thresholds"
)

// The section of findings: a table of what each rule found, then the worst
// examples of each rule and what to do about the worst one.

func (d *details) findings() {
	rules := d.r.Rules
	if len(rules) == 0 {
		if d.r.Config.Profile != "" {
			d.section("Findings", "")
			d.sentence("none")
		}
		return
	}
	note := "{config}; rdblens rules explain NAME describes a rule"
	if !d.changes {
		note = "{config}; rdblens rules explain NAME describes a rule; --advice shows commands that change data"
	}
	d.section("Findings", strings.TrimPrefix(thresholds.Fill(note, "config", configText(&d.r.Config)), "; "))
	d.rows(len(rules),
		leftColumn("severity", func(i int) string { return rules[i].Severity }),
		leftColumn("rule", func(i int) string { return rules[i].Rule }),
		countColumn("found", func(i int) Figure { return Figure(rules[i].Count) }),
		sizeColumn(d.sizeTitle(), func(i int) Figure { return sizeOf(rules[i].MemoryBytes, int64(rules[i].ValueBytes)) }),
		sentenceColumn("flags", func(i int) string { return text.Sanitize(rules[i].Title) }))
	for i := range rules {
		d.finding(&rules[i])
	}
}

func (d *details) finding(f *Finding) {
	if len(f.Examples) == 0 {
		return
	}
	d.heading(fmt.Sprintf("%s %s (%s): %s", f.Severity, f.Rule, message.FormatCount(f.Count), text.Sanitize(f.Title)))
	rows := f.Examples[:min(len(f.Examples), detailsExamples)]
	d.table(d.examplesTable(rows))
	if len(f.Groups) > 0 && f.Count > 1 {
		d.field("groups", groupsText(f))
	} else if s := subjectGroupsText(rows); s != "" {
		d.field("groups", s)
	}
	for _, a := range rows[0].Advice {
		if a.ChangesData && !d.changes {
			continue
		}
		// Advice that an earlier finding gave is not repeated.
		advice := a.Kind + "\n" + a.Text + "\n" + strings.Join(a.Commands, "\n")
		if !d.advised[advice] {
			d.advised[advice] = true
			d.advice(&a)
		}
	}
}

// examplesTable is a table of what a rule flags, the worst first.
func (d *details) examplesTable(rows []Example) table {
	several := severalDatabases(d.r)
	// What an example has if it is of a key.
	ofKey := func(cell func(k *KeyRow) string) func(i int) string {
		return func(i int) string {
			if rows[i].KeyRow == nil {
				return ""
			}
			return cell(rows[i].KeyRow)
		}
	}
	return table{len(rows), []column{
		nameColumn("worst", func(i int) string {
			if rows[i].KeyRow == nil {
				return rows[i].Subject.Display()
			}
			return rows[i].Key.Display()
		}),
		d.r.inputColumn(func(i int) int { return rows[i].Input }).drop(2),
		rightColumn("db", ofKey(func(k *KeyRow) string {
			if !several && k.DB == 0 {
				return ""
			}
			return fmt.Sprint(k.DB)
		})).drop(1),
		leftColumn("type", ofKey(func(k *KeyRow) string { return k.Type })),
		leftColumn("encoding", ofKey(func(k *KeyRow) string { return k.Encoding })).drop(3),
		sentenceColumn("measured", func(i int) string { return text.Sanitize(rows[i].Text) })}}
}

// groupWidth is the width, in columns, to which the name of a group is cut in a
// sentence.
const groupWidth = 60

// subjectGroupsText lists the groups of the keys behind examples that are not
// keys: minutes, slots, tags.
func subjectGroupsText(examples []Example) string {
	const most = 8
	var parts []string
	for i := range examples {
		for _, g := range examples[i].Groups {
			if s := text.ShortenMiddle(g.Display(), groupWidth); len(parts) < most && !slices.Contains(parts, s) {
				parts = append(parts, s)
			}
		}
	}
	return strings.Join(parts, ", ")
}

// groupsText lists the groups of a finding.
func groupsText(f *Finding) string {
	const most = 5
	var parts []string
	for _, g := range f.Groups[:min(len(f.Groups), most)] {
		parts = append(parts, fmt.Sprintf("%s (%s)", text.ShortenMiddle(g.Group.Display(), groupWidth), message.FormatCount(g.Count)))
	}
	s := strings.Join(parts, ", ")
	more := int64(len(f.Groups) - len(parts))
	if f.GroupsMore.Known() {
		more += int64(f.GroupsMore)
	}
	if more > 0 {
		s += " and " + message.FormatCountOf(more, "other", "others")
	}
	return s
}

func (d *details) advice(a *Advice) {
	s := text.Sanitize(a.Text)
	if a.ChangesData {
		s = thresholds.Fill("({condition}) {text}", "condition", text.Sanitize(a.Condition), "text", s)
	}
	d.field(a.Kind, s)
	var list []string
	for _, c := range a.Commands[:min(len(a.Commands), detailsCommands)] {
		list = append(list, text.Sanitize(c))
	}
	d.commands(list)
	if n := len(a.Commands) - detailsCommands; n > 0 {
		d.field("", thresholds.Fill("and {commands}", "commands", message.FormatCountOf(int64(n), "more command", "more commands")))
	}
}

func (d *details) ignored() {
	rows := d.r.Ignored
	if len(rows) == 0 {
		return
	}
	d.section("Ignored", "by the configuration")
	d.rows(len(rows),
		leftColumn("rule", func(i int) string { return text.Sanitize(rows[i].Rule) }),
		nameColumn("pattern", func(i int) string { return Name(rows[i].Pattern).Display() }),
		countColumn("ignored", func(i int) Figure { return Figure(rows[i].Count) }),
		leftColumn("until", func(i int) string {
			until := text.Sanitize(rows[i].Until)
			switch {
			case rows[i].Expired:
				until += " (expired)"
			case rows[i].Grown:
				until = strings.TrimSpace(until + " (twice as bad)")
			case rows[i].Unused:
				until = strings.TrimSpace(until + " (matches nothing)")
			}
			return until
		}),
		nameColumn("reason", func(i int) string { return text.Sanitize(rows[i].Reason) }))
}
