package report

import (
	"cmp"
	"sort"
)

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
