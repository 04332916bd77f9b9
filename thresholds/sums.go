package thresholds

import (
	"bytes"
	"cmp"
	"slices"
)

// Bounds of the sums of an Instance.
const (
	maxDatabases  = 1024 // databases counted one by one
	maxBusinesses = 4096 // first segments, 24 + at most maxSegment bytes each
	maxSegment    = 64   // bytes kept of a segment: longer ones that begin alike are one
	maxTags       = 8192 // hash tags that are kept when there are twice as many
	maxTag        = 128  // bytes kept of a tag, for showing it
)

// databaseSums counts keys by database.
type databaseSums struct {
	list []databaseSum // by number
	last int           // index of the database of the last key
	more bool          // there are others, beyond maxDatabases
}

type databaseSum struct {
	db   int
	keys int64
}

func (d *databaseSums) add(db int, keys int64) {
	if d.last < len(d.list) && d.list[d.last].db == db {
		d.list[d.last].keys += keys
		return
	}
	d.addOther(db, keys)
}

func (d *databaseSums) addOther(db int, keys int64) {
	n, found := slices.BinarySearchFunc(d.list, db, func(s databaseSum, db int) int { return cmp.Compare(s.db, db) })
	if !found {
		if len(d.list) == maxDatabases {
			d.more = true
			return
		}
		d.list = slices.Insert(d.list, n, databaseSum{db: db})
	}
	d.list[n].keys += keys
	d.last = n
}

func (d *databaseSums) merge(o *databaseSums) {
	for _, s := range o.list {
		d.add(s.db, s.keys)
	}
	d.more = d.more || o.more
}

func (d *databaseSums) reset() { d.list, d.last, d.more = d.list[:0], 0, false }

// noteAtLeast is the note of a figure that may be larger than measured.
const noteAtLeast = 1

func (d *databaseSums) note() uint8 {
	if d.more {
		return noteAtLeast
	}
	return 0
}

// index is an open-addressing table from hashes to places in a list. It is at
// most half full.
type index struct {
	slots []uint32 // place + 1, 0 free
	count int
}

// find calls same for the places that a hash may stand for, until it agrees. It
// gives that place, or -1 and the slot to put a new one into.
func (x *index) find(hash uint64, same func(place int) bool) (place int, slot uint32) {
	if len(x.slots) == 0 {
		return -1, 0
	}
	mask := uint32(len(x.slots) - 1)
	for at := uint32(hash>>32) & mask; ; at = (at + 1) & mask {
		p := x.slots[at]
		if p == 0 {
			return -1, at
		}
		if same(int(p) - 1) {
			return int(p) - 1, at
		}
	}
}

// put enters a place that find did not know. hashes gives those of all places,
// for when the table must grow.
func (x *index) put(hash uint64, place int, slot uint32, hashes func(place int) uint64) {
	if x.count*2 < len(x.slots) {
		x.slots[slot] = uint32(place) + 1
		x.count++
		return
	}
	x.slots = make([]uint32, max(64, len(x.slots)*2))
	x.count = 0
	for p := range place + 1 {
		h := hash
		if p < place {
			h = hashes(p)
		}
		_, at := x.find(h, func(int) bool { return false })
		x.slots[at] = uint32(p) + 1
		x.count++
	}
}

func (x *index) reset() {
	clear(x.slots)
	x.count = 0
}

// hashBytes is FNV-1a with a finish that spreads the bits upwards.
func hashBytes(b []byte) uint64 {
	h := uint64(14695981039346656037)
	for _, c := range b {
		h = (h ^ uint64(c)) * 1099511628211
	}
	h ^= h >> 29
	return h * 0x9e3779b97f4a7c15
}

// segmentSums counts keys by the first segment of their name, at most
// maxBusinesses of them, those that come first in the file.
type segmentSums struct {
	index index
	list  []segmentSum
	arena []byte
	last  int
	keys  int64
	bytes int64
	more  bool
}

type segmentSum struct {
	hash        uint64
	start, end  uint32 // in the arena
	keys, bytes int64
}

func (s *segmentSums) add(segment []byte, keys, size int64) {
	segment = segment[:min(len(segment), maxSegment)]
	s.keys += keys
	s.bytes += size
	if s.last < len(s.list) {
		if l := &s.list[s.last]; bytes.Equal(s.arena[l.start:l.end], segment) {
			l.keys += keys
			l.bytes += size
			return
		}
	}
	hash := hashBytes(segment)
	place, slot := s.index.find(hash, func(p int) bool {
		l := &s.list[p]
		return l.hash == hash && bytes.Equal(s.arena[l.start:l.end], segment)
	})
	if place < 0 {
		if len(s.list) == maxBusinesses {
			s.more = true
			return
		}
		place = len(s.list)
		start := len(s.arena)
		s.arena = append(s.arena, segment...)
		s.list = append(s.list, segmentSum{hash: hash, start: uint32(start), end: uint32(len(s.arena))})
		s.index.put(hash, place, slot, func(p int) uint64 { return s.list[p].hash })
	}
	s.list[place].keys += keys
	s.list[place].bytes += size
	s.last = place
}

