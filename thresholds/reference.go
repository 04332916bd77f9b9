package thresholds

import (
	"fmt"
	"strings"
)

// RulesMarkdown writes the reference of all rules, as RULES.md has it: every rule
// with its limits under every profile, the sentences that it comes from, and a
// table that takes every demand of the documents to its rule.
func RulesMarkdown() []byte {
	var b strings.Builder
	b.WriteString("<!-- Generated from the rules: go generate ./thresholds -->\n\n# Rules\n\n")
	b.WriteString("Every rule of rdblens: what it flags, why, how to fix it, its limits under the five profiles, and the sentences of the " +
		"documents that it comes from. A limit is passed by strictly more (or, where it says under, by strictly less); KB is 1024 bytes; of several limits the " +
		"severest that is passed is reported, once.\n\n")
	b.WriteString("| profile | document | in a line |\n|---|---|---|\n")
	for _, name := range profileNames {
		p := profiles()[name]
		source := "what the five agree on"
		for d := range numDocuments {
			if d.Profile() == name {
				source = d.Title()
				break
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
				fmt.Fprintf(&b, " %s |", cell(ProfileSetting(name, r.ID).Summary()))
			}
			b.WriteByte('\n')
		}
		for _, r := range Rules() {
			if r.Section == section {
				r.markdown(&b)
			}
		}
	}
	demandsMarkdown(&b)
	return []byte(b.String())
}

// markdown writes one rule.
func (r *Rule) markdown(b *strings.Builder) {
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
			s := ProfileSetting(name, r.ID)
			var set []string
			for i, p := range r.Params {
				if v := &s.Params[i]; v.Origin.Kind == FromProfile {
					set = append(set, fmt.Sprintf("%s `%s`", p.Name, v.format(p)))
				}
			}
			if len(set) > 0 {
				fmt.Fprintf(b, "Under `%s`: %s.\n\n", name, strings.Join(set, ", "))
			}
		}
	}
	for _, s := range r.Doc.Sources {
		fmt.Fprintf(b, "> %s%s  \n> %s  \n> — %s, for %s\n\n", s.Level, quote(s.Original), quote(s.English), s.Document.Title(), strings.Join(s.Profiles, ", "))
	}
	for _, n := range r.Doc.Notes {
		fmt.Fprintf(b, "- %s: %s\n", strings.Join(n.Profiles, ", "), n.Text)
	}
}

func demandsMarkdown(b *strings.Builder) {
	b.WriteString("\n## Every demand of the documents\n\n")
	b.WriteString("One row for each thing that a document asks for, in the document's order: the rule that checks it, the part of the report that answers it, or the reason " +
		"why a snapshot cannot show it. The text behind `typed` stands on two sites, and is one document here.\n")
	var last Document = numDocuments
	counts := [numVerdicts]int{}
	for _, d := range Demands() {
		if d.Document != last {
			fmt.Fprintf(b, "\n### %s\n\n| demand | in English | answered by | rules | how, or why not |\n|---|---|---|---|---|\n", d.Document.Title())
			last = d.Document
		}
		rules := make([]string, len(d.Rules))
		for i, r := range d.Rules {
			rules[i] = "[`" + r + "`](#" + r + ")"
		}
		counts[d.Verdict]++
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s |\n", cell(d.Original), cell(d.English), d.Verdict, strings.Join(rules, " "), cell(d.Reason))
	}
	fmt.Fprintf(b, "\n%d demands: %d checked by rules, %d answered by the report or by advice, %d partly, %d not in a snapshot.\n",
		len(Demands()), counts[Checked], counts[Answered], counts[Partly], counts[Hidden])
}

// cell makes a text fit into a table.
func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

// quote keeps signs of Markdown in a sentence from being taken for such, but for
// the bold face that the documents use themselves.
func quote(s string) string {
	return strings.NewReplacer("_", `\_`, "<", "&lt;", "#", `\#`).Replace(s)
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
