// Package language translates the program's English into other languages.
//
// English is what the program computes, what machine formats contain, and the key of
// a translation. A catalogue (zh.json: one entry a line, sorted) has pairs of
// sentences in which {names} stand for what varies, as in thresholds.Fill. A filled
// sentence is translated by finding the pair whose English fits it: so a sentence of
// a saved report, one that was joined from parts, and one that was written for a
// machine format, too, are translated like any other, and nothing but the pages that
// people read knows about languages.
//
// What a {name} stands for is translated in turn, unless the name is one of verbatim:
// then it is somebody else's text, such as the name of a key. {n} stands for a number
// only, and {rule} for the name of a rule. Of several pairs that fit, the one
// all of whose parts have a translation is taken, and of those the one with the
// longest fixed text. The search is bounded, however hostile the names in a sentence
// are; a sentence that nothing fits stays in English.
//
// Words that users type stay as they are: severities, rules, types, encodings, flags.
package language

import (
	_ "embed"
	"encoding/json"
	"slices"
	"strings"
	"sync"
)

// Language is a language that reports and help can be written in. The zero Language
// is English.
type Language string

// The languages.
const (
	English Language = "en"
	Chinese Language = "zh"
)

// All returns the languages, English first.
func All() []string { return []string{string(English), string(Chinese)} }

// FromLocale returns the language that the environment asks for: that of the first
// of LC_ALL, LC_MESSAGES and LANG that is set, English if it is another one.
func FromLocale(getenv func(string) string) Language {
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if locale := getenv(name); locale != "" {
			if strings.HasPrefix(locale, string(Chinese)) {
				return Chinese
			}
			break
		}
	}
	return English
}

// Translate returns an English sentence in the language, and whether a translation
// is known. A sentence without one, or with a part that has none, is or has English.
func (l Language) Translate(sentence string) (string, bool) {
	if l != Chinese || !hasWords(sentence) {
		return sentence, true
	}
	return chinese().find(sentence)
}

//go:embed zh.json
var zh []byte

var chinese = sync.OnceValue(func() *catalogue {
	var entries map[string]string
	if err := json.Unmarshal(zh, &entries); err != nil {
		panic(err) // a test reads it
	}
	return newCatalogue(entries)
})

// catalogue has what Language.Translate looks up.
type catalogue struct {
	exact map[string]string
	pairs []pair // the longest fixed text first
}

// pair is an entry whose English has {names}.
type pair struct {
	fixed  []string // the text before, between and after the names
	names  []string
	length int // of all fixed text
	to     string
}

func newCatalogue(entries map[string]string) *catalogue {
	c := &catalogue{exact: map[string]string{}}
	for from, to := range entries {
		fixed, names := split(from)
		if len(names) == 0 {
			c.exact[from] = to
			continue
		}
		c.pairs = append(c.pairs, pair{fixed, names, len(strings.Join(fixed, "")), to})
	}
	slices.SortFunc(c.pairs, func(a, b pair) int {
		if a.length != b.length {
			return b.length - a.length
		}
		return strings.Compare(strings.Join(a.fixed, "{}"), strings.Join(b.fixed, "{}"))
	})
	return c
}

// find translates a sentence.
func (c *catalogue) find(sentence string) (to string, ok bool) {
	s := search{catalogue: c, steps: maxSteps}
	return s.translate(sentence, 0)
}

// split cuts a sentence at its {names}. There is one fixed text more than names.
func split(sentence string) (fixed, names []string) {
	for {
		start := strings.IndexByte(sentence, '{')
		length := strings.IndexByte(sentence[start+1:], '}')
		if start < 0 || length < 0 {
			return append(fixed, sentence), names
		}
		fixed = append(fixed, sentence[:start])
		names = append(names, sentence[start+1:start+1+length])
		sentence = sentence[start+length+2:]
	}
}

// The bounds of a search: pairs tried for parts of parts, and attempts to end a part
// of the sentence.
const (
	maxDepth = 5
	maxSteps = 20_000
)

// search is the translation of one sentence.
type search struct {
	*catalogue
	steps int // that are left
}

