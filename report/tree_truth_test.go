package report

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/memory"
	"github.com/rdblens/rdblens/report/internal/tree"
	"github.com/rdblens/rdblens/testdata/testtool"
	"github.com/rdblens/rdblens/thresholds/config"
)

// treeFigures are what a node of the tree is checked by.
type treeFigures struct{ keys, elements, valueBytes, memory, withoutTTL int64 }

func (f *treeFigures) add(o treeFigures) {
	f.keys += o.keys
	f.elements += o.elements
	f.valueBytes += o.valueBytes
	f.memory += o.memory
	f.withoutTTL += o.withoutTTL
}

// treeTruth has the sums of the keys of snapshots by each prefix of their names that ends in a
// separator, and by name.
type treeTruth struct{ prefixes, names map[string]treeFigures }

func (s *treeTruth) Key(k *parser.Key) {
	f := treeFigures{1, max(k.Elements, 0), max(k.ValueBytes, 0), max(k.Memory, 0), 1}
	if k.HasExpire {
		f.withoutTTL = 0
	}
	add := func(m map[string]treeFigures, name string) { v := m[name]; v.add(f); m[name] = v }
	add(s.names, string(k.Name))
	add(s.prefixes, "")
	for i, b := range k.Name {
		if b == ':' {
			add(s.prefixes, string(k.Name[:i+1]))
		}
	}
}
func (s *treeTruth) Size() int        { return 0 }
func (s *treeTruth) Flush(bool) error { return nil }

// check compares the nodes of a report's tree that stand for exactly the keys with a prefix, and
// every node with its children. It returns the number of nodes that it compared with truth.
func (s *treeTruth) check(t *testing.T, label string, n *TreeNode) (checked int) {
	t.Helper()
	f := treeFigures{n.Keys, n.Elements, n.ValueBytes, max(0, int64(n.MemoryBytes)), n.WithoutTTL.Keys}
	var sum treeFigures
	for _, c := range n.Children {
		sum.add(treeFigures{c.Keys, c.Elements, c.ValueBytes, max(0, int64(c.MemoryBytes)), c.WithoutTTL.Keys})
		checked += s.check(t, label, c)
	}
	if n.Children != nil && sum != f {
		t.Errorf("%s: the children of %q have %+v, not %+v", label, n.Prefix, sum, f)
	}
	if strings.Contains(string(n.Prefix), "*") || n.isRest() {
		return checked
	}
	want := s.names[string(n.Prefix)]
	if n.Children != nil {
		want = s.prefixes[string(n.Prefix)]
	}
	if f != want && (want.keys-f.keys <= 0 || want.keys-f.keys > n.MayLackKeys) {
		t.Errorf("%s: %q has %+v, want %+v; it may lack %d keys", label, n.Prefix, f, want, n.MayLackKeys)
	}
	return checked + 1
}

// TestTreeTruth checks the nodes of the trees of all snapshots of the test data against the sums of
// their keys: of each scan with one goroutine and with 16, of one scan of all of them, and of their
// merged states. With SNAPSHOTS=DIR the snapshots are those of another directory. Some are left out
// unless the tests of the night run.
func TestTreeTruth(t *testing.T) {
	policy, err := config.Load(config.Options{})
	if err != nil {
		t.Fatal(err)
	}
	dir := os.Getenv("SNAPSHOTS")
	if dir == "" {
		dir = "../testdata"
	}
	all := treeTruth{map[string]treeFigures{}, map[string]treeFigures{}}
	var files, states []Source
	checked, found := 0, 0
	scan := func(sources []Source, jobs int) *Report {
		r, _ := Scan(t.Context(), sources, policy, Options{Jobs: jobs, TreeNodes: tree.MaxNodes, Shard: true})
		return r
	}
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".rdb") {
			return err
		}
		if found++; found%3 != 0 && !testtool.Nightly() && !strings.HasSuffix(path, "shop.rdb") {
			return nil
		}
		one := treeTruth{map[string]treeFigures{}, map[string]treeFigures{}}
		r := scan([]Source{FileSource(path)}, 1)
		if !r.Complete || r.Tree == nil {
			return nil
		}
		truthOf(t, path, r, &one)
		for _, jobs := range []int{1, 16} {
			if jobs > 1 {
				r = scan([]Source{FileSource(path)}, jobs)
			}
			checked += one.check(t, path, r.Tree)
		}
		for _, m := range []struct{ to, from map[string]treeFigures }{{all.prefixes, one.prefixes}, {all.names, one.names}} {
			for name, f := range m.from {
				v := m.to[name]
				v.add(f)
				m.to[name] = v
			}
		}
		state := r.State()
		files = append(files, FileSource(path))
		states = append(states, Source{Name: path, Size: -1, Open: func(context.Context) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(state)), nil }})
		return nil
	})
	checked += all.check(t, "all snapshots", scan(files, 2).Tree)
	merged, err := Merge(t.Context(), states, Options{TreeNodes: tree.MaxNodes})
	if err != nil {
		t.Fatal(err)
	}
	checked += all.check(t, "merged states", merged.Tree)
	t.Logf("%d snapshots of %d, %d nodes", len(files), found, checked)
	if len(files) < 5 || checked < 500 {
		t.Errorf("%d nodes of %d snapshots were checked", checked, len(files))
	}
}

// truthOf reads the keys of a snapshot, with the memory that a report of it has.
func truthOf(t *testing.T, path string, r *Report, sink *treeTruth) {
	t.Helper()
	src, err := parser.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	allocator := ""
	if m := r.Inputs[0].Memory; m != nil {
		allocator = m.Allocator
	}
	_, err = parser.Run(t.Context(), src, parser.Options{Jobs: 1, Memory: func(info *parser.Info) *memory.Model {
		model, _, _ := memory.Choose(info.Server, info.ServerVersion, memory.Options{RDB: info.Version, Allocator: allocator, Cluster: info.Cluster})
		return model
	}}, func() parser.Sink { return sink })
	if err != nil {
		t.Fatal(err)
	}
}
