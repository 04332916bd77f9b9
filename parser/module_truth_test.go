package parser_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/internal/memory"
)

// sharedModules are snapshots of modules, each beside what server and module said
// of its keys. They need not be there.
const sharedModules = "../../shared/corpus/modules"

// moduleTruth is what a server said of a key.
type moduleTruth struct {
	Key        string
	Type       string
	Serialized int64           `json:"serializedlength"`
	LiveUsage  int64           `json:"live_mem_usage"`
	LiveBytes  int64           `json:"live_true_bytes"`
	Usage      int64           `json:"reloaded_mem_usage"`
	Bytes      int64           `json:"reloaded_true_bytes"`
	RawInfo    json.RawMessage `json:"info"`
	Info       map[string]any  `json:"-"`
}

// elements returns the number of elements as the module's own command says; ok is
// false if it has none that does.
func (m *moduleTruth) elements() (n int64, ok bool) {
	switch m.Type {
	case "TopK-TYPE":
		list, ok := m.Info["list"].([]any)
		return int64(len(list)), ok
	case "ReJSON-RL":
		for _, name := range []string{"arrlen", "objlen"} {
			if n, ok := m.Info[name].(float64); ok {
				return int64(n), true
			}
		}
		return 1, true
	}
	for _, name := range []string{"Number of items inserted", "Total items inserted", "count", "vcard", "totalSamples", "Observations"} {
		if n, ok := m.Info[name].(float64); ok {
			return int64(n), true
		}
	}
	return 0, false
}

// TestModuleTruth compares every key of the modules' snapshots with what the
// server that loaded it said: type, elements, memory.
func TestModuleTruth(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(sharedModules, "*", "*.truth.jsonl"))
	if err != nil || len(paths) == 0 {
		t.Skip("no snapshots of modules")
	}
	for _, path := range paths {
		if strings.Contains(path, "/hand/") {
			continue
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			f, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			lines := bufio.NewScanner(f)
			lines.Buffer(nil, 1<<24)
			lines.Scan()
			var meta struct {
				Server    string
				Allocator string `json:"mem_allocator"`
			}
			if err := json.Unmarshal(lines.Bytes(), &meta); err != nil {
				t.Fatal(err)
			}
			truth := make(map[string]*moduleTruth)
			for lines.Scan() {
				m := &moduleTruth{}
				if err := json.Unmarshal(lines.Bytes(), m); err != nil {
					t.Fatal(err)
				}
				json.Unmarshal(m.RawInfo, &m.Info) // old modules answer otherwise
				truth[m.Key] = m
			}
			old := strings.Contains(path, "bloom-v2.")
			checkModules(t, strings.TrimSuffix(path, ".truth.jsonl")+".rdb", modelOf(t, meta.Server, meta.Allocator), truth, old)
		})
	}
}

