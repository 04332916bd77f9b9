package thresholds

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"regexp"
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

func TestSentencesAreWhole(t *testing.T) {
	placeholder := regexp.MustCompile(`^[a-z0-9]+$`)
	for key, text := range english {
		if strings.Count(text, "{") != strings.Count(text, "}") {
			t.Errorf("%s: %s", key, text)
		}
		for _, part := range strings.Split(text, "{")[1:] {
			if word, _, _ := strings.Cut(part, "}"); !placeholder.MatchString(word) {
				t.Errorf("%s: {%s}", key, word)
			}
		}
	}
}

// TestSchema holds the schema to what it describes: every field of a
// configuration that Load takes is in it, and it refuses others.
func TestSchema(t *testing.T) {
	var s struct {
		Additional bool `json:"additionalProperties"`
		Properties map[string]struct {
			Properties map[string]struct {
				OneOf []struct {
					Properties map[string]json.RawMessage
				} `json:"oneOf"`
			}
		}
	}
	if err := json.Unmarshal(Schema(), &s); err != nil {
		t.Fatal(err)
	}
	if len(s.Properties) != len(configFields) || s.Additional {
		t.Errorf("%d fields, want %d", len(s.Properties), len(configFields))
	}
	for _, f := range configFields {
		if _, ok := s.Properties[f]; !ok {
			t.Errorf("%s is missing", f)
		}
	}
	for _, r := range Rules() {
		own := s.Properties["rules"].Properties[r.Name]
		if len(own.OneOf) != 2 {
			t.Fatalf("%s is missing", r.Name)
		}
		names := ruleFieldNames(r)
		if len(own.OneOf[1].Properties) != len(names) {
			t.Errorf("%s: %d fields, want %d", r.Name, len(own.OneOf[1].Properties), len(names))
		}
		for _, n := range names {
			if _, ok := own.OneOf[1].Properties[n]; !ok {
				t.Errorf("%s.%s is missing", r.Name, n)
			}
		}
	}
	if !bytes.Equal(Schema(), Schema()) {
		t.Error("not the same each time")
	}
	for u := Bytes; u <= Percent; u++ {
		if text := u.Format(exampleLimit(u)); !regexp.MustCompile(unitPatterns[u]).MatchString(text) {
			t.Errorf("%s does not match %s", text, unitPatterns[u])
		}
	}
}
