package parser

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/parser/internal/rdb"
	"github.com/rdblens/rdblens/parser/internal/release"
)

// TestTypes walks the tables of types and demands for each row a snapshot that
// has the type, from which the walk, framing and, of rows that say so, splitting
// get the same.
func TestTypes(t *testing.T) {
	type row struct {
		dialect string
		number  int
	}
	dialects := map[string]*dialect{
		"REDIS":         {version: 15},
		"VALKEY":        {version: 80, valkey: true},
		"VALKEY081":     {version: 81, valkey: true},
		"dragonfly":     {version: 10, dragonfly: true},
		"old dragonfly": {version: 9, dragonfly: true},
	}
	for _, d := range dialects {
		d.compile()
	}
	keys := make(map[row]int)
	for name, in := range allFixtures(t) {
		s := newScanner(bytes.NewReader(in), Options{}, smallBlock)
		s.Visit(&Visitor{MaxName: -1})
		for s.Scan() {
			k, d := s.Key(), s.r.w.src
			of := s.Info().Magic
			if d.dragonfly && d.version <= 9 {
				of = "old dragonfly"
			} else if d.dragonfly {
				of = "dragonfly"
			}
			if of == "VALKEY" && d.version >= release.ValkeyTrees {
				keys[row{"VALKEY081", int(k.RDBType)}]++
			}
			if of == "old dragonfly" && k.RDBType != 20 {
				keys[row{"dragonfly", int(k.RDBType)}]++
			}
			if of != "REDIS" && k.RDBType < 22 {
				keys[row{"REDIS", int(k.RDBType)}]++ // of the common table
			}
			keys[row{of, int(k.RDBType)}]++
			if !s.r.blob.seen && s.r.tagged == nil { // the bytes of the key are those at its offset
				checkFraming(t, name, d, in, k)
			}
		}
	}
	for of, table := range map[string][]typeRow{"REDIS": append(commonTypes, redisTypes...), "VALKEY": valkeyTypes, "VALKEY081": valkey92Types, "dragonfly": dragonflyTypes, "old dragonfly": oldDragonflyTypes} {
		d := dialects[of]
		for _, r := range table {
			if d.types[r.number] != r {
				t.Errorf("%s has two types %d", of, r.number)
			}
			switch {
			case r.Kind == rdb.None:
				t.Errorf("%s: type %d has no layout", of, r.number)
			case r.Kind == rdb.Refused:
				o := scanned(bytes.NewReader(newRDB("REDIS0015").key(r.number, "k").len(1).end()), Options{}, smallBlock)
				if o.err == nil || !strings.Contains(o.err.Error(), refusedModule) {
					t.Errorf("%s: type %d is refused with %v, want %q", of, r.number, o.err, refusedModule)
				}
			case keys[row{of, int(r.number)}] == 0:
				t.Errorf("%s: no snapshot has a key of type %d", of, r.number)
			}
			if r.splits() {
				kind := r.number
				if of == "VALKEY" { // its type 22 is not that of Redis
					kind = 0
				}
				i := bytes.IndexByte(largeTypes, kind)
				if i < 0 {
					t.Errorf("%s: type %d is split, but FuzzPieces has none", of, r.number)
					continue
				}
				in, want := large([]byte{0, 2, 4, 6, 8, 1, 3, 5, 7, 200, 201, 19, 20}, i)
				s := newScanner(bytes.NewReader(in), Options{}, smallBlock)
				s.Scan()
				s.Scan()
				holds(t, want, true)(fmt.Sprintf("%s type %d", of, r.number), s.Key(), s.Err())
				differential(t, in)
			}
		}
	}
}

// checkFraming finds the end of a value that was walked, and of its elements.
func checkFraming(t *testing.T, name string, d *dialect, in []byte, k *Key) {
	t.Helper()
	at := k.Offset
	if i := bytes.Index(in, []byte("REDIS0")); i > 0 { // behind a frame
		at += int64(i)
	}
	r := &d.types[k.RDBType]
	if int(at) >= len(in) || in[at] != k.RDBType || !d.IsType[k.RDBType] {
		t.Fatalf("%s: no type %d at offset %d: %s", name, k.RDBType, at, line(k))
	}
	if k.Serialized > blockSize {
		return
	}
	p := rdb.SkipString(in, int(at)+1)
	end := p + int(k.Serialized)
	got := rdb.SkipValue(&r.Layout, in, p)
	if got == rdb.SkipBad {
		switch r.Kind {
		case rdb.Text, rdb.Packed, rdb.Quicklist, rdb.Module:
		case rdb.Counted:
			if r.Beside == rdb.ScoreText {
				return
			}
		case rdb.Stream:
			if r.Variant >= rdb.StreamIdempotent {
				return // producers
			}
		default:
			return // only the walker finds the end
		}
	}
	if got != end {
		t.Errorf("%s: the value ends at %d for framing, at %d for the walk: %s", name, got, end, line(k))
	}
	if r.splits() {
		if r.MinExpire {
			p += 8
		}
		n, p := rdb.CountAt(in, p)
		if done, next := r.SkipElements(in, p, n); done != n || next != end {
			t.Errorf("%s: %d of %d elements end at %d, want %d: %s", name, done, n, next, end, line(k))
		}
	}
}
