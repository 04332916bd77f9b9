package agg

import (
	"sync"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// ByPart gathers the figures of all keys, and apart from them those of the keys of
// each owner, or of each of some prefixes of names.
type ByPart struct {
	All      *Builder
	Prefixes []string   // of which none begins with another one; nil: by owner
	Parts    []*Builder // by index in Prefixes or thresholds.Engine.Owners, after the header was read
	mu       sync.Mutex // held while a Shard of Parts is made or flushed
}

// Start is Builder.Start for all of them, with the options of All.
func (o *ByPart) Start() {
	number := len(o.Prefixes)
	if o.Prefixes == nil {
		number = len(o.All.engine.Owners())
	}
	for range number {
		b := NewBuilder(o.All.opt)
		b.opt.List, b.opt.Part = nil, true
		b.Start(o.All.engine)
		o.Parts = append(o.Parts, b)
	}
}

// NewShard returns an empty sink. It must not be called while one is flushed.
func (o *ByPart) NewShard() parser.Sink {
	return &partShard{of: o, all: o.All.NewShard(), names: o.All.namer.NewCache(), each: make([]*Shard, len(o.Parts))}
}

type partShard struct {
	of    *ByPart
	all   *Shard
	names *naming.Cache
	each  []*Shard // of parts that had keys, otherwise nil
	block int
}

// Begin and Full are those of the Shards: see parser.Ordered.
func (s *partShard) Begin(block int) {
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	s.block = block
	s.all.Begin(block)
	for _, sh := range s.each {
		if sh != nil {
			sh.Begin(block)
		}
	}
}

func (s *partShard) Full() bool { return s.all.Full() }

func (s *partShard) Key(k *parser.Key) {
	s.all.Key(k)
	part := s.part(k)
	if part < 0 {
		return
	}
	if s.each[part] == nil {
		s.of.mu.Lock()
		s.each[part] = s.of.Parts[part].NewShard()
		s.each[part].Begin(s.block)
		s.of.mu.Unlock()
	}
	s.each[part].Key(k)
}

// part returns the part that a key belongs to, -1 none.
func (s *partShard) part(k *parser.Key) int {
	if s.of.Prefixes == nil {
		return s.of.All.engine.Owner(k, s.names.Facts(k.Name))
	}
	for i, prefix := range s.of.Prefixes {
		if len(k.Name) >= len(prefix) && string(k.Name[:len(prefix)]) == prefix {
			return i
		}
	}
	return -1
}

func (s *partShard) Size() int {
	n := s.all.Size()
	for _, sh := range s.each {
		if sh != nil {
			n += sh.Size()
		}
	}
	return n
}

func (s *partShard) Flush(end bool) error {
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	for _, sh := range s.each {
		if sh != nil {
			if err := sh.Flush(end); err != nil {
				return err
			}
		}
	}
	return s.all.Flush(end)
}
