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
// then it is somebody else's text, such as the name of a key. Some names stand for
// figures only, and some may stand for nothing: see fits. Of several pairs that fit,
// the one all of whose parts have a translation is taken, and of those the one with
// the longest fixed text. The search is bounded, however hostile the names in a sentence
// are; a sentence that nothing fits stays in English.
//
// Words that users type stay as they are: severities, rules, types, encodings, flags.
package language

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
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

var entries = sync.OnceValue(func() (entries map[string]string) {
	if err := json.Unmarshal(zh, &entries); err != nil {
		panic(err) // a test reads it
	}
	return entries
})

var chinese = sync.OnceValue(func() *catalogue { return newCatalogue(entries()) })

// catalogue has what Language.Translate looks up.
type catalogue struct {
	exact map[string]string
	pairs []pair // those that begin with a severity first, then the longest fixed text, then those that translate most
}

// pair is an entry whose English has {names}.
type pair struct {
	fixed    []string // the text before, between and after the names
	names    []string
	length   int // of all fixed text
	verbatim int // names of somebody else's text
	to       string
}

// severity is 1 if the sentence begins with a severity, else 0. A longer sentence about the
// finding that follows would take the severity for a part of its own.
func (p *pair) severity() int {
	if p.fixed[0] == "" && p.names[0] == "severity" {
		return 1
	}
	return 0
}

