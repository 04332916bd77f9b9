package agg

import (
	"cmp"
	"hash/maphash"
	"math/bits"
	"slices"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds"
)

// The bounds of a KeyList: keys that are listed because of their size, and bytes of
// all, which those over a limit of a rule may reach.
const (
	listedKeys  = 10_000
	listedBytes = 32 << 20
)

// ListedKey is a key that is compared with that of another snapshot.
type ListedKey struct {
	KeyID
	KeyFigures
	Group string // pattern of its group, once its snapshot ended

	offset  int64
	flagged bool // over a limit of a rule
}

// KeyID identifies a key in snapshots of the same servers.
type KeyID struct {
	Input, DB int
	Name      string // see parser.Key.CutName
	Hash      uint64
}

// KeyFigures are the figures of a key that are compared. Unknown is -1.
type KeyFigures struct {
	Type                         string // "" if the snapshot does not have the key
	Elements, ValueBytes, Memory int64
}

// Size returns the memory, the bytes of the value if that is unknown.
func (f *KeyFigures) Size() int64 {
	if f.Memory >= 0 {
		return f.Memory
	}
	return max(f.ValueBytes, 0)
}

// KeyList has the keys of a snapshot that are compared with those of another one by
// one: its 10,000 largest, and those over a limit of a rule, the largest first, in at
// most 32 MB. They do not depend on how the snapshot was cut into blocks.
//
// A KeyList also looks up the keys of another one.
type KeyList struct {
	Keys []ListedKey // largest first
	// Cutoff is the largest size that a key may have that is not listed, -1 if every
	// key is.
	Cutoff int64
	// Wanted are the keys to look up, nil none, and Found is what is known of them.
	Wanted *KeyList
	Found  []FoundKey

	index   map[KeyID]int32 // of Keys
	filter  []uint64        // a bit for each hash of a name of Keys; the length is a power of two
	seed    maphash.Seed
	flagged int64 // as Cutoff, for keys over a limit of a rule
	compact int   // length of Keys at which surplus keys are dropped
}

// FoundKey is what a KeyList knows of a key of another one.
type FoundKey struct {
	Known      bool // else the key is absent, or not larger than Cutoff
	KeyFigures      // without a Type, if the key is known to be absent
}

// NewKeyList returns an empty list that looks up the keys of another list, nil none.
func NewKeyList(wanted *KeyList) *KeyList {
	l := &KeyList{Cutoff: -1, flagged: -1, compact: 2 * listedKeys}
	if wanted != nil {
		l.Wanted, l.Found = wanted, make([]FoundKey, len(wanted.Keys))
	}
	return l
}

// Fill lists keys, of which the first of the same name counts.
func (l *KeyList) Fill(keys []ListedKey) {
	l.Keys, l.index = nil, make(map[KeyID]int32, len(keys))
	for i := range keys {
		if _, known := l.index[keys[i].KeyID]; !known {
			l.index[keys[i].KeyID] = int32(len(l.Keys))
			l.Keys = append(l.Keys, keys[i])
		}
	}
	l.seed, l.filter = maphash.MakeSeed(), make([]uint64, 1<<bits.Len(uint(len(l.Keys)))) // 64 bits and more a key
	for i := range l.Keys {
		word, bit := l.bit([]byte(l.Keys[i].Name))
		l.filter[word] |= bit
	}
}

func (l *KeyList) bit(name []byte) (word int, bit uint64) {
	h := maphash.Bytes(l.seed, name)
	return int(h>>6) & (len(l.filter) - 1), 1 << (h & 63)
}

// Find returns the position of a key, -1 if it is not listed.
func (l *KeyList) Find(id KeyID) int {
	if i, ok := l.index[id]; ok {
		return int(i)
	}
	return -1
}

// LookUp finds the keys of another list among those that are listed. If all is true
// and every key is listed, others are known to be absent.
func (l *KeyList) LookUp(wanted *KeyList, all bool) {
	l.Wanted, l.Found = wanted, make([]FoundKey, len(wanted.Keys))
	for i := range wanted.Keys {
		if at := l.Find(wanted.Keys[i].KeyID); at >= 0 {
			l.Found[i] = FoundKey{true, l.Keys[at].KeyFigures}
		} else if all && l.Cutoff < 0 {
			l.Found[i].Known = true
		}
	}
}

// KnowAll notes that the whole snapshot was read: keys that were not found are absent.
func (l *KeyList) KnowAll() {
	for i := range l.Found {
		l.Found[i].Known = true
	}
}

// Unknown returns a list of the wanted keys of at least n bytes of which nothing is
// known, nil if there are none.
func (l *KeyList) Unknown(n int64) *KeyList {
	var keys []ListedKey
	for i := range l.Found {
		if k := &l.Wanted.Keys[i]; !l.Found[i].Known && k.Size() >= n {
			keys = append(keys, *k)
		}
	}
	if keys == nil {
		return nil
	}
	list := NewKeyList(nil)
	list.Fill(keys)
	return list
}

