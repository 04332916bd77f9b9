package agg

import "github.com/rdblens/rdblens/parser"

// Bytes that are kept of a name: of a key in a list of keys, and of the largest
// key of a group.
const (
	ListedName   = 1 << 10
	maxGroupName = 512
)

// RetainedKey is a key that outlives its block: the figures that a report shows
// of it and that advice needs, in less memory than a parser.Key, because every
// group has one.
type RetainedKey struct {
	size int64 // what keys are compared by; -1: there is no key

	offset, nameLen, elements, valueBytes, serialized    int64
	memory, memoryUsage, compactMemory, largest, longest int64
	expireAt, idle, fieldsWithTTL, pending               int64
	lzfIn, lzfOut                                        int64
	db                                                   int
	module                                               string
	buf                                                  []byte // the name as far as it is kept, that of the largest element, and the group
	nameEnd, largestEnd                                  int32  // of the names in buf; then comes the pattern of its group
	largestNameLen                                       int64
	nameHash                                             uint64
	input, owner                                         int32
	freq                                                 int16
	typ                                                  parser.Type
	encoding                                             parser.Encoding
	hasExpire, memoryBound, approximate                  bool
	largestHasName, integers                             bool
}

// set copies a key of the size given, and at most maxName bytes of its name. It
// allocates nothing once buf is large enough.
func (r *RetainedKey) set(k *parser.Key, maxName int, size int64, input, owner int32) {
	k.NameLargest()
	name, hash := k.CutName(maxName)
	*r = RetainedKey{size: size, offset: k.Offset, nameLen: k.NameLen, elements: k.Elements, valueBytes: k.ValueBytes, serialized: k.Serialized,
		memory: k.Memory, memoryUsage: k.MemoryUsage, compactMemory: k.CompactMemory, largest: k.Largest, longest: k.Longest, expireAt: k.ExpireAt,
		idle: k.Idle, fieldsWithTTL: k.FieldsWithTTL, pending: k.Pending, lzfIn: k.LZFIn, lzfOut: k.LZFOut, db: k.DB, module: k.ModuleName,
		buf: append(append(r.buf[:0], name...), k.LargestName...), nameEnd: int32(len(name)), largestEnd: int32(len(name) + len(k.LargestName)), largestNameLen: k.LargestNameLen, nameHash: hash,
		input: input, owner: owner, freq: k.Freq, typ: k.Type, encoding: k.Encoding, hasExpire: k.HasExpire, memoryBound: k.MemoryBound, approximate: k.MemoryApproximate,
		largestHasName: k.LargestName != nil, integers: k.Integers}
}

// copy makes r the same as o.
func (r *RetainedKey) copy(o *RetainedKey) {
	buf := append(r.buf[:0], o.buf...)
	*r = *o
	r.buf = buf
}

// before reports whether the key is larger than another one, or as large and
// comes first.
func (r *RetainedKey) before(o *RetainedKey) bool {
	return r.size > o.size || r.size == o.size && (r.input < o.input || r.input == o.input && r.offset < o.offset)
}

// Key returns the key as far as it is retained. Its names belong to r.
func (r *RetainedKey) Key() parser.Key {
	k := parser.Key{DB: r.db, Name: r.buf[:r.nameEnd:r.nameEnd], NameLen: r.nameLen, NameHash: r.nameHash, Type: r.typ, Encoding: r.encoding,
		HasExpire: r.hasExpire, ExpireAt: r.expireAt, Idle: r.idle, Freq: r.freq, Elements: r.elements, ValueBytes: r.valueBytes,
		Serialized: r.serialized, Largest: r.largest, LargestNameLen: r.largestNameLen, Longest: r.longest, FieldsWithTTL: r.fieldsWithTTL,
		Pending: r.pending, Integers: r.integers, LZFIn: r.lzfIn, LZFOut: r.lzfOut, Memory: r.memory, MemoryUsage: r.memoryUsage,
		MemoryBound: r.memoryBound, MemoryApproximate: r.approximate, CompactMemory: r.compactMemory, ModuleName: r.module, Offset: r.offset}
	if r.largestHasName {
		k.LargestName = r.buf[r.nameEnd:r.largestEnd:r.largestEnd]
	}
	return k
}

// Group returns the pattern of the group of a key on a list, once its snapshot
// ended.
func (r *RetainedKey) Group() []byte { return r.buf[r.largestEnd:] }

// Input returns the number of the key's snapshot, Owner the index of its owner
// in the snapshot's thresholds.Engine.Owners.
func (r *RetainedKey) Input() int { return int(r.input) }
func (r *RetainedKey) Owner() int { return int(r.owner) }

// sizeOf returns what keys are compared by where one figure must do: memory,
// and value bytes if memory is unknown.
func sizeOf(k *parser.Key) int64 {
	if k.Memory >= 0 {
		return k.Memory
	}
	return max(k.ValueBytes, 0)
}

// keyPool has the keys of all lists of a shard, each once however many lists it
// is on.
type keyPool struct {
	list []RetainedKey
	uses []int32 // lists that each key is on
	free []int32
}

// get returns the position of a key that is used once. The key is not set yet.
func (p *keyPool) get() int32 {
	if n := len(p.free); n > 0 {
		i := p.free[n-1]
		p.free = p.free[:n-1]
		p.uses[i] = 1
		return i
	}
	if len(p.list) == cap(p.list) {
		p.list = append(p.list, RetainedKey{})
	} else {
		p.list = p.list[:len(p.list)+1] // keeps the buffer of an earlier key
	}
	p.uses = append(p.uses, 1)
	return int32(len(p.list) - 1)
}

// release ends one use of a key.
func (p *keyPool) release(i int32) {
	if p.uses[i]--; p.uses[i] == 0 {
		p.free = append(p.free, i)
	}
}

// reset removes all keys and keeps their buffers.
func (p *keyPool) reset() { p.list, p.uses, p.free = p.list[:0], p.uses[:0], p.free[:0] }

func (p *keyPool) bytes() int64 {
	n := capBytes(p.list)
	for i := range p.list {
		n += int64(cap(p.list[i].buf))
	}
	return n
}
