package config

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// uncommented matches a setting in a comment, which has no space after its #, and
// everything before the first.
var uncommented = regexp.MustCompile(`(?m)^#( *(?:[a-z]+:|- ).*)$|^.*$`)

// TestTemplate: a template is valid and changes nothing; neither do its rules when
// their comments are removed.
func TestTemplate(t *testing.T) {
	for _, profile := range Profiles() {
		text := Template(profile)
		p, err := LoadText(Options{Config: "x.yaml"}, text)
		if err != nil {
			t.Fatal(err)
		}
		if changes := Changes(p); p.Profile.Value != profile || len(changes) > 0 {
			t.Errorf("%s changes %+v", profile, changes)
		}
		rules, examples, ok := strings.Cut(string(text), "\n# First segments of names")
		if !ok {
			t.Fatal("no examples")
		}
		_, rules, _ = strings.Cut(rules, "#rules:")
		p, err = LoadText(Options{Config: "x.yaml"}, []byte("extends: "+profile+"\nrules:"+strings.ReplaceAll(rules, "\n#", "\n")))
		if err != nil {
			t.Fatalf("%s: %v", profile, err)
		}
		if changes := Changes(p); len(changes) > 0 {
			t.Errorf("%s changes %+v", profile, changes)
		}
		if got, want := Entries(p), Entries(Profile(profile)); !slices.EqualFunc(got, want, sameValue) {
			t.Errorf("%s: %+v, want %+v", profile, got, want)
		}
		for i := range p.Settings {
			if s := &p.Settings[i]; s.On && !strings.Contains(rules, "\n#  "+s.Rule.Name+": ") {
				t.Errorf("%s: no rule %s", profile, s.Rule.Name)
			}
		}
		p, err = LoadText(Options{Config: "x.yaml"}, []byte(uncommented.ReplaceAllString(examples, "$1")))
		if err != nil || len(p.Namespaces) != 2 || len(p.Overrides) != 1 || len(p.Ignores) != 1 || len(p.Abbreviations) != 1 || len(p.Nightly.Shrink) != 3 || p.Nightly.Remind == nil || len(p.Identities) != 2 {
			t.Errorf("%s: %v", profile, err)
		}
	}
}
