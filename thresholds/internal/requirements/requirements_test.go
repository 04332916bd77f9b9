package requirements_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/config"
	. "github.com/rdblens/rdblens/thresholds/internal/requirements"
)

func TestRequirements(t *testing.T) {
	answered := map[string]bool{}
	seen := map[string]bool{}
	for _, r := range All() {
		for _, name := range r.Rules {
			if _, ok := thresholds.Lookup(name); !ok {
				t.Errorf("%s: no rule %s", r.English, name)
			}
			answered[name] = true
		}
		if r.Original == "" || r.English == "" || r.Verdict == Checked && len(r.Rules) == 0 || r.Verdict != Checked && r.Reason == "" {
			t.Errorf("%q has no answer", r.English)
		}
		at := r.Document.File() + r.Original
		if seen[at] {
			t.Errorf("%q is in the list twice", r.Original)
		}
		seen[at] = true
	}
	for _, r := range thresholds.Rules() {
		if !answered[r.Name] && !r.Optional && len(r.Basis().Sources) > 0 {
			t.Errorf("no requirement leads to %s", r.Name)
		}
	}
}

func TestNotCheckable(t *testing.T) {
	sum := 0
	for _, name := range config.Profiles() {
		list := NotCheckable(name)
		if len(list) == 0 {
			t.Errorf("%s: a snapshot cannot show everything", name)
		}
		for _, r := range list {
			if r.Reason == "" {
				t.Errorf("%q: no reason", r.English)
			}
			if name != thresholds.DefaultProfile && r.Document.Profile() != name {
				t.Errorf("%s: %q is in the document of %s", name, r.English, r.Document.Profile())
			}
		}
		if name != thresholds.DefaultProfile {
			sum += len(list)
		}
	}
	if all := len(NotCheckable(thresholds.DefaultProfile)); all != sum {
		t.Errorf("%d requirements, but %d of the single documents", all, sum)
	}
}

// TestSentencesAreVerbatim compares the sentences of requirements and rules with
// the documents, where these are at hand.
func TestSentencesAreVerbatim(t *testing.T) {
	text := map[Document]string{}
	for d := Aliyun; d <= Upper; d++ {
		b, err := os.ReadFile(filepath.Join("../../../../shared/documents", d.File()))
		if err != nil {
			t.Skip("the documents are not here")
		}
		text[d] = string(b)
	}
	for _, r := range All() {
		if !strings.Contains(text[r.Document], r.Original) {
			t.Errorf("not in %s: %q", r.Document.File(), r.Original)
		}
	}
	for _, r := range thresholds.Rules() {
		for _, s := range r.Basis().Sources {
			if !strings.Contains(text[s.Document], s.Original) {
				t.Errorf("%s: not in %s: %q", r.Name, s.Document.File(), s.Original)
			}
		}
	}
}
