package parser

import (
	"encoding/binary"

	"github.com/rdblens/rdblens/parser/memory"
)

// Flags of an entry in a stream's node.
const (
	entryDeleted    = 1
	entrySameFields = 2
)

// stream walks a stream: nodes of entries, then consumer groups, then, from
// Redis 8.6 on, what it knows of its producers. The number of its elements is
// its length field, whatever its nodes hold.
func (w *walker) stream(variant uint8) {
	w.manyBlocks, w.rare = true, true
	k, b := &w.key, &w.blob
	k.Live = 0
	nodes := w.length()
	k.Nodes = w.checkCount(nodes, "nodes")
	k.Largest = -1
	for i := uint64(0); i < nodes; i++ {
		w.ahead()
		id := &w.first
		w.string(id, 0)
		if id.n != 16 {
			w.failf("a stream node's key has %d bytes instead of 16", id.n)
		}
		raw := w.text(id, 16)
		hi, lo := binary.BigEndian.Uint64(raw), binary.BigEndian.Uint64(raw[8:])
		w.open(b)
		w.streamNode(b, hi, lo)
		if w.model != nil {
			w.acc.AddStreamNode(hi, lo, b.size)
		}
	}
	k.Largest = max(k.Largest, 0)
	s := StreamState{Length: w.length()}
	k.Elements = w.checkCount(s.Length, "entries")
	s.Last = w.streamID()
	if variant >= streamCounters {
		s.Counters = true
		s.First, s.MaxDeleted, s.Added = w.streamID(), w.streamID(), w.length()
	}
	if w.visiting {
		w.visitStream(&s)
	}
	w.groups(variant)
	if variant >= streamIdempotent {
		w.producers()
	}
	if k.Live != k.Elements {
		w.t.streamMismatch++
	}
}

func (w *walker) groups(variant uint8) {
	k, m := &w.key, w.model
	groups := w.length()
	k.Groups = w.checkCount(groups, "groups")
	for range groups {
		w.ahead()
		name := &w.first
		w.string(name, 0)
		if m != nil {
			w.acc.BeginGroup(w.treeName(name), name.n)
		}
		last, read := w.streamID(), int64(-1)
		if variant >= streamCounters {
			read = int64(w.length())
		}
		pel := w.length()
		if w.visiting {
			w.visitGroup(name, last, read, pel)
		}
		k.Pending += w.checkCount(pel, "pending entries")
		for range pel {
			id := [24]byte(w.take(24))
			if m != nil {
				w.acc.AddPending(binary.BigEndian.Uint64(id[:]), binary.BigEndian.Uint64(id[8:]))
			}
			count := w.length()
			if w.visiting {
				w.visitPending(id[:], count)
			}
		}
		consumers := w.length()
		k.Consumers += w.checkCount(consumers, "consumers")
		for range consumers {
			w.ahead()
			w.string(name, 0)
			if m != nil {
				w.acc.BeginConsumer(w.treeName(name), name.n)
			}
			seen, active := int64(w.u64le()), int64(-1)
			if variant >= streamActive {
				active = int64(w.u64le())
			}
			own := w.length()
			if w.visiting {
				w.visitConsumer(name, seen, active, own)
			}
			for range own {
				id := w.take(16)
				if m != nil {
					w.acc.AddConsumerPending(binary.BigEndian.Uint64(id), binary.BigEndian.Uint64(id[8:]))
				}
				if w.visiting {
					w.visitConsumerPending(id)
				}
			}
		}
		if variant >= streamNacked {
			nacked := w.length()
			for range nacked {
				w.take(16)
			}
		}
		w.checkCount(uint64(k.Pending), "pending entries")
		w.checkCount(uint64(k.Consumers), "consumers")
	}
}

func (w *walker) streamID() StreamID { return StreamID{w.length(), w.length()} }