// isID reports whether a segment is a number, or hexadecimal of at least eight
// digits (a UUID too), as it is or in braces.
func isID(s []byte) bool {
	if len(s) > 2 && s[0] == '{' && s[len(s)-1] == '}' {
		s = s[1 : len(s)-1]
	}
	digits, letters := 0, 0
	for _, c := range s {
		switch {
		case c >= '0' && c <= '9':
			digits++
		case c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' || c == '-':
			letters++
		default:
			return false
		}
	}
	return digits > 0 && (letters == 0 || len(s) >= 8)
}

func (s *segmentSums) merge(o *segmentSums) {
	for n := range o.list {
		l := &o.list[n]
		s.add(o.arena[l.start:l.end], l.keys, l.bytes)
	}
	// What o could not place is in its totals alone.
	keys, size := o.keys, o.bytes
	for n := range o.list {
		keys -= o.list[n].keys
		size -= o.list[n].bytes
	}
	s.keys += keys
	s.bytes += size
	s.more = s.more || o.more
}

func (s *segmentSums) reset() {
	s.index.reset()
	s.list, s.arena, s.last = s.list[:0], s.arena[:0], 0
	s.keys, s.bytes, s.more = 0, 0, false
}

func (s *segmentSums) note() uint8 {
	if s.more {
		return noteAtLeast
	}
	return 0
}

// largest gives the n segments with the most keys.
func (s *segmentSums) largest(n int) [][]byte {
	list := slices.Clone(s.list)
	slices.SortStableFunc(list, func(a, b segmentSum) int { return cmp.Compare(b.keys, a.keys) })
	var names [][]byte
	for _, l := range list[:min(n, len(list))] {
		names = append(names, s.arena[l.start:l.end])
	}
	return names
}

// tagSums adds up keys and bytes by hash tag. Sums are exact while a snapshot
// has at most 2 * maxTags tags. With more, those with the fewest bytes make room
// (Misra and Gries, by weight): then a sum may be low by at most the bytes of
// all tags divided by maxTags, and no tag with more than that is lost.
type tagSums struct {
	index  index
	list   []tagSum
	arena  []byte
	pruned bool
}

type tagSum struct {
	hash        uint64
	start       uint32 // in the arena
	kept        uint32 // bytes there: the first of the tag's
	length      int    // of the whole tag
	keys, bytes int64
}

func (t *tagSums) name(s *tagSum) []byte { return t.arena[s.start : s.start+s.kept] }

func (t *tagSums) add(tag []byte, keys, size int64) {
	t.addHashed(hashBytes(tag), tag[:min(len(tag), maxTag)], len(tag), keys, size)
}

func (t *tagSums) addHashed(hash uint64, kept []byte, length int, keys, size int64) {
	place, slot := t.index.find(hash, func(p int) bool {
		s := &t.list[p]
		return s.hash == hash && s.length == length && bytes.Equal(t.name(s), kept)
	})
	if place < 0 {
		if len(t.list) == 2*maxTags {
			t.prune()
			_, slot = t.index.find(hash, func(int) bool { return false })
		}
		place = len(t.list)
		start := len(t.arena)
		t.arena = append(t.arena, kept...)
		t.list = append(t.list, tagSum{hash: hash, start: uint32(start), kept: uint32(len(kept)), length: length})
		t.index.put(hash, place, slot, func(p int) uint64 { return t.list[p].hash })
	}
	t.list[place].keys += keys
	t.list[place].bytes += size
}

// prune takes the bytes of the first tag that has no place from all, and leaves
// out those that have none left.
func (t *tagSums) prune() {
	sizes := make([]int64, len(t.list))
	for n := range t.list {
		sizes[n] = t.list[n].bytes
	}
	slices.Sort(sizes)
	least := sizes[len(sizes)-1-maxTags]
	old := t.list
	arena := t.arena
	t.list, t.arena, t.pruned = make([]tagSum, 0, 2*maxTags), make([]byte, 0, len(arena)/2), true
	t.index.reset()
	for n := range old {
		s := old[n]
		if s.bytes <= least {
			continue
		}
		s.bytes -= least
		kept := arena[s.start : s.start+s.kept]
		s.start = uint32(len(t.arena))
		t.arena = append(t.arena, kept...)
		_, slot := t.index.find(s.hash, func(int) bool { return false })
		t.list = append(t.list, s)
		t.index.put(s.hash, len(t.list)-1, slot, func(p int) uint64 { return t.list[p].hash })
	}
}

func (t *tagSums) merge(o *tagSums) {
	for n := range o.list {
		s := &o.list[n]
		t.addHashed(s.hash, o.name(s), s.length, s.keys, s.bytes)
	}
	t.pruned = t.pruned || o.pruned
}

func (t *tagSums) reset() {
	t.index.reset()
	t.list, t.arena, t.pruned = t.list[:0], t.arena[:0], false
}

func (t *tagSums) note() uint8 {
	if t.pruned {
		return noteAtLeast
	}
	return 0
}
