package thresholds

import (
	"cmp"
	"slices"
	"strings"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
)

// GroupSums are the sums of the keys of one group that advice about it needs. All keys
// that Group matches are counted in them.
type GroupSums struct {
	Group    string      // pattern
	DB       int         // of all keys, AnyDatabase: several
	Type     parser.Type // of all keys, NumTypes: several
	Content  Content     // of the largest key
	Role     Role
	Elements int64 // of the largest key, -1 unknown

	Keys, WithoutTTL          int64
	ValueBytes, Serialized    int64
	NameBytes                 int64
	Memory, MemoryWithoutTTL  int64 // -1 unknown
	CompactKeys, CompactSaves int64 // keys near the limits of the compact encoding, and what it would save
	CompactRule               string
	IsFolded                  bool // Group stands for keys of any name
}

// Bounds of savings that are worth a line.
const (
	minSavingKeys  = 2
	minSavingShare = 500 // of all memory, one in so many bytes
)

// Savings returns for each group the change that saves most memory, the largest saving
// first. The figures are estimates: the sums are exact, sizes after the change are derived
// from averages. whole is the memory of all keys, in bytes.
func (e *Engine) Savings(groups []GroupSums, whole int64, l *Listing) (list []Advice) {
	for i := range groups {
		g := &groups[i]
		if g.Keys < minSavingKeys || g.Memory < 0 {
			continue
		}
		var best *Advice
		for _, s := range []*Advice{e.compacted(g, l), e.compressed(g, l), e.shared(g, l), e.shortened(g, l)} {
			if s != nil && (best == nil || s.Saves > best.Saves) {
				best = s
			}
		}
		if best != nil && best.Saves*minSavingShare >= whole {
			list = append(list, *best)
		}
	}
	slices.SortStableFunc(list, CompareSavings)
	return list
}

// CompareSavings orders savings, the largest first.
func CompareSavings(a, b Advice) int {
	return cmp.Or(cmp.Compare(b.Saves, a.Saves), strings.Compare(a.Group, b.Group), strings.Compare(a.Kind, b.Kind))
}

// saving returns advice that saves memory for so many keys of a group, nil if it may
// not be given.
func (e *Engine) saving(a action, g *GroupSums, keys, memory, saves int64, list []string, brief, id string, args ...message.Arg) *Advice {
	if _, ok := e.allows(a, e.thingOf(g)); !ok || saves <= 0 {
		return nil
	}
	args = append(args, message.Size("saved", saves))
	s := e.ofGroup(&fix{action: a, id: id}, g, keys, memory, list, args...)
	s.Saves, s.Brief = saves, message.New(brief, args...)
	return s
}

// compacted returns what the compact encodings would save.
func (e *Engine) compacted(g *GroupSums, l *Listing) *Advice {
	if g.CompactKeys < minSavingKeys {
		return nil
	}
	return e.saving(adviseCompact, g, g.CompactKeys, -1, g.CompactSaves, l.ofGroup(g.CompactRule, g),
		"within the compact limits",
		"Bring {which} into the compact encoding, within its limits or with higher ones (rules explain {rule}). Saves {saved}.", message.Code("rule", g.CompactRule))
}

// The sizes of a hash in a listpack that small strings would share: at most
// hashFields fields of up to hashValue bytes, each with entryBytes besides name
// and value (encoding and length of the entry, twice: lpEncodeGetType and
// lpEncodeBacklen in listpack.c), in a block that is up to a quarter too large.
const (
	hashFields   = 500
	hashValue    = 64
	entryBytes   = 4
	hashKeyBytes = 128 // the key of the hash
)

// shared returns what small strings without a TTL would save as fields of hashes: the
// overhead of each key. Values and names are taken as long as the average of the group.
func (e *Engine) shared(g *GroupSums, l *Listing) *Advice {
	n, value, variable := g.WithoutTTL, g.ValueBytes/g.Keys, g.NameBytes/g.Keys-g.literal()
	if n < hashFields || value > hashValue || variable > hashValue || g.MemoryWithoutTTL < 0 {
		return nil
	}
	packed := (value+variable+entryBytes)*n*9/8 + (n/hashFields+1)*hashKeyBytes
	return e.saving(adviseShare, g, n, g.MemoryWithoutTTL, g.MemoryWithoutTTL-packed, l.ofGroup("", g, "--no-ttl"),
		"share hashes ({all} for {short})",
		"Store the strings of {which} without a TTL as fields of hashes, up to 500 in each: a key takes {overhead} besides its value of {value}. Saves about {saved}.",
		message.ExactSize("overhead", g.MemoryWithoutTTL/n-value), message.ExactSize("value", value),
		message.Size("all", g.MemoryWithoutTTL/n), message.Size("short", value))
}

// literal returns the bytes that the names of all keys of a group have in common.
func (g *GroupSums) literal() int64 {
	return int64(len(g.Group) - strings.Count(g.Group, "*"))
}

// Names are worth shortening if all have longLiteral bytes in common; a short form
// has three letters of each word.
const (
	longLiteral = 20
	shortWord   = 3
)

// shortened returns what shorter words in the names would save: a byte a key for
// each letter, on average over the size classes of the allocator.
func (e *Engine) shortened(g *GroupSums, l *Listing) *Advice {
	if g.literal() < longLiteral || g.Keys < hashFields {
		return nil
	}
	less, word := int64(0), 0
	for _, c := range []byte(g.Group + ":") {
		if c == '*' || c < '0' || c > '9' && c < 'A' || c > 'Z' && c < 'a' || c > 'z' && c < 0x80 {
			less += int64(max(0, word-shortWord))
			word = 0
			continue
		}
		word++
	}
	return e.saving(adviseShorten, g, g.Keys, g.Memory, less*g.Keys, l.ofGroup("", g),
		"shorter names ({n} B less)",
		"Shorten the names of {which}: three letters a word are {bytes} less for each. Saves about {saved}.", message.ExactSize("bytes", less), message.Int("n", less))
}

// minCompressed is the average length from which on strings are worth compressing,
// in bytes.
const minCompressed = 512

// compressed returns what compressing the strings of a group would save: as much as
// in the snapshot, where the server compressed each of them with LZF. A snapshot
// without compression shows nothing, and only text is known to be worth it.
func (e *Engine) compressed(g *GroupSums, l *Listing) *Advice {
	if g.Type != parser.String || g.Content != ContentText || g.ValueBytes < minCompressed*g.Keys || g.Serialized*10 > g.ValueBytes*8 {
		return nil
	}
	return e.saving(adviseCompress, g, g.Keys, g.Memory, g.ValueBytes-g.Serialized, l.ofGroup("", g),
		"compress (LZF: to {share})",
		"Compress the values of {which} before they are stored: LZF shrinks them to {share} in this file. Saves about {saved}.",
		message.Share("share", float64(g.Serialized)/float64(g.ValueBytes)))
}

// OtherServer returns the saving of a move to another server: all keys take need bytes
// there after a restart, and own bytes on the present one.
func OtherServer(server, present string, need, own, keys int64) Advice {
	args := []message.Arg{message.Text("present", present), message.Size("own", own), message.Text("server", server), message.Size("need", need)}
	return Advice{Kind: actions[adviseServer].word, DB: AnyDatabase, Keys: keys, Of: keys, Memory: own, Saves: own - need,
		Text: message.New("Move from {present}, {own}, to {server}, {need} after a restart.", args...), Brief: message.New("move from {present}, {own}", args...)}
}
