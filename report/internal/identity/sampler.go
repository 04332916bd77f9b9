package identity

import (
	"bytes"
	"cmp"
	"slices"
	"sync/atomic"

	"github.com/rdblens/rdblens/parser"
)

// PerClass is how many samples there are of a class of keys, those that agree in the
// pattern of their names, type, database and whether they expire. More keys of one class
// need not be offered to the Sampler of a block.
const PerClass = 3

// Bounds of what is sampled.
const (
	maxClasses = 2048 // classes of a Pool
	perHead    = 128  // classes of a Pool of one type whose names begin with the same two segments
	maxStrings = 255  // samples of strings of a block
	maxOthers  = 128  // samples of each other type of a block
)

// Sampler takes samples of the keys of one block.
type Sampler struct {
	pool  *Pool
	taken [parser.NumTypes]uint8
	list  []Sampled
	size  int64
}

// Sampled is a sample of a Pool.
type Sampled struct {
	Class, Head uint64 // hashes of its class, and of the beginning of its name
	Input       int    // number of the snapshot
	N           int    `json:"-"` // of the sample there: see Number
	Sample
}

func (c *Sampled) compare(o *Sampled) int {
	return cmp.Or(cmp.Compare(c.Input, o.Input), cmp.Compare(c.N, o.N))
}

// compareName compares samples of a snapshot.
func (c *Sampled) compareName(o *Sampled) int {
	return cmp.Or(bytes.Compare(c.Name, o.Name), cmp.Compare(c.DB, o.DB))
}

// NewSampler returns a Sampler for a block of the snapshot of which p has the samples.
func (p *Pool) NewSampler() *Sampler { return &Sampler{pool: p} }

// Key offers a key. pattern is the hash of its name's pattern.
func (s *Sampler) Key(k *parser.Key, pattern uint64) {
	n := &s.taken[k.Type%parser.NumTypes]
	if *n >= maxStrings || k.Type != parser.String && *n >= maxOthers {
		return
	}
	*n++ // whether or not the pool wants it: that may depend on timing
	if s.pool.full.Load() {
		return
	}
	class := classOf(pattern, k.Type, k.DB, k.HasExpire)
	if s.pool.closed.has(class) {
		return
	}
	h := s.pool.head(k.Name, k.Type, k.DB, k.HasExpire)
	if s.pool.closed.has(h) {
		return
	}
	s.list = append(s.list, Sampled{Class: class, Head: h, Sample: take(k)})
	s.size += s.list[len(s.list)-1].size()
}

// Reset forgets all samples.
func (s *Sampler) Reset() {
	clear(s.list)
	s.list, s.size = s.list[:0], 0
	s.taken = [parser.NumTypes]uint8{}
}

// Bytes returns about how many bytes of memory the samples take.
func (s *Sampler) Bytes() int64 { return s.size + int64(cap(s.list))*8 }

// Pool has the samples of a snapshot, or of several.
type Pool struct {
	list      []*Sampled // in the order of the snapshots
	classes   map[uint64]int
	heads     map[uint64]int
	closed    *closed
	full      atomic.Bool // it takes nothing more
	input     int
	separator func(byte) bool
}

// NewPool returns an empty Pool for the snapshot with a number. separator reports what
// separates the segments of names.
func NewPool(input int, separator func(byte) bool) *Pool {
	return &Pool{classes: map[uint64]int{}, heads: map[uint64]int{}, closed: &closed{}, input: input, separator: separator}
}

// Samples returns all samples, in the order of the snapshots. Nobody may change them.
func (p *Pool) Samples() []*Sampled { return p.list }

// Stored returns all samples as a state has them: without values that no identity needs.
func (p *Pool) Stored() []*Sampled {
	m, list := newMatcher(Recognisers()), slices.Clone(p.list)
	for i, c := range list {
		if s := *c; m.unlike(&s.Sample) {
			s.Unlike, s.Text, s.Values, s.Tail = true, nil, nil, 0
			list[i] = &s
		}
	}
	return list
}

// Number sorts the samples of a snapshot, of which there are no more, by name: those that are alike are
// stored together. In this order a Pool may have room for fewer, because a head or the Pool has all its
// classes sooner; the others are left out, so that Restore and Merge admit all.
func (p *Pool) Number() {
	slices.SortStableFunc(p.list, (*Sampled).compareName)
	all := p.list
	p.forget()
	p.admitAll(all)
	for i, c := range p.list {
		c.N = i
	}
}

// forget removes all samples. What is closed stays so.
func (p *Pool) forget() {
	clear(p.classes)
	clear(p.heads)
	p.full.Store(false)
	p.list = nil
}

