package thresholds

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/memory"
	"github.com/rdblens/rdblens/parser/message"
)

// GroupSums are the sums of the keys of one group that advice about it needs. All keys
// that Group matches are counted in them.
type GroupSums struct {
	Group    string      // pattern
	DB       int         // of all keys, AnyDatabase: several
	Type     parser.Type // of all keys, NumTypes: several
	Content  Content     // of the largest key
	Identity *Identity   // nil unknown
	Elements int64       // of the largest key, -1 unknown

	Keys, WithoutTTL          int64
	LongestTTL                int64 // in seconds, 0 none
	AllElements               int64 // of all keys
	ValueBytes, Serialized    int64
	NameBytes                 int64
	Memory, MemoryWithoutTTL  int64 // -1 unknown
	CompactKeys, CompactSaves int64 // keys near the limits of the compact encoding, and what it would save
	CompactRule               string
	Cold, ColdMemory          int64 // keys that are not being used, and what they take
	// ColdUnder is the prefix of names that has all of them, and no other cold keys, "" none that
	// says more than Group; ColdOf are its keys.
	ColdUnder string
	ColdOf    int64
	Going     int64 // keys that CanGo offers to delete, 0 before it was called
	// IdleLeast and IdleMost are how long these were not used, in seconds; -1 unknown.
	IdleLeast, IdleMost int64
	IsFolded            bool // Group stands for keys of any name

	// Model computes what keys take in memory; nil unknown.
	Model *memory.Model
	// The lengths of the longest name and value that are known, in bytes. Of the largest key,
	// IsNumbered: what its name has in place of a single * is a number; IsNumber: so is its value.
	LargestName, LargestValue int64
	IsNumbered, IsNumber      bool
	WasLarger                 bool // it is within the limits of the compact encoding, which it does not have
	// Large are keys that are known to take more than LeastLarge bytes of memory, the largest first.
	Large []Subject
}

// Bounds of savings that are worth a line.
const (
	minSavingKeys  = 2
	minSavingShare = 500 // of all memory, one part in this many
	// In bytes: used_memory changes by some 10 KB by itself, measured on four servers.
	minSavingBytes = 64 << 10
)

// Savings returns for each group the change that saves most memory, the largest saving
// first, at most so many. The figures are estimates: the sums are exact, sizes after the
// change are derived from averages. whole is the memory of all keys, and unexplained what
// used_memory is more than the prediction, in bytes.
func (e *Engine) Savings(groups []GroupSums, whole, unexplained int64, l *Listing, most int) (list []Advice) {
	var best []saving
	keys := int64(0)
	for i := range groups {
		keys += groups[i].Keys
	}
	for i := range groups {
		g := &groups[i]
		if g.Keys < minSavingKeys || g.Memory < 0 || g.Model == nil {
			continue
		}
		own := saving{of: g}
		for _, s := range []saving{g.compacted(unexplained), g.compressed(), g.shared(keys), g.shortened()} {
			if _, ok := e.allows(s.action, e.thingOf(g)); ok && s.bytes > own.bytes {
				own = s
				own.of = g
			}
		}
		if stays := own.bytes - g.going(own.bytes); stays >= minSavingBytes && stays*minSavingShare >= whole {
			best = append(best, own)
		}
	}
	slices.SortStableFunc(best, func(a, b saving) int {
		return cmp.Or(cmp.Compare(b.bytes, a.bytes), strings.Compare(a.of.Group, b.of.Group))
	})
	for _, s := range best[:min(len(best), most)] {
		args := append(s.args, savedArg(s.bytes, s.most, s.atLeast))
		a := (&fix{action: s.action, id: s.id}).groupAdvice(s.of, s.keys, s.memory, l, s.rule, s.flags, args...)
		a.Saves, a.SavesMost, a.SavesAtLeast, a.Brief = s.bytes, s.most, s.atLeast, message.New(s.brief, args...)
		a.setGoing(s.of.going(s.bytes))
		if s.how != "" {
			a.Computed = message.New(s.how, args...)
		}
		list = append(list, *a)
	}
	return list
}

// saving is what a change would save in a group.
type saving struct {
	of           *GroupSums
	action       action
	bytes        int64    // 0: nothing
	most         int64    // as Advice.SavesMost
	keys, memory int64    // that it is about; memory is -1 if it is unknown
	rule         string   // that selects the keys, "" none
	flags        []string // of the command keys that select them, nil none
	brief, id    string   // templates
	how          string   // template: how the figure was computed
	atLeast      bool     // bytes are a lower bound
	args         []message.Arg
}

// setGoing sets SavesGoing, and says so.
func (a *Advice) setGoing(bytes int64) {
	if a.SavesGoing = bytes; bytes > 0 {
		a.Why = message.New("First see what can go, which frees {size} of this already.", message.Size("size", bytes))
	}
}

// CompareSavings orders savings, the largest first, without what can go.
func CompareSavings(a, b Advice) int {
	return cmp.Or(cmp.Compare(b.Saves-b.SavesGoing, a.Saves-a.SavesGoing), strings.Compare(a.Group, b.Group),
		strings.Compare(a.Kind, b.Kind))
}

