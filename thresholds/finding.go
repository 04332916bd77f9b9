package thresholds

import (
	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/thresholds/units"
)

// Finding is what a rule found about one key: figures alone, put into words
// late by Engine.Text and Engine.Advise.
type Finding struct {
	Rule     RuleID
	Severity Severity
	Note     uint8 // what the rule saw, by its own code
	ranked   bool  // the rule has a rank of its own
	// Ignored is 0 for a finding that counts, else 1 + the index in
	// Engine.Ignores of the entry that says to leave it out.
	Ignored uint16
	// Measured and Limit are in the unit that Unit gives; both are 0 where
	// there is nothing to measure.
	Measured, Limit int64
}

// Unit gives the unit of the finding's figures.
func (f Finding) Unit() units.Unit {
	r := Rules()[f.Rule]
	if r.unit != nil {
		return r.unit(f.Note)
	}
	return r.Unit
}

// Rank says how bad a finding about a key is, the more the worse: the order of a
// rule's examples. It is how far beyond its limit the key lies, in the unit that
// Unit gives, unless the rule has a better measure, and 0 where there is none.
func (f *Finding) Rank(k *parser.Key) int64 {
	if f.ranked {
		return f.rank(k)
	}
	return max(f.Measured-f.Limit, f.Limit-f.Measured)
}

// rank is apart so that Rank is inlined: most rules have none of their own.
func (f *Finding) rank(k *parser.Key) int64 { return Rules()[f.Rule].rank(k) }

// InstanceFinding is what a rule found about the snapshot as a whole: a minute,
// a slot, a tag.
type InstanceFinding struct {
	Finding
	Subject string // "2026-03-01T10:00Z", "slot 123", "{user}", "db 0, 1"; a tag's bytes are foreign
	Keys    int64
	Bytes   int64    // memory, or value bytes where the snapshot has no memory figures
	Groups  []string // patterns of the keys concerned, those with most keys first; may be incomplete
}

// Subject is what advice needs to know of a key.
type Subject struct {
	DB int
	// SelectDB: commands begin with SELECT although the key is of database 0: the
	// snapshot has several databases, and commands about keys of other ones,
	// pasted before, leave redis-cli there. SubjectOf cannot know it.
	SelectDB bool
	Name     []byte // as far as it was kept
	NameLen  int64  // bytes of the whole name
	Type     parser.Type
	Encoding parser.Encoding

	Elements, ValueBytes, Serialized, Largest, Longest int64  // -1 unknown
	Memory, MemoryUsage, CompactMemory                 int64  // -1 unknown
	LargestName                                        []byte // of the largest element, as far as it was kept
	LargestNameLen                                     int64  // bytes of the whole
	LZFIn, LZFOut                                      int64
	HasExpire                                          bool
	ExpireAt                                           int64 // ms since the epoch
	Idle                                               int64 // seconds, -1 unknown
	Freq                                               int16 // -1 unknown
	Pending                                            int64
	Integers                                           bool
}

// SubjectOf gives the facts of a key. The names still belong to the key.
func SubjectOf(k *parser.Key) Subject {
	return Subject{
		DB: k.DB, Name: k.Name, NameLen: k.NameLen, Type: k.Type, Encoding: k.Encoding,
		Elements: k.Elements, ValueBytes: k.ValueBytes, Serialized: k.Serialized, Largest: k.Largest, Longest: k.Longest,
		Memory: k.Memory, MemoryUsage: k.MemoryUsage, CompactMemory: k.CompactMemory,
		LargestName: k.LargestName, LargestNameLen: k.LargestNameLen, LZFIn: k.LZFIn, LZFOut: k.LZFOut, HasExpire: k.HasExpire, ExpireAt: k.ExpireAt,
		Idle: k.Idle, Freq: k.Freq, Pending: k.Pending, Integers: k.Integers,
	}
}

// Advice is one thing to do about a finding.
type Advice struct {
	Kind     string   // "look", "delete", "split", "ttl", "encoding", "cost", "name", "instance"
	Text     string   // one or more sentences
	Commands []string // to be pasted into redis-cli, or into a shell where they begin with "redis-cli" or a variable
}