func (p *Pool) admitAll(list []*Sampled) {
	for _, c := range list {
		if p.admit(c) {
			p.list = append(p.list, c)
		}
	}
}

// Restore adds a sample that another Pool had, after those before it there and those of earlier snapshots.
// It reports whether a Pool can have it.
func (p *Pool) Restore(c *Sampled) bool {
	ok := len(c.Name) <= maxSampleName && len(c.Text) <= maxString && len(c.Values) <= maxFields &&
		c.Type < parser.NumTypes && c.DB >= 0 && c.Elements >= -1
	if n := len(p.list); n > 0 {
		last := p.list[n-1]
		if ok = ok && cmp.Or(cmp.Compare(last.Input, c.Input), last.compareName(c)) <= 0; last.Input == c.Input {
			c.N = last.N + 1
		}
	}
	for i := range c.Values {
		ok = ok && len(c.Values[i].Name) <= maxFirst && len(c.Values[i].Text) <= maxFirst
	}
	if ok = ok && p.admit(c); ok {
		p.list = append(p.list, c)
	}
	return ok
}

// Halve forgets half of the samples. It reports whether there were any.
func (p *Pool) Halve() bool {
	n := len(p.list)
	p.list = p.list[:n/2]
	return n > 0
}

// closed is a set of the classes and heads of which a Pool takes no more samples. A
// Sampler may leave out what it finds there without changing the result, whenever it
// looks: nothing is removed. At most maxClasses and maxClasses/perHead are in it. One
// goroutine adds at a time.
type closed [2 * maxClasses]atomic.Uint64

func (c *closed) slot(h uint64) *atomic.Uint64 {
	for i := h % uint64(len(c)); ; i = (i + 1) % uint64(len(c)) {
		if v := c[i].Load(); v == h || v == 0 {
			return &c[i]
		}
	}
}

func (c *closed) has(h uint64) bool { return c.slot(h).Load() == h }
func (c *closed) add(h uint64)      { c.slot(h).Store(h) }

// Add adds the samples of a block, which follows those added before.
func (p *Pool) Add(s *Sampler) {
	for i := range s.list {
		if p.admit(&s.list[i]) {
			c := s.list[i]
			c.Input = p.input
			p.list = append(p.list, &c)
		}
	}
}

// Merge adds the samples of other snapshots. The same snapshots result in the same
// Pool, in whatever order and grouping they are merged.
func (p *Pool) Merge(o *Pool) {
	all := slices.Concat(p.list, o.list)
	if len(p.list) > 0 && len(o.list) > 0 && o.list[0].compare(p.list[len(p.list)-1]) < 0 {
		slices.SortFunc(all, (*Sampled).compare)
		p.forget()
	}
	p.admitAll(all[len(p.list):])
}

func (p *Pool) admit(c *Sampled) bool {
	n := p.classes[c.Class]
	switch {
	case p.full.Load():
		return false
	case n >= PerClass:
		p.closed.add(c.Class)
		return false
	case p.heads[c.Head] >= perHead:
		p.closed.add(c.Head)
		return false
	case n == 0:
		p.heads[c.Head]++
	}
	p.classes[c.Class]++
	if len(p.classes) >= maxClasses {
		p.full.Store(true)
	}
	return true
}

// head is a hash of the first two segments of a name, without its last segment, and of
// type, expiry and database.
func (p *Pool) head(name []byte, t parser.Type, db int, expires bool) uint64 {
	n, last, end := 0, 0, 0
	for i, b := range name[:min(len(name), maxSampleName)] {
		if p.separator(b) {
			if n++; n <= 2 {
				end = i + 1
			}
			last = i + 1
		}
	}
	h := uint64(14695981039346656037)
	for _, b := range name[:min(end, last)] {
		h = (h ^ uint64(b)) * 1099511628211
	}
	h = (h ^ uint64(t) ^ uint64(db)<<8) * 1099511628211
	if expires {
		h = ^h
	}
	return h
}

// classOf is a hash of a name's pattern, of which it gets the hash, type, database and
// expiry.
func classOf(pattern uint64, t parser.Type, db int, expires bool) uint64 {
	class := pattern ^ uint64(t+1)*0x9e3779b97f4a7c15 ^ uint64(db)*0xc2b2ae3d27d4eb4f
	if expires {
		class = ^class
	}
	return class
}

// Hashes returns Class and Head of a sample whose name was not cut. pattern is the hash of
// its pattern.
func (p *Pool) Hashes(s *Sample, pattern uint64) (class, head uint64) {
	return classOf(pattern, s.Type, s.DB, s.TTL), p.head(s.Name, s.Type, s.DB, s.TTL)
}
