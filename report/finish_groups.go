package report

import (
	"cmp"
	"sort"
	"strings"

	"github.com/rdblens/rdblens/report/internal/agg"
	"github.com/rdblens/rdblens/thresholds"
)

func (f *finisher) groups() {
	f.r.GroupsFolded = f.Tables.Groups.Folded()
	f.r.Groups = make([]Group, 0, f.Tables.Groups.Len())
	for pattern, g := range f.Tables.Groups.All {
		row := f.group(pattern, g)
		row.Identity = f.known[pattern]
		f.r.Groups = append(f.r.Groups, row)
	}
	f.r.findLines(f.opt.Source)
	f.sourceOwners()
	sortGroups(f.r.Groups, f.opt.GroupOrder)
}

func (f *finisher) group(text string, g *agg.Group) Group {
	pattern := f.pattern(text)
	out := Group{Group: pattern, Keys: g.Keys, Elements: g.Elements, ValueBytes: g.ValueBytes,
		MemoryBytes: memoryFigure(g.Memory, g.Keys), MemoryUsage: memoryFigure(g.MemoryUsage, g.Keys),
		WithoutTTL: g.WithoutTTL, SerializedBytes: g.Serialized, NameBytes: g.NameBytes,
		MemoryWithoutTTL: memoryFigure(g.MemoryWithoutTTL, g.WithoutTTL)}
	if least, median, most, ok := f.Tables.Groups.TTL(g); ok {
		out.TTLMin, out.TTLMedian, out.TTLMax = new(floorSeconds(least)), new(floorSeconds(median)), new(floorSeconds(most))
	}
	if largest := g.Largest(); largest != nil {
		key := largest.Key()
		row := f.rowOf(&key, largest, text)
		out.LargestKey = &row
	}
	for ruleSeverity, count := range f.findings(text, g) {
		out.Findings += count.Keys
		if agg.SeverityOf(ruleSeverity) == thresholds.Error {
			out.Errors += count.Keys
		}
	}
	if t, ok := g.Type(); ok {
		out.Type = t.String()
	}
	if db := g.DB(); db >= 0 {
		out.DB = &db
	}
	out.Owner = f.ownerOf(g)
	return out
}

// sourceOwners sets the owners of groups whose keys nobody owns by the configuration: those that
// CODEOWNERS names of the line that most likely writes them.
func (f *finisher) sourceOwners() {
	f.sourceOwner = map[string]string{}
	at := map[Name]int{}
	for i := range f.r.Groups {
		at[f.r.Groups[i].Group] = i
	}
	for pattern, g := range f.Tables.Groups.All {
		i, ok := at[f.pattern(pattern)]
		if !ok || g.Owner() < 0 || f.owner[g.Owner()] != "" {
			continue
		}
		row := &f.r.Groups[i]
		if row.Owner = ownerOfSource(row.Source); row.Owner == "" {
			continue
		}
		f.sourceOwner[pattern] = row.Owner
		if row.LargestKey != nil {
			row.LargestKey.Owner = row.Owner
		}
	}
}

// ownerOf returns who owns all keys of a group by the configuration, "" nobody or several.
func (f *finisher) ownerOf(g *agg.Group) string {
	if g.Owner() < 0 {
		return ""
	}
	return f.owner[g.Owner()]
}

// ownerOfSource returns who owns the first of several lines, "" if CODEOWNERS does not say it.
func ownerOfSource(lines []SourceLine) string {
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines[0].Owners, ", ")
}

