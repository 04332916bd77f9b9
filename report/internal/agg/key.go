package agg

import (
	"slices"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/format"
	"github.com/rdblens/rdblens/report/internal/hashindex"
	"github.com/rdblens/rdblens/thresholds"
)

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
	KeyRecord
	size                int64  // what keys are compared by; -1: there is no key
	buf                 []byte // the name as far as it is kept, that of the largest element, and the group
	nameEnd, largestEnd int32  // of the names in buf; then comes the pattern of its group
}

// KeyRecord has the figures of a RetainedKey, as in parser.Key, in the order in which
// states store them. Input is the number of its snapshot, Owner an index in
// thresholds.Engine.Owners.
type KeyRecord struct {
	Offset, NameLen, Elements, ValueBytes, Serialized    int64
	Memory, MemoryUsage, CompactMemory, Largest, Longest int64
	ExpireAt, Idle, FieldsWithTTL, Pending               int64
	LZFIn, LZFOut, LargestNameLen, LongestField          int64
	NameHash                                             uint64
	DB                                                   int
	Module                                               string
	Formats                                              format.Set
	Input, Owner                                         int32
	Freq                                                 int16
	Type                                                 parser.Type
	Encoding                                             parser.Encoding
	HasExpire, MemoryBound, MemoryApproximate            bool
	LargestHasName, Integers                             bool
	Content                                              thresholds.Content // as thresholds.ContentOf says
	Behind                                               *parser.GroupState // its own
}

// set copies a key of the size given, and at most maxName bytes of its name. It
// allocates nothing once buf is large enough.
func (r *RetainedKey) set(k *parser.Key, maxName int, size int64, input, owner int32) {
	k.NameLargest()
	name, hash := k.CutName(maxName)
	r.size = size
	r.buf = append(append(r.buf[:0], name...), k.LargestName...)
	r.nameEnd, r.largestEnd = int32(len(name)), int32(len(name)+len(k.LargestName))
	o := &r.KeyRecord // set field by field: a literal would be copied
	o.Offset, o.NameLen, o.NameHash, o.DB, o.Input, o.Owner = k.Offset, k.NameLen, hash, k.DB, input, owner
	o.Type, o.Encoding, o.Module, o.Formats = k.Type, k.Encoding, k.ModuleName, k.Formats
	o.Content = thresholds.ContentOf(k)
	o.Elements, o.ValueBytes, o.Serialized, o.LZFIn, o.LZFOut = k.Elements, k.ValueBytes, k.Serialized, k.LZFIn, k.LZFOut
	o.Memory, o.MemoryUsage, o.CompactMemory = k.Memory, k.MemoryUsage, k.CompactMemory
	o.MemoryBound, o.MemoryApproximate, o.Integers = k.MemoryBound, k.MemoryApproximate, k.Integers
	o.Largest, o.Longest, o.LongestField = k.Largest, k.Longest, k.LongestField
	o.LargestNameLen, o.LargestHasName = k.LargestNameLen, k.LargestName != nil
	o.HasExpire, o.ExpireAt, o.Idle, o.Freq = k.HasExpire, k.ExpireAt, k.Idle, k.Freq
	o.FieldsWithTTL, o.Pending, o.Behind = k.FieldsWithTTL, k.Pending, nil
	if g := k.Behind; g != nil {
		r.Behind = new(*g)
		r.Behind.Name = slices.Clone(g.Name)
	}
}

func (r *RetainedKey) copy(o *RetainedKey) {
	buf := append(r.buf[:0], o.buf...)
	*r = *o
	r.buf = buf
}

// before reports whether the key is larger than another one, or as large and
// comes first.
func (r *RetainedKey) before(o *RetainedKey) bool {
	return r.size > o.size || r.size == o.size && (r.Input < o.Input || r.Input == o.Input && r.Offset < o.Offset)
}

// Key returns the key as far as it is retained. Its names belong to r.
func (r *RetainedKey) Key() parser.Key {
	k := parser.Key{DB: r.DB, Name: r.buf[:r.nameEnd:r.nameEnd], NameLen: r.NameLen, NameHash: r.NameHash, Type: r.Type,
		Encoding: r.Encoding, HasExpire: r.HasExpire, ExpireAt: r.ExpireAt, Idle: r.Idle, Freq: r.Freq,
		Elements: r.Elements, ValueBytes: r.ValueBytes, Serialized: r.Serialized, Largest: r.Largest,
		LargestNameLen: r.LargestNameLen, Longest: r.Longest, FieldsWithTTL: r.FieldsWithTTL, Pending: r.Pending,
		Integers: r.Integers, LZFIn: r.LZFIn, LZFOut: r.LZFOut, Memory: r.Memory, MemoryUsage: r.MemoryUsage,
		MemoryBound: r.MemoryBound, MemoryApproximate: r.MemoryApproximate, CompactMemory: r.CompactMemory,
		ModuleName: r.Module, Offset: r.Offset, Formats: r.Formats, LongestField: r.LongestField, Behind: r.Behind}
	if r.LargestHasName {
		k.LargestName = r.buf[r.nameEnd:r.largestEnd:r.largestEnd]
	}
	return k
}

// Group returns the pattern of the group of a key on a list, once the Builder is
// finished.
func (r *RetainedKey) Group() []byte { return r.buf[r.largestEnd:] }

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
	list  hashindex.List[RetainedKey]
	names int64   // bytes of the names of list, also where it was emptied
	uses  []int32 // lists that each key is on
	free  []int32
}

// get returns the position of a key that is used once. The key is not set yet.
func (p *keyPool) get() int32 {
	if n := len(p.free); n > 0 {
		i := p.free[n-1]
		p.free = p.free[:n-1]
		p.uses[i] = 1
		return i
	}
	p.list.Add() // it keeps the buffer of an earlier key
	p.uses = append(p.uses, 1)
	return int32(p.list.Len() - 1)
}

func (p *keyPool) release(i int32) {
	if p.uses[i]--; p.uses[i] == 0 {
		p.free = append(p.free, i)
	}
}

func (p *keyPool) reset() {
	p.list.Reset()
	p.uses, p.free = p.uses[:0], p.free[:0]
}

func (p *keyPool) set(i int32, k *parser.Key, size int64, input, owner int32) {
	r := p.list.At(int(i))
	p.names -= int64(cap(r.buf))
	r.set(k, ListedName, size, input, owner)
	p.names += int64(cap(r.buf))
}

// bytes returns the memory of a pool whose keys were all set, in bytes.
func (p *keyPool) bytes() int64 {
	return p.names + p.list.Bytes() + capBytes(p.uses) + capBytes(p.free)
}
