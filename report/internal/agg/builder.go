package agg

import (
	"cmp"
	"slices"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/report/internal/identity"
	"github.com/rdblens/rdblens/report/internal/tree"
	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// Options say what a Builder gathers.
type Options struct {
	Top      int // keys on each list, at least 1
	Examples int // keys for each rule and severity, at least 1
	Input    int // number of the snapshot
	// Keep, if not nil, reports whether a key is counted. Owner is an index in
	// thresholds.Engine.Owners. Keep is called by several goroutines.
	Keep  func(k *parser.Key, owner int) bool
	Over  thresholds.RuleSet // if not 0, only keys with a finding of one of these rules are counted
	Part  bool               // the keys are a part of those of the snapshot, of which Optional rules say nothing
	List  *KeyList           // filled with keys of a single snapshot, nil none
	Names bool               // there are other snapshots, whose names are compared with those of this one
}

// Builder gathers the figures of one snapshot, and of others that are merged into
// it. Its fields may be read after Finish.
type Builder struct {
	Tables     Tables
	Histograms Histograms
	Top        TopLists
	Snapshots  []Snapshot // this one, and those that were merged
	Keys       int64      // that were counted
	Dropped    int64      // that Options.Keep did not want
	// Fleets judge the rules over several snapshots: those of clusters or not, with
	// memory figures or not.
	Fleets     []*thresholds.Fleet
	Judgements []Judgement
	Samples    *identity.Pool // of the keys that were counted; nil until Start

	opt      Options
	engine   *thresholds.Engine // nil until Start
	namer    *naming.Namer
	timed    bool                 // the snapshot says when it was taken
	created  int64                // when, in ms since the epoch
	midnight int64                // how far away that was then, in ms (UTC)
	instance *thresholds.Instance // of this snapshot, nil once Fleets have it
	names    NameSketch
}

// Snapshot is what a Builder keeps of each snapshot besides the sums.
type Snapshot struct {
	Input    int
	Env      thresholds.Env
	Timed    bool                         // it says when it was taken
	Findings []thresholds.InstanceFinding // that are about this snapshot alone
	Omitted  []thresholds.Omitted
	Budgets  []thresholds.JudgedBudget
	Names    NameSketch // of Options.Names
	SnapshotSums
}

// SnapshotSums are sums of the keys of a snapshot that were counted, and their findings
// by severity.
type SnapshotSums struct {
	Keys, ValueBytes, Memory, WithoutTTL int64
	Found                                [thresholds.Error + 1]int64
}

// sums sets the sums of the keys that a Builder counted, and their findings.
func (s *Snapshot) sums(b *Builder) {
	s.Keys = b.Keys
	b.names.trim()
	s.Names = b.names
	b.names = NameSketch{}
	for typ := range b.Tables.Cells {
		for enc := range b.Tables.Cells[typ] {
			c := &b.Tables.Cells[typ][enc]
			s.ValueBytes += c.ValueBytes
			s.Memory += c.Memory
			s.WithoutTTL += c.Keys - c.WithTTL
		}
	}
	for i := range b.Tables.Rules {
		s.Found[SeverityOf(i)] += b.Tables.Rules[i].Keys
	}
	for i := range s.Findings {
		if s.Findings[i].Ignored == 0 {
			s.Found[s.Findings[i].Severity]++
		}
	}
}

// NewBuilder returns a Builder for one snapshot.
func NewBuilder(opt Options) *Builder {
	opt.Top, opt.Examples = max(opt.Top, 1), max(opt.Examples, 1)
	return &Builder{opt: opt}
}

// Start sets the rules, compiled for the snapshot when its header was read. Only
// then may Shards take keys.
func (b *Builder) Start(engine *thresholds.Engine) {
	b.engine, b.namer = engine, engine.Namer()
	if created := engine.Env().Created; isTime(created) {
		b.timed, b.created = true, created*1000
		b.midnight = SoonHours*hourMillis - b.created%(SoonHours*hourMillis)
	}
	if b.Tables.Owners == nil {
		b.Tables.Groups.init(b.namer)
		b.Tables.Owners = make([]OwnerSums, len(engine.Owners()))
		b.Tables.Ignored = make([]IgnoredSums, len(engine.Ignores()))
	}
	b.Top.top, b.Top.examples = b.opt.Top, b.opt.Examples
	b.Top.reset(&noCutoffs)
	b.instance = engine.NewInstance()
	b.Samples = identity.NewPool(b.opt.Input, b.namer.IsSeparator)
}

// Wait returns how many blocks must have been flushed before a Shard gets keys of the
// block with a number: parser.Options.Wait of a Run with Shards.
func Wait(block int) int { return tree.Known(block) }

// NewShard returns an empty Shard. It must not be called while a Shard is flushed.
func (b *Builder) NewShard() *Shard {
	s := &Shard{builder: b, names: b.namer.NewCache(), tree: tree.NewBlock(b.namer), aggregates: newAggregates(),
		found: make([]thresholds.Finding, 0, 16), instance: b.engine.NewInstance(), samples: b.Samples.NewSampler()}
	s.top.top, s.top.examples = b.Top.top, b.Top.examples
	s.top.reset(&b.Top.cutoffs)
	s.listed = keyBatch{cutoff: -1, flagged: -1}
	return s
}

// end ends the gathering of keys of one snapshot.
func (b *Builder) end() {
	if b.Snapshots == nil && b.engine != nil {
		for i := range b.Tables.Ignored {
			b.Tables.Ignored[i].Exceeded = b.engine.Worse(i)
		}
		found, omitted := b.instance.OwnFindings()
		b.Snapshots = []Snapshot{{Input: b.opt.Input, Env: b.engine.Env(), Timed: b.timed, Findings: found, Omitted: omitted,
			Budgets: b.instance.Budgets()}}
		b.Snapshots[0].sums(b)
		b.Samples.Number()
	}
}

// fleet returns the Fleet of snapshots such as one, which it adds if it is missing.
func (b *Builder) fleet(like *thresholds.Engine) *thresholds.Fleet {
	f := b.fleetOf(fleetOrder(like))
	if f == nil {
		f = like.NewFleet()
		b.Fleets = append(b.Fleets, f)
	}
	return f
}

// fleetOf returns the Fleet of a fleetOrder, nil if there is none.
func (b *Builder) fleetOf(order int) *thresholds.Fleet {
	for _, f := range b.Fleets {
		if fleetOrder(f.Engine()) == order {
			return f
		}
	}
	return nil
}

func (b *Builder) sortFleets() {
	slices.SortFunc(b.Fleets,
		func(a, b *thresholds.Fleet) int { return cmp.Compare(fleetOrder(a.Engine()), fleetOrder(b.Engine())) })
}

// fleetOrder returns the same number for the engines of the snapshots that one Fleet
// judges.
func fleetOrder(e *thresholds.Engine) (order int) {
	env := e.Env()
	if env.Cluster {
		order = 1
	}
	if !env.Memory {
		order += 2
	}
	return order
}

// addInstance adds what instance rules have collected of the snapshot of a Builder
// to a Fleet.
func (b *Builder) addInstance(of *Builder) {
	if of.instance != nil {
		b.fleet(of.engine).Add(of.instance, of.opt.Input)
		of.instance = nil
	}
}

// Judgement is what instance rules say of one snapshot, or of several together.
type Judgement struct {
	Memory   bool                  // bytes are memory, not those of values
	Nodes    []thresholds.NodeSums // the snapshots
	Findings []thresholds.InstanceFinding
	Omitted  []thresholds.Omitted
	Budgets  []thresholds.JudgedBudget
}

// judge sets what instance rules say of several snapshots, and then of each.
func (b *Builder) judge() {
	b.sortFleets()
	for _, f := range b.Fleets {
		j := Judgement{Memory: f.Engine().Env().Memory, Nodes: f.Nodes(), Budgets: f.Budgets()}
		j.Findings, j.Omitted = f.Findings()
		b.Judgements = append(b.Judgements, j)
	}
	for i := range b.Snapshots {
		s := &b.Snapshots[i]
		b.Judgements = append(b.Judgements,
			Judgement{s.Env.Memory, []thresholds.NodeSums{{Node: s.Input}}, s.Findings, s.Omitted, s.Budgets})
	}
	for i := range b.Judgements {
		j := &b.Judgements[i]
		if b.opt.Part {
			j.Budgets = nil
			j.Findings = slices.DeleteFunc(j.Findings,
				func(f thresholds.InstanceFinding) bool { return thresholds.Rules()[f.Rule].Optional })
		}
		for n := range j.Findings {
			var groups []string
			for _, pattern := range j.Findings[n].Groups {
				groups = append(groups, b.Tables.Groups.patternsOf([]byte(pattern))...)
			}
			j.Findings[n].Groups = groups
		}
	}
}

// Merge adds what another Builder gathered of other snapshots under the same
// policy. The other one must not be used again, and none of both after Finish.
// Builders may be merged in any order and grouping: the result is the same unless
// values were folded before the end.
func (b *Builder) Merge(o *Builder) {
	b.end()
	o.end()
	if o.engine == nil {
		return // nothing of its snapshot was read
	}
	if b.engine == nil {
		b.Start(o.engine)
		b.instance = nil
		b.Snapshots = []Snapshot{}
	}
	b.Keys += o.Keys
	b.Dropped += o.Dropped
	b.addInstance(b)
	b.addInstance(o)
	for _, f := range o.Fleets {
		b.fleet(f.Engine()).Merge(f)
	}
	b.Tables.merge(&o.Tables)
	b.Histograms.merge(&o.Histograms)
	b.Top.merge(&o.Top)
	b.Samples.Merge(o.Samples)
	b.Snapshots = append(b.Snapshots, o.Snapshots...)
}

// Finish folds what a report does not distinguish, after which the fields of the
// Builder may be read. It reports whether anything was read.
func (b *Builder) Finish() bool {
	if b.engine == nil || b.Tables.Groups.finished {
		return b.engine != nil
	}
	b.end()
	if b.instance != nil {
		b.Fleets = append(b.Fleets, b.instance.Alone(b.opt.Input))
	}
	groups := &b.Tables.Groups
	groups.end()
	b.Top.setGroups(groups)
	if b.opt.List != nil {
		b.opt.List.end(groups)
	}
	slices.SortFunc(b.Snapshots, func(a, b Snapshot) int { return a.Input - b.Input })
	b.judge()
	return true
}

func (b *Builder) Snapshot(input int) *Snapshot {
	i, found := slices.BinarySearchFunc(b.Snapshots, input, func(s Snapshot, input int) int { return s.Input - input })
	if !found {
		i = 0
	}
	return &b.Snapshots[i]
}

// Engine returns the rules as they were compiled for the snapshot of an input.
// Engines of many snapshots would take more memory than what was gathered of
// them, so most are compiled again.
func (b *Builder) Engine(input int) *thresholds.Engine {
	if env := b.Snapshot(input).Env; b.engine.Env() != env {
		b.engine = b.engine.For(env)
	}
	return b.engine
}
