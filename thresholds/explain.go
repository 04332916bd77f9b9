package thresholds

import (
	"strconv"
	"strings"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// An explainer puts one finding into words: the text says what was measured
// against which limit, the advice what to do.
//
// Sentences stand in the rule files as English text with {names} in place of
// figures. All of them pass through Fill, so English is the key by which a
// translation can be looked up there.
type explainer struct {
	*Engine
	Finding
	key      *Subject         // that the finding is about; blank for one about the instance
	instance *InstanceFinding // nil for a finding about a key
	setting  *Setting         // of the rule, for this key
	arg      string           // the key's name as an argument of redis-cli, "" if it was cut
	advice   []Advice
}

// Text returns what was measured against which limit, as a phrase. Bytes of
// names and values are quoted in it. s may be nil: the phrase then leaves out what
// only the key can tell.
func (e *Engine) Text(f Finding, s *Subject) string {
	if s == nil {
		s = &Subject{Key: parser.Key{Elements: -1, Longest: -1, Memory: -1, CompactMemory: -1}}
	}
	return Rules()[f.Rule].text(e.explain(f, s))
}

// Advise returns what to do about a finding, for the server that wrote the
// snapshot: how to inspect the key, what reading it costs, how to split it, which
// expiry or encoding it should have, and how to delete it without blocking.
func (e *Engine) Advise(f Finding, s *Subject) []Advice {
	x := e.explain(f, s)
	x.Rule.rule().advise(x)
	return x.advice
}

// InstanceText is Text for a finding about the instance.
func (e *Engine) InstanceText(f InstanceFinding) string {
	return f.Rule.rule().text(e.explainInstance(&f))
}

// AdviseInstance is Advise for a finding about the instance.
func (e *Engine) AdviseInstance(f InstanceFinding) []Advice {
	x := e.explainInstance(&f)
	f.Rule.rule().advise(x)
	return x.advice
}

func (e *Engine) explain(f Finding, s *Subject) *explainer {
	x := &explainer{Engine: e, Finding: f, key: s, setting: &e.settingsOf(s.Name)[f.Rule]}
	if s.NameLen <= int64(len(s.Name)) {
		x.arg = quoteKey(x.shown(s.Name))
	}
	return x
}

func (e *Engine) explainInstance(f *InstanceFinding) *explainer {
	return &explainer{Engine: e, Finding: f.Finding, key: &Subject{}, instance: f, setting: &e.policy.Settings[f.Rule]}
}

// settingsOf returns the settings that apply to a key.
func (e *Engine) settingsOf(name []byte) []Setting {
	if e.ruled == nil {
		return e.base.settings
	}
	return e.overridden(name).settings
}

// shown returns what stands for the name of a key, or a part of one.
func (x *explainer) shown(name []byte) []byte {
	if x.env.Redact == nil {
		return name
	}
	return x.env.Redact.Name(name)
}

// shownElement returns what stands for the name of an element.
func (x *explainer) shownElement(name []byte) []byte {
	if x.env.Redact == nil {
		return name
	}
	return x.env.Redact.Element(name)
}

func (x *explainer) fill(sentence string, pairs ...string) string { return Fill(sentence, pairs...) }

// Fill fills in a sentence: pairs are the names in it, without braces, and what
// replaces them. Other text in braces stays.
func Fill(sentence string, pairs ...string) string {
	var b strings.Builder
	for {
		start := strings.IndexByte(sentence, '{')
		length := strings.IndexByte(sentence[start+1:], '}')
		if start < 0 || length < 0 {
			b.WriteString(sentence)
			return b.String()
		}
		b.WriteString(sentence[:start])
		name, rest := sentence[start+1:start+1+length], sentence[start+length+2:]
		text := ""
		found := false
		for i := 0; i+1 < len(pairs) && !found; i += 2 {
			text, found = pairs[i+1], pairs[i] == name
		}
		if !found { // a brace of the sentence itself
			text, rest = "{", sentence[start+1:]
		}
		b.WriteString(text)
		sentence = rest
	}
}

// found is fill with the finding's figures as {measured} and {limit}.
func (x *explainer) found(sentence string, pairs ...string) string {
	u := x.Unit()
	measured := measuredText(u, x.Measured)
	if u == message.Seconds {
		measured = spanOver(x.Measured, x.Limit)
	}
	return x.fill(sentence, append(pairs, "measured", measured, "limit", limitText(u, x.Limit))...)
}

// counted is found with one sentence for a measure of 1 and another for all
// others.
func (x *explainer) counted(one, other string, pairs ...string) string {
	if x.Measured == 1 {
		return x.found(one, pairs...)
	}
	return x.found(other, pairs...)
}

// advise adds a piece of advice.
func (x *explainer) advise(kind string, commands []string, sentence string, pairs ...string) {
	x.advice = append(x.advice, Advice{Kind: kind, Text: x.fill(sentence, pairs...), Commands: commands})
}

// change adds a piece of advice with commands that change data.
func (x *explainer) change(kind, condition string, commands []string, sentence string, pairs ...string) {
	x.advice = append(x.advice, Advice{Kind: kind, Text: x.fill(sentence, pairs...), Commands: commands, ChangesData: true, Condition: condition})
}

// commands returns commands with the key's name in place of %s, after a SELECT
// unless the key's database is certain to be the current one. It returns none if
// the name was cut.
func (x *explainer) commands(list ...string) []string {
	if x.arg == "" || len(list) == 0 {
		return nil
	}
	var out []string
	if x.key.DB != 0 || x.key.SelectDB {
		out = append(out, "SELECT "+strconv.Itoa(x.key.DB))
	}
	for _, c := range list {
		out = append(out, strings.Replace(c, "%s", x.arg, 1))
	}
	return out
}

// facts returns the facts about the key's name.
func (x *explainer) facts() naming.Facts {
	var f naming.Facts
	x.namer.Facts(x.key.Name, &f)
	return f
}

func comma(n int64) string { return message.FormatCount(n) }

func decimal(n int64) string { return strconv.FormatInt(n, 10) }
