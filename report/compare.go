package report

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/memory"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report/internal/agg"
	"github.com/rdblens/rdblens/report/internal/align"
	"github.com/rdblens/rdblens/report/internal/tree"
	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// CompareInput is one of the two things that Compare compares.
type CompareInput struct {
	Saved  *Report // nil: Source is scanned
	Source Source
}

// CompareOptions say which changes count.
type CompareOptions struct {
	MinShare float64 // of what was there before; 0 is DefaultMinShare
	// MinBytes is the least change in bytes; 0 is DefaultMinBytes, or 1 % of the
	// larger side if that is less.
	MinBytes int64
}

// The least change that counts unless CompareOptions say otherwise.
const (
	DefaultMinShare = 0.05
	DefaultMinBytes = 1 << 20
)

// alertShrink is the share of keys or bytes whose loss nobody must miss.
const alertShrink = 0.3

// Compare scans what is not saved, as Scan does, and compares the two.
//
// The old snapshot is read first, then the new one. If the new one has large keys that
// are not on the old one's list, the old snapshot is opened and read again, without
// rules, to tell whether they are new. Standard input cannot: such keys are then in
// DiffKeys.Entered.
//
// The error is as that of Scan, with the sources of both. The Diff is nil if nothing
// of one of the two could be read.
func Compare(ctx context.Context, before, after CompareInput, policy *thresholds.Policy, opt Options,
	o CompareOptions) (*Diff, error) {
	finder := opt.Source
	opt.Source = nil // of what changed alone
	var failed ScanError
	inputs := [2]*CompareInput{&before, &after}
	var reports [2]*Report
	var lists [2]*agg.KeyList
	// A saved report is first: its keys are looked up while the snapshot is read.
	first := 0
	if before.Saved == nil && after.Saved != nil {
		first = 1
	}
	for _, side := range []int{first, 1 - first} {
		in, wanted := inputs[side], lists[1-side]
		if in.Saved != nil {
			reports[side], lists[side] = in.Saved, savedKeys(in.Saved)
			if wanted != nil {
				lists[side].LookUp(wanted, in.Saved.Complete)
			}
			continue
		}
		opt := opt
		opt.keys, opt.AllGroups, opt.TreeNodes = agg.NewKeyList(wanted), true, tree.MaxNodes
		r, err := Scan(ctx, []Source{in.Source}, policy, opt)
		var f ScanError
		if err != nil && !errors.As(err, &f) {
			return nil, err
		}
		failed = append(failed, f...)
		if r.Inputs[0].Format == "" {
			return nil, failed
		}
		if r.Complete {
			opt.keys.KnowAll()
		}
		reports[side], lists[side] = r, opt.keys
	}
	c := newComparison(reports[0], reports[1], o)
	c.policy = policy
	lists[first].LookUp(lists[1-first], reports[first].Complete)
	if inputs[first].Saved == nil && reports[first].Complete {
		opt := opt
		if m := reports[first].Inputs[0].Memory; m != nil { // the one that was found
			opt.Memory.Allocator = m.Allocator
		}
		if err := c.readAgain(ctx, &inputs[first].Source, lists[first], policy, opt); err != nil {
			c.note("{file} could not be read a second time: {reason}", fileArg("file", Name(inputs[first].Source.Name)),
				message.Phrase("reason", reasonOf(err)))
		}
	}
	c.compare(lists)
	c.d.findSource(finder, reports)
	if failed != nil {
		return c.d, failed
	}
	return c.d, nil
}

type comparison struct {
	d      *Diff
	policy *thresholds.Policy // nil: no budgets
	sides  [2]*Report
	rows   []DiffRow
	row    [2]map[Name]int // of rows, by what a side calls its group
}

func newComparison(old, new *Report, o CompareOptions) *comparison {
	c := &comparison{sides: [2]*Report{old, new}}
	c.d = &Diff{Schema: DiffSchemaVersion, Complete: old.Complete && new.Complete, Tool: new.Tool, Old: diffSide(old),
		New: diffSide(new), Measure: ByMemory, MinShare: cmp.Or(o.MinShare, DefaultMinShare), MinBytes: o.MinBytes}
	for _, r := range c.sides {
		if r.Totals.Keys > 0 && !r.Totals.MemoryBytes.Known() {
			c.d.Measure = ByValueBytes
		}
	}
	for side, r := range c.sides {
		t := &r.Totals
		c.d.Totals.add(side, &Group{Keys: t.Keys, Elements: t.Elements, ValueBytes: t.ValueBytes, MemoryBytes: t.MemoryBytes,
			WithoutTTL: t.WithoutTTL, MemoryWithoutTTL: t.WithoutTTLMemory})
	}
	if c.d.MinBytes <= 0 {
		before, after := c.size(&c.d.Totals)
		c.d.MinBytes = max(1, min(DefaultMinBytes, max(before, after)/100))
	}
	return c
}

func diffSide(r *Report) DiffSide {
	s := DiffSide{Created: Unknown, Profile: r.Config.Profile, Complete: r.Complete}
	if r.Config.Rules != "" {
		s.Profile += ", rules " + r.Config.Rules
	}
	for i := range r.Inputs {
		in := &r.Inputs[i]
		if i == 0 {
			s.Name, s.Server, s.ServerVersion = in.Name, in.Server, in.ServerVersion
		}
		s.Created = max(s.Created, in.Created)
		predicted := Unknown
		if in.Memory != nil {
			predicted = in.Memory.Predicted
		}
		s.Predicted, s.UsedMem = s.Predicted.plus(predicted), s.UsedMem.plus(in.UsedMem)
	}
	if len(r.Inputs) == 0 || r.Filter != nil {
		s.Predicted, s.UsedMem = Unknown, Unknown
	}
	return s
}

// plus returns the sum of two figures, unknown if one of them is.
func (f Figure) plus(o Figure) Figure {
	if !f.Known() || !o.Known() {
		return Unknown
	}
	return f + o
}

func (c *comparison) note(id string, args ...message.Arg) {
	m := message.New(id, args...)
	c.d.Notes, c.d.NoteMessages = append(c.d.Notes, m.String()), append(c.d.NoteMessages, m)
}

// alert adds a sentence that nobody must miss.
func (c *comparison) alert(id string, args ...message.Arg) {
	m := message.New(id, args...)
	c.d.Alerts, c.d.AlertMessages = append(c.d.Alerts, m.String()), append(c.d.AlertMessages, m)
}

func (c *comparison) size(r *DiffRow) (before, after int64) { return c.d.Size(r) }

func (c *comparison) judge(r *DiffRow) {
	before, after := c.size(r)
	r.Change = c.d.change(before, after, r.KeysBefore > 0, r.KeysAfter > 0)
	if before > 0 {
		growth := float64(after-before) / float64(before)
		r.Growth = &growth
	}
	if r.KeysBefore == 0 || r.KeysAfter == 0 {
		return
	}
	by := ratio(r.WithoutTTLAfter, r.KeysAfter) - ratio(r.WithoutTTLBefore, r.KeysBefore)
	if math.Abs(by) < c.d.MinShare || math.Abs(by)*float64(after) < float64(c.d.MinBytes) {
		return
	}
	if r.TTL = ChangeTTLLost; by < 0 {
		r.TTL = ChangeTTLGained
	}
	// An expiry takes memory, too.
	same := func(before, after int64) bool {
		return float64(max(after-before, before-after)) < c.d.MinShare*float64(before)
	}
	if same(r.KeysBefore, r.KeysAfter) && same(r.ValueBytesBefore, r.ValueBytesAfter) {
		r.Change = ""
	}
}

func (c *comparison) compare(lists [2]*agg.KeyList) {
	d := c.d
	c.alerts()
	c.judge(&d.Totals)
	c.types()
	c.groups()
	c.renamed()
	c.keys(lists)
	for i := range c.rows {
		d.Changed = d.Changed || c.rows[i].changed()
	}
	d.Groups = c.rows
	c.findings()
	d.Changed = d.Changed || len(d.Prefixes) > 0 || len(d.Alerts) > 0 || d.Totals.changed() ||
		len(d.Findings.New)+len(d.Findings.Resolved) > 0 ||
		slices.ContainsFunc(d.Types, func(r DiffRow) bool { return r.changed() }) ||
		len(d.Keys.New)+len(d.Keys.Gone)+len(d.Keys.Grown)+len(d.Keys.Shrunk)+len(d.Keys.Entered)+len(d.Keys.Left) > 0
	c.sort()
}

// sort puts the largest changes first.
func (c *comparison) sort() {
	d := c.d
	byChange := func(a, b DiffRow) int {
		beforeA, afterA := c.size(&a)
		beforeB, afterB := c.size(&b)
		rank := func(r *DiffRow) int {
			if r.changed() {
				return 0
			}
			return 1
		}
		return cmp.Or(rank(&a)-rank(&b),
			cmp.Compare(max(afterB-beforeB, beforeB-afterB), max(afterA-beforeA, beforeA-afterA)),
			cmp.Compare(afterB, afterA), cmp.Compare(a.Type, b.Type), cmp.Compare(nameOf(a.Group), nameOf(b.Group)))
	}
	slices.SortFunc(d.Groups, byChange)
	slices.SortFunc(d.Types, byChange)
}

func nameOf(n *Name) Name {
	if n == nil {
		return ""
	}
	return *n
}

func (c *comparison) types() {
	rows := map[string]int{}
	for side, r := range c.sides {
		for _, t := range r.Types {
			i, ok := rows[t.Type]
			if !ok {
				i = len(c.d.Types)
				rows[t.Type] = i
				c.d.Types = append(c.d.Types, DiffRow{Type: t.Type})
			}
			c.d.Types[i].add(side, &Group{Keys: t.Keys, Elements: t.Elements, ValueBytes: t.ValueBytes,
				MemoryBytes: t.MemoryBytes, WithoutTTL: t.Keys - t.WithTTL, MemoryWithoutTTL: Unknown})
		}
	}
	for i := range c.d.Types {
		c.judge(&c.d.Types[i])
	}
}

// groups pairs the groups of both sides.
func (c *comparison) groups() {
	separators := cmp.Or(c.sides[1].Config.Separators, c.sides[0].Config.Separators, ":")
	namer := naming.NewNamer(separators)
	c.d.Separators = separators
	var groups [2][]align.Group
	for side, r := range c.sides {
		for i := range r.Groups {
			g := &r.Groups[i]
			pattern := string(g.Group)
			if g.Keys == 1 { // called by the name of its key
				pattern = string(namer.AppendPattern(nil, []byte(pattern)))
			}
			groups[side] = append(groups[side], align.Group{Pattern: pattern, Keys: g.Keys})
		}
	}
	folds := func(r *Report) bool { return r.GroupsFolded > 0 }
	c.d.GroupsMerged = int64(align.Merge(groups[0], groups[1], separators, folds(c.sides[0]), folds(c.sides[1])))
	if c.d.GroupsMerged > 0 {
		c.note("{where} of one side are counted in wider ones on the other: they are compared under the widest "+
			"common pattern",
			message.Number("where", c.d.GroupsMerged, "1 group", "{n} groups"))
	}
	c.prefixes(namer)
	rows := map[string]int{}
	for side, r := range c.sides {
		c.row[side] = make(map[Name]int, len(r.Groups))
		for i := range r.Groups {
			g, pattern := &r.Groups[i], groups[side][i].Pattern
			at, known := rows[pattern]
			if !known {
				at = len(c.rows)
				rows[pattern] = at
				name := g.Group
				c.rows = append(c.rows, DiffRow{Group: &name, Type: g.Type, DB: g.DB, Owner: g.Owner})
			}
			row := &c.rows[at]
			if *row.Group != g.Group {
				*row.Group = Name(pattern) // other keys, or several
			}
			row.join(g.Type, g.DB, g.Owner)
			row.Merged = row.Merged || groups[side][i].Folds
			row.add(side, g)
			c.row[side][g.Group] = at
		}
	}
	for i := range c.rows {
		c.judge(&c.rows[i])
	}
}

// renamed recognizes groups that are gone and have the figures of one that is new: type,
// number of keys, of those without a TTL, elements and bytes of values agree within one
// percent. Of several such groups, that with most segments in common counts, if there is
// one.
func (c *comparison) renamed() {
	near := func(a, b int64) bool { return max(a-b, b-a)*100 <= max(a, b) }
	same := func(gone, come *DiffRow) bool {
		return gone.Type == come.Type && gone.Type != "" && near(gone.KeysBefore, come.KeysAfter) &&
			near(gone.ElementsBefore, come.ElementsAfter) &&
			near(gone.ValueBytesBefore, come.ValueBytesAfter) && near(gone.WithoutTTLBefore, come.WithoutTTLAfter)
	}
	var gone, come []int
	for i := range c.rows {
		switch c.rows[i].Change {
		case ChangeGone:
			gone = append(gone, i)
		case ChangeNew:
			come = append(come, i)
		}
	}
	if len(gone)*len(come) > 1_000_000 {
		return
	}
	// best returns the row of a list that is most like another one, -1 if none is or
	// several are.
	best := func(list []int, like func(*DiffRow) bool, name Name) int {
		found, most := -1, -1
		for _, i := range list {
			if r := &c.rows[i]; like(r) {
				if n := align.Alike(string(*r.Group), string(name), c.d.Separators); n > most {
					found, most = i, n
				} else if n == most {
					found = -1
				}
			}
		}
		return found
	}
	var pairs [][2]int
	for _, i := range gone {
		from := &c.rows[i]
		to := best(come, func(r *DiffRow) bool { return same(from, r) }, *from.Group)
		if to >= 0 && best(gone, func(r *DiffRow) bool { return same(r, &c.rows[to]) }, *c.rows[to].Group) == i {
			pairs = append(pairs, [2]int{i, to})
		}
	}
	dropped := map[int]int{}
	for _, p := range pairs {
		from, to := &c.rows[p[0]], &c.rows[p[1]]
		from.Change, from.RenamedTo = ChangeRenamed, to.Group
		from.KeysAfter, from.ElementsAfter, from.ValueBytesAfter, from.MemoryBytesAfter = to.KeysAfter, to.ElementsAfter,
			to.ValueBytesAfter, to.MemoryBytesAfter
		from.WithoutTTLAfter, from.WithoutTTLMemoryAfter = to.WithoutTTLAfter, to.WithoutTTLMemoryAfter
		dropped[p[1]] = p[0]
		c.judge(from)
		from.Change = ChangeRenamed
	}
	if len(dropped) == 0 {
		return
	}
	// The rows that were joined go, and what refers to the others follows.
	at := make([]int, len(c.rows))
	n := 0
	for i := range c.rows {
		if _, gone := dropped[i]; !gone {
			at[i] = n
			c.rows[n] = c.rows[i]
			n++
		}
	}
	for i, from := range dropped {
		at[i] = at[from]
	}
	c.rows = c.rows[:n]
	for side := range c.row {
		for name, i := range c.row[side] {
			c.row[side][name] = at[i]
		}
	}
}

// readAgain reads a snapshot again for the keys of the other one that may be new.
func (c *comparison) readAgain(ctx context.Context, source *Source, known *agg.KeyList, policy *thresholds.Policy,
	opt Options) error {
	wanted := known.Unknown(c.d.MinBytes)
	if wanted == nil || source.Once {
		return nil
	}
	s := &scan{policy: policy, opt: opt}
	if err := s.check(); err != nil {
		return err
	}
	src, err := source.Open(ctx)
	if err != nil {
		return err
	}
	defer src.Close()
	var engine *thresholds.Engine
	var namer *naming.Namer
	var model *memory.Model
	options := parser.Options{NoChecksum: true, Jobs: s.opt.Jobs}
	options.Memory = func(info *parser.Info) *memory.Model {
		model, _, _ = modelOf(info, s.opt.Memory)
		return model
	}
	options.Header = func(info *parser.Info) { engine = s.engine(info, model); namer = engine.Namer() }
	var keep func(k *parser.Key) bool
	if s.opt.Keep != nil {
		keep = func(k *parser.Key) bool {
			var f naming.Facts
			namer.Facts(k.Name, &f)
			return s.opt.Keep(k, engine.Owners()[engine.Owner(k, &f)], engine.Env().Created)
		}
	}
	list := agg.NewKeyList(wanted)
	if _, err := parser.Run(ctx, src, options,
		func() parser.Sink { return &agg.KeyLookup{List: list, Keep: keep} }); err != nil {
		return err
	}
	list.KnowAll()
	known.Learn(list)
	return nil
}
