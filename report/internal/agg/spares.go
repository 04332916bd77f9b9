package agg

import (
	"sync"

	"github.com/rdblens/rdblens/thresholds"
)

// Spares has what the Builder of one snapshot can take over from those of earlier
// ones under the same policy: the Builders and Shards, whose tables, buffers and
// caches have grown, and the cutoffs of the lists of keys. It changes no result: a key
// that does not pass the cutoffs of earlier snapshots is on no list once they are
// merged.
type Spares struct {
	mu       sync.Mutex
	builders []*Builder
	shards   []*Shard
	cutoffs  *[numLists]cutoff
}

// Merged notes the cutoffs of a Builder into which all snapshots up to some input
// were merged, the last one from another Builder, which must not be used any more.
// Only snapshots of later inputs may begin with these cutoffs.
func (s *Spares) Merged(all, from *Builder) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if all != from && from.Tables.Groups.reusable() {
		from.reset()
		s.builders = append(s.builders, from)
	}
	if all.engine != nil { // something was read
		cutoffs := all.Top.cutoffs
		s.cutoffs = &cutoffs
	}
}

// builder returns a Builder that is not in use, nil if there is none.
func (s *Spares) builder() (b *Builder) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.builders); n > 0 {
		b, s.builders = s.builders[n-1], s.builders[:n-1]
	}
	return b
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
		sh.builder = nil
		s.shards = append(s.shards, sh)
	}
	b.shards = b.shards[:0]
}

// shard returns a Shard for an engine, nil if there is none. What the cache of names
// knows depends on the rules, which the time of a snapshot does not change.
func (s *Spares) shard(engine *thresholds.Engine) *Shard {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := len(s.shards) - 1; i >= 0; i-- {
		if sh := s.shards[i]; sh.engine.Alike(engine) {
			s.shards = append(s.shards[:i], s.shards[i+1:]...)
			return sh
		}
	}
	return nil
}
