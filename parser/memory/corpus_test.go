package memory_test

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/memory"
)

// corpus holds snapshots of real servers, each with what the server said.
const corpus = "../../../shared/corpus/generated"

// A truth is what a server said of a key.
type truth struct {
	typ, encoding string
	reloaded      int64 // MEMORY USAGE with SAMPLES 0 after a reload, -1 not known
	live          int64
}

func readTruth(t *testing.T, path string) map[string]truth {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	keys := map[string]truth{}
	var col map[string]int
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<24)
	for in.Scan() {
		line := in.Text()
		if col == nil && strings.HasPrefix(line, "#") {
			continue
		}
		cells := strings.Split(line, "\t")
		if col == nil {
			col = map[string]int{}
			for i, c := range cells {
				col[c] = i
			}
			continue
		}
		number := func(c string) int64 {
			n, err := strconv.ParseInt(cells[col[c]], 10, 64)
			if err != nil {
				return -1
			}
			return n
		}
		keys[cells[col["db"]]+" "+unescape(cells[col["key"]])] = truth{typ: cells[col["type"]], encoding: cells[col["encoding"]],
			reloaded: number("memory_reloaded"), live: number("memory_usage")}
	}
	return keys
}

// unescape undoes \xNN and \\.
func unescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+3 < len(s) && s[i+1] == 'x' {
			if n, err := strconv.ParseUint(s[i+2:i+4], 16, 8); err == nil {
				b.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		if s[i] == '\\' && i+1 < len(s) && s[i+1] == '\\' {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// An account gathers the errors of a model.
type account struct {
	errors    []float64
	got, want int64
	byType    map[string][]float64
	worst     []string
}

func (a *account) add(name, kind string, got, want int64) {
	e := float64(got-want) / float64(want)
	if e < 0 {
		e = -e
	}
	a.errors = append(a.errors, e)
	a.got += got
	a.want += want
	if a.byType == nil {
		a.byType = map[string][]float64{}
	}
	a.byType[kind] = append(a.byType[kind], e)
	if e > .001 || strings.HasPrefix(kind, "stream") && os.Getenv("SHOWSTREAM") != "" {
		a.worst = append(a.worst, fmt.Sprintf("%8.2f%% %s %.40q: %d, server says %d", 100*e, kind, name, got, want))
	}
}

func quantile(e []float64, q float64) float64 {
	if len(e) == 0 {
		return 0
	}
	s := append([]float64(nil), e...)
	sort.Float64s(s)
	return s[min(int(float64(len(s))*q), len(s)-1)]
}

func (a *account) total() float64 { return float64(a.got-a.want) / float64(a.want) }

// compare holds a model's MEMORY USAGE against the servers' in one snapshot.
func compare(t *testing.T, a *account, path string, opt memory.Options) {
	t.Helper()
	ext := filepath.Ext(path)
	keys := readTruth(t, strings.TrimSuffix(path, ext)+".tsv")
	src, err := parser.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	s := parser.NewScanner(src, parser.Options{Memory: func(i *parser.Info) *memory.Model {
		opt := opt
		opt.RDB = i.Version
		m, _, err := memory.Choose(i.Server, i.ServerVersion, opt)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}})
	for s.Scan() {
		k := s.Key()
		name := string(k.Name)
		want, ok := keys[strconv.Itoa(k.DB)+" "+name]
		if !ok || want.reloaded < 0 || k.Type > parser.Stream {
			continue
		}
		a.add(filepath.Base(path)+":"+name, want.typ+"/"+want.encoding, k.MemoryUsage, want.reloaded)
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
}

func TestCorpus(t *testing.T) {
	for _, c := range []struct {
		dir       string
		allocator string
	}{
		{"redis-7.0.15", "jemalloc-system"},
		{"redis-8.0.2", "jemalloc-system"},
		{"valkey-8.1.1", "jemalloc-system"},
		{"valkey-9.1.2", "jemalloc-5.3.1"},
		{"redis-8.4-dev", "jemalloc"},
		{"redis-8.8-dev", "jemalloc"},
		{"redis-5.0", "jemalloc"},
	} {
		t.Run(c.dir, func(t *testing.T) {
			var a account
			files, _ := filepath.Glob(filepath.Join(corpus, c.dir, "*"))
			for _, path := range files {
				base := filepath.Base(path)
				if filepath.Ext(path) == ".tsv" || strings.HasPrefix(base, "modules") || strings.HasPrefix(base, "cluster") {
					continue
				}
				compare(t, &a, path, memory.Options{Allocator: c.allocator, State: "reloaded"})
			}
			t.Logf("%d keys, p95 %.3f%%, max %.2f%%, total %+.3f%%", len(a.errors), 100*quantile(a.errors, .95), 100*quantile(a.errors, 1), 100*a.total())
			sort.Strings(a.worst)
			for _, w := range a.worst[max(0, len(a.worst)-15):] {
				t.Log(w)
			}
		})
	}
}
