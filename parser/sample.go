package parser

import (
	"math"
	"slices"
	"sync"

	"github.com/rdblens/rdblens/parser/internal/memory"
	"github.com/rdblens/rdblens/parser/internal/rdb"
)

// sampledPart returns of how many bytes of a unit a sample is taken: of all of the first
// units, so that a small snapshot is measured whole, and of parts of ever fewer others.
func (u *unit) sampledPart() int {
	switch n := u.n; {
	case n < 8:
		return len(u.data)
	case n&(n-1) == 0 || n%128 == 0:
		return min(len(u.data), sampledBytes)
	}
	return 0
}

const sampledBytes = 64 << 10

// A sample is what keys take by a model: see Info.Sampled.
type sample struct{ memory, logs, keys int64 }

func (s *sample) add(k *Key) {
	s.memory += max(k.Memory, 0)
	if uint64(k.Memory) < uint64(len(logs)) {
		s.logs += logs[k.Memory]
	} else {
		s.logs += logOf(k.Memory)
	}
	s.keys++
}

func logOf(memory int64) int64 { return int64(math.Log2(float64(max(memory, 1))) * (1 << 16)) }

// logs has the logarithms of what most keys take, once a Run takes a sample.
var logs [2048]int64

var fillLogs = sync.OnceFunc(func() {
	for n := range logs {
		logs[n] = logOf(int64(n))
	}
})

// takeSample walks a unit again with the models of the other allocators. own is the sample
// by the model of the snapshot, and largest the memory of its largest key. Of documents,
// which share names, only a second walk finds no new ones.
func (r *runner) takeSample(w *walker, u *unit, own sample, largest int64) {
	modules := len(u.counters.modules) > 0
	w.counters, u.sample = newCounters(), make([]sample, len(r.models))
	for i, m := range r.models {
		same := slices.IndexFunc(r.models[:i], func(o *memory.Model) bool { return m.Agrees(o, largest) })
		switch {
		case modules:
		case m.Agrees(w.src.model, largest):
			u.sample[i] = own
			continue
		case same >= 0:
			u.sample[i] = u.sample[same]
			continue
		}
		w.Cursor = rdb.Cursor{Buf: u.data, Base: u.base}
		w.db, w.model = u.db, m
		w.resetRun()
		w.guard(func() {
			if u.piece.role == pieceElements {
				p := u.piece
				p.walk(w)
				w.measure()
				u.sample[i].memory = max(w.key.Memory, 0)
				return
			}
			for w.Pos < u.sampled {
				if w.fastRecord() || w.step() == steppedKey {
					u.sample[i].add(&w.key)
				}
			}
		})
	}
	w.model = w.src.model
}