// savedArg returns the argument of a sentence that says how much is saved.
func savedArg(least, most int64, atLeast bool) message.Arg {
	args := []message.Arg{message.Size("saved", least), message.Size("most", most)}
	switch {
	case most == 0:
		return args[0]
	case atLeast:
		return message.Phrase("saved", message.New("{saved}, and at most {most}", args...))
	}
	return message.Phrase("saved", message.New("{saved} to {most}", args...))
}

// resizedTables is how savings of compact encodings were computed.
const resizedTables = "tables that are not being resized; one that is has a second table, which the file does not show"

// Bounds of Advice.SavesMost, by Saves: what hardly differs, and what says nothing.
const (
	leastRange = 1.05
	mostRange  = 20
)

// mostSaved returns Advice.SavesMost.
func mostSaved(least int64, most float64) int64 {
	if most < leastRange*float64(least) || most > mostRange*float64(least) {
		return 0
	}
	return int64(most)
}

// besideTables is how much second tables take at most with the entries and child buckets that chance
// gives them, measured: 1.07 times the tables on Valkey 8.1, 1.19 on Redis 8.0 for sets.
const besideTables = 1.25

// resizing returns what the second tables of the keys take at most that compact would save, if their
// elements were inserted one by one and not read since, in bytes.
func (g *GroupSums) resizing() float64 {
	return besideTables * float64(g.CompactKeys) * meanSize(g.average(g.AllElements), g.Elements,
		func(n int64) float64 { return float64(g.Model.Resizing(n)) })
}

func (g *GroupSums) compacted(unexplained int64) saving {
	if g.CompactKeys < minSavingKeys {
		return saving{}
	}
	most := float64(g.CompactSaves) + g.resizing()
	s := saving{action: adviseCompact, bytes: g.CompactSaves, keys: g.CompactKeys, memory: -1, rule: g.CompactRule,
		brief: "within the compact limits",
		id: "Bring {which} into the compact encoding, within its limits or with higher ones (rules explain {rule}). " +
			"Saves {saved}.",
		how: resizedTables, args: []message.Arg{message.Code("rule", g.CompactRule)}}
	switch {
	case g.WasLarger:
		s.brief, s.atLeast = "once larger: a restart makes them compact", true
		s.id = "A restart makes {which} compact: they were once larger. So does RESTORE with REPLACE of each one's DUMP, " +
			"with its PTTL, while nothing writes it. Saves at least {saved}."
		s.how = "what the same elements take in new tables, at most with all of used_memory that is not explained; the file " +
			"does not show how large the present tables are"
		most = float64(g.CompactSaves + unexplained)
	case g.Identity.FixedName(): // the application cannot make its values shorter
		s.brief = "higher compact limits"
		s.id = "Raise the server's limits of the compact encoding for {which} of {library} (rules explain {rule}). " +
			"Saves {saved}."
		s.args = append(s.args, g.Identity.words()...)
	}
	s.most = mostSaved(s.bytes, most)
	return s
}

// meanSize returns the mean of size over lengths around an average. They are all the same if
// the largest key has that length, too; else they are spread evenly around it, up to there.
func meanSize(average float64, largest int64, size func(n int64) float64) (mean float64) {
	const points = 16
	spread := min(max(float64(largest)-average, .5), average)
	for i := range points {
		at := average + spread*(2*float64(i)+1-points)/points
		mean += size(int64(math.Round(at))) / points
	}
	return mean
}

// keySize returns what a key takes whose name has n bytes, with a string of value bytes.
func (g *GroupSums) keySize(n, value int64) float64 {
	alloc, _ := g.Model.TextSizes(n, value, g.WithoutTTL*2 < g.Keys)
	return float64(alloc)
}

func (g *GroupSums) average(sum int64) float64 { return float64(sum) / float64(g.Keys) }

// listpackBytes are those of an empty listpack: its header and its end.
const listpackBytes = 7

// Hashes in listpacks that small strings would share have at most hashFields fields, of up
// to hashValue bytes.
const (
	hashFields = 500
	hashValue  = 64
)

// entryBytes returns what a string of n bytes takes as an entry of a listpack: its encoding,
// itself, and the length of both (lpEncodeGetType and lpEncodeBacklen in listpack.c).
func entryBytes(n float64, isNumber bool) float64 {
	if isNumber {
		for _, step := range []struct{ digits, bytes float64 }{{2, 2}, {3, 3}, {4, 4}, {7, 5}, {9, 6}} {
			if n <= step.digits {
				return step.bytes
			}
		}
		return 10
	}
	return n + 2
}

