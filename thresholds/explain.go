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

// Finding is what a rule found about one key. It has only figures: Engine.Text and
// Engine.Advise put it into words.
type Finding struct {
	Rule     RuleID
	Severity Severity
	note     uint8 // what the rule found, a code of the rule
	ranked   bool  // the rule has a rank of its own
	// Ignored is 0 for a finding that counts, or 1 + the index in Engine.Ignores
	// of the entry that ignores it.
	Ignored uint16
	// Measured and Limit are in the unit that Unit returns. Both are 0 if there
	// is nothing to measure.
	Measured, Limit int64
}

// Unit returns the unit of the finding's figures.
func (f Finding) Unit() message.Unit {
	r := f.Rule.rule()
	if r.unit != nil {
		return r.unit(f.note)
	}
	return r.Unit
}

// Rank returns how bad a finding about a key is, at least 0; examples of a rule are
// ordered by it. It is the distance from the limit in the unit that Unit returns,
// unless the rule has a better measure.
func (f *Finding) Rank(k *parser.Key) int64 {
	if f.ranked {
		return f.rank(k)
	}
	return max(f.Measured-f.Limit, f.Limit-f.Measured)
}

// rank is separate so that Rank is inlined. Most rules have no rank of their own.
func (f *Finding) rank(k *parser.Key) int64 { return f.Rule.rule().rank(k) }

// InstanceFinding is what a rule found about the snapshot as a whole, for example
// about a minute, a slot or a hash tag.
type InstanceFinding struct {
	Finding
	Subject message.Message // minute 2026-03-01T10:00Z, slot 123, {user}, db 0, 1
	Keys    int64           // that it is about
	Bytes   int64           // their memory, or value bytes if memory is unknown
	Groups  []string        // patterns of the keys, those with most keys first; may be incomplete
	Largest NodeSums        // of a Fleet, the snapshot with the largest part; no keys if that is not known
	// Of a rule about groups: the group's identity, database and number of keys; the key that is
	// meant, nil if there are several; and the bytes of the other keys on average.
	Identity *Identity
	DB       int
	Of       int64
	Key      *Subject
	Others   int64
	TTL      int64 // the longest of the group's keys, in seconds; 0 unknown
	budget   int   // of rule budget: index in Policy.Budgets
}

// Subject is the key that text and advice are about, whose names may be cut.
type Subject struct {
	parser.Key
	// SelectDB makes commands begin with SELECT even if DB is 0. It must be true
	// if the snapshot has several databases, because commands for a key of another
	// one, pasted before, leave redis-cli there. SubjectOf does not set it.
	SelectDB bool
	// Content and Identity are what is known besides what the key itself shows.
	Content  Content
	Identity *Identity // nil unknown
	// GroupTTL is the longest TTL of the keys of its group when the snapshot was taken, in seconds; 0 none or unknown.
	GroupTTL int64
}

// SubjectOf returns a key as a Subject, which shares the memory of its names.
func SubjectOf(k *parser.Key) Subject { return Subject{Key: *k} }

// SubjectText returns the subject of a finding or budget as ignore entries match it:
// in English, with names as they are.
func SubjectText(subject message.Message) string {
	var text strings.Builder
	for _, s := range subject.Spans(nil) {
		text.WriteString(s.Text)
	}
	return text.String()
}
