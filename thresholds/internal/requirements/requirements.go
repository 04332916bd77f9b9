// Package requirements lists what the documents behind the rules require, and how
// far a snapshot shows it: every sentence with the rules that check it, the part of
// the report that answers it, or the reason why a snapshot cannot show it.
//
// The list is data, in requirements.yaml. It is decoded when it is first used.
package requirements

import (
	_ "embed"
	"fmt"
	"slices"
	"sync"

	"github.com/goccy/go-yaml"
)

// Verdict says how far a snapshot shows whether a requirement is met.
type Verdict uint8

// The verdicts.
const (
	Checked    Verdict = iota // by rules
	Answered                  // by a part of the report, or by the advice with findings
	Partly                    // partly, by rules or figures
	NotVisible                // not at all
	numVerdicts
)

var verdictNames = [numVerdicts]string{"rule", "report", "partly", "not in a snapshot"}

func (v Verdict) String() string { return verdictNames[v] }

// UnmarshalYAML decodes a word that String returns.
func (v *Verdict) UnmarshalYAML(unmarshal func(any) error) error {
	return unmarshalWord(v, unmarshal, verdictNames[:])
}

// unmarshalWord decodes one of the words: the value is its index.
func unmarshalWord[T ~uint8](v *T, unmarshal func(any) error, words []string) error {
	var word string
	if err := unmarshal(&word); err != nil {
		return err
	}
	i := slices.Index(words, word)
	if i < 0 {
		return fmt.Errorf("unknown word %q", word)
	}
	*v = T(i)
	return nil
}

// Requirement is one thing that a document requires.
type Requirement struct {
	Document Document `yaml:"-"`
	Original string   `yaml:"original"` // the sentence, verbatim
	English  string   `yaml:"english"`
	Verdict  Verdict  `yaml:"answer"`
	Rules    []string `yaml:"rules"`  // that check it, or a part of it
	Reason   string   `yaml:"reason"` // what else answers it, or why a snapshot cannot show it
}

// Source is a sentence in a document that requires what a rule checks.
type Source struct {
	Profiles []string // that have the rule because of it
	Document Document
	Level    string // how the document marks it, such as 【强制】, "" not at all
	Original string // verbatim
	English  string
}

// Note explains a setting of a profile that is not in its document: a limit borrowed
// from another document, a severity that is weakened on purpose, or our own number.
type Note struct {
	Profiles []string
	Text     string // begins with "borrowed:", "weakened:" or "ours:"
}

// Basis is why profiles have a rule.
type Basis struct {
	Sources []Source
	Notes   []Note
}

//go:embed requirements.yaml
var text []byte

type content struct {
	requirements []Requirement
	rules        map[string]Basis // by name
}

var all = sync.OnceValue(func() content {
	var file struct {
		Reasons                     map[string]string
		Aliyun, Baidu, Typed, Upper []Requirement
		Rules                       map[string]Basis
	}
	if err := yaml.UnmarshalWithOptions(text, &file, yaml.Strict()); err != nil {
		panic("requirements: " + err.Error()) // a test decodes the embedded file
	}
	c := content{rules: file.Rules}
	for d, part := range [][]Requirement{Aliyun: file.Aliyun, Baidu: file.Baidu, Typed: file.Typed, Upper: file.Upper} {
		for _, r := range part {
			r.Document = Document(d)
			c.requirements = append(c.requirements, r)
		}
	}
	return c
})

// All returns the requirements of all documents, in the order of the documents. The
// list must not be modified.
func All() []Requirement { return all().requirements }

// BasisOf returns why profiles have a rule. Its lists must not be modified.
func BasisOf(rule string) Basis { return all().rules[rule] }

// NotCheckable returns the requirements that a snapshot shows partly or not at all,
// so that a clean report is not mistaken for more than it is: those of the document
// behind a profile, or of all documents if no document is behind it alone.
func NotCheckable(profile string) []Requirement {
	isOne := slices.ContainsFunc(All(), func(r Requirement) bool { return r.Document.Profile() == profile })
	var list []Requirement
	for _, r := range All() {
		if r.Verdict >= Partly && (!isOne || r.Document.Profile() == profile) {
			list = append(list, r)
		}
	}
	return list
}