// shared returns what small strings without a TTL would save as fields of hashes: the
// overhead of each of the keys, which are among all keys. Values and names are taken as long as the
// average of the group.
func (g *GroupSums) shared(all int64) saving {
	n, value, variable := g.WithoutTTL, g.average(g.ValueBytes), g.average(g.NameBytes)-float64(g.literal())
	if n < hashFields || value > hashValue || variable > hashValue || g.MemoryWithoutTTL < 0 {
		return saving{}
	}
	field := entryBytes(variable, g.IsNumbered) + entryBytes(value, g.IsNumber)
	hash := func(fields int64) int64 {
		if fields == 0 {
			return 0
		}
		return g.Model.PackedKey(g.literal()+2, listpackBytes+int64(math.Round(float64(fields)*field)))
	}
	hashes := (n + hashFields - 1) / hashFields
	packed := n/hashFields*hash(hashFields) + hash(n%hashFields)
	tables := g.Model.KeyTable(all) - g.Model.ShrunkKeyTable(all-n+hashes, all)
	bytes := int64(math.Round(value))
	return saving{action: adviseShare, bytes: g.MemoryWithoutTTL - packed + tables, keys: n, memory: g.MemoryWithoutTTL,
		flags: []string{"--no-ttl"},
		how: "{bytes} now, with the table of keys, and {packed} as listpacks of 500 fields, each with {field} of name, " +
			"value and entry",
		brief: "share hashes ({all} for {short})",
		id: "Store the strings of {which} without a TTL as fields of hashes, up to 500 in each, if none needs a TTL or an " +
			"eviction of its own: a key takes {overhead} besides its value of {value}. Saves about {saved}.",
		args: []message.Arg{message.ExactSize("overhead", g.MemoryWithoutTTL/n-bytes), message.ExactSize("value", bytes),
			message.Size("all", g.MemoryWithoutTTL/n), message.Size("short", bytes),
			message.Size("bytes", g.MemoryWithoutTTL+tables), message.Size("packed", packed),
			message.ExactSize("field", int64(math.Round(field)))}}
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

// shortened returns what shorter words in the names would save.
func (g *GroupSums) shortened() saving {
	if g.literal() < longLiteral || g.Keys < hashFields {
		return saving{}
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
	name, value, largest := g.average(g.NameBytes), 1024., int64(1024) // a value of another type is beside the name
	if g.Type == parser.String {
		value, largest = g.average(g.ValueBytes), g.LargestValue
	}
	// Some names are known: others may be as far from the average again.
	saved, most := math.Inf(1), 0.
	for _, longest := range []int64{g.LargestName, 2*g.LargestName - int64(name)} {
		mean := meanSize(value, largest, func(value int64) float64 {
			return meanSize(name, longest,
				func(n int64) float64 { return g.keySize(n, value) - g.keySize(max(0, n-less), value) })
		})
		saved, most = min(saved, mean), max(most, mean)
	}
	bytes := int64(math.Round(name))
	saves := int64(saved * float64(g.Keys))
	return saving{action: adviseShorten, bytes: saves, most: mostSaved(saves, most*float64(g.Keys)), keys: g.Keys, memory: g.Memory,
		brief: "shorter names ({n} B less)",
		id:    "Shorten the names of {which}: three letters a word are {bytes} less for each. Saves about {saved}.",
		how:   "names of {name} on average become {short}, which is {less} less in the allocator's size classes",
		args: []message.Arg{message.ExactSize("bytes", less), message.Int("n", less), message.ExactSize("name", bytes),
			message.ExactSize("short", max(0, bytes-less)),
			message.ExactSize("less", int64(math.Round(saved)))}}
}

// minCompressed is the average length from which on strings are worth compressing,
// in bytes.
const minCompressed = 512

// compressed returns what compressing the strings of a group would save: as much as
// in the snapshot, where the server compressed each of them with LZF. A snapshot
// without compression shows nothing, and only text is known to be worth it.
func (g *GroupSums) compressed() saving {
	if g.Type != parser.String || g.Content != ContentText || g.ValueBytes < minCompressed*g.Keys ||
		g.Serialized*10 > g.ValueBytes*8 {
		return saving{}
	}
	share := float64(g.Serialized) / float64(g.ValueBytes)
	name := g.NameBytes / g.Keys
	after := meanSize(g.average(g.Serialized), int64(share*float64(g.LargestValue)),
		func(n int64) float64 { return g.keySize(name, n) })
	return saving{action: adviseCompress, bytes: g.Memory - int64(after*float64(g.Keys)), keys: g.Keys, memory: g.Memory,
		brief: "compress (LZF: to {share})",
		how: "the file has these values compressed by the server, {values} as {stored}; the saving is that of the " +
			"allocator's size classes",
		id: "Compress the values of {which} before they are stored, once all readers decompress: LZF shrinks them to {share} " +
			"in this file. Saves about {saved}.",
		args: []message.Arg{message.Share("share", share), message.Size("values", g.ValueBytes),
			message.Size("stored", g.Serialized)}}
}

// OtherServer returns the saving of a move to another server: all keys take need bytes
// there after a restart, and own bytes on the present one.
func OtherServer(server, present string, need, own, keys int64) Advice {
	args := []message.Arg{message.Text("present", present), message.Size("own", own), message.Text("server", server),
		message.Size("need", need)}
	return Advice{Kind: actions[adviseServer].word, DB: AnyDatabase, Keys: keys, Of: keys, Memory: own, Saves: own - need,
		Text:  message.New("Move from {present}, {own}, to {server}, {need} after a restart.", args...),
		Brief: message.New("move from {present}, {own}", args...)}
}
