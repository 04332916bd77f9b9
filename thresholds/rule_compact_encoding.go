package thresholds

import (
	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds/naming"
)

func init() {
	register(Rule{
		Name:    "compact-encoding",
		Section: SectionSize,
		Title:   "collection in its full encoding although it is near the limits of the compact one",
		Harm:    UsesMemory,
		Types:   collections,
		Params: []Param{
			{Name: "max_ratio", Unit: message.Count, Default: "4",
				Doc: "only collections of up to this many times the limits are reported"},
			{Name: "hash_count", Unit: message.Count, Default: "512", Doc: "hash-max-listpack-entries of your servers"},
			{Name: "hash_bytes", Unit: message.Bytes, Default: "64 B", Doc: "hash-max-listpack-value of your servers"},
			{Name: "zset_count", Unit: message.Count, Default: "128", Doc: "zset-max-listpack-entries of your servers"},
			{Name: "zset_bytes", Unit: message.Bytes, Default: "64 B", Doc: "zset-max-listpack-value of your servers"},
			{Name: "intset_count", Unit: message.Count, Default: "512", Doc: "set-max-intset-entries of your servers"},
			{Name: "set_count", Unit: message.Count, Default: "128",
				Doc: "set-max-listpack-entries of your servers (Valkey, and Redis 7.2 and later)"},
			{Name: "set_bytes", Unit: message.Bytes, Default: "64 B",
				Doc: "set-max-listpack-value of your servers (Valkey, and Redis 7.2 and later)"},
			{Name: "list_count", Unit: message.Count, Default: "512", Doc: "list-max-ziplist-entries of servers before 3.2"},
			{Name: "list_bytes", Unit: message.Bytes, Default: "64 B", Doc: "list-max-ziplist-value of servers before 3.2"},
		},
		unit: func(note uint8) message.Unit {
			if note == notePassedBytes {
				return message.Bytes
			}
			return message.Count
		},
		rank:     compactSaving,
		compacts: true,
		check: func(c *compiler) {
			if c.engine.server.family == "dragonfly" { // its encodings are different
				return
			}
			c.when(fullElements, -1, 0, makeCompactLimits(c.Setting, c.engine.server, c.typ).confirm)
		},
		text:   textOfCompactEncoding,
		advise: adviseCompactEncoding,
		Doc: Doc{
			What: "A hash, set or sorted set in its full encoding (hashtable or skiplist; for lists linkedlist) although it " +
				"is near the limits of the compact one (listpack, ziplist or intset). The finding names the limit that was " +
				"exceeded: the count, the length of the longest single field, value or member, or both. If neither is exceeded, " +
				"the collection was once larger, and a reload makes it compact. Collections with more than 4 times the limit are " +
				"not reported: nobody compacts a million fields, or values of 28 KB.",
			Why: "The full encoding takes more memory: a structure, pointers and a rounded allocation for each element. For " +
				"elements of a few bytes it is 1.5 to 20 times as much, for elements of 60 bytes 1.1 to 2.5 times. A look-up in " +
				"the compact encoding reads the elements one after the other, but that takes only about a microsecond for " +
				"each hundred.",
			Fix: "Stay below the limits: split the collection, shorten its fields, or move the one long value out. Or raise " +
				"the server's limit, after measuring the effect. If no limit is exceeded, a restart makes it compact, or " +
				"RESTORE of its DUMP, with its PTTL, while nothing writes it.",
			Example: "user:1001, a hash of 600 fields as hashtable: 600 elements, over 512; compact would save 31 KB.",
		},
	})
}

// The notes: which limits of the compact encoding a collection exceeds. If none,
// it was once larger.
const (
	notePassedNone  = 0
	notePassedCount = 1
	notePassedBytes = 2
	notePassedBoth  = notePassedCount | notePassedBytes
)

// compactForm has the limits of one compact encoding: elements, and bytes of the
// longest string. A count of 0 means that there is no such encoding.
type compactForm struct{ count, bytes int64 }

// compactLimits has the limits of the compact encodings of one type on the server
// that wrote the snapshot.
type compactLimits struct {
	maxRatio int64
	full     parser.Encoding // the encoding that is checked
	plain    compactForm
	integers compactForm // of a set of integers
}

func makeCompactLimits(setting *Setting, s server, t parser.Type) *compactLimits {
	number := func(name string) int64 { return setting.Param(name).Number }
	l := &compactLimits{maxRatio: number("max_ratio")}
	switch t {
	case parser.Hash:
		l.full, l.plain = parser.EncHashtable, compactForm{number("hash_count"), number("hash_bytes")}
	case parser.ZSet:
		l.full, l.plain = parser.EncSkiplist, compactForm{number("zset_count"), number("zset_bytes")}
	case parser.List:
		l.full, l.plain = parser.EncLinkedlist, compactForm{number("list_count"), number("list_bytes")}
	case parser.Set:
		l.full = parser.EncHashtable
		if s.setListpacks() {
			l.plain = compactForm{number("set_count"), number("set_bytes")}
		}
		// No integer has more than 20 characters, so only the count matters.
		l.integers = compactForm{number("intset_count"), 20}
	}
	return l
}

