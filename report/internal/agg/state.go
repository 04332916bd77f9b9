package agg

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/report/internal/columns"
	"github.com/rdblens/rdblens/report/internal/identity"
	"github.com/rdblens/rdblens/report/internal/tree"
	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// A state is what a Builder gathered before it is finished, as a sequence of records.
// Each is the number of its bytes (unsigned varint), its kind (a byte), and a run
// (package columns) of the structs below, with the units of the fields that they are copied
// from. Inputs are numbered from 0 in the state. The records of one kind are together, in
// the order of the kinds.
const (
	recordSums     = iota + 1 // one sumsState
	recordSnapshot            // snapshotState, by input
	recordNode                // nodeState, by Fleet and input
	recordCount               // countState, by Fleet
	recordDatabase            // Database, by input and number
	recordTree                // treeState, by path
	recordKey                 // listedKey, which lists refer to by number from 0
	recordList                // listState, by number
	recordSample              // sampleState, by input and name; its hashes are 0 if they are those of its name
	recordEnd                 // the number of records before it, an unsigned varint
)

// Bounds of a state, besides those of the lists and tables in it.
const (
	maxRecord    = 1 << 20 // bytes
	fullRun      = 1 << 17 // bytes from which on another record is begun
	maxStateTop  = 1000    // Options.Top
	maxStateRows = 1 << 21 // databases
	maxFigure    = 1 << 56
)

// LargePart is the number of bytes from which on a column is written by a call of its own: it is best
// compressed alone.
const LargePart = 1400

// ErrState is the error of a state that no Builder wrote.
var ErrState = errors.New("the state is damaged")

type sumsState struct {
	Keys, Dropped int64
	Counters
	Cells                           []cellState
	Owners                          []OwnerSums
	Rules                           []ruleState
	Ignored                         []IgnoredSums
	Expiry, Lengths, Elements, Idle histogram
	Freq                            []Count // none, or of each LFU counter
	Folded                          []byte  // registers of the sketch of patterns that were folded
	Top, Examples                   int     // keys on each list at most
	Compact                         thresholds.CompactSums
}

type cellState struct {
	Type     parser.Type
	Encoding parser.Encoding
	Cell
}

type ruleState struct {
	RuleSeverity int
	RuleSums
}

type snapshotState struct {
	Input              int
	Server, Version    string
	Created            int64 // seconds since the epoch
	Now                int64 // see lastEnd
	Cluster, HasMemory bool
	Timed              bool
	SnapshotSums
	Findings []thresholds.FindingState
	Omitted  []thresholds.Omitted
	Budgets  []thresholds.JudgedBudget
}

// nodeState has the keys of an input of a Fleet.
type nodeState struct {
	Fleet int // see fleetOrder
	thresholds.NodeSums
}

// countState is a thresholds.Count of a Fleet. Node is its Largest, NodeKeys and NodeBytes are
// what this has more than all nodes: 0 or less.
type countState struct {
	Fleet                   int
	Rule                    string
	List                    uint8
	ID                      int64
	Part                    []byte
	Length                  int
	Keys, Bytes, WithoutTTL int64
	Node                    int
	NodeKeys, NodeBytes     int64
}

// treeState is a node of the tree. The label of a leaf is nil if it follows from the name of the
// largest key. Largest keys are numbered from 1.
type treeState struct {
	Node  tree.Record
	Group *groupState // of a leaf, else nil
}

// groupState is a Group, as differ says.
type groupState struct {
	Sums
	WithoutTTL, MemoryWithoutTTL int64
	TTLLeast, TTLMost            int64    // ms; no TTL if the first is greater
	TTLOctaves                   uint8    // of the histogram, 0 none
	TTLs                         []uint32 // its buckets up to the last that has keys
	Findings                     []groupFindingState
	Owner, Type, CommonDB        int32
	Types                        uint32 // a bit for each parser.Type
	IdleLeast, IdleMost          int64  // seconds, of the keys that are cold; none if the first is greater
	Soon                         []soonState
	Largest                      *keyState // nil none
	Below                        bool      // its name is without the path of the node above
}

// soonState has the keys of one part of soonSums.
type soonState struct {
	Part, Keys, Memory int64
}

type groupFindingState struct {
	RuleSeverity int32
	Count
}

// keyState is a RetainedKey, as differ says.
type keyState struct {
	KeyRecord
	Size              int64
	Name, LargestName []byte
}

// listedKey is a key on a list: the largest of a leaf with a number, or another one.
type listedKey struct {
	Largest int
	Key     *keyState
}

// sampleState is a sample. If Largest is not 0, it has the name of the largest key of a leaf, and
// figures as differ says.
type sampleState struct {
	Largest int
	identity.Sampled
}

type listState struct {
	List    int
	Entries []entryState
}

type entryState struct {
	Key           int32
	Value, Second int64
	Finding       *thresholds.FindingState // of examples
}

// stateWriter writes records. The first error stays.
type stateWriter struct {
	w       io.Writer
	records uint64
	err     error

	kind byte // of the run that is not written yet
	run  columns.Run

	created map[int32]int64       // by input, see Snapshot
	largest int                   // largest keys of leaves so far
	names   map[string]largestKey // those that have whole names
}

// largestKey is the largest key of a leaf with its number.
type largestKey struct {
	*RetainedKey
	number int
}

// write adds what a pointer points to to a run.
func (w *stateWriter) write(kind byte, v any) {
	if kind != w.kind || w.run.Size >= fullRun {
		w.flush()
	}
	w.kind = kind
	w.run.Add(v)
}

func (w *stateWriter) flush() {
	if w.run.Values > 0 {
		w.record(w.kind, w.run.Parts(LargePart)...)
	}
	w.run = columns.Run{}
}

func (w *stateWriter) record(kind byte, parts ...[]byte) {
	size := 0
	for _, p := range parts {
		size += len(p)
	}
	if size > maxRecord {
		w.err = cmp.Or(w.err, errors.New("a record of the state is too large"))
	}
	if w.err != nil {
		return
	}
	w.records++
	parts[0] = append(append(binary.AppendUvarint(nil, uint64(size)), kind), parts[0]...)
	for _, p := range parts {
		_, err := w.w.Write(p)
		w.err = cmp.Or(w.err, err)
	}
}

// WriteState writes the state of a Builder that is not finished. The same keys
// result in the same bytes.
func (b *Builder) WriteState(to io.Writer) error {
	b.end()
	w := &stateWriter{w: to, created: map[int32]int64{}, names: map[string]largestKey{}}
	if b.engine != nil {
		b.writeSums(w)
		slices.SortFunc(b.Snapshots, func(a, b Snapshot) int { return a.Input - b.Input })
		var scanned, ended time.Time
		for i := range b.Snapshots {
			s := &b.Snapshots[i]
			if i == 0 || !s.Env.Now.Equal(scanned) {
				scanned, ended = s.Env.Now, b.lastEnd(s.Env.Now)
			}
			state := snapshotState{Input: s.Input, Server: s.Env.Server, Version: s.Env.Version, Created: s.Env.Created,
				Now: ended.Unix(), Cluster: s.Env.Cluster, HasMemory: s.Env.Memory, Timed: s.Timed,
				SnapshotSums: s.SnapshotSums, Omitted: s.Omitted, Budgets: s.Budgets}
			for n := range s.Findings {
				state.Findings = append(state.Findings, s.Findings[n].State())
			}
			w.created[int32(s.Input)] = s.Env.Created
			w.write(recordSnapshot, &state)
		}
		b.writeFleets(w)
		databases := slices.SortedFunc(slices.Values(b.Tables.Databases), compareDatabases)
		for i := range databases {
			w.write(recordDatabase, &databases[i])
		}
		b.Tables.Groups.writeState(w)
		b.Top.writeState(w)
		for _, s := range b.Samples.Stored() {
			c := sampleState{Sampled: *s}
			if class, head := b.Samples.Hashes(&c.Sample, b.patternHash(c.Name)); c.Class == class && c.Head == head {
				c.Class, c.Head = 0, 0
			}
			if k := w.names[string(c.Name)]; k.number > 0 {
				c.Largest, c.Name = k.number, nil
				c.differ(k.RetainedKey, -1)
			}
			w.write(recordSample, &c)
		}
	}
	w.flush()
	w.record(recordEnd, binary.AppendUvarint(nil, w.records))
	return w.err
}

func (b *Builder) patternHash(name []byte) uint64 {
	return naming.HashPattern(b.namer.AppendPattern(nil, name))
}

// lastEnd returns when the last of the entries of the ignore list ended that had ended
// by now, the zero time if none had. The same ones have ended then, so it replaces now
// in a state, which does not depend on the clock otherwise.
func (b *Builder) lastEnd(now time.Time) (last time.Time) {
	ignores := b.engine.Ignores()
	for i := range ignores {
		if in := &ignores[i]; in.Ended(now) && in.Until.After(last) {
			last = in.Until
		}
	}
	return last
}

func (b *Builder) writeFleets(w *stateWriter) {
	b.addInstance(b)
	b.sortFleets()
	for _, f := range b.Fleets {
		for _, n := range f.Nodes() {
			w.write(recordNode, &nodeState{Fleet: fleetOrder(f.Engine()), NodeSums: n})
		}
	}
	for _, f := range b.Fleets {
		f.Counts(func(rule string, c *thresholds.Count) {
			w.write(recordCount, &countState{Fleet: fleetOrder(f.Engine()), Rule: rule, List: c.List, ID: c.ID, Part: c.Part,
				Length: c.Length,
				Keys:   c.Keys, Bytes: c.Bytes, WithoutTTL: c.WithoutTTL, Node: c.Largest.Node,
				NodeKeys: c.Largest.Keys - c.Keys, NodeBytes: c.Largest.Bytes - c.Bytes})
		})
	}
}

func compareDatabases(a, b Database) int {
	return cmp.Or(cmp.Compare(a.Input, b.Input), cmp.Compare(uint(a.DB), uint(b.DB))) // OtherDatabases is last
}

func (b *Builder) writeSums(w *stateWriter) {
	t, h, g := &b.Tables, &b.Histograms, &b.Tables.Groups
	s := sumsState{Keys: b.Keys, Dropped: b.Dropped, Counters: t.Counters, Owners: t.Owners, Ignored: t.Ignored,
		Expiry: h.expiry, Lengths: h.lengths, Elements: h.elements, Idle: h.idle, Folded: g.folded[:], Top: b.Top.top,
		Examples: b.Top.examples, Compact: t.Compact}
	for typ := range t.Cells {
		for enc, c := range t.Cells[typ] {
			if c.Keys > 0 {
				s.Cells = append(s.Cells, cellState{Type: parser.Type(typ), Encoding: parser.Encoding(enc), Cell: c})
			}
		}
	}
	for i, r := range t.Rules {
		if r.Keys > 0 {
			s.Rules = append(s.Rules, ruleState{RuleSeverity: i, RuleSums: r})
		}
	}
	if h.hasFreq {
		s.Freq = h.freq[:]
	}
	w.write(recordSums, &s)
}

func (g *Groups) writeState(w *stateWriter) {
	var path []string // labels of the node and those above it
	g.tree.Records(func(r tree.Record, leaf int32) {
		path = append(path[:r.Depth], string(r.Label))
		s := treeState{Node: r}
		if leaf != 0 {
			s.Group = g.groupState(g.group(leaf))
			s.Group.differ(w.created, -1)
			if k := s.Group.Largest; k != nil {
				w.largest++
				if k.NameLen == 0 { // that of the name, which is whole
					w.names[string(k.Name)] = largestKey{&g.group(leaf).largest, w.largest}
				}
				if bytes.Equal(g.tree.AppendEnd(nil, k.Name), r.Label) {
					s.Node.Label = nil
				}
				k.Name, s.Group.Below = bytes.CutPrefix(k.Name, []byte(strings.Join(path[:r.Depth], "")))
			}
		}
		w.write(recordTree, &s)
	})
}

func (g *Groups) groupState(from *Group) *groupState {
	s := &groupState{Sums: from.Sums, WithoutTTL: from.WithoutTTL, MemoryWithoutTTL: from.MemoryWithoutTTL,
		TTLLeast: 0, TTLMost: -1, Owner: from.common.owner, Type: from.common.typ,
		CommonDB: from.common.db, Types: from.types, IdleLeast: 0, IdleMost: -1}
	if from.ttl != noTTL {
		s.TTLLeast, s.TTLMost = from.ttl.least, from.ttl.most
	}
	if from.idle != neverIdle {
		s.IdleLeast, s.IdleMost = int64(from.idle.least), int64(from.idle.most)
	}
	if from.soon != 0 {
		for part, n := range g.soon[from.soon-1] {
			if n.Keys > 0 {
				s.Soon = append(s.Soon, soonState{int64(part), n.Keys, n.Memory})
			}
		}
	}
	if from.ttlHistogram != 0 {
		h := &g.ttls[from.ttlHistogram-1]
		n := len(h.keys)
		for n > 0 && h.keys[n-1] == 0 {
			n--
		}
		s.TTLOctaves, s.TTLs = h.octaves, h.keys[:n]
	}
	for rs, count := range g.Findings(from) {
		s.Findings = append(s.Findings, groupFindingState{RuleSeverity: int32(rs), Count: count})
	}
	slices.SortFunc(s.Findings, func(a, b groupFindingState) int { return int(a.RuleSeverity - b.RuleSeverity) })
	if from.largest.size >= 0 {
		s.Largest = from.largest.state()
	}
	return s
}

func (r *RetainedKey) state() *keyState {
	return &keyState{KeyRecord: r.KeyRecord, Size: r.size, Name: r.buf[:r.nameEnd],
		LargestName: r.buf[r.nameEnd:r.largestEnd]}
}

func (t *TopLists) writeState(w *stateWriter) {
	number := map[int32]int32{} // in the state, by number here
	for i := range t.lists {
		for _, e := range t.lists[i] {
			if _, known := number[e.key]; !known {
				number[e.key] = int32(len(number))
				k := t.keys.list.At(int(e.key))
				if l := w.names[string(k.buf[:k.nameEnd])]; l.number > 0 && l.Input == k.Input &&
					l.Offset == k.Offset && l.DB == k.DB && l.NameLen == k.NameLen {
					w.write(recordKey, &listedKey{Largest: l.number})
				} else {
					s := k.state()
					s.differ(-1)
					w.write(recordKey, &listedKey{Key: s})
				}
			}
		}
	}
	for i := range t.lists {
		s := listState{List: i}
		for _, e := range t.lists[i] {
			entry := entryState{Key: number[e.key], Value: e.Value, Second: e.second}
			if i >= exampleLists {
				f := (&thresholds.InstanceFinding{Finding: e.Finding}).State()
				entry.Finding = &f
			}
			entry.differ(i, t.keys.list.At(int(e.key)), -1)
			s.Entries = append(s.Entries, entry)
		}
		if s.Entries != nil {
			w.write(recordList, &s)
		}
	}
}