// translate translates a sentence or a part. If a part of it has no translation, the
// part stays as it is, and ok is false.
func (s *search) translate(from string, depth int) (to string, ok bool) {
	if to, ok := s.exact[from]; ok {
		return to, true
	}
	if depth == maxDepth {
		return from, false
	}
	for _, strict := range []bool{true, false} {
		for i := range s.pairs {
			if values := s.match(&s.pairs[i], from, depth, strict); values != nil {
				return s.fill(&s.pairs[i], values, depth)
			}
		}
	}
	return from, false
}

// verbatim are the {names} of somebody else's text, which is not translated.
var verbatim = []string{"key", "group", "groups", "file", "files", "name", "names", "owner", "element", "path", "pattern", "command", "example",
	"server", "servers", "rule", "rules_list", "type", "types", "value", "model", "version", "profile", "config", "tag", "chars", "char"}

// part translates what stands for a name.
func (s *search) part(name, value string, depth int) (string, bool) {
	if slices.Contains(verbatim, name) || !hasWords(value) {
		return value, true
	}
	if to, ok := figure(value); ok {
		return to, true
	}
	return s.translate(value, depth+1)
}

// match returns what stands for the names of a pair, nil if the sentence does not
// fit. If strict is true, each part must have a translation.
func (s *search) match(p *pair, from string, depth int, strict bool) []string {
	last := len(p.fixed) - 1
	if len(from) < p.length+len(p.names) || !strings.HasPrefix(from, p.fixed[0]) || !strings.HasSuffix(from, p.fixed[last]) {
		return nil
	}
	return s.matchFrom(p, from[len(p.fixed[0]):], nil, func(name, value string) bool {
		switch {
		case value == "", name == "n" && hasWords(value), name == "rule" && strings.Trim(value, "abcdefghijklmnopqrstuvwxyz-") != "":
			return false
		case strict:
			_, ok := s.part(name, value, depth)
			return ok
		}
		return true
	})
}

// matchFrom matches the names after those that have values. A name ends at the first
// occurrence of the text after it, unless the rest would not fit then.
func (s *search) matchFrom(p *pair, from string, values []string, fits func(name, value string) bool) []string {
	name := len(values)
	next := p.fixed[name+1]
	if name == len(p.names)-1 {
		if value, ok := strings.CutSuffix(from, next); ok && fits(p.names[name], value) {
			return append(values, value)
		}
		return nil
	}
	for at := 1; at < len(from) && s.steps > 0; s.steps-- {
		i := strings.Index(from[at:], next)
		if i < 0 {
			return nil
		}
		end := at + i
		if fits(p.names[name], from[:end]) {
			if found := s.matchFrom(p, from[end+len(next):], append(values, from[:end]), fits); found != nil {
				return found
			}
		}
		at = end + 1
	}
	return nil
}

// fill fills in the translation of a pair.
func (s *search) fill(p *pair, values []string, depth int) (to string, ok bool) {
	fixed, names := split(p.to)
	var b strings.Builder
	ok = true
	for i, name := range names {
		b.WriteString(fixed[i])
		if at := slices.Index(p.names, name); at >= 0 {
			value, known := s.part(name, values[at], depth)
			ok = ok && known
			b.WriteString(value)
		}
	}
	b.WriteString(fixed[len(names)])
	return b.String(), ok
}

// hasWords reports whether there is anything to translate: a Latin letter.
func hasWords(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' })
}

// units are those of figures, in Chinese; sizes keep theirs.
var units = map[string]string{"d": " 天", "h": " 小时", "m": " 分钟", "s": " 秒", "ms": " 毫秒", "UTC": " UTC",
	"B": " B", "KB": " KB", "MB": " MB", "GB": " GB", "TB": " TB", "PB": " PB"}

// figure returns numbers with their units ("1d 2h", "5,200 > 1 KB") in Chinese; ok is
// false if s is anything else.
func figure(s string) (to string, ok bool) {
	if s[0] > '9' && !strings.Contains(" B KB MB GB TB PB ", " "+s+" ") {
		return s, false
	}
	var b strings.Builder
	for i, word := range strings.Fields(s) {
		number := strings.TrimRight(word, "BKMGTPUCdhms")
		unit := units[word[len(number):]]
		if hasWords(number) || unit == "" && number != word {
			return s, false
		}
		if number == "" {
			unit = strings.TrimPrefix(unit, " ")
		}
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(number + unit)
	}
	return b.String(), true
}
