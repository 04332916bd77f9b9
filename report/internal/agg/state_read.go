package agg

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/report/internal/columns"
	"github.com/rdblens/rdblens/report/internal/tree"
	"github.com/rdblens/rdblens/thresholds"
)

// StateOptions say how a state is read.
type StateOptions struct {
	Options                    // Top and Examples are those of the Builder that wrote it
	Engine  *thresholds.Engine // of the policy of that Builder, for any snapshot
	Numbers []int              // of the inputs, by their numbers in the state, ascending
}

type stateReader struct {
	*Builder
	opt   StateOptions
	in    *bufio.Reader
	buf   []byte
	names *tree.Reader

	created map[int32]int64 // by input in the state, see Snapshot
	largest []int32         // groups that have the largest keys, by number - 1
}

// ReadState returns the Builder that wrote a state, which may be hostile.
func ReadState(from io.Reader, opt StateOptions) (*Builder, error) {
	if opt.Top > maxStateTop || opt.Examples > maxStateTop {
		return nil, ErrState
	}
	r := &stateReader{Builder: NewBuilder(opt.Options), opt: opt, in: bufio.NewReader(from), created: map[int32]int64{}}
	last := byte(0)
	for records := uint64(0); ; records++ {
		kind, text, err := r.next()
		switch {
		case err != nil:
			return nil, err
		case kind < last || kind != recordEnd && last == 0 && kind != recordSums:
			return nil, ErrState
		}
		last = kind
		if kind == recordEnd {
			n, size := binary.Uvarint(text)
			if _, err = r.in.ReadByte(); err != nil && err != io.EOF {
				return nil, err
			} else if err == nil || size != len(text) || n != records {
				return nil, ErrState
			}
			return r.Builder, r.finish()
		}
		if err := r.record(kind, text); err != nil {
			return nil, err
		}
	}
}

func (r *stateReader) next() (kind byte, text []byte, err error) {
	n, err := binary.ReadUvarint(r.in)
	if err == nil && n > maxRecord {
		return 0, nil, ErrState
	}
	if err == nil {
		kind, err = r.in.ReadByte()
	}
	if err == nil {
		if uint64(cap(r.buf)) < n {
			r.buf = make([]byte, n)
		}
		text = r.buf[:n]
		_, err = io.ReadFull(r.in, text)
	}
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = fmt.Errorf("%w: it ends too early", ErrState)
	}
	return kind, text, err
}

// record adds the values of a record. What their figures could break is checked; figures
// that are wrong otherwise make a report that is wrong.
func (r *stateReader) record(kind byte, text []byte) error {
	ok := false
	switch kind {
	case recordSums:
		ok = columns.Read(text, func(s *sumsState) bool { return r.engine == nil && r.readSums(s) })
	case recordSnapshot:
		ok = columns.Read(text, r.readSnapshot)
	case recordNode:
		ok = columns.Read(text, r.readNode)
	case recordCount:
		ok = columns.Read(text, r.readCount)
	case recordDatabase:
		ok = columns.Read(text, r.readDatabase)
	case recordTree:
		ok = r.engine != nil && columns.Read(text, r.readNodeOfTree)
	case recordKey:
		ok = columns.Read(text, r.readKey)
	case recordList:
		ok = columns.Read(text, r.readList)
	case recordSample:
		ok = r.engine != nil && columns.Read(text, r.readSample)
	}
	if !ok || kind > recordEnd {
		return ErrState
	}
	return nil
}

func natural(figures ...int64) bool {
	for _, n := range figures {
		if uint64(n) > maxFigure {
			return false
		}
	}
	return true
}

func (s *Sums) natural() bool {
	return natural(s.Keys, s.Elements, s.ValueBytes, s.Serialized, s.Memory, s.MemoryUsage, s.NameBytes)
}

func (c *Count) natural() bool { return natural(c.Keys, c.ValueBytes, c.Memory, c.Saved) }

func (r *stateReader) number(input *int) bool {
	if *input < 0 || *input >= len(r.opt.Numbers) {
		return false
	}
	*input = r.opt.Numbers[*input]
	return true
}

func (r *stateReader) readSums(s *sumsState) bool {
	r.Start(r.opt.Engine)
	t, h, g := &r.Tables, &r.Histograms, &r.Tables.Groups
	ok := natural(s.Keys, s.Dropped, s.MemoryBound, s.MemoryApproximate, s.FieldsWithTTL, s.StreamGroups,
		s.StreamPending) &&
		len(s.Owners) == len(t.Owners) && len(s.Ignored) == len(t.Ignored) && len(s.Folded) == len(g.folded) &&
		s.Top >= 1 && s.Top <= r.Top.top && s.Examples >= 1 && s.Examples <= r.Top.examples
	for i := range s.Cells {
		c := &s.Cells[i]
		if ok = ok && c.Type < parser.NumTypes && c.Encoding < parser.NumEncodings && c.Sums.natural() &&
			natural(c.WithTTL, c.WithTTLMemory); ok {
			t.Cells[c.Type][c.Encoding] = c.Cell
		}
	}
	for i := range s.Rules {
		c := &s.Rules[i]
		if ok = ok && c.RuleSeverity >= 0 && c.RuleSeverity < RuleSeverities && c.Count.natural() &&
			natural(c.MemoryUsage); ok {
			t.Rules[c.RuleSeverity] = c.RuleSums
		}
	}
	for i := range s.Owners {
		o := &s.Owners[i]
		ok = ok && o.Sums.natural() && natural(o.WithoutTTL, o.Ignored) && natural(o.Findings[:]...)
	}
	for i := range s.Ignored {
		ok = ok && s.Ignored[i].Count.natural() && s.Ignored[i].Worst <= thresholds.Error
	}
	for _, list := range [...][]Count{s.Expiry[:], s.Lengths[:], s.Elements[:], s.Idle[:], s.Freq} {
		for i := range list {
			ok = ok && list[i].natural()
		}
	}
	for i := range s.Compact {
		for _, row := range s.Compact[i] {
			for _, c := range row {
				ok = ok && natural(c.Keys, c.Saves)
			}
		}
	}
	if ok = ok && (len(s.Freq) == 0 || len(s.Freq) == len(h.freq)); !ok {
		return false
	}
	r.Keys, r.Dropped = s.Keys, s.Dropped
	t.Counters, t.Owners, t.Ignored, t.Compact = s.Counters, s.Owners, s.Ignored, s.Compact
	h.expiry, h.lengths, h.elements, h.idle, h.hasFreq = s.Expiry, s.Lengths, s.Elements, s.Idle, len(s.Freq) > 0
	copy(h.freq[:], s.Freq)
	for i, n := range s.Folded {
		g.folded[i] = min(n, 64)
	}
	r.Top.top, r.Top.examples = s.Top, s.Examples
	r.names = tree.NewReader(g.tree)
	r.Snapshots, r.instance = []Snapshot{}, nil
	return true
}

func (r *stateReader) readSnapshot(s *snapshotState) bool {
	r.created[int32(s.Input)] = s.Created
	if !r.number(&s.Input) || !natural(s.Keys, s.ValueBytes, s.Memory, s.WithoutTTL) || !natural(s.Found[:]...) ||
		len(r.Snapshots) > 0 && r.Snapshots[len(r.Snapshots)-1].Input >= s.Input {
		return false
	}
	to := Snapshot{Input: s.Input, Timed: s.Timed, Omitted: s.Omitted, Budgets: s.Budgets, SnapshotSums: s.SnapshotSums,
		Env: thresholds.Env{Server: s.Server, Version: s.Version, Created: s.Created, Cluster: s.Cluster, Memory: s.HasMemory,
			Now: time.Unix(s.Now, 0).UTC()}}
	for i := range s.Findings {
		f, err := r.engine.Restore(&s.Findings[i])
		if err != nil {
			return false
		}
		to.Findings = append(to.Findings, f)
	}
	for _, o := range s.Omitted {
		if int(o.Rule) >= len(thresholds.Rules()) || o.Severity > thresholds.Error ||
			int(o.Ignored) > len(r.Tables.Ignored) || !natural(o.Count, o.Keys, o.Bytes) {
			return false
		}
	}
	for i := range s.Budgets {
		b := &s.Budgets[i]
		if b.Index < 0 || b.Index >= len(r.engine.Policy().Budgets) || !natural(b.Sums.Keys, b.Sums.Bytes, b.Sums.WithoutTTL,
			b.Largest.Keys, b.Largest.Bytes) || !r.number(&b.Largest.Node) {
			return false
		}
	}
	r.Snapshots = append(r.Snapshots, to)
	return true
}

func (r *stateReader) readNode(s *nodeState) bool {
	if !r.number(&s.Node) || !natural(s.Keys, s.NodeSums.Bytes) {
		return false
	}
	f := r.fleetOf(s.Fleet)
	if f == nil {
		e := r.engine.Policy().Compile(thresholds.Env{Cluster: s.Fleet&1 != 0, Memory: s.Fleet&2 == 0})
		if r.engine == nil || fleetOrder(e) != s.Fleet {
			return false
		}
		f = r.fleet(e)
	}
	nodes := f.Nodes()
	if len(nodes) > 0 && nodes[len(nodes)-1].Node >= s.Node {
		return false
	}
	f.AddNode(s.NodeSums)
	return true
}

func (r *stateReader) readCount(s *countState) bool {
	s.NodeKeys += s.Keys
	s.NodeBytes += s.Bytes
	if !r.number(&s.Node) || !natural(int64(s.Length), s.Keys, s.Bytes, s.WithoutTTL, s.NodeKeys, s.NodeBytes) {
		return false
	}
	f := r.fleetOf(s.Fleet)
	return f != nil && f.Put(s.Rule,
		&thresholds.Count{List: s.List, ID: s.ID, Part: s.Part, Length: s.Length, Keys: s.Keys, Bytes: s.Bytes,
			WithoutTTL: s.WithoutTTL, Largest: thresholds.NodeSums{Node: s.Node, Keys: s.NodeKeys, Bytes: s.NodeBytes}}) == nil
}

func (r *stateReader) readDatabase(s *Database) bool {
	if !r.number(&s.Input) || s.DB < OtherDatabases || !s.Sums.natural() || !natural(s.WithTTL, s.WithTTLMemory) {
		return false
	}
	list := r.Tables.Databases
	r.Tables.Databases = append(list, *s)
	return len(list) < maxStateRows && (len(list) == 0 || compareDatabases(list[len(list)-1], *s) < 0)
}

// largestOf returns the largest key with a number, nil if there is none.
func (r *stateReader) largestOf(number int) *RetainedKey {
	if number < 1 || number > len(r.largest) {
		return nil
	}
	return &r.Tables.Groups.group(r.largest[number-1]).largest
}

func (r *stateReader) readSample(s *sampleState) bool {
	if s.Largest != 0 {
		k := r.largestOf(s.Largest)
		if k == nil {
			return false
		}
		s.Name = slices.Clone(k.buf[:k.nameEnd])
		s.differ(k, 1)
	}
	if s.Class == 0 && s.Head == 0 && s.Type < parser.NumTypes {
		s.Class, s.Head = r.Samples.Hashes(&s.Sample, r.patternHash(s.Name))
	}
	return r.number(&s.Input) && r.Samples.Restore(&s.Sampled)
}

func (r *stateReader) retain(s *keyState, maxName int) (k RetainedKey, ok bool) {
	input := int(s.Input)
	least := min(s.Elements, s.ValueBytes, s.Memory, s.MemoryUsage, s.CompactMemory, s.Largest, s.Longest, s.Idle,
		s.FieldsWithTTL, int64(s.Freq))
	if !r.number(&input) || least < -1 ||
		!natural(s.Size, s.Offset, s.NameLen, s.Serialized, s.Pending, s.LZFIn, s.LZFOut, s.LargestNameLen) ||
		s.Freq > 255 || s.DB < 0 || s.Owner < 0 || int(s.Owner) >= len(r.Tables.Owners) || s.Type >= parser.NumTypes ||
		s.Encoding >= parser.NumEncodings ||
		len(s.Name) > maxName || len(s.LargestName) > parser.MaxElementName || len(s.Module) > parser.MaxElementName ||
		s.NameLen < int64(len(s.Name)) {
		return k, false
	}
	k = RetainedKey{KeyRecord: s.KeyRecord, size: s.Size, buf: append(s.Name, s.LargestName...),
		nameEnd: int32(len(s.Name)), largestEnd: int32(len(s.Name) + len(s.LargestName))}
	k.Input = int32(input)
	return k, true
}

func (r *stateReader) readNodeOfTree(s *treeState) bool {
	if !natural(s.Node.Missed) {
		return false
	}
	if s.Group != nil {
		if k := s.Group.Largest; k != nil {
			if s.Group.Below {
				k.Name = append(r.names.AppendAbove(nil, s.Node.Depth), k.Name...)
			}
			if s.Node.Label == nil {
				s.Node.Label = r.Tables.Groups.tree.AppendEnd(nil, k.Name)
			}
		}
		s.Group.differ(r.created, 1)
	}
	s.Node.Leaf = s.Group != nil
	node, ok := r.names.Read(&s.Node)
	return ok && (s.Group == nil || r.readGroup(node, s.Group))
}

func (r *stateReader) readGroup(node int32, s *groupState) bool {
	g := &r.Tables.Groups
	if g.leaves() >= 2*tree.MaxLeaves || len(g.findings)+len(s.Findings) > 2*findingsOfLeaf*tree.MaxLeaves ||
		g.names > 2*bytesOfLeaf*tree.MaxLeaves ||
		s.Keys <= 0 || !s.Sums.natural() || !natural(s.WithoutTTL, s.MemoryWithoutTTL) ||
		s.Owner < undefined || int(s.Owner) >= len(r.Tables.Owners) || s.Type < undefined ||
		s.Type >= int32(parser.NumTypes) || s.CommonDB < undefined || s.Types >= 1<<parser.NumTypes ||
		s.TTLOctaves > maxOctaves || len(s.TTLs) > ttlBuckets || (s.TTLs != nil) != (s.TTLOctaves > 0) {
		return false
	}
	to := g.leaf(node)
	to.Sums, to.WithoutTTL, to.MemoryWithoutTTL = s.Sums, s.WithoutTTL, s.MemoryWithoutTTL
	g.tree.AddSums(node, s.Keys, s.Sums.size())
	to.common, to.types = common{s.Owner, s.Type, s.CommonDB}, s.Types
	if s.IdleLeast <= s.IdleMost {
		if min(s.IdleLeast, s.IdleMost) < 0 || s.IdleMost > longestIdle {
			return false
		}
		to.idle = idleRange{uint32(s.IdleLeast), uint32(s.IdleMost)}
	}
	for _, n := range s.Soon {
		if n.Part < 0 || n.Part >= soonParts || !natural(n.Keys, n.Memory) {
			return false
		}
		var one soonSums
		one[n.Part] = SoonSum{n.Keys, n.Memory}
		g.addSoon(to, &one)
	}
	if s.TTLLeast <= s.TTLMost {
		to.ttl = ttlRange{s.TTLLeast, s.TTLMost}
	} else if s.TTLs != nil {
		return false
	}
	if s.TTLs != nil {
		h := ttlHistogram{octaves: s.TTLOctaves}
		copy(h.keys[:], s.TTLs)
		g.ttls = append(g.ttls, h)
		to.ttlHistogram = int32(len(g.ttls))
	}
	for i := range s.Findings {
		f := &s.Findings[i]
		if f.RuleSeverity < 0 || f.RuleSeverity >= RuleSeverities || !f.Count.natural() {
			return false
		}
		g.addFindings(to, f.RuleSeverity, f.Count)
	}
	if s.Largest != nil {
		largest, ok := r.retain(s.Largest, maxGroupName)
		if to.largest = largest; !ok {
			return false
		}
		g.names += len(largest.buf)
		r.largest = append(r.largest, g.tree.Node(node).Leaf)
	}
	return true
}

func (r *stateReader) readKey(s *listedKey) (ok bool) {
	if r.engine == nil || r.Top.keys.list.Len() >= exampleLists*r.Top.top+RuleSeverities*r.Top.examples {
		return false
	}
	var k RetainedKey
	if s.Key != nil {
		s.Key.differ(1)
		k, ok = r.retain(s.Key, ListedName)
	} else if largest := r.largestOf(s.Largest); largest != nil {
		k.copy(largest)
		ok = true
	}
	*r.Top.keys.list.Add() = k
	r.Top.keys.uses = append(r.Top.keys.uses, 0)
	return ok
}

func (r *stateReader) readList(s *listState) bool {
	if s.List < 0 || s.List >= numLists || len(r.Top.lists[s.List]) > 0 || len(s.Entries) > r.Top.limit(s.List) {
		return false
	}
	for i := range s.Entries {
		from := &s.Entries[i]
		if from.Key < 0 || int(from.Key) >= r.Top.keys.list.Len() || (from.Finding != nil) != (s.List >= exampleLists) {
			return false
		}
		key := r.Top.keys.list.At(int(from.Key))
		if from.differ(s.List, key, 1); min(from.Value, from.Second) < 0 {
			return false
		}
		e := Entry{Value: from.Value, second: from.Second, offset: key.Offset, key: from.Key, input: key.Input}
		if from.Finding != nil {
			f, err := r.engine.Restore(from.Finding)
			if err != nil || exampleLists+RuleSeverity(f.Rule, f.Severity) != s.List || thresholds.Rules()[f.Rule].Instance {
				return false
			}
			e.Finding = f.Finding
		}
		r.Top.enter(s.List, e)
	}
	return true
}

func (r *stateReader) finish() error {
	if r.engine == nil {
		return nil
	}
	for i, uses := range r.Top.keys.uses {
		if uses == 0 {
			r.Top.keys.free = append(r.Top.keys.free, int32(i))
		}
	}
	if len(r.Snapshots) == 0 {
		return ErrState
	}
	return nil
}

// Coarsen makes the state of a Builder smaller: groups are folded until half are left,
// and lists are cut to half. It reports whether there was anything left to do.
func (b *Builder) Coarsen() bool {
	g := &b.Tables.Groups
	if b.engine == nil {
		return false
	}
	halved := b.Samples.Halve()
	if b.Top.top <= 1 && g.leaves() < 1024 {
		return halved
	}
	g.tree.Settle(g.leaves() / 2)
	b.Top.shorten(max(b.Top.top/2, 1), max(b.Top.examples/2, 1))
	return true
}

// shorten cuts lists to a number of keys.
func (t *TopLists) shorten(top, examples int) {
	t.top, t.examples = min(t.top, top), min(t.examples, examples)
	for i := range t.lists {
		list := t.lists[i]
		for len(list) > t.limit(i) {
			t.keys.release(list[len(list)-1].key)
			list = list[:len(list)-1]
		}
		t.lists[i] = list
	}
}
