package report

import (
	"bufio"
	"strconv"

	"github.com/google/pprof/profile"
)

// A profile for `go tool pprof`: a sample for each group, whose stack is the
// prefixes of its pattern. The values are keys, memory in bytes (value bytes where
// it is unknown), and memory of keys without a TTL. The labels type, db and owner
// are those that all keys of the group have.

func init() {
	register(&Format{Name: "pprof", Doc: "groups as a profile, for go tool pprof", Extension: ".pb.gz", rank: 8, binary: true, write: writePprof})
}

func writePprof(w *bufio.Writer, r *Report, _ WriteOptions) error {
	p := &profile.Profile{
		SampleType: []*profile.ValueType{
			{Type: "keys", Unit: "count"}, {Type: "memory", Unit: "bytes"}, {Type: "memory_without_ttl", Unit: "bytes"}},
		DefaultSampleType: "memory",
		PeriodType:        &profile.ValueType{Type: "memory", Unit: "bytes"},
		Period:            1,
	}
	for i := range r.Inputs {
		p.Comments = append(p.Comments, r.Inputs[i].Name.Display())
		if t := r.Inputs[i].Created; t.Known() {
			p.TimeNanos = max(p.TimeNanos, int64(t)*1e9)
		}
	}
	locations := map[*keyTree]*profile.Location{}
	newKeyTree(r).walk(func(path []*keyTree) {
		stack := make([]*profile.Location, len(path)) // the leaf first
		prefix := Name("")
		for i, n := range path {
			prefix += n.segment
			l := locations[n]
			if l == nil {
				id := uint64(len(p.Location) + 1)
				f := &profile.Function{ID: id, Name: prefix.Display()}
				l = &profile.Location{ID: id, Line: []profile.Line{{Function: f}}}
				p.Function, p.Location = append(p.Function, f), append(p.Location, l)
				locations[n] = l
			}
			stack[len(path)-1-i] = l
		}
		g := path[len(path)-1].group
		s := &profile.Sample{Location: stack, Label: map[string][]string{},
			Value: []int64{g.Keys, int64(sizeOf(g.MemoryBytes, g.ValueBytes)), max(0, int64(g.MemoryWithoutTTL))}}
		if g.Type != "" {
			s.Label["type"] = []string{g.Type}
		}
		if g.DB != nil {
			s.Label["db"] = []string{strconv.Itoa(*g.DB)}
		}
		if g.Owner != "" {
			s.Label["owner"] = []string{g.Owner}
		}
		p.Sample = append(p.Sample, s)
	})
	return p.Write(w)
}
