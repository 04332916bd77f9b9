package parser

import (
	"encoding/binary"

	"github.com/rdblens/rdblens/parser/internal/memory"
	"github.com/rdblens/rdblens/parser/internal/rdb"
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
	k, b := &w.key, &w.block
	k.Live = 0
	nodes := w.Length()
	k.Nodes = w.CheckCount(nodes, "nodes")
	k.Largest = -1
	for range nodes {
		w.Ahead()
		id := &w.first
		w.string(id, 0)
		if id.n != 16 {
			w.Failf("a stream node's key has %d bytes instead of 16", id.n)
		}
		raw := w.text(id, 16)
		hi, lo := binary.BigEndian.Uint64(raw), binary.BigEndian.Uint64(raw[8:])
		w.open(b)
		entries := w.streamNode(b, hi, lo)
		if w.model != nil {
			w.acc.AddStreamNode(hi, lo, b.Size, entries)
		}
	}
	w.counters.streamNode = max(w.counters.streamNode, w.acc.StreamNode())
	k.Largest = max(k.Largest, 0)
	s := StreamState{Length: w.Length()}
	k.Elements = w.CheckCount(s.Length, "entries")
	s.Last = w.streamID()
	if variant >= rdb.StreamCounters {
		s.Counters = true
		s.First, s.MaxDeleted, s.Added = w.streamID(), w.streamID(), w.Length()
	}
	if w.visiting {
		visited := s // a copy, which is on the heap
		w.visitStream(&visited)
	}
	w.groups(variant, &s)
	if variant >= rdb.StreamIdempotent {
		w.producers()
	}
	if k.Live != k.Elements {
		w.counters.streamMismatch++
	}
}

// aWeek is the time after which a consumer that reads nothing is idle, in ms.
const aWeek = 7 * 24 * 60 * 60 * 1000

// lag returns how many entries of a stream a group has not read, -1 unknown. Source: the
// reply of XINFO GROUPS in t_stream.c of Redis 7.0.
func (s *StreamState) lag(last StreamID, read int64) int64 {
	length := int64(min(s.Length, 1<<62))
	switch {
	case last.Compare(s.Last) >= 0:
		return 0
	case s.Counters && read >= 0 && uint64(read) <= s.Added:
		return min(int64(min(s.Added-uint64(read), 1<<62)), length)
	case s.Counters && last.Compare(s.First) < 0, last == StreamID{}:
		return length
	}
	return -1
}

// endGroup compares the group that was read with those before.
func (w *walker) endGroup() {
	g, worst := &w.group, &w.behind
	if g.Lag <= 0 && g.Idle == 0 || w.key.Behind != nil && g.Lag+100*g.Idle <= worst.Lag+100*worst.Idle {
		return
	}
	name := append(worst.Name[:0], g.Name...)
	*worst = *g
	worst.Name = name
	w.key.Behind = worst
}

func (w *walker) groups(variant uint8, s *StreamState) {
	k, m := &w.key, w.model
	groups := w.Length()
	k.Groups = w.CheckCount(groups, "groups")
	for range groups {
		w.Ahead()
		name := &w.first
		w.string(name, 0)
		if m != nil {
			w.acc.BeginGroup(w.treeName(name), name.n)
		}
		last, read := w.streamID(), int64(-1)
		if variant >= rdb.StreamCounters {
			read = int64(w.Length())
		}
		pel := w.Length()
		if w.visiting {
			w.visitGroup(name, last, read, pel)
		}
		w.group = GroupState{Name: append(w.group.Name[:0], w.text(name, MaxGroupName)...), Lag: s.lag(last, read),
			Pending: int64(min(pel, 1<<62)), Oldest: -1}
		k.Pending += w.CheckCount(pel, "pending entries")
		for range pel {
			id := [24]byte(w.Take(24))
			if w.group.Oldest < 0 {
				w.group.Oldest = int64(min(binary.BigEndian.Uint64(id[:]), 1<<62))
			}
			if m != nil {
				w.acc.AddPending(binary.BigEndian.Uint64(id[:]), binary.BigEndian.Uint64(id[8:]))
			}
			count := w.Length()
			if w.visiting {
				w.visitPending(id[:], count)
			}
		}
		consumers := w.Length()
		k.Consumers += w.CheckCount(consumers, "consumers")
		w.group.Consumers = int64(min(consumers, 1<<62))
		if w.src.created <= 0 {
			w.group.Live = -1
		}
		for range consumers {
			w.Ahead()
			w.string(name, 0)
			if m != nil {
				w.acc.BeginConsumer(w.treeName(name), name.n)
			}
			seen, active := int64(w.Uint64()), int64(-1)
			if variant >= rdb.StreamActive {
				active = int64(w.Uint64())
			}
			lastRead := active
			if variant < rdb.StreamActive {
				lastRead = seen
			}
			weekBefore := w.src.created - aWeek/1000
			if w.src.created > 0 && lastRead/1000 < weekBefore {
				w.group.Idle++
			}
			own := w.Length()
			if w.src.created > 0 && max(seen, active)/1000 >= weekBefore {
				w.group.Live++
			} else if w.src.created > 0 {
				w.group.IdlePending += int64(min(own, 1<<62))
			}
			if w.visiting {
				w.visitConsumer(name, seen, active, own)
			}
			for range own {
				id := w.Take(16)
				if m != nil {
					w.acc.AddConsumerPending(binary.BigEndian.Uint64(id), binary.BigEndian.Uint64(id[8:]))
				}
				if w.visiting {
					w.visitConsumerPending(id)
				}
			}
		}
		if variant >= rdb.StreamNacked {
			nacked := w.Length()
			for range nacked {
				w.Take(16)
			}
		}
		w.endGroup()
		w.CheckCount(uint64(k.Pending), "pending entries")
		w.CheckCount(uint64(k.Consumers), "consumers")
	}
}