// Learn adds what another list of the same snapshot knows of some of the wanted keys.
func (l *KeyList) Learn(o *KeyList) {
	for i := range l.Found {
		if at := o.Wanted.Find(l.Wanted.Keys[i].KeyID); at >= 0 {
			l.Found[i] = o.Found[at]
		}
	}
}

type keyBatch struct {
	keys            []ListedKey
	found           []foundKey
	cutoff, flagged int64 // those of the KeyList when the block began
}

type foundKey struct {
	position int32 // in KeyList.Wanted
	FoundKey
}

func figuresOf(k *parser.Key) KeyFigures {
	return KeyFigures{k.Type.String(), k.Elements, k.ValueBytes, k.Memory}
}

// lookUp notes the key if it is one of the wanted.
func (b *keyBatch) lookUp(l *KeyList, k *parser.Key, input int) {
	if l.Wanted == nil {
		return
	}
	if word, bit := l.Wanted.bit(k.Name[:min(len(k.Name), ListedName)]); l.Wanted.filter[word]&bit == 0 {
		return
	}
	name, hash := k.CutName(ListedName)
	if i, ok := l.Wanted.index[KeyID{input, k.DB, string(name), hash}]; ok {
		b.found = append(b.found, foundKey{i, FoundKey{true, figuresOf(k)}})
	}
}

// add notes the key if it may be listed.
func (b *keyBatch) add(k *parser.Key, size int64, found []thresholds.Finding, input int) {
	flagged := false
	for i := range found {
		if f := &found[i]; f.Limit > 0 && f.Ignored == 0 {
			flagged = flagged || f.Unit() == message.Bytes || f.Unit() == message.Count
		}
	}
	if size <= b.cutoff && !(flagged && size > b.flagged) {
		return
	}
	name, hash := k.CutName(ListedName)
	b.keys = append(b.keys, ListedKey{KeyID: KeyID{input, k.DB, string(name), hash}, KeyFigures: figuresOf(k),
		offset: k.Offset, flagged: flagged})
}

func (l *KeyList) flush(b *keyBatch) {
	for _, f := range b.found {
		l.Found[f.position] = f.FoundKey
	}
	for i := range b.keys {
		if k := &b.keys[i]; k.Size() > l.Cutoff || k.flagged && k.Size() > l.flagged {
			l.Keys = append(l.Keys, *k)
		}
	}
	clear(b.keys)
	b.keys, b.found = b.keys[:0], b.found[:0]
	if len(l.Keys) >= l.compact {
		l.drop()
		l.compact = len(l.Keys) + len(l.Keys)/2 + listedKeys
	}
	b.cutoff, b.flagged = l.Cutoff, l.flagged
}

// drop sorts the keys and drops those that are not to be listed.
func (l *KeyList) drop() {
	slices.SortFunc(l.Keys, func(a, b ListedKey) int {
		return cmp.Or(cmp.Compare(b.Size(), a.Size()), cmp.Compare(a.offset, b.offset))
	})
	bytes, n := int64(0), 0
	for i := range l.Keys {
		k := &l.Keys[i]
		if i == listedKeys {
			l.Cutoff = max(l.Cutoff, k.Size())
		}
		if i >= listedKeys && !k.flagged {
			continue
		}
		if bytes += int64(len(k.Name)) + 150; bytes > listedBytes {
			l.Cutoff, l.flagged = max(l.Cutoff, k.Size()), max(l.flagged, k.Size())
			break
		}
		l.Keys[n] = *k
		n++
	}
	clear(l.Keys[n:])
	l.Keys = l.Keys[:n]
}

func (l *KeyList) end(groups *Groups) {
	l.drop()
	l.Fill(l.Keys)
	for i := range l.Keys {
		k := &l.Keys[i]
		k.Group = groups.Name(groups.PatternOf([]byte(k.Name)))
	}
}

// KeyLookup is a parser.Sink that only looks up the wanted keys of a KeyList.
type KeyLookup struct {
	List  *KeyList
	Keep  func(k *parser.Key) bool // nil: every key counts
	batch keyBatch
}

func (s *KeyLookup) Key(k *parser.Key) {
	before := len(s.batch.found)
	s.batch.lookUp(s.List, k, 0)
	if len(s.batch.found) > before && s.Keep != nil && !s.Keep(k) {
		s.batch.found = s.batch.found[:before]
	}
}

// Size returns about how many bytes of memory the sink holds.
func (s *KeyLookup) Size() int { return s.batch.size() }

// Flush adds what was found to the list.
func (s *KeyLookup) Flush(bool) error {
	s.List.flush(&s.batch)
	return nil
}

func (b *keyBatch) size() int { return int(capBytes(b.keys) + capBytes(b.found)) }
