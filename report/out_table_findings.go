package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rdblens/rdblens/internal/text"
)

// The section of findings: a table of what each rule found, then for each the
// worst examples and what to do about the worst one.

func (t *tableWriter) findings() {
	rules := t.r.Rules
	if len(rules) == 0 {
		if t.r.Config.Profile != "" {
			t.section("FINDINGS", "")
			t.printf("  none\n")
		}
		return
	}
	var sizes []int64
	for i := range rules {
		sizes = append(sizes, int64(sizeOf(rules[i].MemoryBytes, int64(rules[i].ValueBytes))))
	}
	s := scaleOf(sizes...)
	t.section("FINDINGS", "rdblens rules explain NAME says what a rule wants and why")
	g := &text.Grid{Columns: []text.Column{{Title: "severity"}, {Title: "rule"}, {Title: "found", Right: true}, {Title: t.sizes() + " " + s.unit, Right: true},
		{Title: "flags", Shrink: text.ShrinkEnd}}}
	for i := range rules {
		f := &rules[i]
		g.Add(f.Severity, f.Rule, grouped(f.Count), s.format(Figure(sizes[i])), text.Sanitize(f.Title))
	}
	t.grid(g)
	for i := range rules {
		t.finding(&rules[i])
	}
}

// sizeOf gives memory where it is known, else value bytes.
func sizeOf(memory Figure, value int64) Figure {
	if memory.Known() {
		return memory
	}
	return Figure(value)
}

func (t *tableWriter) finding(f *Finding) {
	if len(f.Examples) == 0 {
		return
	}
	t.printf("\n")
	t.wrap("  ", "    ", fmt.Sprintf("%s %s (%s): %s", f.Severity, f.Rule, grouped(f.Count), text.Sanitize(f.Title)))
	shown := f.Examples[:min(len(f.Examples), tableExamples)]
	g := &text.Grid{Columns: []text.Column{{Title: "worst", Shrink: text.ShrinkMiddle}, {Title: "snapshot", Shrink: text.ShrinkMiddle, Drop: 2}, {Title: "db", Right: true, Drop: 1}, {Title: "type"}, {Title: "encoding", Drop: 3},
		{Title: "measured", Shrink: text.ShrinkEnd}}}
	for i := range shown {
		e := &shown[i]
		if e.KeyRow == nil {
			g.Add(e.Subject.Display(), t.inputName(e.Input), "", "", "", text.Sanitize(e.Text))
			continue
		}
		db := ""
		if t.severalDatabases() || e.DB != 0 {
			db = fmt.Sprint(e.DB)
		}
		g.Add(e.Key.Display(), t.inputName(e.Input), db, e.Type, e.Encoding, text.Sanitize(e.Text))
	}
	t.grid(g)
	if len(f.Groups) > 0 && f.Count > 1 {
		t.wrap("    groups: ", "      ", groupsText(f))
	} else if text := subjectGroups(shown); text != "" {
		t.wrap("    groups: ", "      ", text)
	}
	for _, a := range shown[0].Advice {
		// What a finding above says already is not said again.
		said := a.Kind + "\n" + a.Text + "\n" + strings.Join(a.Commands, "\n")
		if !t.said[said] {
			t.said[said] = true
			t.advice(&a)
		}
	}
}

// subjectGroups names the groups of the keys behind examples that are no keys:
// minutes, slots, tags.
func subjectGroups(examples []Example) string {
	const most = 8
	var parts []string
	for i := range examples {
		for _, g := range examples[i].Groups {
			if s := text.ShortenMiddle(g.Display(), 60); len(parts) < most && !slices.Contains(parts, s) {
				parts = append(parts, s)
			}
		}
	}
	return strings.Join(parts, ", ")
}

// groupsText names the groups of a finding.
func groupsText(f *Finding) string {
	const most = 5
	var parts []string
	for _, g := range f.Groups[:min(len(f.Groups), most)] {
		parts = append(parts, fmt.Sprintf("%s (%s)", text.ShortenMiddle(g.Group.Display(), 60), grouped(g.Count)))
	}
	s := strings.Join(parts, ", ")
	more := int64(len(f.Groups) - len(parts))
	if f.GroupsMore.Known() {
		more += int64(f.GroupsMore)
	}
	if more > 0 {
		s += " and " + counted(more, "other", "others")
	}
	return s
}

func (t *tableWriter) advice(a *Advice) {
	t.wrap("    "+a.Kind+": ", "      ", text.Sanitize(a.Text))
	// A command is not wrapped and not cut: it is there to be pasted.
	for _, c := range a.Commands[:min(len(a.Commands), tableCommands)] {
		t.printf("      %s\n", text.Sanitize(c))
	}
	if n := len(a.Commands) - tableCommands; n > 0 {
		t.printf("      (and %s)\n", counted(int64(n), "command more", "commands more"))
	}
}

func (t *tableWriter) ignored() {
	if len(t.r.Ignored) == 0 {
		return
	}
	t.section("IGNORED", "by the configuration")
	g := &text.Grid{Columns: []text.Column{{Title: "rule"}, {Title: "keys that match", Shrink: text.ShrinkMiddle}, {Title: "ignored", Right: true}, {Title: "until"}, {Title: "reason", Shrink: text.ShrinkMiddle}}}
	for _, i := range t.r.Ignored {
		until := text.Sanitize(i.Until)
		if i.Expired {
			until += " (over)"
		}
		g.Add(text.Sanitize(i.Rule), Name(i.Pattern).Display(), grouped(i.Count), until, text.Sanitize(i.Reason))
	}
	t.grid(g)
}
