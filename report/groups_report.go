package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// patternOf gives the pattern of the group that a name, or a pattern, is
// counted in.
func (g *groups) patternOf(name []byte) []byte {
	text := g.namer.AppendPattern(nil, name)
	if g.places != nil {
		text, _, _ = g.places.appendFolded(nil, text)
	}
	if i, _ := g.find(naming.HashPattern(text)); i >= 0 || !g.closed {
		return text
	}
	return []byte(FoldedGroup)
}

func (f *finisher) groups() {
	g := &f.b.tables.groups
	f.r.GroupsFolded = g.folded.count()
	if g.rest.keys > 0 {
		f.r.Groups = append(f.r.Groups, f.group(atRest))
	}
	for i := range g.list {
		if g.list[i].keys > 0 {
			f.r.Groups = append(f.r.Groups, f.group(i))
		}
	}
	_ = SortGroups(f.r.Groups, "") // the default order is known
}

func (f *finisher) group(i int) Group {
	g := &f.b.tables.groups
	from := g.get(i)
	out := Group{Group: Name(g.pattern(i)), Keys: from.keys, Elements: from.elements, ValueBytes: from.values,
		MemoryBytes: from.memoryFigure(), MemoryUsage: memoryFigure(from.usage, from.keys), WithoutTTL: from.without}
	if from.left != noLife {
		median := from.left.least
		if from.life != 0 {
			median = g.lives[from.life-1].median(from.left.least, from.left.most)
		}
		least, median, most := floorSeconds(from.left.least), floorSeconds(median), floorSeconds(from.left.most)
		out.TTLMin, out.TTLMedian, out.TTLMax = &least, &median, &most
	}
	if from.big.size >= 0 {
		row := f.rowOf(from.big.kept())
		row.Group = out.Group
		out.LargestKey = &row
	}
	for m := from.marks; m != 0; m = g.marks[m-1].next {
		mark := &g.marks[m-1]
		out.Findings += mark.keys
		if int(mark.outcome)%severities == int(thresholds.Error) {
			out.Errors += mark.keys
		}
	}
	if from.owner >= 0 {
		out.Owner = f.b.engine.Owners()[from.owner]
	}
	return out
}

// groupOrders are the columns that groups can be sorted by, what is most first.
var groupOrders = []struct {
	name  string
	value func(*Group) int64
}{
	{"memory_bytes", func(g *Group) int64 { return int64(sizeOf(g.MemoryBytes, g.ValueBytes)) }},
	{"keys", func(g *Group) int64 { return g.Keys }},
	{"elements", func(g *Group) int64 { return g.Elements }},
	{"value_bytes", func(g *Group) int64 { return g.ValueBytes }},
	{"without_ttl", func(g *Group) int64 { return g.WithoutTTL }},
	{"ttl_max", func(g *Group) int64 { return seconds(g.TTLMax) }},
	{"ttl_median", func(g *Group) int64 { return seconds(g.TTLMedian) }},
	{"findings", func(g *Group) int64 { return g.Findings }},
	{"errors", func(g *Group) int64 { return g.Errors }},
}

// seconds gives a time left, less than any where there is none.
func seconds(s *int64) int64 {
	if s == nil {
		return -1 << 63
	}
	return *s
}

// GroupOrders gives the columns that SortGroups takes, the default first, and
// last "group", the order of the patterns.
func GroupOrders() []string {
	var names []string
	for _, o := range groupOrders {
		names = append(names, o.name)
	}
	return append(names, "group")
}

// SortGroups sorts groups by a column of GroupOrders, "" the default: what is
// most stands first, and of equal ones the pattern that comes first. FoldedGroup
// stands last.
func SortGroups(list []Group, by string) error {
	value := groupOrders[0].value
	if by == "group" {
		value = func(*Group) int64 { return 0 }
	} else if by != "" {
		i := slices.IndexFunc(groupOrders, func(o struct {
			name  string
			value func(*Group) int64
		}) bool {
			return o.name == by
		})
		if i < 0 {
			return fmt.Errorf("groups cannot be sorted by %q", by)
		}
		value = groupOrders[i].value
	}
	slices.SortFunc(list, func(a, b Group) int {
		if x, y := a.Group == FoldedGroup, b.Group == FoldedGroup; x != y {
			if x {
				return 1
			}
			return -1
		}
		return cmp.Or(cmp.Compare(value(&b), value(&a)), cmp.Compare(a.Group, b.Group))
	})
	return nil
}
