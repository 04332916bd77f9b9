package report

import (
	"bufio"
	"strconv"

	"github.com/google/pprof/profile"
)

// A profile for `go tool pprof`: a sample for each node of the tree of names without children, whose
// stack is the nodes down to it. The values are keys, memory in bytes (value bytes where
// it is unknown), and memory of keys without a TTL. The labels type, db and owner
// are those that all keys of the node have.

func init() {
	register(&Format{Name: "pprof", Doc: "prefixes of names as a profile, for go tool pprof", Extension: ".pb.gz", rank: 8,
		binary: true, write: writePprof})
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
	if judged := r.judgedText(); !judged.IsZero() {
		p.Comments = append(p.Comments, judged.String())
	}
	locations := map[*TreeNode]*profile.Location{}
	root := exportTree(r)
	root.leaves(func(path []*TreeNode) {
		if len(path) == 0 {
			path = append(path, root)
		}
		stack := make([]*profile.Location, len(path)) // the leaf first
		for i, n := range path {
			l := locations[n]
			if l == nil {
				id := uint64(len(p.Location) + 1)
				name := n.Prefix.Display()
				if n == root {
					name = allKeys
				}
				f := &profile.Function{ID: id, Name: name}
				l = &profile.Location{ID: id, Line: []profile.Line{{Function: f}}}
				p.Function, p.Location = append(p.Function, f), append(p.Location, l)
				locations[n] = l
			}
			stack[len(path)-1-i] = l
		}
		leaf := path[len(path)-1]
		if leaf.Keys == 0 {
			return
		}
		s := &profile.Sample{Location: stack, Label: map[string][]string{},
			Value: []int64{leaf.Keys, leaf.size(), max(0, int64(leaf.WithoutTTL.MemoryBytes))}}
		if len(leaf.Types) == 1 {
			s.Label["type"] = leaf.Types
		}
		if leaf.DB != nil {
			s.Label["db"] = []string{strconv.Itoa(*leaf.DB)}
		}
		if leaf.Owner != "" {
			s.Label["owner"] = []string{leaf.Owner}
		}
		p.Sample = append(p.Sample, s)
	})
	return p.Write(w)
}

// allKeys is what the root of a tree without other nodes is called.
const allKeys = "(all keys)"