// paths walks a path hash of Valkey 9.2: paths in the order of their bytes, each
// with a hash of its own. The elements are the paths; the largest is a field with
// its value.
func (w *walker) paths() {
	k := &w.key
	n := w.Length()
	k.Elements = w.CheckCount(n, "paths")
	k.Largest = -1
	f, v := &w.first, &w.second
	for range n {
		w.Ahead()
		w.string(f, 0)
		if w.model != nil {
			w.acc.BeginPath(w.treeName(f), f.n)
		}
		if w.visiting {
			w.visit.field.reset()
			w.visit.field.add(w.keepText(f, 0))
		}
		fields := w.Length()
		if fields == 0 {
			w.Failf("a path without fields")
		}
		var longest, lp int64
		for range fields {
			w.Ahead()
			w.string(f, 0)
			if w.visiting {
				w.visit.element.Path, w.visit.element.Name = w.visit.field.at(0), w.keepText(f, 0)
				if w.visit.element.Path.Bytes == nil {
					w.visit.element.Path.Bytes = []byte{}
				}
			}
			w.string(v, 1)
			if w.visiting {
				w.visit.element.Value = w.keepText(v, 1)
			}
			size := f.n + v.n
			k.ValueBytes += size
			longest = max(longest, f.n, v.n)
			if size > k.Largest {
				k.Largest = size
				w.newLargest(f, v, size, 0)
			}
			if size >= rdb.LargeElement {
				k.LongestValue = max(k.LongestValue, v.n)
			}
			if w.model != nil {
				lp += w.asEntry(f) + w.asEntry(v)
				w.acc.AddField(f.n, v.n, false)
			}
			if w.visiting {
				w.visitElement()
			}
		}
		k.Longest = max(k.Longest, longest)
		if w.model != nil {
			w.acc.EndPath(int64(fields), longest, lp)
		}
	}
	k.Largest = max(k.Largest, 0)
}

func (w *walker) streamID() StreamID { return StreamID{w.Length(), w.Length()} }

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
	w.Length()
	w.Length()
	producers := w.Length()
	for range producers {
		w.Ahead()
		w.string(&w.first, 0)
		ids := w.Length()
		known := w.CheckCount(ids, "entries of a producer")
		if w.model != nil {
			w.acc.AddProducer(w.treeName(&w.first), w.first.n, known)
		}
		for range ids {
			w.Ahead()
			w.string(&w.first, 0)
			if w.model != nil {
				w.acc.AddIdempotent(w.first.n)
			}
			w.Length()
			w.Length()
		}
	}
	w.Length()
	w.Length()
}

// streamNode walks one node: a master entry with the usual field names, then
// entries that differ from it. It returns the number of entries, deleted ones included.
func (w *walker) streamNode(b *rdb.Block, hi, lo uint64) (seen int64) {
	claimed := b.OpenPacked(rdb.Listpack)
	e := &w.entries[0]
	count, deleted := b.Number(e, "the count"), b.Number(e, "the count of deleted entries")
	names := b.Number(e, "the number of fields")
	if count < 0 || deleted < 0 || names < 0 {
		b.Failf("a stream's node has a negative count")
	}
	var namesSum, namesLongest int64
	w.visit.names.reset()
	for range names {
		b.Decode(rdb.Listpack, e, 0)
		namesSum += e.Len
		namesLongest = max(namesLongest, e.Len)
		if w.visiting {
			w.shareName(b, e)
		}
	}
	if b.Number(e, "the end of the master entry") != 0 {
		b.Failf("the master entry of a stream's node does not end in 0")
	}
	entries := 4 + names
	k := &w.key
	for b.Rest() > 1 {
		flags := b.Number(e, "an entry's flags")
		ms, seq := b.Number(e, "an ID"), b.Number(e, "an ID")
		id := StreamID{hi + uint64(ms), lo + uint64(seq)}
		live := flags&entryDeleted == 0
		var size, longest, parts int64
		if flags&entrySameFields != 0 {
			size, longest = namesSum, namesLongest
			if w.visiting && live {
				w.visitEntry(id, names)
			}
			for i := range names {
				b.Decode(rdb.Listpack, e, 0)
				size += e.Len
				longest = max(longest, e.Len)
				if w.visiting && live && i < int64(len(w.visit.names.ends)) {
					w.visitField(w.visit.names.at(int(i)), w.keepEntry(e, 0))
				}
			}
			parts = names + 3
			entries += names + 4
		} else {
			n := b.Number(e, "the number of fields")
			if n < 0 || n > b.Rest() {
				b.Failf("an entry of a stream claims %d fields", n)
			}
			if w.visiting && live {
				w.visitEntry(id, n)
			}
			for i := range 2 * n {
				b.Decode(rdb.Listpack, e, 0)
				size += e.Len
				longest = max(longest, e.Len)
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
		if got := b.Number(e, "the length of an entry"); got != parts {
			b.Failf("an entry of a stream has %d parts but says %d", parts, got)
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
			b := &w.key.ref
			b.kind, b.hi, b.lo = refID, id.MS, id.Seq
		}
	}
	if claimed := uint64(count) + uint64(deleted); uint64(seen) != claimed {
		b.Failf("a stream's node says it has %d entries, but %d are there", claimed, seen)
	}
	b.ClosePacked(rdb.Listpack, claimed, entries)
	return seen
}
