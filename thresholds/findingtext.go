package thresholds

import (
	"strconv"

	"github.com/dustin/go-humanize"

	"github.com/rdblens/rdblens/parser"
)

// Text says in words what was measured against which limit. Foreign bytes in it
// are quoted. s may be nil: then what only the key knows is left out.
func (e *Engine) Text(f Finding, s *Subject) string {
	name := Rules()[f.Rule].Name
	if s == nil {
		s = &Subject{Elements: -1, Longest: -1, Memory: -1, CompactMemory: -1}
	}
	key, words := e.texts.noted(name, f.Note), e.figures(f)
	switch name {
	case "big-value":
		switch words = append(words, "elements", humanize.Comma(s.Elements)); {
		case s.Elements < 0:
			key += ".alone"
		case s.Elements == 1:
			key += ".element"
		}
	case "big-element":
		if len(s.LargestName) > 0 {
			key += ".named"
			words = append(words, "name", quoted(s.LargestName))
		}
	case "compact-encoding":
		words = append(words, "encoding", s.Encoding.String(), "longest", measuredText(Bytes, s.Longest),
			"bytes", limitText(Bytes, e.compactBytes(s)), "saving", e.savingText(s))
	case "single-element", "key-type-suffix":
		words = append(words, "type", s.Type.String(), "last", e.segmentText(s, false))
	case "key-special-char", "key-charset":
		what, at := e.firstChar(name, s)
		words = append(words, "what", what, "at", strconv.Itoa(at))
	case "key-length":
		if f.Measured < f.Limit {
			key += ".under"
		}
	case "key-namespace":
		words = append(words, "first", e.segmentText(s, true))
	case "key-hashtag":
		facts := e.facts(s)
		if facts.TagEnd <= facts.TagStart {
			key += ".none"
			break
		}
		words = append(words, "tag", quoted(s.Name[facts.TagStart-1:facts.TagEnd+1]))
	case "key-abbreviation":
		if entry, at := e.words.Find(s.Name); at >= 0 {
			a := e.policy.Abbreviations[entry]
			words = append(words, "long", a.Long, "short", a.Short)
		}
	case "queue-backlog":
		key += "." + s.Type.String()
	}
	if one := key + ".one"; f.Measured == 1 && e.texts.has(one) {
		key = one
	}
	return e.texts.say(key, words...)
}

// InstanceText says in words what was measured against which limit.
func (e *Engine) InstanceText(f InstanceFinding) string {
	return e.texts.say(e.texts.noted(f.Rule.Name(), f.Note), append(e.figures(f.Finding), "size", sizeText(f.Bytes))...)
}

func (e *Engine) figures(f Finding) []string {
	u := f.Unit()
	measured := measuredText(u, f.Measured)
	if u == Seconds {
		measured = spanOver(f.Measured, f.Limit)
	}
	return []string{"measured", measured, "limit", limitText(u, f.Limit)}
}

// facts gives the facts of a subject's name.
func (e *Engine) facts(s *Subject) Facts {
	var f Facts
	e.namer.Facts(s.Name, &f)
	return f
}

// segmentText gives the first or the last segment of a name, quoted.
func (e *Engine) segmentText(s *Subject, first bool) string {
	f := e.facts(s)
	if first {
		return quoted(s.Name[:f.FirstEnd])
	}
	return quoted(s.Name[f.LastStart:])
}

var charWords = [...]string{charSpace: "char.space", charQuote: "char.quote", charBackslash: "char.backslash", charControl: "char.control", charInvalid: "char.invalid"}

// firstChar says which character of a name a rule dislikes first, and where.
func (e *Engine) firstChar(rule string, s *Subject) (what string, at int) {
	if rule == "key-special-char" {
		n, at, kind := specialChars(s.Name, s.NameLen > int64(len(s.Name)))
		if n == 0 {
			return "", 0
		}
		return e.texts.say(charWords[kind]), at
	}
	r, _ := Lookup(rule)
	set := charset(&e.settingsOf(s.Name)[r.ID])
	at = set.FirstViolation(s.Name)
	if at < 0 {
		return e.texts.say("char.first"), 0
	}
	return quoted(s.Name[at : at+1]), at
}

// settingsOf gives the settings that a key is judged by.
func (e *Engine) settingsOf(name []byte) []Setting {
	if e.ruled == nil {
		return e.base.settings
	}
	return e.overridden(name).settings
}

// compactBytes gives the limit of a subject's compact encoding on a single string.
func (e *Engine) compactBytes(s *Subject) int64 { return e.compactForm(s).bytes }

// compactForm gives the limits of a subject's compact encoding.
func (e *Engine) compactForm(s *Subject) compactForm {
	if s.Type > parser.Hash || s.Type == parser.String {
		return compactForm{}
	}
	r, _ := Lookup("compact-encoding")
	settings := e.settingsOf(s.Name)
	l := compactLimits(&compiler{engine: e, settings: settings, Setting: &settings[r.ID], typ: s.Type})
	if s.Type == parser.Set && s.Integers {
		return l.integers
	}
	return l.plain
}

// savingText says what the compact encoding would save, where that is known.
func (e *Engine) savingText(s *Subject) string {
	if s.Memory < 0 || s.CompactMemory < 0 || s.CompactMemory >= s.Memory {
		return ""
	}
	return e.texts.say("compact-encoding.saving", "saved", sizeText(s.Memory-s.CompactMemory))
}
