package thresholds

import (
	"strconv"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// An explainer puts one finding into words: the text says what was measured
// against which limit, the advice what to do.
//
// Both are messages: English templates with typed arguments, which a writer renders.
type explainer struct {
	*Engine
	Finding
	key      *Subject         // that the finding is about; blank for one about the instance
	instance *InstanceFinding // nil for a finding about a key
	setting  *Setting         // of the rule, for this key
	isCut    bool             // only the beginning of the key's name is known
	advice   []Advice
}

// Text returns what was measured against which limit, as a phrase. s may be nil:
// the phrase then leaves out what only the key can tell.
func (e *Engine) Text(f Finding, s *Subject) message.Message {
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
	x.adviseSetting()
	x.Rule.rule().advise(x)
	return x.advice
}

// InstanceText is Text for a finding about the instance.
func (e *Engine) InstanceText(f InstanceFinding) message.Message {
	return f.Rule.rule().text(e.explainInstance(&f))
}

// AdviseInstance is Advise for a finding about the instance.
func (e *Engine) AdviseInstance(f InstanceFinding) []Advice {
	x := e.explainInstance(&f)
	x.adviseSetting()
	f.Rule.rule().advise(x)
	return x.advice
}

func (e *Engine) explain(f Finding, s *Subject) *explainer {
	return &explainer{Engine: e, Finding: f, key: s, isCut: s.NameLen > int64(len(s.Name)),
		setting: &e.settingsOf(s.Name)[f.Rule]}
}

func (e *Engine) explainInstance(f *InstanceFinding) *explainer {
	key := &Subject{Identity: f.Identity}
	if f.Key != nil {
		key.Content = f.Key.Content | ContentOf(&f.Key.Key)
	}
	return &explainer{Engine: e, Finding: f.Finding, key: key, isCut: true, instance: f,
		setting: &e.policy.Settings[f.Rule]}
}

func (e *Engine) settingsOf(name []byte) []Setting {
	if e.ruled == nil {
		return e.base.settings
	}
	return e.overridden(name).settings
}

// found returns a message with the finding's figures as {measured} and {limit}.
func (x *explainer) found(id string, args ...message.Arg) message.Message {
	u := x.Unit()
	measured := message.Measured("measured", u, x.Measured)
	if u == message.Seconds && x.Measured != x.Limit && measured.Text == message.FormatDuration(x.Limit) {
		measured = message.Figure("measured", x.Measured, message.FormExactDuration) // rounded, it would be the limit
	}
	return message.New(id, append(args, measured, message.Limit("limit", u, x.Limit))...)
}

// counted is found with one message for a measure of 1 and another for all others.
func (x *explainer) counted(one, other string, args ...message.Arg) message.Message {
	if x.Measured == 1 {
		return x.found(one, args...)
	}
	return x.found(other, args...)
}

// commands returns commands about the key, whose name is {key} in them, after a
// SELECT unless the key's database is certain to be the current one. It returns none
// if the name was cut.
func (x *explainer) commands(ids ...string) (list []message.Message) {
	if x.isCut {
		return nil
	}
	for _, id := range ids {
		if next := x.command(id); list == nil {
			list = next
		} else {
			list = append(list, next[len(next)-1])
		}
	}
	return list
}

func (x *explainer) command(id string, args ...message.Arg) (list []message.Message) {
	if x.isCut {
		return nil
	}
	if x.key.DB != 0 || x.key.SelectDB {
		list = append(list, message.New("SELECT {db}", plainNumber("db", int64(x.key.DB))))
	}
	return append(list, message.New(id, append(args, message.Name("key", x.key.Name))...))
}

// literal returns commands without arguments.
func literal(commands ...string) []message.Message {
	list := make([]message.Message, len(commands))
	for i, c := range commands {
		list[i] = message.New(c)
	}
	return list
}

func (x *explainer) facts() naming.Facts {
	var f naming.Facts
	x.namer.Facts(x.key.Name, &f)
	return f
}

// plainNumber is a figure as commands take it, without separators.
func plainNumber(name string, n int64) message.Arg {
	return message.Figure(name, n, message.FormNumber)
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }
