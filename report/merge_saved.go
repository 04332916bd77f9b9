package report

import (
	"cmp"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/rdblens/rdblens/thresholds"
)

// MergeSaved returns what saved reports have together: sums, and the largest keys. It
// changes the reports. names are their files. Bounds says what is a lower bound, no
// median of the TTLs of a group of several is known, budgets and slots are left out, as
// are nodes if a report of several inputs has none, and lists have as many keys as are
// known to be the largest. The findings of a node are those of its own report. The inputs are in the order of
// their names. The error is a *MismatchError if the reports were made under different
// rules or filters, or if names are replaced by hashes that cannot be compared.
func MergeSaved(names []string, reports []*Report, tool Tool) (*Report, error) {
	m := merge{states: make([]state, len(reports)), sources: make([]Source, len(reports))}
	first := reports[0]
	for i, r := range reports {
		for what, differ := range map[string]bool{
			"their rules":             r.Config.Profile != first.Config.Profile || r.Config.Rules != first.Config.Rules,
			"the separators of names": r.Config.Separators != first.Config.Separators,
			"the filter":              conditionsOf(r.Filter) != conditionsOf(first.Filter),
			"how names are replaced": len(reports) > 1 && ((r.Redaction == nil) != (first.Redaction == nil) ||
				r.Redaction != nil && (r.Redaction.Salt == "" || *r.Redaction != *first.Redaction)),
		} {
			if differ {
				return nil, &MismatchError{names[0], names[i], what}
			}
		}
		m.states[i].header, m.sources[i].Name = &shardHeader{Inputs: r.Inputs}, names[i]
	}
	m.number()
	out := savedReports{&Report{Schema: SchemaVersion, Complete: true, Tool: tool, Config: first.Config, Redaction: first.Redaction, Filter: first.Filter,
		Inputs: m.inputs, By: first.By, Top: map[string][]KeyRow{}, TopByType: map[string]map[string][]KeyRow{}, Bounds: &Bounds{}}, map[string]int{}}
	out.Bounds.Repeated, out.Bounds.RepeatedIn = m.repeated()
	nodes := true
	for i, r := range reports {
		var known bool
		r.Nodes, known = r.everyNode()
		nodes = nodes && known
		r.renumber(m.states[i].numbers)
		out.join(r)
		if i > 0 && r.Filter != nil { // the first is that of out
			out.Filter.Dropped += r.Filter.Dropped
		}
	}
	if !nodes || len(out.Nodes) < 2 {
		out.Nodes = nil
	}
	out.order()
	return out.Report, nil
}

// conditionsOf returns a filter as text, without the number of keys that it dropped.
func conditionsOf(f *Filter) string {
	if f == nil {
		return ""
	}
	c := *f
	c.Dropped = 0
	text, _ := json.Marshal(c)
	return string(text)
}

// renumber replaces the numbers of inputs.
func (r *Report) renumber(numbers []int) {
	to := func(n *int) {
		if *n >= 0 && *n < len(numbers) {
			*n = numbers[*n]
		} else {
			*n = 0
		}
	}
	key := func(k *KeyRow) {
		if k != nil {
			to(&k.Input)
		}
	}
	rows := func(list []KeyRow) {
		for i := range list {
			to(&list[i].Input)
		}
	}
	for _, list := range r.Top {
		rows(list)
	}
	for _, lists := range r.TopByType {
		for _, list := range lists {
			rows(list)
		}
	}
	rows(r.Hot)
	for i := range r.Types {
		key(r.Types[i].LargestKey)
	}
	for i := range r.Groups {
		key(r.Groups[i].LargestKey)
	}
	for i := range r.Databases {
		to(&r.Databases[i].Input)
	}
	for i := range r.Nodes {
		to(&r.Nodes[i].Input)
	}
	for i := range r.Rules {
		for n := range r.Rules[i].Examples {
			e := &r.Rules[i].Examples[n]
			to(&e.Input)
			key(e.KeyRow)
		}
	}
}

// savedReports is a report that others are added to. known has, by list, the least
// number of keys that a report has on it, of those that know of more.
type savedReports struct {
	*Report
	known map[string]int
}

// addFields adds the figures of a struct to those of another. What is unknown adds
// nothing.
func addFields(to, from reflect.Value) {
	for i := range to.NumField() {
		a, b := to.Field(i), from.Field(i)
		switch {
		case a.Type() == reflect.TypeFor[Figure]():
			if b.Int() >= 0 {
				a.SetInt(max(a.Int(), 0) + b.Int())
			}
		case a.Kind() == reflect.Int64:
			a.SetInt(a.Int() + b.Int())
		case a.Kind() == reflect.Bool:
			a.SetBool(a.Bool() || b.Bool())
		case a.Kind() == reflect.Struct:
			addFields(a, b)
		}
	}
}

