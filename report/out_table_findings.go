package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rdblens/rdblens/report/text"
	"github.com/rdblens/rdblens/thresholds/units"
)

// The section of findings: a table of what each rule found, then the worst
// examples of each rule and what to do about the worst one.

func (t *tableWriter) findings() {
	rules := t.r.Rules
	if len(rules) == 0 {
		if t.r.Config.Profile != "" {
			t.section("FINDINGS", "")
			t.printf("  none\n")
		}
		return
	}
	note := "rdblens rules explain NAME describes a rule"
	if !t.changes {
		note += "; --advice shows commands that change data"
	}
	t.section("FINDINGS", note)
	t.table(len(rules),
		leftColumn("severity", func(i int) string { return rules[i].Severity }),
		leftColumn("rule", func(i int) string { return rules[i].Rule }),
		countColumn("found", func(i int) int64 { return rules[i].Count }),
		sizeColumn(t.sizeTitle(), func(i int) Figure { return sizeOf(rules[i].MemoryBytes, int64(rules[i].ValueBytes)) }),
		sentenceColumn("flags", func(i int) string { return text.Sanitize(rules[i].Title) }))
	for i := range rules {
		t.finding(&rules[i])
	}
}

func (t *tableWriter) finding(f *Finding) {
	if len(f.Examples) == 0 {
		return
	}
	t.printf("\n")
	t.wrap("  ", "    ", fmt.Sprintf("%s %s (%s): %s", f.Severity, f.Rule, units.FormatCount(f.Count), text.Sanitize(f.Title)))
	rows := f.Examples[:min(len(f.Examples), tableExamples)]
	several := t.severalDatabases()
	// What an example has if it is of a key.
	ofKey := func(cell func(k *KeyRow) string) func(i int) string {
		return func(i int) string {
			if rows[i].KeyRow == nil {
				return ""
			}
			return cell(rows[i].KeyRow)
		}
	}
	t.table(len(rows),
		nameColumn("worst", func(i int) string {
			if rows[i].KeyRow == nil {
				return rows[i].Subject.Display()
			}
			return rows[i].Key.Display()
		}),
		nameColumn("snapshot", func(i int) string { return t.inputName(rows[i].Input) }).drop(2),
		rightColumn("db", ofKey(func(k *KeyRow) string {
			if !several && k.DB == 0 {
				return ""
			}
			return fmt.Sprint(k.DB)
		})).drop(1),
		leftColumn("type", ofKey(func(k *KeyRow) string { return k.Type })),
		leftColumn("encoding", ofKey(func(k *KeyRow) string { return k.Encoding })).drop(3),
		sentenceColumn("measured", func(i int) string { return text.Sanitize(rows[i].Text) }))
	if len(f.Groups) > 0 && f.Count > 1 {
		t.wrap("    groups: ", "      ", groupsText(f))
	} else if s := subjectGroupsText(rows); s != "" {
		t.wrap("    groups: ", "      ", s)
	}
	for _, a := range rows[0].Advice {
		if a.ChangesData && !t.changes {
			continue
		}
		// Advice that an earlier finding gave is not repeated.
		advice := a.Kind + "\n" + a.Text + "\n" + strings.Join(a.Commands, "\n")
		if !t.advised[advice] {
			t.advised[advice] = true
			t.advice(&a)
		}
	}
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
		parts = append(parts, fmt.Sprintf("%s (%s)", text.ShortenMiddle(g.Group.Display(), groupWidth), units.FormatCount(g.Count)))
	}
	s := strings.Join(parts, ", ")
	more := int64(len(f.Groups) - len(parts))
	if f.GroupsMore.Known() {
		more += int64(f.GroupsMore)
	}
	if more > 0 {
		s += " and " + units.FormatCountOf(more, "other", "others")
	}
	return s
}

func (t *tableWriter) advice(a *Advice) {
	kind := a.Kind
	if a.ChangesData {
		kind += " " + text.Sanitize(a.Condition)
	}
	t.wrap("    "+kind+": ", "      ", text.Sanitize(a.Text))
	// A command is neither wrapped nor cut, so that it can be pasted.
	for _, c := range a.Commands[:min(len(a.Commands), tableCommands)] {
		t.printf("      %s\n", text.Sanitize(c))
	}
	if n := len(a.Commands) - tableCommands; n > 0 {
		t.printf("      (and %s)\n", units.FormatCountOf(int64(n), "more command", "more commands"))
	}
}

func (t *tableWriter) ignored() {
	rows := t.r.Ignored
	if len(rows) == 0 {
		return
	}
	t.section("IGNORED", "by the configuration")
	t.table(len(rows),
		leftColumn("rule", func(i int) string { return text.Sanitize(rows[i].Rule) }),
		nameColumn("pattern", func(i int) string { return Name(rows[i].Pattern).Display() }),
		countColumn("ignored", func(i int) int64 { return rows[i].Count }),
		leftColumn("until", func(i int) string {
			until := text.Sanitize(rows[i].Until)
			switch {
			case rows[i].Expired:
				until += " (expired)"
			case rows[i].Unused:
				until = strings.TrimSpace(until + " (matches nothing)")
			}
			return until
		}),
		nameColumn("reason", func(i int) string { return text.Sanitize(rows[i].Reason) }))
}