func newCatalogue(entries map[string]string) *catalogue {
	c := &catalogue{exact: map[string]string{}}
	for from, to := range entries {
		fixed, names := split(from)
		if len(names) == 0 {
			c.exact[from] = to
			continue
		}
		p := pair{fixed: fixed, names: names, length: len(strings.Join(fixed, "")), to: to}
		for _, name := range names {
			if slices.Contains(verbatim, name) {
				p.verbatim++
			}
		}
		c.pairs = append(c.pairs, p)
	}
	slices.SortFunc(c.pairs, func(a, b pair) int {
		return cmp.Or(b.severity()-a.severity(), b.length-a.length, a.verbatim-b.verbatim, strings.Compare(a.to, b.to))
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
	begun := 0
	for i := 0; i < len(sentence); i++ {
		if sentence[i] != '{' {
			continue
		}
		name := sentence[i+1:]
		name = name[:len(name)-len(strings.TrimLeft(name, "abcdefghijklmnopqrstuvwxyz0123456789"))]
		if end := i + 1 + len(name); name != "" && end < len(sentence) && sentence[end] == '}' {
			fixed, names = append(fixed, sentence[begun:i]), append(names, name)
			begun = end + 1
		}
	}
	return append(fixed, sentence[begun:]), names
}

// The bounds of a search: pairs tried for parts of parts, and attempts to end a part
// of the sentence.
const (
	maxDepth = 12
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
	if to, ok := figure(from); ok {
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
var verbatim = []string{"key", "group", "groups", "file", "name", "names", "owner", "element", "rule", "bits", "type", "types", "encoding",
	"model", "profile", "tag", "code", "first", "last", "long", "short", "severity", "best", "now", "period", "cap", "setting", "write", "push", "separators", "id", "a", "b"}

// part translates what stands for a name.
func (s *search) part(name, value string, depth int) (string, bool) {
	if slices.Contains(verbatim, name) || !hasWords(value) || value == "{"+name+"}" {
		return value, true
	}
	if to, ok := s.exact[value]; ok {
		return to, true
	}
	if name == "pattern" || name == "server" || name == "version" || name == "char" && strings.HasPrefix(value, `"`) {
		return value, true
	}
	return s.translate(value, depth+1)
}

// fits reports whether a name can stand for a value. {n} stands for numbers, {size}
// and {share} for figures, {severity} for the name of one, {rule} not for several
// sentences; {saving} and {where} may be empty.
func fits(name, value string) bool {
	switch name {
	case "saving", "where":
		return true
	case "n":
		return value != "" && !hasWords(value)
	case "size", "share":
		_, ok := figure(value)
		return ok || value != "" && !hasWords(value)
	case "rule", "bits":
		return value != "" && !strings.Contains(value, ". ")
	case "rules":
		return value != "" && !strings.Contains(value, ":")
	case "code":
		return value != "" && !strings.Contains(value, " ")
	case "id":
		return value != "" && strings.Trim(value, "abcdefghijklmnopqrstuvwxyz-") == ""
	case "change":
		return slices.Contains(changes, value)
	case "severity":
		return value == "error" || value == "warning" || value == "info"
	}
	return value != ""
}

// changes are the words of a comparison that a name follows.
var changes = []string{"new", "gone", "grown", "shrunk", "renamed?", "ttl lost", "ttl gained", "now listed", "not listed",
	"grown, ttl lost", "grown, ttl gained", "shrunk, ttl lost", "shrunk, ttl gained"}

// match returns what stands for the names of a pair, nil if the sentence does not
// fit. If strict is true, each part must have a translation.
func (s *search) match(p *pair, from string, depth int, strict bool) []string {
	if len(from) < p.length || !strings.HasPrefix(from, p.fixed[0]) || !strings.HasSuffix(from, p.fixed[len(p.fixed)-1]) {
		return nil
	}
	rest := from
	for _, text := range p.fixed {
		at := strings.Index(rest, text)
		if at < 0 {
			return nil
		}
		rest = rest[at+len(text):]
	}
	return s.matchFrom(p, from[len(p.fixed[0]):], nil, func(values []string) bool {
		for i, value := range values {
			if _, ok := s.part(p.names[i], value, depth); strict && !ok {
				return false
			}
		}
		return true
	})
}

// matchFrom matches the names after those that have values. A name ends at the first
// occurrence of the text after it, unless the rest would not fit then.
func (s *search) matchFrom(p *pair, from string, values []string, known func(values []string) bool) []string {
	name := len(values)
	next := p.fixed[name+1]
	if name == len(p.names)-1 {
		if value, ok := strings.CutSuffix(from, next); ok && fits(p.names[name], value) && known(append(values, value)) {
			return append(values, value)
		}
		return nil
	}
	for at := 0; at <= len(from) && s.steps > 0; {
		s.steps--
		i := strings.Index(from[at:], next)
		if i < 0 {
			return nil
		}
		end := at + i
		if fits(p.names[name], from[:end]) {
			if found := s.matchFrom(p, from[end+len(next):], append(values, from[:end]), known); found != nil {
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
	to, ok = fixed[0], true
	for i, name := range names {
		value := ""
		if at := slices.Index(p.names, name); at >= 0 {
			var known bool
			value, known = s.part(name, values[at], depth)
			ok = ok && known
		}
		if slices.Contains(verbatim, name) {
			to += value + fixed[i+1]
		} else {
			to = join(join(to, value), fixed[i+1])
		}
	}
	return to, ok
}

// join joins two parts of a sentence. Between a Chinese character and a Latin letter
// or digit there is a space, between two Chinese characters none.
func join(a, b string) string {
	before, _ := utf8.DecodeLastRuneInString(strings.TrimSuffix(a, " "))
	after, _ := utf8.DecodeRuneInString(strings.TrimPrefix(b, " "))
	switch {
	case unicode.Is(unicode.Han, before) && unicode.Is(unicode.Han, after):
		return strings.TrimSuffix(a, " ") + strings.TrimPrefix(b, " ")
	case unicode.Is(unicode.Han, before) && isLatin(after), isLatin(before) && unicode.Is(unicode.Han, after):
		return strings.TrimSuffix(a, " ") + " " + strings.TrimPrefix(b, " ")
	}
	return a + b
}

func isLatin(r rune) bool { return r < 0x80 && (unicode.IsLetter(r) || unicode.IsDigit(r)) }

// hasWords reports whether there is anything to translate: a Latin letter.
func hasWords(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' })
}

// units are those of figures, in Chinese; sizes keep theirs.
var units = map[string]string{"d": " 天", "h": " 小时", "m": " 分钟", "s": " 秒", "ms": " 毫秒", "x": " 倍", "UTC": " UTC",
	"B": " B", "KB": " KB", "MB": " MB", "GB": " GB", "TB": " TB", "PB": " PB"}

// figure returns numbers with their units ("1d 2h", "5,200 > 1 KB") in Chinese; ok is
// false if s is anything else.
func figure(s string) (to string, ok bool) {
	if s == "" || s[0] > '9' && !strings.Contains(" B KB MB GB TB PB ", " "+s+" ") {
		return s, false
	}
	var b strings.Builder
	for i, word := range strings.Fields(s) {
		number := strings.TrimRight(word, "BKMGTPUCdhmsx")
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
