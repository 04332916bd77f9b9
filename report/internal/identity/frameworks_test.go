package identity

import (
	"bufio"
	"compress/gzip"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// frameworks has snapshots written by real libraries, and what each key is.
const frameworks = "../../../../shared/corpus/frameworks"

// keyspace is a sink: the keys of a snapshot by the pattern of their names, and the
// samples.
type keyspace struct {
	namer   *naming.Namer
	names   map[string][]string // by pattern
	groups  map[string]*Group
	pool    *Pool
	sampler *Sampler
}

func (s *keyspace) Key(k *parser.Key) {
	var f naming.Facts
	s.namer.Facts(k.Name, &f)
	pattern := string(s.namer.AppendPattern(nil, k.Name))
	if s.groups[pattern] == nil {
		s.groups[pattern] = &Group{Pattern: pattern, DB: k.DB}
	}
	s.groups[pattern].Keys++
	s.names[pattern] = append(s.names[pattern], string(k.Name))
	s.sampler.Key(k, f.Group)
}

func (s *keyspace) Size() int { return 0 }

func (s *keyspace) Flush(end bool) error {
	if end {
		s.pool.Add(s.sampler)
		s.sampler.Reset()
	}
	return nil
}

func readKeyspace(t *testing.T, file string) *keyspace {
	t.Helper()
	s := &keyspace{namer: naming.NewNamer(":"), names: map[string][]string{}, groups: map[string]*Group{}}
	s.pool = NewPool(0, s.namer.IsSeparator)
	s.sampler = s.pool.NewSampler()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := parser.Run(context.Background(), f, parser.Options{Jobs: 1}, func() parser.Sink { return s }); err != nil {
		t.Fatal(err)
	}
	for _, k := range s.pool.Samples() {
		g := s.groups[string(s.namer.AppendPattern(nil, k.Name))]
		g.Samples = append(g.Samples, &k.Sample)
	}
	return s
}

// identify returns the identity of each key.
func (s *keyspace) identify() map[string]*Identity {
	patterns := slices.Sorted(maps.Keys(s.groups))
	var groups []*Group
	for _, p := range patterns {
		groups = append(groups, s.groups[p])
	}
	of := map[string]*Identity{}
	for i, id := range Identify(groups) {
		for _, name := range s.names[patterns[i]] {
			of[name] = id
		}
	}
	return of
}

// truth reads which library wrote which key: the first glob of a file that matches.
func escaped(name string) string {
	var b strings.Builder
	for _, c := range []byte(name) {
		if c < ' ' || c > '~' || c == '\\' {
			fmt.Fprintf(&b, `\x%02x`, c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// same reports whether a library is the one of a line of the table of the truth.
func same(library, truth string) bool {
	r := Find(library)
	for _, part := range strings.Split(truth, " + ") {
		part, _, _ = strings.Cut(part, " (")
		part = strings.TrimSuffix(part, " redis transport")
		part = strings.TrimSuffix(part, " redisstore")
		if r.Known(part) {
			return true
		}
	}
	return r.Known(truth)
}

func TestFrameworks(t *testing.T) {
	files, _ := filepath.Glob(frameworks + "/*.rdb")
	if len(files) == 0 {
		t.Skip("the shared corpus is not there")
	}
	library := map[string]string{} // by file
	for _, line := range lines(t, frameworks+"/truth.tsv") {
		f := strings.Split(line, "\t")
		if f[0] != "mixed.rdb" {
			library[strings.TrimSuffix(f[0], ".rdb")] = f[2]
		}
	}
	for _, file := range files {
		word := strings.TrimSuffix(filepath.Base(file), ".rdb")
		if word == "mixed" {
			continue
		}
		s := readKeyspace(t, file)
		right, wrong, all := 0, map[string]int{}, 0
		var missed []string
		for name, id := range s.identify() {
			all++
			switch {
			case id == nil || id.Library == "":
				missed = append(missed, name)
			case same(id.Library, library[word]):
				right++
			default:
				wrong[id.Library]++
			}
		}
		slices.Sort(missed)
		t.Logf("%-22s %4d of %4d, wrong %v, missed %.5q", word, right, all, wrong, missed[:min(5, len(missed))])
	}
}

func TestMixed(t *testing.T) {
	if _, err := os.Stat(frameworks); err != nil {
		t.Skip("the shared corpus is not there")
	}
	library := map[string]string{} // by file
	for _, line := range lines(t, frameworks+"/truth.tsv") {
		f := strings.Split(line, "\t")
		if f[0] != "mixed.rdb" {
			library[strings.TrimSuffix(f[0], ".rdb")] = f[2]
		}
	}
	truth := map[string]string{}
	for _, line := range lines(t, frameworks+"/keys.tsv.gz") {
		f := strings.Split(line, "\t")
		truth[f[1]] = f[2]
	}
	type count struct {
		right, all int
		wrong      map[string]int
		missed     []string
	}
	counts := map[string]*count{}
	s := readKeyspace(t, frameworks+"/mixed.rdb")
	for name, id := range s.identify() {
		word := truth[escaped(name)]
		c := counts[word]
		if c == nil {
			c = &count{wrong: map[string]int{}}
			counts[word] = c
		}
		c.all++
		switch {
		case id == nil || id.Library == "":
			c.missed = append(c.missed, name)
		case word != "" && same(id.Library, library[word]):
			c.right++
		default:
			c.wrong[id.Library]++
			if word == "" {
				c.missed = append(c.missed, id.Library+" "+name)
			}
		}
	}
	for _, word := range slices.Sorted(maps.Keys(counts)) {
		c := counts[word]
		slices.Sort(c.missed)
		if word == "" {
			c.missed = slices.DeleteFunc(c.missed, func(s string) bool { return !strings.Contains(s, " ") })
		}
		t.Logf("%-22s %4d of %4d, wrong %v, missed %.5q", word, c.right, c.all, c.wrong, c.missed[:min(5, len(c.missed))])
	}
}

func lines(t *testing.T, file string) (list []string) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	scanner := bufio.NewScanner(f)
	if strings.HasSuffix(file, ".gz") {
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		scanner = bufio.NewScanner(z)
	}
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		list = append(list, scanner.Text())
	}
	return list[1:]
}
