package agg

import (
	"sync"

	"github.com/rdblens/rdblens/thresholds"
)

// Spares has what the Builder of one snapshot can take over from those of earlier
// ones: Shards, whose buffers and caches have grown, and the cutoffs of the lists of
// keys. It changes no result: a key that does not pass the cutoffs of earlier
// snapshots is on no list once they are merged.
type Spares struct {
	mu      sync.Mutex
	shards  []*Shard
	cutoffs *[numLists]cutoff
}

// Merged notes the cutoffs of a Builder into which all snapshots up to some input
// were merged. Only snapshots of later inputs may begin with them.
func (s *Spares) Merged(b *Builder) {
	if b.engine == nil {
		return // nothing was read
	}
	cutoffs := b.Top.cutoffs
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cutoffs = &cutoffs
}

// raise sets the cutoffs of the lists of a snapshot that begins.
func (s *Spares) raise(t *TopLists) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cutoffs != nil {
		t.cutoffs = *s.cutoffs
	}
}

// Release takes the Shards of a Builder, which must get no more keys.
func (s *Spares) Release(b *Builder) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, sh := range b.shards {
		sh.reset()
		sh.builder, sh.instance = nil, nil
		s.shards = append(s.shards, sh)
	}
	b.shards = nil
}

// take returns a Shard for an engine, nil if there is none. What the cache of names
// knows depends on the rules, which the time of a snapshot does not change.
func (s *Spares) take(engine *thresholds.Engine) *Shard {
	s.mu.Lock()
	defer s.mu.Unlock()
	want := engine.Env()
	for i := len(s.shards) - 1; i >= 0; i-- {
		sh := s.shards[i]
		env := sh.engine.Env()
		env.Created = want.Created
		if env == want && sh.engine.Policy() == engine.Policy() {
			s.shards = append(s.shards[:i], s.shards[i+1:]...)
			return sh
		}
	}
	return nil
}
