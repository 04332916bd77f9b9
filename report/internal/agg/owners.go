package agg

import (
	"sync"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// ByOwner gathers the figures of all keys, and apart from them those of the keys of
// each owner.
type ByOwner struct {
	All    *Builder
	Owners []*Builder // by index in thresholds.Engine.Owners, after the header was read
	mu     sync.Mutex // held while a Shard of Owners is made or flushed
}

// Start is Builder.Start for all of them, with the options of All.
func (o *ByOwner) Start() {
	for range o.All.engine.Owners() {
		b := NewBuilder(o.All.opt)
		b.opt.List, b.opt.Spares, b.opt.Part = nil, nil, true
		b.Start(o.All.engine)
		o.Owners = append(o.Owners, b)
	}
}

// NewShard returns an empty sink. It must not be called while one is flushed.
func (o *ByOwner) NewShard() parser.Sink {
	return &ownerShard{of: o, all: o.All.NewShard(), names: o.All.namer.NewCache(), each: make([]*Shard, len(o.Owners))}
}

type ownerShard struct {
	of    *ByOwner
	all   *Shard
	names *naming.Cache
	each  []*Shard // of owners that had keys, otherwise nil
	block int
}

// Begin and Full are those of the Shards: see parser.Ordered.
func (s *ownerShard) Begin(block int) {
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

func (s *ownerShard) Full() bool { return s.all.Full() }

func (s *ownerShard) Key(k *parser.Key) {
	s.all.Key(k)
	owner := s.of.All.engine.Owner(k, s.names.Facts(k.Name))
	if s.each[owner] == nil {
		s.of.mu.Lock()
		s.each[owner] = s.of.Owners[owner].NewShard()
		s.each[owner].Begin(s.block)
		s.of.mu.Unlock()
	}
	s.each[owner].Key(k)
}

func (s *ownerShard) Size() int {
	n := s.all.Size()
	for _, sh := range s.each {
		if sh != nil {
			n += sh.Size()
		}
	}
	return n
}

func (s *ownerShard) Flush(end bool) error {
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