func modelOf(t *testing.T, server, allocator string) *memory.Model {
	opt := memory.Options{Server: "redis-8.4", Allocator: "jemalloc", State: "reloaded"}
	if name, version, _ := strings.Cut(server, "-"); server != "redis-8.4-dev" {
		parts := strings.Split(version, ".")
		opt.Server, opt.Allocator = name+"-"+parts[0]+"."+parts[1], "jemalloc-system"
		if strings.Contains(allocator, "5.3.1") {
			opt.Allocator = "jemalloc-5.3.1"
		}
		if name == "valkey" && parts[0] == "9" {
			opt.Server = "valkey-9"
		}
	}
	m, _, err := memory.Choose("redis", "", opt)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func checkModules(t *testing.T, path string, model *memory.Model, truth map[string]*moduleTruth, old bool) {
	src, err := parser.Open(path)
	if os.IsNotExist(err) {
		src, err = parser.Open(path + ".gz")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	s := parser.NewScanner(src, parser.Options{Memory: func(*parser.Info) *memory.Model { return model }})
	noise := int64(0)
	switch {
	case model.Name() == "redis-8.4":
		noise = 16
	case strings.HasPrefix(model.Name(), "valkey"):
		noise = 64
	}
	counted := 0
	var shared, sharedTruth int64 // bytes of documents with the same names
	for s.Scan() {
		k := s.Key()
		m := truth[string(k.Name)]
		if m == nil {
			t.Errorf("%s: the server has no such key", k.Name)
			continue
		}
		delete(truth, string(k.Name))
		if k.Type.String() != m.Type {
			t.Errorf("%s: type %v, the server says %s", k.Name, k.Type, m.Type)
		}
		// TS.INFO leaves out samples past retention in a chunk that is still there.
		if want, ok := m.elements(); ok && k.Elements != want && string(k.Name) != "ts:ret" {
			t.Errorf("%s: %d elements, the module says %d", k.Name, k.Elements, want)
		}
		counted++
		diff := func(what string, got, want int64, within float64) {
			// On development builds and on Valkey, tables of the server itself add 16
			// bytes to what a key takes.
			if e := float64(got-want) / float64(want); (e > within || e < -within) && max(got-want, want-got) > noise {
				t.Errorf("%s: %s %d, the server says %d (%+.1f %%)", k.Name, what, got, want, 100*e)
			}
		}
		if k.MemoryApproximate {
			continue
		}
		if strings.HasPrefix(model.Name(), "valkey") && strings.HasPrefix(m.Key, "j:user:") {
			// Names belong to the first document in the file for us, to the one that
			// was deleted last for the server.
			shared += k.Memory
			sharedTruth += m.Bytes
		} else {
			diff("memory", k.Memory, m.Bytes, .02)
		}
		if old && k.Type == parser.CountMin {
			continue // MEMORY USAGE of 2.0 to 2.2 counts the counters twice
		}
		diff("memory usage", k.MemoryUsage, m.Usage, .02)
	}
	if s.Err() != nil {
		t.Error(s.Err())
	}
	if max(shared-sharedTruth, sharedTruth-shared)*50 > sharedTruth {
		t.Errorf("documents with the same names: memory %d, the server says %d", shared, sharedTruth)
	}
	for name := range truth {
		t.Errorf("%s: not in the snapshot", name)
	}
	t.Logf("%d keys", counted)
}

// TestModuleFiles reads all public snapshots of modules to their end, and those
// made by hand, and compares elements and bytes with what a second reader says.
func TestModuleFiles(t *testing.T) {
	for _, pattern := range []string{"public/*.reader.jsonl", "hand/*.truth.jsonl"} {
		paths, _ := filepath.Glob(filepath.Join(sharedModules, pattern))
		if len(paths) == 0 {
			t.Skip("no snapshots of modules")
		}
		for _, path := range paths {
			base := strings.TrimSuffix(strings.TrimSuffix(path, ".reader.jsonl"), ".truth.jsonl")
			name := base + ".rdb"
			if _, err := os.Stat(name); err != nil {
				name += ".gz"
			}
			keys, info, err := scanAll(name)
			if err != nil || len(info.Warnings) > 0 {
				t.Errorf("%s: %v %q", name, err, info.Warnings)
			}
			byName := make(map[string]*parser.Key)
			for _, k := range keys {
				byName[string(k.Name)] = k
			}
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(string(text)) {
				var want struct {
					Key      string
					Version  int    `json:"encver"`
					Elements *int64 `json:"elements"`
					Bytes    *int64 `json:"value_bytes"`
				}
				if err := json.Unmarshal([]byte(line), &want); err != nil {
					t.Fatal(err)
				}
				k := byName[want.Key]
				switch {
				case want.Elements == nil:
				case k == nil:
					t.Errorf("%s: no key %q", name, want.Key)
				case k.Elements != *want.Elements:
					t.Errorf("%s: %q: %d elements, want %d", name, want.Key, k.Elements, *want.Elements)
				case want.Bytes != nil && k.ValueBytes != *want.Bytes && !(k.Type == parser.JSON && k.Module.Version == 0): // the reader has its text
					t.Errorf("%s: %q: %d bytes, want %d", name, want.Key, k.ValueBytes, *want.Bytes)
				}
			}
		}
	}
}