// joinRows adds rows to those with the same id. other joins what is no sum.
func joinRows[T any](to *[]T, from []T, id func(*T) string, other func(to, from *T)) {
	at := make(map[string]int, len(*to))
	for i := range *to {
		at[id(&(*to)[i])] = i
	}
	for i := range from {
		row := &from[i]
		n, known := at[id(row)]
		if !known {
			at[id(row)] = len(*to)
			*to = append(*to, *row)
			continue
		}
		into := &(*to)[n]
		addFields(reflect.ValueOf(into).Elem(), reflect.ValueOf(row).Elem())
		if other != nil {
			other(into, row)
		}
	}
}

func (r *savedReports) join(o *Report) {
	r.Complete, r.Interrupted = r.Complete && o.Complete, r.Interrupted || o.Interrupted
	r.GroupsFolded = max(r.GroupsFolded, o.GroupsFolded)
	addFields(reflect.ValueOf(&r.Totals).Elem(), reflect.ValueOf(&o.Totals).Elem())
	if !o.Totals.MemoryBytes.Known() && o.Totals.Keys > 0 {
		r.Totals.MemoryBound = true
		r.Totals.WithoutMemory += o.Totals.Keys
	}
	addFields(reflect.ValueOf(&r.Findings).Elem(), reflect.ValueOf(&o.Findings).Elem())
	joinRows(&r.Types, o.Types, func(t *TypeRow) string { return t.Type }, func(to, from *TypeRow) {
		for _, f := range [][2]*Figure{{&to.MaxElements, &from.MaxElements}, {&to.MaxValueBytes, &from.MaxValueBytes}, {&to.MaxMemoryBytes, &from.MaxMemoryBytes}} {
			if f[1].Known() {
				*f[0] = max(*f[0]-*f[1], *f[1]) // they were added
			}
		}
		to.AverageBytes = Figure(to.ValueBytes / max(to.Keys, 1))
		to.LargestKey = largerKey(to.LargestKey, from.LargestKey)
	})
	joinRows(&r.Encodings, o.Encodings, func(e *Encoding) string { return e.Type + " " + e.Encoding }, nil)
	r.Databases, r.Nodes = append(r.Databases, o.Databases...), append(r.Nodes, o.Nodes...)
	r.Bounds.join(o.Bounds)
	for name, rows := range o.Top {
		r.Top[name] = r.list(name, r.Top[name], rows, o.Totals.Keys)
	}
	keys := map[string]int64{}
	for i := range o.Types {
		keys[o.Types[i].Type] = o.Types[i].Keys
	}
	for typ, lists := range o.TopByType {
		if r.TopByType[typ] == nil {
			r.TopByType[typ] = map[string][]KeyRow{}
		}
		for name, rows := range lists {
			r.TopByType[typ][name] = r.list(typ+" "+name, r.TopByType[typ][name], rows, keys[typ])
		}
	}
	r.Hot = r.list("hot", r.Hot, o.Hot, o.Totals.Keys)
	joinRows(&r.Rules, o.Rules, func(f *Finding) string { return f.Severity + " " + f.Rule }, func(to, from *Finding) {
		joinRows(&to.Groups, from.Groups, func(g *FindingGroup) string { return string(g.Group) }, nil)
		to.Examples = append(to.Examples, from.Examples...)
	})
	joinRows(&r.Ignored, o.Ignored, func(i *Ignored) string { return strings.Join([]string{i.Rule, i.Pattern, i.Baseline, i.Reason}, "\n") }, nil)
	joinRows(&r.Groups, o.Groups, func(g *Group) string { return string(g.Group) }, joinGroups)
	joinRows(&r.Owners, o.Owners, func(o *Owner) string { return o.Owner }, nil)
	for _, lists := range [][2]*[]Bucket{{&r.Expiry, &o.Expiry}, {&r.Histograms.KeyLength, &o.Histograms.KeyLength}, {&r.Histograms.Elements, &o.Histograms.Elements},
		{&r.Histograms.Idle, &o.Histograms.Idle}, {&r.Histograms.LFU, &o.Histograms.LFU}} {
		joinRows(lists[0], *lists[1], func(b *Bucket) string { return b.Label }, nil)
	}
}

// list adds the rows of a list of the largest of a number of keys.
func (r *savedReports) list(name string, to, from []KeyRow, keys int64) []KeyRow {
	if n := len(from); n > 0 && int64(n) < keys {
		if least, ok := r.known[name]; !ok || n < least {
			r.known[name] = n
		}
	}
	return append(to, from...)
}

