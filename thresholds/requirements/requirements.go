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

// String returns the word for the verdict.
func (v Verdict) String() string { return verdictNames[v] }

// UnmarshalYAML decodes a word that String returns.
func (v *Verdict) UnmarshalYAML(unmarshal func(any) error) error {
	var word string
	if err := unmarshal(&word); err != nil {
		return err
	}
	for i, name := range verdictNames {
		if name == word {
			*v = Verdict(i)
			return nil
		}
	}
	return fmt.Errorf("unknown verdict %q", word)
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

//go:embed requirements.yaml
var text []byte

var all = sync.OnceValue(func() []Requirement {
	var file struct {
		Reasons                     map[string]string
		Aliyun, Baidu, Typed, Upper []Requirement
	}
	if err := yaml.UnmarshalWithOptions(text, &file, yaml.Strict()); err != nil {
		panic("requirements: " + err.Error()) // a test decodes the embedded file
	}
	var list []Requirement
	add := func(d Document, part []Requirement) {
		for _, r := range part {
			r.Document = d
			list = append(list, r)
		}
	}
	add(Aliyun, file.Aliyun)
	add(Baidu, file.Baidu)
	add(Typed, file.Typed)
	add(Upper, file.Upper)
	return list
})

// All returns the requirements of all documents, in the order of the documents. The
// list must not be modified.
func All() []Requirement { return all() }

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
