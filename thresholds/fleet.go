package thresholds

import (
	"cmp"
	"fmt"
	"slices"
)

// Fleet judges the rules over the whole instance over several snapshots: those of
// the shards of a cluster, or of several servers. What has to do with the same
// minute, hash slot, hash tag, business, database or budget is added up, and each
// finding names the snapshot with the largest part of it. Rules for which a snapshot
// is an instance of its own (Rule.bySnapshot) are left to Instance.Findings.
//
// The snapshots of a Fleet agree in Env.Cluster and Env.Memory: sums of bytes are
// of one kind, and slots are those of clusters. Adding snapshots is commutative and
// associative as long as no bound of an accumulator is reached: 16,384 hash tags,
// 4,096 businesses, 1,024 databases, and 4,096 pairs of a minute and a group of
// keys. A sum of a tag is then low by at most the memory of all tags divided by 8,192
// for each snapshot that has more, and once for the Fleet; findings say "at least"
// where more than is counted exists; and the groups that a minute names may differ.
//
// Minutes are counted for 90 days before and after the day of the latest snapshot,
// beyond that hours. Keys of an older snapshot that expire 90 days after it or later
// are counted by the hour even if the Fleet has minutes for them.
type Fleet struct {
	engine       *Engine
	nodes        []NodeSums
	accumulators []accumulator // of all rules, by RuleID
	rules        []RuleID      // of accumulators
}

// NodeSums are the keys of one snapshot, or those of them that a finding is about.
type NodeSums struct {
	Node        int // number of the snapshot in the report, from 0
	Keys, Bytes int64
}

// NewFleet returns a Fleet without snapshots, for those that agree with the engine's
// in Env.Cluster and Env.Memory.
func (e *Engine) NewFleet() *Fleet {
	f := &Fleet{engine: e}
	for _, r := range e.instance {
		a := r.make()
		if s, ok := a.(*expiryTimes); ok {
			s.isFleet, s.created = true, -1
		}
		f.accumulators, f.rules = append(f.accumulators, a), append(f.rules, r.rule)
	}
	return f
}

// Alone returns a Fleet of one snapshot, to which nothing may be added. It uses the
// memory of the Instance. node is the number in the report.
func (i *Instance) Alone(node int) *Fleet {
	return &Fleet{engine: i.engine, nodes: []NodeSums{{node, i.total.keys, i.total.bytes}}, accumulators: i.accumulators}
}

// Engine returns the engine that the Fleet was made by.
func (f *Fleet) Engine() *Engine { return f.engine }

// Nodes returns the sums of each snapshot, in the order of their numbers.
func (f *Fleet) Nodes() []NodeSums {
	slices.SortFunc(f.nodes, func(a, b NodeSums) int { return cmp.Compare(a.Node, b.Node) })
	return f.nodes
}

// Add adds a snapshot, of which node is the number in the report.
func (f *Fleet) Add(i *Instance, node int) {
	f.AddNode(NodeSums{node, i.total.keys, i.total.bytes})
	for n, a := range i.accumulators {
		a.counts(func(c *Count) {
			c.Largest = NodeSums{node, c.Keys, c.Bytes}
			f.accumulators[n].put(c)
		})
	}
}

// Merge adds the snapshots of another Fleet.
func (f *Fleet) Merge(o *Fleet) {
	f.nodes = append(f.nodes, o.nodes...)
	for n, a := range o.accumulators {
		a.counts(f.accumulators[n].put)
	}
}

// Count is one sum of a rule over the whole instance. Which fields are used depends
// on the rule and the list; those that are not are 0.
type Count struct {
	List       uint8  // which of the rule's sums it is one of
	ID         int64  // minute, hour, slot, database or budget, or the hash of Part
	Part       []byte // of names: tag, first segment, or pattern; possibly cut
	Length     int    // bytes of Part before it was cut
	Keys       int64
	Bytes      int64
	WithoutTTL int64
	Largest    NodeSums // the snapshot with the largest part of it
}

// Counts calls a function for each sum of the Fleet, which, together with Nodes, are
// its whole state. The order of calls depends on the snapshots and their order
// alone. The Count is valid until the function returns.
func (f *Fleet) Counts(do func(rule string, c *Count)) {
	for n, a := range f.accumulators {
		a.counts(func(c *Count) { do(f.rules[n].Name(), c) })
	}
}

// AddNode adds the sums of a snapshot, whose Counts are added by Put.
func (f *Fleet) AddNode(n NodeSums) { f.nodes = append(f.nodes, n) }

// Put adds a Count of another Fleet. It fails if the rule is off, or does not apply
// to the snapshots of this Fleet.
func (f *Fleet) Put(rule string, c *Count) error {
	for n, id := range f.rules {
		if id.Name() == rule {
			f.accumulators[n].put(c)
			return nil
		}
	}
	return fmt.Errorf("rule %q has no sums", rule)
}

// Findings returns the findings of the rules that are not judged by the snapshot, as
// Instance.Findings does.
func (f *Fleet) Findings() (kept []InstanceFinding, omitted []Omitted) {
	var total totals
	for _, n := range f.nodes {
		total.add(totals{n.Keys, n.Bytes})
	}
	return f.engine.judge(f.accumulators, total, f.Nodes(),
		func(found *InstanceFinding) bool { return !f.engine.bySnapshot(found) })
}

// bySnapshot reports whether a finding is about one snapshot, whatever others there
// are.
func (e *Engine) bySnapshot(f *InstanceFinding) bool {
	by := f.Rule.rule().bySnapshot
	return by != nil && by(e, f)
}

// eachSnapshot is the bySnapshot of a rule about each snapshot.
func eachSnapshot(*Engine, *InstanceFinding) bool { return true }

// unlessCluster is the bySnapshot of a rule for which the shards of a cluster are one
// instance, and other snapshots an instance each.
func unlessCluster(e *Engine, _ *InstanceFinding) bool { return !e.env.Cluster }

// larger replaces a node's sums by those of another one that has more keys, or bytes.
func (n *NodeSums) larger(o NodeSums, byBytes bool) {
	more := cmp.Or(cmp.Compare(o.Keys, n.Keys), cmp.Compare(o.Bytes, n.Bytes))
	if byBytes {
		more = cmp.Or(cmp.Compare(o.Bytes, n.Bytes), cmp.Compare(o.Keys, n.Keys))
	}
	if more > 0 || more == 0 && o.Node < n.Node {
		*n = o
	}
}
