package parser

import "github.com/rdblens/rdblens/parser/memory"

// value walks the value of type t, no string, as shared numbers mean it in this
// dialect.
func (w *walker) value(t byte) {
	k := &w.key
	switch t {
	case 1:
		w.of(List, EncLinkedlist, memory.LinkedList)
		w.members(w.length(), scoreNone)
		return
	case 2:
		w.of(Set, EncHashtable, memory.SetTable)
		w.members(w.length(), scoreNone)
		return
	case 3:
		w.of(ZSet, EncSkiplist, memory.Skiplist)
		w.members(w.length(), scoreText)
		return
	case 5:
		w.of(ZSet, EncSkiplist, memory.Skiplist)
		w.members(w.length(), scoreBinary)
		return
	case 4:
		w.of(Hash, EncHashtable, memory.HashTable)
		w.fields(w.length(), expiryNone, 0)
		return
	case 6:
		w.failf("a module wrote this key in the format of 4.0 release candidates (type 6), which nothing but the module itself can read")
	case 7:
		w.moduleValue()
		return
	case 9:
		w.packedValue(Hash, EncZipmap, 2)
		return
	case 10:
		w.packedValue(List, EncZiplist, 1)
		return
	case 11:
		w.packedValue(Set, EncIntset, 0)
		return
	case 12:
		w.packedValue(ZSet, EncZiplist, 2)
		return
	case 13:
		w.packedValue(Hash, EncZiplist, 2)
		return
	case 14:
		w.quicklist(true)
		return
	case 15, 19, 21:
		w.stream(t)
		return
	case 16:
		w.packedValue(Hash, EncListpack, 2)
		return
	case 17:
		w.packedValue(ZSet, EncListpack, 2)
		return
	case 18:
		w.quicklist(false)
		return
	case 20:
		if w.src.dragonfly && w.src.version <= 9 {
			w.jsonValue()
			return
		}
		w.packedValue(Set, EncListpack, 1)
		return
	}
	switch {
	case w.src.dragonfly:
		if w.dragonflyValue(t) {
			return
		}
	case w.src.valkey:
		if t == 22 {
			w.of(Hash, EncHashtable, memory.HashTable)
			w.fields(w.length(), expiryBehind, 0)
			return
		}
		if t == 23 {
			w.failf("type 23 is a hash of a Valkey release (RDB 81) that rdblens does not read yet")
		}
	default:
		switch t {
		case 22:
			w.of(Hash, EncHashtable, memory.HashTable)
			w.fields(w.length(), expiryBefore, 0)
			return
		case 23:
			w.packedValue(Hash, EncListpackEx, 3)
			return
		case 24:
			w.of(Hash, EncHashtable, memory.HashTable)
			least := int64(w.u64le())
			w.fields(w.length(), expiryRelative, least)
			return
		case 25:
			w.take(8)
			w.packedValue(Hash, EncListpackEx, 3)
			return
		case 26, 27:
			w.stream(t)
			return
		case 28:
			w.array()
			return
		case 29, 30, 31, 32:
			w.templateHash(t)
			return
		case 33:
			w.of(GCRA, EncUnknown, memory.Other)
			w.length()
			k.Elements, k.ValueBytes, k.Largest, k.Longest = 1, 8, 8, 8
			return
		case 64:
			w.cron()
			return
		}
	}
	w.failUnknown(t)
}

// known reports whether t is a type in this dialect; all others are opcodes or damage.
func (d *dialect) known(t byte) bool {
	switch {
	case t <= 7, t >= 9 && t <= 21:
		return true
	case d.dragonfly:
		return t >= 30 && t <= 37
	case d.valkey:
		return t == 22 || t == 23
	}
	return t >= 22 && t <= 33 || t == 64
}

// settle notes which numbers are types. It is called when the header is read,
// which holds no key.
func (d *dialect) settle() {
	for t := range d.types {
		d.types[t] = d.known(byte(t))
	}
}

func (w *walker) failUnknown(t byte) {
	w.pos--
	what := "type or opcode"
	if w.src.version > newestVersion(w.src.valkey) {
		w.failf("unknown %s %d: this snapshot (RDB version %d) is newer than this rdblens", what, t, w.src.version)
	}
	w.failf("unknown %s %d", what, t)
}

// of begins the measures of a value.
func (w *walker) of(t Type, e Encoding, s memory.Shape) {
	w.key.Type, w.key.Encoding = t, e
	w.facts.Shape = s
}

// packedValue walks a value of one packed block.
func (w *walker) packedValue(t Type, e Encoding, stride int) {
	w.of(t, e, memory.Packed)
	if e == EncListpackEx {
		w.facts.Shape = memory.PackedEx
	}
	b := &w.blob
	w.open(b)
	w.key.Largest = -1
	switch e {
	case EncZipmap:
		w.zipmap(b)
	case EncIntset:
		w.intset(b)
		w.key.Integers, w.rare = true, true
		w.facts.Intset = true
	default:
		w.packed(b, e == EncZiplist, stride)
	}
	w.key.Largest = max(w.key.Largest, 0)
	w.facts.PackedBytes = b.size
	w.facts.Ziplist = e == EncZiplist || e == EncZipmap
}

// quicklist walks a list of packed nodes; of ziplists before Redis 7.0.
func (w *walker) quicklist(zl bool) {
	w.of(List, EncQuicklist, memory.Quicklist)
	n := w.length()
	packed := w.nodes(n, zl)
	// From Redis 7.2 on a list of one small node is kept as that listpack.
	if !zl && n == 1 && packed > 0 && packed <= 8<<10 && w.src.version >= 11 {
		w.key.Encoding = EncListpack
		w.facts.Shape, w.facts.PackedBytes = memory.Packed, packed
	}
}

// nodes walks n nodes of a quicklist and gives the bytes of the packed ones.
func (w *walker) nodes(nodes uint64, zl bool) (packed int64) {
	k, b := &w.key, &w.blob
	w.manyBlobs, w.rare = true, true
	k.Nodes = w.checkCount(nodes, "nodes")
	k.Largest = -1
	for i := uint64(0); i < nodes; i++ {
		container := uint64(2)
		if !zl {
			container = w.length()
		}
		switch container {
		case 1: // one plain element
			w.ahead()
			s := &w.first
			w.string(s, 0)
			if w.visiting {
				w.visit.element.Value = w.keepText(s, 0)
				w.visitElement()
			}
			k.ValueBytes += s.n
			if s.n > k.Largest {
				k.Largest = s.n
				w.newLargest(s, s, s.n, k.Elements)
			}
			k.Longest = max(k.Longest, s.n)
			k.Elements++
			if w.model != nil {
				w.acc.AddListNode(true, s.n)
			}
		case 2:
			w.open(b)
			w.packed(b, zl, 1)
			packed += b.size
			switch {
			case w.model == nil:
			case zl:
				w.acc.AddZiplistNode(b.size, w.facts.ListpackBytes)
			default:
				w.acc.AddListNode(false, b.size)
			}
		default:
			w.pos--
			w.failf("a list's node has container kind %d; only 1 and 2 exist", container)
		}
	}
	k.Largest = max(k.Largest, 0)
	w.facts.Ziplist = zl
	return packed
}
