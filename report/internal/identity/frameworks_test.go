package identity

import (
	"bufio"
	"bytes"
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
	"github.com/rdblens/rdblens/thresholds"
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
	first   map[string]*Sample // by pattern: what is known without a sample
	pool    *Pool
	sampler *Sampler
}

func (s *keyspace) Key(k *parser.Key) {
	var f naming.Facts
	s.namer.Facts(k.Name, &f)
	pattern := string(s.namer.AppendPattern(nil, k.Name))
	if s.groups[pattern] == nil {
		s.groups[pattern] = &Group{Pattern: pattern, DB: k.DB}
		s.first[pattern] = &Sample{Name: bytes.Clone(k.Name), DB: k.DB, Type: k.Type, TTL: k.HasExpire, NameOnly: true}
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
	s := &keyspace{namer: naming.NewNamer(":"), names: map[string][]string{}, groups: map[string]*Group{}, first: map[string]*Sample{}}
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
	for pattern, g := range s.groups {
		if len(g.Samples) == 0 {
			g.Samples = []*Sample{s.first[pattern]}
		}
	}
	return s
}

// identify returns the identity of each key.
func (s *keyspace) identify() map[string]*thresholds.Identity {
	patterns := slices.Sorted(maps.Keys(s.groups))
	var groups []*Group
	for _, p := range patterns {
		groups = append(groups, s.groups[p])
	}
	of := map[string]*thresholds.Identity{}
	for i, id := range Identify(groups) {
		for _, name := range s.names[patterns[i]] {
			of[name] = id
		}
	}
	return of
}

// escaped returns a name as the table of keys has it.
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

// libraries returns the library of each snapshot by the table of the truth.
func libraries(t *testing.T) map[string]string {
	list := map[string]string{}
	for _, line := range lines(t, frameworks+"/truth.tsv") {
		f := strings.Split(line, "\t")
		list[strings.TrimSuffix(f[0], ".rdb")] = f[2]
	}
	return list
}

// TestFrameworks checks that the keys of a library are named by it, and by no other.
func TestFrameworks(t *testing.T) {
	files, _ := filepath.Glob(frameworks + "/*.rdb")
	if len(files) == 0 {
		t.Skip("the shared corpus is not there")
	}
	library := libraries(t)
	for _, file := range files {
		word := strings.TrimSuffix(filepath.Base(file), ".rdb")
		if word == "mixed" {
			continue
		}
		right, all := 0, 0
		for name, id := range readKeyspace(t, file).identify() {
			all++
			if id == nil || id.Library == "" {
				continue
			}
			if !same(id.Library, library[word]) {
				t.Errorf("%s: %q is named by %s", word, name, id.Library)
			}
			right++
		}
		least := 0.99
		if word == "rlflexible" { // three prefixes: one is fixed, one known by its neighbours, one not
			least = 0.75
		}
		if float64(right) < least*float64(all) {
			t.Errorf("%s: %d of %d keys are named", word, right, all)
		}
	}
}

// TestMixed checks that the keys of many libraries, each under another prefix, are
// named in one database, and none of those that only look like them.
func TestMixed(t *testing.T) {
	if _, err := os.Stat(frameworks); err != nil {
		t.Skip("the shared corpus is not there")
	}
	library := libraries(t)
	truth := map[string]string{}
	for _, line := range lines(t, frameworks+"/keys.tsv.gz") {
		f := strings.Split(line, "\t")
		truth[f[1]] = f[2]
	}
	right, wrong, all := 0, 0, 0
	for name, id := range readKeyspace(t, frameworks+"/mixed.rdb").identify() {
		word, of := truth[escaped(name)]
		if !of {
			if id != nil && id.Library != "" {
				t.Errorf("%q is named by %s", name, id.Library)
			}
			continue
		}
		if word == "oslo_cache" {
			continue // hexadecimal digits, in a group with others
		}
		all++
		switch {
		case id == nil || id.Library == "":
		case same(id.Library, library[word]):
			right++
		default:
			wrong++
		}
	}
	if float64(right) < 0.95*float64(all) || wrong*100 > all {
		t.Errorf("of %d keys %d are named, and %d by another library", all, right, wrong)
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
