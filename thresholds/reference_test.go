package thresholds

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write RULES.md")

func TestRulesMarkdown(t *testing.T) {
	text := RulesMarkdown()
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
		t.Error("RULES.md is not what the rules say: go generate ./thresholds")
	}
	for _, r := range Rules() {
		if !bytes.Contains(text, []byte("\n### "+r.Name+"\n")) {
			t.Errorf("%s is not in it", r.Name)
		}
	}
	for _, line := range strings.Split(string(text), "\n") {
		if cells := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|"); strings.HasPrefix(line, "|") && cells < 4 {
			t.Errorf("a broken row: %s", line)
		}
	}
}

func TestDemands(t *testing.T) {
	answered := map[string]bool{}
	seen := map[string]bool{}
	for _, d := range Demands() {
		for _, name := range d.Rules {
			if _, ok := Lookup(name); !ok {
				t.Errorf("%s: no rule %s", d.English, name)
			}
			answered[name] = true
		}
		if d.Original == "" || d.English == "" || d.Verdict == Checked && len(d.Rules) == 0 || d.Verdict != Checked && d.Reason == "" {
			t.Errorf("%q is answered by nothing", d.English)
		}
		at := d.Document.File() + d.Original
		if seen[at] {
			t.Errorf("%q stands twice", d.Original)
		}
		seen[at] = true
	}
	for _, r := range Rules() {
		if !answered[r.Name] {
			t.Errorf("no demand leads to %s", r.Name)
		}
	}
	sum := 0
	for _, name := range Profiles() {
		list := NotCheckable(name)
		if len(list) == 0 {
			t.Errorf("%s: a snapshot cannot show everything", name)
		}
		for _, d := range list {
			if d.Reason == "" {
				t.Errorf("%q: no reason", d.English)
			}
			if name != DefaultProfile && d.Document.Profile() != name {
				t.Errorf("%s: %q is of %s", name, d.English, d.Document.Profile())
			}
		}
		if name != DefaultProfile {
			sum += len(list)
		}
	}
	if all := len(NotCheckable(DefaultProfile)); all != sum {
		t.Errorf("%d demands, and %d of the documents", all, sum)
	}
}