func (f *finisher) owners() {
	if len(f.Tables.Owners) < 2 && len(f.sourceOwner) == 0 {
		return
	}
	nobody := 0
	for i := range f.Tables.Owners {
		o := &f.Tables.Owners[i]
		var explained, backlogs Counts
		if c := f.explained.owners[i]; c != nil {
			explained = *c
		}
		for _, b := range f.backlogs {
			if int(b.key.Owner) == i {
				backlogs.add(agg.SeverityOf(b.at), b.count.Keys)
			}
		}
		if f.owner[i] == "" {
			nobody = i
		}
		f.r.Owners = append(f.r.Owners, Owner{Owner: f.owner[i], Keys: o.Keys, Elements: o.Elements, ValueBytes: o.ValueBytes,
			MemoryBytes: Figure(o.Memory), WithoutTTL: o.WithoutTTL,
			Findings: Counts{Error: o.Findings[thresholds.Error] - explained.Error,
				Warning: o.Findings[thresholds.Warning] - explained.Warning + backlogs.Warning,
				Info:    o.Findings[thresholds.Info] - explained.Info, Ignored: o.Ignored,
				Explained: explained.Error + explained.Warning + explained.Info}})
	}
	f.moveToSourceOwners(nobody)
	for i := range f.r.Owners {
		o := &f.r.Owners[i]
		o.MemoryBytes = memoryFigure(int64(o.MemoryBytes), o.Keys)
	}
	sortBySize(f.r.Owners, func(row *Owner) Figure { return sizeOf(row.MemoryBytes, row.ValueBytes) })
}

// moveToSourceOwners moves the sums of groups from the row of nobody to those of sourceOwners. Ignored
// and explained findings stay, because they are not known of a group.
func (f *finisher) moveToSourceOwners(nobody int) {
	at := map[string]int{}
	for i := range f.r.Owners {
		at[f.r.Owners[i].Owner] = i
	}
	for pattern, g := range f.Tables.Groups.All {
		name := f.sourceOwner[pattern]
		if name == "" {
			continue
		}
		if _, ok := at[name]; !ok {
			at[name] = len(f.r.Owners)
			f.r.Owners = append(f.r.Owners, Owner{Owner: name})
		}
		add := func(o *Owner, sign int64) {
			o.Keys += sign * g.Keys
			o.Elements += sign * g.Elements
			o.ValueBytes += sign * g.ValueBytes
			o.MemoryBytes += Figure(sign * g.Memory)
			o.WithoutTTL += sign * g.WithoutTTL
			for ruleSeverity, count := range f.findings(pattern, g) {
				o.Findings.add(agg.SeverityOf(ruleSeverity), sign*count.Keys)
			}
		}
		add(&f.r.Owners[nobody], -1)
		add(&f.r.Owners[at[name]], 1)
	}
}

// groupOrders are the columns that groups are sorted by, the largest value first.
var groupOrders = []struct {
	name  string
	value func(*Group) int64
}{
	{"memory_bytes", func(g *Group) int64 { return int64(sizeOf(g.MemoryBytes, g.ValueBytes)) }},
	{"keys", func(g *Group) int64 { return g.Keys }},
	{"elements", func(g *Group) int64 { return g.Elements }},
	{"value_bytes", func(g *Group) int64 { return g.ValueBytes }},
	{"without_ttl", func(g *Group) int64 { return g.WithoutTTL }},
	{"ttl_max", func(g *Group) int64 { return orLeast(g.TTLMax) }},
	{"ttl_median", func(g *Group) int64 { return orLeast(g.TTLMedian) }},
	{"findings", func(g *Group) int64 { return g.Findings }},
	{"errors", func(g *Group) int64 { return g.Errors }},
	{"group", func(*Group) int64 { return 0 }},
}

// orLeast returns a TTL, the least integer if there is none.
func orLeast(seconds *int64) int64 {
	if seconds == nil {
		return -1 << 63
	}
	return *seconds
}

// GroupOrders returns the columns that Options.GroupOrder takes, the default
// first, and last "group", the order of the patterns.
func GroupOrders() []string {
	var names []string
	for _, o := range groupOrders {
		names = append(names, o.name)
	}
	return names
}

// sortGroups sorts groups by a column of GroupOrders, "" the default, the largest
// value first, and then by pattern.
func sortGroups(list []Group, by string) {
	value := groupOrders[0].value
	for _, o := range groupOrders {
		if o.name == by {
			value = o.value
		}
	}
	sort.Slice(list, func(i, j int) bool { // rows are large: a function of two would copy them
		a, b := &list[i], &list[j]
		return cmp.Or(cmp.Compare(value(b), value(a)), cmp.Compare(a.Group, b.Group)) < 0
	})
}
