package thresholds

import (
	"strings"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
)

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
