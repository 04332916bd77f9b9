package thresholds

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/thresholds/internal/requirements"
)

var update = flag.Bool("update", false, "write RULES.md")

func TestRulesMarkdown(t *testing.T) {
	text := rulesMarkdown()
	if *update {
		if err := os.WriteFile("RULES.md", text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	committed, err := os.ReadFile("RULES.md")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(committed, text) {
		t.Error("RULES.md is out of date: make golden writes it")
	}
	for _, r := range Rules() {
		if !bytes.Contains(text, []byte("\n### "+r.Name+"\n")) {
			t.Errorf("RULES.md lacks %s", r.Name)
		}
	}
	for _, line := range strings.Split(string(text), "\n") {
		if cells := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|"); strings.HasPrefix(line, "|") && cells < 4 {
			t.Errorf("a broken row: %s", line)
		}
	}
}

// rulesMarkdown returns the text of RULES.md: every rule with its settings in each
// profile, the sentences that it comes from, and a table of all requirements.
func rulesMarkdown() []byte {
	var b strings.Builder
	b.WriteString("<!-- Generated from the rules: go generate ./thresholds -->\n\n# Rules\n\n")
	b.WriteString("All rules of rdblens: what they flag, why, how to fix it, their limits in the five profiles, and the sentences of the " +
		"documents that they come from. A value is over a limit if it is greater, and under one if it is less. A KB is 1024 bytes. " +
		"If a value exceeds several limits of a rule, only the severest is reported.\n\n")
	b.WriteString("| profile | document | summary |\n|---|---|---|\n")
	for _, name := range profileNames {
		p := profileOf(name)
		source := "what the five agree on"
		for d := requirements.Aliyun; d <= requirements.Upper; d++ {
			if d.Profile() == name {
				source = d.Title()
			}
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", name, source, cell(p.Title))
	}
	for section := range numSections {
		fmt.Fprintf(&b, "\n## %s\n\n", section)
		b.WriteString("| rule |")
		for _, name := range profileNames {
			fmt.Fprintf(&b, " `%s` |", name)
		}
		b.WriteString("\n|---|---|---|---|---|---|\n")
		for _, r := range Rules() {
			if r.Section != section {
				continue
			}
			fmt.Fprintf(&b, "| [`%s`](#%s) |", r.Name, r.Name)
			for _, name := range profileNames {
				fmt.Fprintf(&b, " %s |", cell(profileOf(name).Settings[r.ID].Summary()))
			}
			b.WriteByte('\n')
		}
		for _, r := range Rules() {
			if r.Section == section {
				ruleMarkdown(&b, r)
			}
		}
	}
	requirementsMarkdown(&b)
	return []byte(b.String())
}

func ruleMarkdown(b *strings.Builder, r *Rule) {
	fmt.Fprintf(b, "\n### %s\n\n*%s.* %s\n\n", r.Name, capital(r.Title), r.Doc.What)
	fmt.Fprintf(b, "**Why.** %s\n\n**How to fix it.** %s\n\n**Example.** %s\n\n", r.Doc.Why, r.Doc.Fix, r.Doc.Example)
	if len(r.Params) > 0 {
		b.WriteString("| parameter | default | meaning |\n|---|---|---|\n")
		for _, p := range r.Params {
			value := p.Default
			if value == "" {
				value = "-"
			}
			fmt.Fprintf(b, "| `%s` | %s | %s |\n", p.Name, cell(value), cell(p.Doc))
		}
		b.WriteByte('\n')
		for _, name := range profileNames {
			s := &profileOf(name).Settings[r.ID]
			var set []string
			for i, p := range r.Params {
				if v := &s.Params[i]; v.Origin.Kind == FromProfile {
					set = append(set, fmt.Sprintf("%s `%s`", p.Name, v.Format(p)))
				}
			}
			if len(set) > 0 {
				fmt.Fprintf(b, "In `%s`: %s.\n\n", name, strings.Join(set, ", "))
			}
		}
	}
	for _, s := range r.Basis().Sources {
		fmt.Fprintf(b, "> %s%s  \n> %s  \n> — %s, for %s\n\n", s.Level, quote(s.Original), quote(s.English), s.Document.Title(), strings.Join(s.Profiles, ", "))
	}
	for _, n := range r.Basis().Notes {
		fmt.Fprintf(b, "- %s: %s\n", strings.Join(n.Profiles, ", "), n.Text)
	}
}

func requirementsMarkdown(b *strings.Builder) {
	b.WriteString("\n## All requirements of the documents\n\n")
	b.WriteString("One row for each requirement of a document, in the document's order: the rule that checks it, the part of the report that answers it, or the reason " +
		"why a snapshot cannot show it. The text behind `typed` is published on two sites, and counts as one document.\n")
	title := ""
	counts := map[requirements.Verdict]int{}
	for _, r := range requirements.All() {
		if r.Document.Title() != title {
			title = r.Document.Title()
			fmt.Fprintf(b, "\n### %s\n\n| requirement | in English | answered by | rules | how, or why not |\n|---|---|---|---|---|\n", title)
		}
		rules := make([]string, len(r.Rules))
		for i, name := range r.Rules {
			rules[i] = "[`" + name + "`](#" + name + ")"
		}
		counts[r.Verdict]++
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s |\n", cell(r.Original), cell(r.English), r.Verdict, strings.Join(rules, " "), cell(r.Reason))
	}
	fmt.Fprintf(b, "\n%d requirements: %d checked by rules, %d answered by the report or by advice, %d partly, %d not in a snapshot.\n", len(requirements.All()),
		counts[requirements.Checked], counts[requirements.Answered], counts[requirements.Partly], counts[requirements.NotVisible])
}

// cell escapes a text for a table cell.
func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

// quote escapes what Markdown would interpret in a sentence, except for the bold
// face that the documents use themselves.
func quote(s string) string {
	return strings.NewReplacer("_", `\_`, "<", "&lt;", "#", `\#`).Replace(s)
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