func joinGroups(to, from *Group) {
	to.TTLMin, to.TTLMax, to.TTLMedian = extreme(to.TTLMin, from.TTLMin, -1), extreme(to.TTLMax, from.TTLMax, 1), nil
	to.LargestKey = largerKey(to.LargestKey, from.LargestKey)
	if to.Type != from.Type {
		to.Type = ""
	}
	if to.Owner != from.Owner {
		to.Owner = ""
	}
	if to.DB == nil || from.DB == nil || *to.DB != *from.DB {
		to.DB = nil
	}
}

// extreme returns the greater of two figures, or with sign -1 the less. nil is unknown.
func extreme(a, b *int64, sign int64) *int64 {
	if a == nil || b != nil && *b*sign > *a*sign {
		return b
	}
	return a
}

// largerKey returns the larger of two keys, of which any may be nil.
func largerKey(a, b *KeyRow) *KeyRow {
	if a == nil || b != nil && sizeOf(b.Memory, int64(b.ValueBytes)) > sizeOf(a.Memory, int64(a.ValueBytes)) {
		return b
	}
	return a
}

// measures return the figures of a key that lists are ordered by.
var measures = map[string]func(*KeyRow) Figure{
	ByMemory: func(k *KeyRow) Figure { return k.Memory }, ByMemoryUsage: func(k *KeyRow) Figure { return k.MemoryUsage },
	ByValueBytes: func(k *KeyRow) Figure { return k.ValueBytes }, ByElements: func(k *KeyRow) Figure { return k.Elements },
	BySerialized: func(k *KeyRow) Figure { return k.Serialized }, ByLargest: func(k *KeyRow) Figure { return k.Largest },
	"hot": func(k *KeyRow) Figure { return k.Freq },
}

// order puts all lists in the order of a report, and sets shares.
func (r *savedReports) order() {
	whole := sizeOf(r.Totals.MemoryBytes, r.Totals.ValueBytes)
	for i := range r.Types {
		t := &r.Types[i]
		t.Share = shareOf(int64(sizeOf(t.MemoryBytes, t.ValueBytes)), int64(whole))
	}
	sortBySize(r.Types, func(row *TypeRow) Figure { return sizeOf(row.MemoryBytes, row.ValueBytes) })
	sortBySize(r.Encodings, func(row *Encoding) Figure { return sizeOf(row.MemoryBytes, row.ValueBytes) })
	sortBySize(r.Owners, func(row *Owner) Figure { return sizeOf(row.MemoryBytes, row.ValueBytes) })
	sortDatabases(r.Databases)
	r.rankNodes()
	sortGroups(r.Groups, "")
	sorted := func(name, measure string, rows []KeyRow) []KeyRow {
		value := measures[measure]
		if value == nil {
			return nil
		}
		slices.SortStableFunc(rows, func(a, b KeyRow) int {
			return cmp.Or(cmp.Compare(value(&b), value(&a)), cmp.Compare(a.Input, b.Input), cmp.Compare(a.Offset, b.Offset))
		})
		if n, cut := r.known[name]; cut {
			rows = rows[:min(n, len(rows))]
		}
		return rows
	}
	for name, rows := range r.Top {
		r.Top[name] = sorted(name, name, rows)
	}
	for typ, lists := range r.TopByType {
		for name, rows := range lists {
			lists[name] = sorted(typ+" "+name, name, rows)
		}
	}
	r.Hot = sorted("hot", "hot", r.Hot)
	rank := func(f *Finding) int {
		s, _ := thresholds.ParseSeverity(f.Severity)
		rule, ok := thresholds.Lookup(f.Rule)
		if !ok {
			return -int(s) << 8
		}
		return int(rule.ID) - int(s)<<8
	}
	slices.SortStableFunc(r.Rules, func(a, b Finding) int { return rank(&a) - rank(&b) })
	for i := range r.Rules {
		f := &r.Rules[i]
		slices.SortStableFunc(f.Groups, func(a, b FindingGroup) int {
			return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Group, b.Group))
		})
		over := func(e *Example) Figure { return max(e.Measured-e.Limit, e.Limit-e.Measured) }
		slices.SortStableFunc(f.Examples, func(a, b Example) int { return cmp.Or(cmp.Compare(over(&b), over(&a)), cmp.Compare(a.Input, b.Input)) })
		f.Groups, f.Examples = f.Groups[:min(len(f.Groups), maxFindingGroups)], f.Examples[:min(len(f.Examples), 10)]
	}
}
