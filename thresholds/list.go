package thresholds

import (
	"regexp"
	"slices"
	"strings"

	"github.com/rdblens/rdblens/parser/message"
)

// Lists says which lists a rule takes instead of limits, one or two for a severity.
type Lists struct {
	Entry   string // what an entry is: "a regular expression"
	Example string // as a configuration writes it
	// Named is true if a severity has a list that is allowed, one that is forbidden, or
	// both, under these names. A rule that is not has one list.
	Named bool
	// Forbids is true if the one list of a rule has what is forbidden.
	Forbids bool
	Form    string   // regular expression of all valid entries, for editors; "" if there is none
	Known   []string // all valid entries, nil if there are others
	// pattern returns the regular expression that an entry is, "" if it is none.
	pattern func(entry string) string
	isWord  func(entry string) bool // reports whether another entry is valid; nil: none is
}

// List is what a rule allows or forbids.
type List struct {
	Severity  Severity // of the findings
	Forbidden bool     // keys with one of the entries are flagged; false: those with none of them
	Entries   []string
	Origin    Origin

	patterns []*regexp.Regexp // of the entries that are one
	words    []string         // the other entries
}

// NewList returns a list of entries, in the order of the configuration. The error, a
// *message.Error, is about the entry of the returned index.
func (l *Lists) NewList(severity Severity, forbidden bool, entries []string, from Origin) (list List, at int,
	err error) {
	list = List{Severity: severity, Forbidden: forbidden, Entries: entries, Origin: from}
	for i, entry := range entries {
		pattern := ""
		if l.pattern != nil {
			pattern = l.pattern(entry)
		}
		switch {
		case pattern != "":
			re, err := regexp.Compile(pattern)
			if err != nil {
				return list, i, message.Errorf("{entry} is not a regular expression (RE2): {reason}",
					message.Element("entry", entry), message.Reason("reason", err)).
					WithHint("write {example}", message.Code("example", l.Example))
			}
			list.patterns = append(list.patterns, re)
		case l.Known != nil && !slices.Contains(l.Known, entry):
			return list, i, &message.Error{Message: message.New("{entry} is not {what}", message.Element("entry", entry),
				message.Word("what", l.Entry)),
				Hint: Suggest(entry, l.Known)}
		case l.Known == nil && (l.isWord == nil || !l.isWord(entry)):
			return list, i, message.Errorf("{entry} is not {what}", message.Element("entry", entry),
				message.Word("what", l.Entry)).
				WithHint("write {example}", message.Code("example", l.Example))
		default:
			list.words = append(list.words, entry)
		}
	}
	return list, 0, nil
}

func (l *List) matches(text []byte) bool {
	for _, re := range l.patterns {
		if re.Match(text) {
			return true
		}
	}
	return false
}

// Name returns the name of the list in a configuration: "allowed", "forbidden", or ""
// if the rule has only one list of a severity.
func (l *List) Name(of *Rule) string {
	switch {
	case !of.Lists.Named:
		return ""
	case l.Forbidden:
		return "forbidden"
	}
	return "allowed"
}

// Format returns the entries as a configuration writes them.
func (l *List) Format() string {
	words := make([]string, len(l.Entries))
	for i, e := range l.Entries {
		if words[i] = e; strings.ContainsAny(e, " ,:[]{}#&*!|>'\"%@`\\^$()/") {
			words[i] = "'" + strings.ReplaceAll(e, "'", "''") + "'"
		}
	}
	return "[" + strings.Join(words, ", ") + "]"
}

// setList adds a list, in the place of another one of the same severity and side.
func (s *Setting) setList(n List) {
	s.Lists = slices.DeleteFunc(slices.Clone(s.Lists),
		func(l List) bool { return l.Severity == n.Severity && l.Forbidden == n.Forbidden })
	s.Lists = append(s.Lists, n)
	slices.SortStableFunc(s.Lists, func(a, b List) int { return int(a.Severity) - int(b.Severity) })
}

// listSummary returns the lists in a few words: "warning [tmp], error allowed [json]".
func (s *Setting) listSummary() string {
	var parts []string
	for i := range s.Lists {
		l := &s.Lists[i]
		words := []string{l.Severity.String()}
		if name := l.Name(s.Rule); name != "" {
			words = append(words, name)
		}
		parts = append(parts, strings.Join(append(words, l.Format()), " "))
	}
	return strings.Join(parts, ", ")
}

// listOf returns the list of the setting that a finding is about: the first one of its
// severity of which hits returns true.
func (x *explainer) listOf(hits func(l *List) bool) *List {
	for i := range x.setting.Lists {
		if l := &x.setting.Lists[i]; l.Severity == x.Severity && hits(l) {
			return l
		}
	}
	return nil
}

// entries returns the entries of a list as the argument {entries}.
func (l *List) entries() message.Arg {
	if l == nil {
		l = &List{}
	}
	return message.Each("entries", ", ", "entry", l.Entries, message.Code)
}
