package parser

import "github.com/rdblens/rdblens/parser/memory"

// value walks the value of type t, no string.
func (w *walker) value(t byte) {
	r := &w.src.types[t]
	w.of(r)
	switch r.kind {
	case layoutCounted:
		var base int64
		if r.minExpire {
			base = int64(w.u64le())
		}
		w.elements(r, base, w.length())
	case layoutBlock:
		if r.minExpire {
			w.take(8)
		}
		w.packedValue(r)
	case layoutQuicklist:
		w.quicklist(r)
	case layoutStream:
		w.stream(r.variant)
	case layoutModule:
		w.moduleValue()
	case layoutText:
		w.document()
	case layoutArray:
		w.array()
	case layoutTemplate:
		w.templateHash(r.variant)
	case layoutNumber:
		w.length()
		k := &w.key
		k.Elements, k.ValueBytes, k.Largest, k.Longest = 1, 8, 8, 8
	case layoutCron:
		w.cron()
	case layoutFilter:
		w.filter(r.variant)
	case layoutCountMin:
		w.countMin()
	case layoutTopK:
		w.topK()
	case layoutCuckoo:
		w.cuckoo()
	case layoutRefused:
		w.failf("%s", r.why)
	default:
		w.failUnknown(t)
	}
}

// of begins a value with the facts of its type.
func (w *walker) of(r *typeRow) {
	w.key.Type, w.key.Encoding = r.typ, r.encoding
	w.facts.Shape = r.shape
}

// elements walks n elements of a type that is split, or of any counted one.
// base is the earliest field expiry, if it precedes the value.
func (w *walker) elements(r *typeRow, base int64, n uint64) {
	switch {
	case r.kind == layoutQuicklist:
		w.nodes(r, n)
	case r.strings == 2:
		w.fields(n, r.beside, base)
	default:
		w.members(n, r.beside)
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

// packedValue walks a value of one packed block.
func (w *walker) packedValue(r *typeRow) {
	b := &w.blob
	w.open(b)
	w.key.Largest = -1
	switch r.block {
	case blockZipmap:
		w.zipmap(b)
	case blockIntset:
		w.intset(b)
		w.key.Integers, w.rare = true, true
		w.facts.Intset = true
	default:
		w.packed(b, r.block.format(), int(r.strings))
	}
	w.key.Largest = max(w.key.Largest, 0)
	w.facts.PackedBytes = b.size
	w.facts.Ziplist = r.block == blockZiplist || r.block == blockZipmap
}

// quicklist walks a list of packed nodes; of ziplists before Redis 7.0.
func (w *walker) quicklist(r *typeRow) {
	n := w.length()
	packed := w.nodes(r, n)
	// From Redis 7.2 on a list of one small node is kept as that listpack.
	if r.block == blockListpack && n == 1 && packed > 0 && packed <= 8<<10 && w.src.version >= 11 {
		w.key.Encoding = EncListpack
		w.facts.Shape, w.facts.PackedBytes = memory.Packed, packed
	}
}

// nodes walks n nodes of a quicklist and returns the bytes of the packed ones.
func (w *walker) nodes(r *typeRow, nodes uint64) (packed int64) {
	zl := r.block == blockZiplist
	k, b := &w.key, &w.blob
	w.manyBlocks, w.rare = true, true
	k.Nodes = w.checkCount(nodes, "nodes")
	k.Largest = -1
	for i := uint64(0); i < nodes; i++ {
		container := uint64(2)
		if r.variant == 2 {
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
			w.packed(b, r.block.format(), 1)
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

// open begins the packed block that the next string of the snapshot is.
func (w *walker) open(b *blob) {
	b.open(&w.window, w.manyBlocks)
	if b.compressed > 0 {
		w.rare = true
		w.key.LZFIn += b.compressed
		w.key.LZFOut += b.size
	}
}
