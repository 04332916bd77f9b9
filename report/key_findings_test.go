package report

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/memory"
	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/config"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// TestKeyFindings checks that the rows of keys have the findings that the rules find when
// they see the whole key, as the command keys writes them.
func TestKeyFindings(t *testing.T) {
	const path = "../testdata/shop.rdb"
	policy := testPolicy(t)
	r, err := Scan(t.Context(), []Source{FileSource(path)}, policy, Options{Top: 50})
	if err != nil {
		t.Fatal(err)
	}
	found := map[int64]string{}
	src, err := parser.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	var engine *thresholds.Engine
	var model *memory.Model
	sink := &findingSink{found: found}
	_, err = parser.Run(t.Context(), src, parser.Options{Jobs: 1, Memory: func(info *parser.Info) *memory.Model {
		model, _, _ = memory.Choose(info.Server, info.ServerVersion, memory.Options{RDB: info.Version})
		return model
	}, Header: func(info *parser.Info) {
		engine = policy.Compile(thresholds.Env{Server: info.Server, Version: info.ServerVersion, Created: info.Created, Memory: true})
		sink.engine = engine
	}}, func() parser.Sink { return sink })
	if err != nil {
		t.Fatal(err)
	}
	rows, with := 0, 0
	for _, list := range keysByGroup(r) {
		for _, k := range list {
			var got []string
			for _, f := range k.Findings {
				got = append(got, fmt.Sprintf("%s %s %d %d %s", f.Rule, f.Severity, f.Measured, f.Limit, f.Unit))
			}
			slices.Sort(got)
			if want := found[k.Offset]; strings.Join(got, ";") != want {
				t.Errorf("%s: %q, want %q", k.Key, got, want)
			}
			rows++
			with += min(1, len(got))
			if !slices.IsSortedFunc(k.Findings, func(a, b KeyFinding) int { return int(severityOf(b.Severity)) - int(severityOf(a.Severity)) }) {
				t.Errorf("%s: not the severest first: %+v", k.Key, k.Findings)
			}
		}
	}
	if r.Totals.Stalling != sink.stalling || sink.stalling < 10 {
		t.Errorf("%d keys can stall the server, want %d", r.Totals.Stalling, sink.stalling)
	}
	if rows < 100 || with < 50 {
		t.Errorf("%d rows, %d of them with findings", rows, with)
	}
}

// findingSink gathers what the rules find, by the offset of the key.
type findingSink struct {
	engine   *thresholds.Engine
	found    map[int64]string
	stalling int64 // keys with a warning or an error of a rule about what makes other clients wait
}

func (s *findingSink) Key(k *parser.Key) {
	var facts naming.Facts
	s.engine.Namer().Facts(k.Name, &facts)
	var list []string
	stalls := int64(0)
	for _, f := range s.engine.Check(k, &facts, nil) {
		if rule, _ := thresholds.Lookup(f.Rule.Name()); rule.Harm == thresholds.Blocks && f.Severity != thresholds.Info {
			stalls = 1
		}
		measured, limit := measure(f)
		list = append(list, fmt.Sprintf("%s %s %d %d %s", f.Rule.Name(), f.Severity, measured, limit, f.Unit()))
	}
	s.stalling += stalls
	slices.Sort(list)
	s.found[k.Offset] = strings.Join(list, ";")
}
func (s *findingSink) Size() int        { return 0 }
func (s *findingSink) Flush(bool) error { return nil }

// TestScansFitSchema checks the JSON of scans of all snapshots of the test data, under every
// profile, and of their comparisons, against the published schema. With SNAPSHOTS=DIR the
// snapshots are those of another directory.
func TestScansFitSchema(t *testing.T) {
	resolve := func(text []byte) *jsonschema.Resolved {
		var s jsonschema.Schema
		if err := json.Unmarshal(text, &s); err != nil {
			t.Fatal(err)
		}
		resolved, err := s.Resolve(nil)
		if err != nil {
			t.Fatal(err)
		}
		return resolved
	}
	schema, diffSchema := resolve(Schema), resolve(DiffSchema)
	validate := func(what string, s *jsonschema.Resolved, text []byte) {
		var v any
		if err := json.Unmarshal(text, &v); err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(v); err != nil {
			t.Errorf("%s: %.600v", what, err)
		}
	}
	dir := os.Getenv("SNAPSHOTS")
	if dir == "" {
		dir = "../testdata"
	}
	var paths []string
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() && info.Size() < 4<<20 && slices.Contains([]string{".rdb", ".dfs", ".gz", ".zst", ".bin"}, filepath.Ext(path)) {
			paths = append(paths, path)
		}
		return nil
	})
	if len(paths) < 30 {
		t.Fatalf("only %d snapshots", len(paths))
	}
	profiles := config.Profiles()
	var last *Report
	for i, path := range paths {
		// All profiles for some, one in turn for the others.
		list := profiles[i%len(profiles) : i%len(profiles)+1]
		if strings.HasSuffix(path, "shop.rdb") || i%20 == 0 {
			list = profiles
		}
		for _, profile := range list {
			policy, err := config.Load(config.Options{Profile: profile})
			if err != nil {
				t.Fatal(err)
			}
			r, err := Scan(t.Context(), []Source{FileSource(path)}, policy, Options{Top: 5, MaxMemory: 1 << 20, AllGroups: true})
			if r == nil {
				t.Fatal(path, err)
			}
			validate(path+", "+profile, schema, render(t, "json", r, 0))
			if last != nil && r.Totals.Keys > 0 {
				validate("diff "+path, diffSchema, renderDiffJSON(t, compareSaved(t, last, r, CompareOptions{})))
			}
			if r.Totals.Keys > 0 {
				last = r
			}
		}
	}
}

func renderDiffJSON(t *testing.T, d *Diff) []byte {
	t.Helper()
	var b strings.Builder
	if err := Write("json", &b, d, WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	return []byte(b.String())
}
