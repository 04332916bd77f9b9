package report

import (
	"slices"
	"strconv"
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
			d.section(word("Findings"), message.Message{})
			d.sentence(word("none"))
		}
		return
	}
	notes := []message.Message{word("rdblens rules explain NAME describes a rule")}
	if config := configText(&d.r.Config); !config.IsZero() {
		notes = slices.Insert(notes, 0, config)
	}
	if !d.changes {
		notes = append(notes, word("--advice shows commands that change data"))
	}
	d.section(word("Findings"), only(message.List("notes", "; ", notes)))
	d.rows(len(rules),
		wordColumn("severity", func(i int) string { return rules[i].Severity }),
		wordColumn("rule", func(i int) string { return rules[i].Rule }),
		countColumn("found", func(i int) Figure { return Figure(rules[i].Count) }),
		sizeColumn(d.sizeTitle(), func(i int) Figure { return sizeOf(rules[i].MemoryBytes, int64(rules[i].ValueBytes)) }),
		sentenceColumn("flags", func(i int) message.Message { return rules[i].titleText() }))
	for _, m := range d.r.countedText() {
		d.sentence(m)
	}
	for i := range rules {
		d.finding(&rules[i])
	}
}

// titleText is what the rule flags. That of a rule which this version does not have is
// somebody else's.
func (f *Finding) titleText() message.Message {
	if rule, ok := thresholds.Lookup(f.Rule); ok && rule.Title == f.Title {
		return word(f.Title)
	}
	return foreign(f.Title)
}

func (d *details) finding(f *Finding) {
	if len(f.Examples) == 0 {
		return
	}
	d.heading(message.New("{severity} {rule} ({n}): {title}", message.Text("severity", f.Severity),
		message.Text("rule", f.Rule), message.Int("n", f.Count), message.Phrase("title", f.titleText())))
	d.evidence(f)
}

// evidence writes the examples of a finding, which has some, and the advice on the worst.
func (d *details) evidence(f *Finding) {
	rows := f.Examples[:d.most(len(f.Examples), detailsExamples)]
	d.table(d.examplesTable(rows))
	if len(f.Groups) > 0 && f.Count > 1 {
		d.field("groups", groupsText(f))
	} else if m := subjectGroupsText(rows); !m.IsZero() {
		d.field("groups", m)
	}
	for _, m := range f.reasons() {
		d.field("reason", m)
	}
	for i := range rows[0].Advice {
		a := &rows[0].Advice[i]
		if a.ChangesData && !d.changes {
			continue
		}
		// Advice that an earlier finding gave is not repeated.
		advice := a.Kind + "\n" + a.Text + "\n" + strings.Join(a.Commands, "\n")
		if !d.advised[advice] {
			d.advised[advice] = true
			d.advice(a)
		}
	}
}

// reasons are those that the configuration gives for what a rule flags, each once.
func (f *Finding) reasons() (list []message.Message) {
	seen := map[[2]string]bool{}
	for i := range f.Examples {
		e := &f.Examples[i]
		if of := [2]string{e.Reason, e.Source}; of != ([2]string{}) && !seen[of] {
			seen[of] = true
			list = append(list, reasonText(e.Reason, e.Source))
		}
	}
	return list
}

// reasonText is a reason with its source, zero if both are "".
func reasonText(reason, source string) message.Message {
	switch {
	case source == "":
		return foreign(reason)
	case reason == "":
		return foreign(source)
	}
	return message.New("{reason} ({source})", message.Foreign("reason", reason), message.Foreign("source", source))
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
	database := ofKey(func(k *KeyRow) string {
		if !several && k.DB == 0 {
			return ""
		}
		return strconv.Itoa(k.DB)
	})
	return table{len(rows), []column{
		nameColumn("worst", func(i int) message.Message { return rows[i].subjectText() }),
		d.r.inputColumn(func(i int) int { return rows[i].Input }).drop(2),
		rightColumn("db", func(i int) message.Message { return verbatim(database(i)) }).drop(1),
		wordColumn("type", ofKey(func(k *KeyRow) string { return k.Type })),
		wordColumn("encoding", ofKey(func(k *KeyRow) string { return k.Encoding })).drop(3),
		sentenceColumn("measured", func(i int) message.Message { return sentenceOf(rows[i].Message, rows[i].Text) })}}
}

// subjectGroupsText lists the groups of the keys behind examples that are not
// keys: minutes, slots, tags. It is zero if there are none.
func subjectGroupsText(examples []Example) message.Message {
	const most = 8
	var list []Name
	for i := range examples {
		for _, g := range examples[i].Groups {
			if len(list) < most && !slices.Contains(list, g) {
				list = append(list, g)
			}
		}
	}
	if list == nil {
		return message.Message{}
	}
	return only(message.List("groups", ", ", names(list, most)))
}

func groupsText(f *Finding) message.Message {
	const most = 5
	var parts []message.Message
	for _, g := range f.Groups[:min(len(f.Groups), most)] {
		parts = append(parts, message.New("{group} ({n})", message.Name("group", g.Group), message.Int("n", g.Count)))
	}
	more := int64(len(f.Groups) - len(parts))
	if f.GroupsMore.Known() {
		more += int64(f.GroupsMore)
	}
	list := message.List("groups", ", ", parts)
	if more > 0 {
		return message.New("{groups} and {others}", list, message.Number("others", more, "1 other", "{n} others"))
	}
	return only(list)
}

// sentence returns what to do, and of what changes data when it may be done.
func (a *Advice) sentence() message.Message {
	m := sentenceOf(a.Message, a.Text)
	if a.ChangesData {
		return message.New("({condition}) {text}", message.Phrase("condition", sentenceOf(a.ConditionMessage, a.Condition)),
			message.Phrase("text", m))
	}
	return m
}

func (d *details) advice(a *Advice) {
	d.field(a.Kind, a.sentence())
	var list []string
	for _, c := range a.Commands[:d.most(len(a.Commands), detailsCommands)] {
		list = append(list, text.Sanitize(c))
	}
	d.commands(list)
	if n := len(a.Commands) - len(list); n > 0 {
		d.field("", message.New("and {commands}",
			message.Number("commands", int64(n), "1 more command", "{n} more commands")))
	}
}

func (d *details) ignored() {
	rows := d.r.Ignored
	if len(rows) == 0 {
		return
	}
	d.section(word("Ignored"), word("by the configuration"))
	d.rows(len(rows),
		wordColumn("rule", func(i int) string { return rows[i].Rule }),
		nameColumn("pattern", func(i int) message.Message { return named(Name(rows[i].Pattern)) }),
		countColumn("ignored", func(i int) Figure { return Figure(rows[i].Count) }),
		leftColumn("until", func(i int) message.Message { return rows[i].untilText() }),
		nameColumn("reason", func(i int) message.Message { return reasonText(rows[i].Reason, rows[i].Source) }))
}

// untilText says when an entry ends, and why it can be removed.
func (in *Ignored) untilText() message.Message {
	var parts []message.Message
	if in.Until != "" {
		parts = append(parts, verbatim(in.Until))
	}
	switch {
	case in.Expired:
		parts = append(parts, word("(expired)"))
	case in.Grown:
		parts = append(parts, word("(twice as bad)"))
	case in.Unused:
		parts = append(parts, word("(matches nothing)"))
	}
	if parts == nil {
		return message.Message{}
	}
	return only(message.List("until", " ", parts))
}