// treeName returns the text of a name that was just read for its radix tree, nil
// if it is too long to be in memory whole.
func (w *walker) treeName(s *str) []byte {
	if s.n > memory.MaxStreamName || s.kind == strLZF && s.clen > smallString {
		return nil
	}
	return w.text(s, memory.MaxStreamName)
}

// producers passes what makes XADD idempotent.
func (w *walker) producers() {
	w.length()
	w.length()
	producers := w.length()
	for range producers {
		w.ahead()
		w.string(&w.first, 0)
		ids := w.length()
		for range ids {
			w.ahead()
			w.string(&w.first, 0)
			w.length()
			w.length()
		}
	}
	w.length()
	w.length()
}

func (b *blob) number(e *entry, what string) int64 {
	b.entry(listpackFormat, e, 0)
	if !e.isInt {
		b.failf("%s in a stream's node is not a number", what)
	}
	return e.val
}

// streamNode walks one node: a master entry with the usual field names, then
// entries that differ from it.
func (w *walker) streamNode(b *blob, hi, lo uint64) {
	claimed := b.openPacked(listpackFormat)
	e := &w.entries[0]
	count, deleted := b.number(e, "the count"), b.number(e, "the count of deleted entries")
	names := b.number(e, "the number of fields")
	if count < 0 || deleted < 0 || names < 0 {
		b.failf("a stream's node has a negative count")
	}
	var namesSum, namesLongest int64
	w.visit.names.reset()
	for range names {
		b.entry(listpackFormat, e, 0)
		namesSum += e.n
		namesLongest = max(namesLongest, e.n)
		if w.visiting {
			w.shareName(e)
		}
	}
	if b.number(e, "the end of the master entry") != 0 {
		b.failf("the master entry of a stream's node does not end in 0")
	}
	entries := 4 + names
	k := &w.key
	var seen int64
	for b.rest() > 1 {
		flags := b.number(e, "an entry's flags")
		ms, seq := b.number(e, "an ID"), b.number(e, "an ID")
		id := StreamID{hi + uint64(ms), lo + uint64(seq)}
		live := flags&entryDeleted == 0
		var size, longest, parts int64
		if flags&entrySameFields != 0 {
			size, longest = namesSum, namesLongest
			if w.visiting && live {
				w.visitEntry(id, names)
			}
			for i := range names {
				b.entry(listpackFormat, e, 0)
				size += e.n
				longest = max(longest, e.n)
				if w.visiting && live && i < int64(len(w.visit.names.ends)) {
					w.visitField(w.visit.names.at(int(i)), w.keepEntry(e, 0))
				}
			}
			parts = names + 3
			entries += names + 4
		} else {
			n := b.number(e, "the number of fields")
			if n < 0 || n > b.rest() {
				b.failf("an entry of a stream claims %d fields", n)
			}
			if w.visiting && live {
				w.visitEntry(id, n)
			}
			for i := range 2 * n {
				b.entry(listpackFormat, e, 0)
				size += e.n
				longest = max(longest, e.n)
				switch {
				case !w.visiting || !live:
				case i&1 == 0:
					w.visit.field.reset()
					w.visit.field.add(w.keepEntry(e, 0))
				default:
					w.visitField(w.visit.field.at(0), w.keepEntry(e, 0))
				}
			}
			parts = 2*n + 4
			entries += 2*n + 5
		}
		if got := b.number(e, "the length of an entry"); got != parts {
			b.failf("an entry of a stream has %d parts but says %d", parts, got)
		}
		seen++
		if !live {
			continue
		}
		k.Live++
		k.ValueBytes += size
		k.Longest = max(k.Longest, longest)
		if size > k.Largest {
			k.Largest = size
			b := &w.key.best
			b.kind, b.hi, b.lo = bestID, id.MS, id.Seq
		}
	}
	if claimed := uint64(count) + uint64(deleted); uint64(seen) != claimed {
		b.failf("a stream's node says it has %d entries, but %d are there", claimed, seen)
	}
	b.closePacked(listpackFormat, claimed, entries)
}
