package report

import (
	"sync"
	"sync/atomic"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// BuildOptions say what a Builder gathers.
type BuildOptions struct {
	// Top is how many keys stand on each list.
	Top int
	// Examples is how many keys are shown for each rule and severity, 10 where
	// it is 0.
	Examples int
	// Input is the snapshot's place in Report.Inputs.
	Input int
	// Keep, where it is not nil, says which keys are counted at all. It is
	// called by several goroutines.
	Keep func(k *parser.Key, f *naming.Facts, owner int) bool
}

// Builder gathers what a report says of one snapshot, within fixed bounds.
//
// Its methods Begin, Key, Fold, Full and Turn are those of a parser.Pass; Start must come
// before them. Key may be called by several goroutines, each with a Part of its
// own. Merge joins the Builders of several snapshots.
type Builder struct {
	opt     BuildOptions
	engine  *thresholds.Engine
	namer   *naming.Namer
	input   int
	timed   bool  // the snapshot says when it was taken
	created int64 // when, in milliseconds since the epoch

	tables    tables
	spreads   spreads
	tops      tops
	whole     *thresholds.Instance
	snapshots []snapshot // this one, and those that were merged
	keys      int64
	dropped   int64
	held      atomic.Int64 // bytes that its parts hold, as last weighed

	mu     sync.Mutex // guards what follows
	floors floors     // of tops, for new parts
	spare  []*partial
}

// snapshot is what is kept of each snapshot after its Builder was merged.
type snapshot struct {
	input   int
	engine  *thresholds.Engine
	timed   bool
	created int64
	whole   []thresholds.InstanceFinding
	omitted []thresholds.Omitted
	keys    int64 // that were counted
}

// NewBuilder gives a Builder for one snapshot.
func NewBuilder(opt BuildOptions) *Builder {
	if opt.Examples <= 0 {
		opt.Examples = 10
	}
	return &Builder{opt: opt, input: opt.Input}
}

// Start sets what is known when the header of the snapshot is read: the rules
// compiled for it.
func (b *Builder) Start(engine *thresholds.Engine) {
	b.engine, b.namer = engine, engine.Namer()
	if created := engine.Env().Created; created >= 0 && created <= 1<<50 {
		b.timed, b.created = true, created*1000
	}
	b.tables.init(engine, MaxGroups)
	b.tops.n, b.tops.samples = max(b.opt.Top, 1), b.opt.Examples
	b.tops.reset()
	b.floors.reset()
	b.whole = engine.NewInstance()
}

// Begin gives a Part for a block.
func (b *Builder) Begin() *Part { return &Part{} }

// Key adds a key to a Part. It allocates nothing once the Builder has seen a
// few blocks.
func (b *Builder) Key(p *Part, k *parser.Key) {
	if p.partial == nil {
		p.partial = b.partial()
	}
	f := p.names.Facts(k.Name)
	owner := b.engine.Owner(k, f)
	if b.opt.Keep != nil && !b.opt.Keep(k, f, owner) {
		p.dropped++
		return
	}
	found := b.engine.Check(k, f, p.found[:0])
	if cap(found) > cap(p.found) {
		p.found = found
	}
	p.whole.Add(k, f)
	p.add(b, k, f, found, owner)
}

// partial gives empty sums for a block.
func (b *Builder) partial() *partial {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := len(b.spare)
	if n == 0 {
		p := &partial{names: b.namer.NewCache(), whole: b.engine.NewInstance(), room: earlyCohorts, found: make([]thresholds.Finding, 0, 16)}
		p.tops.n, p.tops.samples = b.tops.n, b.tops.samples
		p.tops.floors = b.floors
		return p
	}
	p := b.spare[n-1]
	b.spare = b.spare[:n-1]
	p.tops.floors = b.floors
	return p
}

// Fold adds the sums of a block, the blocks one after the other as they stand
// in the snapshot. The Part must not be used again.
func (b *Builder) Fold(part *Part) error {
	p := part.partial
	if p == nil {
		return nil
	}
	part.partial = nil
	b.keys += p.keys
	b.dropped += p.dropped
	if p.spilled {
		p.spill(b.engine, b.input)
		b.tables.merge(p.tables)
	} else {
		b.tables.take(&p.cohorts, b.input)
	}
	b.tables.groups.settle(false)
	p.spreads.complete()
	b.spreads.merge(&p.spreads)
	b.tops.merge(&p.tops)
	b.whole.Merge(p.whole)
	p.reset()
	b.weigh(p)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.floors = b.tops.floors
	if p.weight > heavy && held.Load() > maxHeld {
		b.hold(-p.weight)
		return nil
	}
	b.spare = append(b.spare, p)
	return nil
}

// finish ends the gathering for this snapshot.
func (b *Builder) finish() {
	b.spare = nil
	b.hold(-b.held.Load())
	if b.snapshots == nil && b.engine != nil {
		b.snapshots = []snapshot{{b.input, b.engine, b.timed, b.created, b.whole.Findings(), b.whole.Omitted(), b.keys}}
		b.whole = nil
	}
}

// Merge adds what another Builder gathered of another snapshot, under the same
// policy. The other one must not be used again.
func (b *Builder) Merge(o *Builder) {
	b.finish()
	o.finish()
	if o.engine == nil {
		return // its snapshot was none
	}
	if b.engine == nil {
		b.Start(o.engine)
		b.snapshots = []snapshot{}
	}
	b.keys += o.keys
	b.dropped += o.dropped
	b.tables.merge(&o.tables)
	b.tables.groups.settle(false)
	b.spreads.merge(&o.spreads)
	b.tops.merge(&o.tops)
	b.snapshots = append(b.snapshots, o.snapshots...)
}