// form returns the limits for one collection. integers is true for a set that has
// only integers.
func (l *compactLimits) form(t parser.Type, integers bool) compactForm {
	if t == parser.Set && integers {
		return l.integers
	}
	return l.plain
}

func (l *compactLimits) confirm(k *parser.Key, f *naming.Facts, found *Finding) bool {
	form := l.form(k.Type, k.Integers)
	if k.Encoding != l.full || form.count == 0 || k.Elements > l.maxRatio*form.count {
		return false
	}
	found.note, found.Measured, found.Limit = notePassedNone, k.Elements, form.count
	if k.Longest > form.bytes {
		if k.Longest > l.maxRatio*form.bytes {
			return false
		}
		found.note |= notePassedBytes
		found.Measured, found.Limit = k.Longest, form.bytes
	}
	if k.Elements > form.count {
		found.note |= notePassedCount
		found.Measured, found.Limit = k.Elements, form.count
	}
	return true
}

// compactSaving returns the bytes of memory that the compact encoding would save,
// or the number of elements if that is unknown.
func compactSaving(k *parser.Key) int64 {
	if k.Memory < 0 || k.CompactMemory < 0 {
		return max(k.Elements, 0)
	}
	return max(k.Memory-k.CompactMemory, 0)
}

func (x *explainer) compactForm() compactForm {
	return makeCompactLimits(x.setting, x.server, x.key.Type).form(x.key.Type, x.key.Integers)
}

func (s *Subject) savesMemory() bool {
	return s.Memory >= 0 && s.CompactMemory >= 0 && s.CompactMemory < s.Memory
}

func textOfCompactEncoding(x *explainer) message.Message {
	s, saving := x.key, message.Message{}
	if s.savesMemory() {
		saving = message.New("; compact would save {saved}",
			message.Figure("saved", s.Memory-s.CompactMemory, message.FormSize))
	}
	args := []message.Arg{message.Text("encoding", s.Encoding.String()),
		message.Limit("bytes", message.Bytes, x.compactForm().bytes),
		message.ExactSize("longest", s.Longest), message.Phrase("saving", saving)}
	switch x.note {
	case notePassedCount:
		return x.found("{encoding} with {measured} elements, over {limit}{saving}", args...)
	case notePassedBytes:
		return x.found("{encoding} with a string of {measured}, over {limit}{saving}", args...)
	case notePassedBoth:
		return x.found("{encoding} with {measured} elements, over {limit}, and a string of {longest}, over {bytes}{saving}",
			args...)
	}
	return x.counted("{encoding} with 1 element and no string over {bytes}: it was once larger{saving}",
		"{encoding} with {measured} elements and no string over {bytes}: it was once larger{saving}", args...)
}

// compactSettings are the prefixes of the server settings for the limits, up to
// Redis 6.2 and since 7.0.
var compactSettings = map[parser.Type][2]string{
	parser.Hash: {"hash-max-ziplist-", "hash-max-listpack-"},
	parser.ZSet: {"zset-max-ziplist-", "zset-max-listpack-"},
	parser.List: {"list-max-ziplist-", "list-max-listpack-"},
	parser.Set:  {"set-max-intset-", "set-max-listpack-"},
}

func adviseCompactEncoding(x *explainer) {
	s, form := x.key, x.compactForm()
	setting := settingName(x.server, s.Type, s.Integers)
	switch own := x.key.Identity; {
	case own.FixedName() && x.note != notePassedNone:
		x.advise(adviseCompact, nil, "{library} decides what is in it: raise {limits} for it, after measuring the effect. "+
			"They apply to what is written later.",
			append(own.words(), message.Code("limits", setting+"*"))...)
	case x.note&notePassedCount != 0:
		n := buckets(s.Elements, form.count, 1)
		x.advise(adviseCompact, nil, "Keep it at {limit} elements or fewer, or split it into {n} keys. Or raise {setting}, "+
			"after measuring the effect; it applies to what is written later.",
			message.Int("limit", form.count), message.Int("n", n), message.Code("setting", setting+"entries"))
	}
	if !x.key.Identity.FixedName() && x.note&notePassedBytes != 0 {
		x.advise(adviseCompact, nil, "Shorten the longest string to {limit}, or store it under a key of its own. Or raise "+
			"{setting}, after measuring the effect.",
			message.Limit("limit", message.Bytes, form.bytes), message.Code("setting", setting+"value"))
	}
	if x.note == notePassedNone {
		x.advise(adviseCompact, nil, "It is within the limits now: a restart makes it compact. So does RESTORE with REPLACE of its "+
			"DUMP, with its PTTL, while nothing writes it.")
	}
	if s.savesMemory() {
		saved := "{memory} now, {compact} in the compact encoding: {saved} less."
		if x.note == notePassedNone {
			saved = "{memory} now, or more if its table is still as large as it was, {compact} in the compact encoding: at " +
				"least {saved} less."
		}
		x.advise(adviseCompact, nil, saved, message.ExactSize("memory", s.Memory),
			message.ExactSize("compact", s.CompactMemory), message.ExactSize("saved", s.Memory-s.CompactMemory))
	}
	x.inspect()
}
