package parser_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/hdt3213/rdb/model"
	hdt "github.com/hdt3213/rdb/parser"

	"github.com/rdblens/rdblens/parser"
)

// A reading is what both readers can say of a key.
type reading struct {
	Type     string
	Elements int64
	Bytes    int64 // sum of the elements' lengths
	Largest  int64
	FieldTTL int64 // fields with an expiry of their own
	Groups   int64
	Pending  int64
}

// The other reader's known faults. A difference that fits none fails the test,
// and so does a fault that no key shows any more.
var knownFaults = []struct {
	reason string
	fits   func(k *parser.Key, valkey bool, got *reading, err error) bool
}{
	{"a plain node of a quicklist: it looks up the wrong node and panics", func(k *parser.Key, _ bool, _ *reading, err error) bool {
		return k.RDBType == 18 && err != nil && strings.HasPrefix(err.Error(), "panic")
	}},
	{"a listpack with more than 65,535 entries: it takes the count that means unknown for one", func(k *parser.Key, _ bool, got *reading, err error) bool {
		return k.Encoding == parser.EncListpack && k.Elements > 32_767 && err == nil && got.Elements == 32_768
	}},
	{"a listpack entry of 16,383 or 2,097,151 bytes from Valkey 9.1: its backward length is a byte shorter there", func(k *parser.Key, valkey bool, got *reading, err error) bool {
		return valkey && k.Encoding == parser.EncListpack && k.Longest >= 16_378 && (err != nil || got.Bytes != k.ValueBytes)
	}},
	{"a module's value, which only we read", func(k *parser.Key, _ bool, got *reading, err error) bool {
		return k.Type.OfModule() && err == nil && got.Type == k.ModuleName && got.Elements == 0
	}},
}

// TestDifferential compares every key of every fixture with hdt3213/rdb. It reads
// each key in a snapshot of its own, so that a fault in one does not hide the
// next.
func TestDifferential(t *testing.T) {
	var paths []string
	for _, pattern := range []string{"../testdata/*.rdb", "../testdata/rules/*.rdb*", ownTruth + "/*/*.rdb", ownTruth + "/*/*.aof", ownTruth + "/*/*.bin"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, found...)
	}
	seen := make([]int, len(knownFaults))
	keys := 0
	for _, path := range paths {
		data := wholeSnapshot(t, path)
		ours, _, err := scanAll(path)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		for _, k := range ours {
			keys++
			got, err := readAlone(data, k)
			if err == nil && *got == readingOf(k) {
				continue
			}
			known := false
			for i, f := range knownFaults {
				if f.fits(k, bytes.HasPrefix(data, []byte("VALKEY")), got, err) {
					seen[i]++
					known = true
					break
				}
			}
			if !known {
				t.Errorf("%s: %.60q: hdt3213/rdb has %+v, %v; we have %+v", path, k.Name, got, err, readingOf(k))
			}
		}
	}
	for i, f := range knownFaults {
		t.Logf("%5d keys: %s", seen[i], f.reason)
		if seen[i] == 0 {
			t.Errorf("no key shows it any more: %s", f.reason)
		}
	}
	t.Logf("%d keys of %d snapshots", keys, len(paths))
}

func wholeSnapshot(t *testing.T, path string) []byte {
	t.Helper()
	src, err := parser.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	data, err := io.ReadAll(src)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return data
}

func readingOf(k *parser.Key) reading {
	return reading{k.Type.String(), k.Elements, k.ValueBytes, k.Largest, k.FieldsWithTTL, k.Groups, k.Pending}
}

// readAlone has hdt3213/rdb read one record of a snapshot.
func readAlone(data []byte, k *parser.Key) (*reading, error) {
	name := k.Offset + 1
	end := name + storedString(data[name:]) + k.Serialized
	alone := append(append(append([]byte{}, data[:9]...), data[k.Offset:end]...), 0xff, 0, 0, 0, 0, 0, 0, 0, 0)
	var got *reading
	count := 0
	err := hdt.NewDecoder(bytes.NewReader(alone)).Parse(func(o hdt.RedisObject) bool {
		got = readingOfObject(o)
		count++
		return true
	})
	if err == nil && count != 1 {
		err = fmt.Errorf("%d keys", count)
	}
	return got, err
}

// storedString is the number of bytes that a string takes in a snapshot, with
// its length in front.
func storedString(b []byte) int64 {
	length := func(b []byte) (n, head int64) {
		switch b[0] >> 6 {
		case 0:
			return int64(b[0] & 63), 1
		case 1:
			return int64(b[0]&63)<<8 | int64(b[1]), 2
		default:
			return int64(b[1])<<24 | int64(b[2])<<16 | int64(b[3])<<8 | int64(b[4]), 5
		}
	}
	switch b[0] {
	case 0xc0, 0xc1, 0xc2:
		return 1 + 1<<(b[0]&3)
	case 0xc3:
		packed, head := length(b[1:])
		_, head2 := length(b[1+head:])
		return 1 + head + head2 + packed
	}
	n, head := length(b)
	return head + n
}

// readingOfObject sums up a value that the other reader has built.
func readingOfObject(o hdt.RedisObject) *reading {
	r := &reading{Type: o.GetType()}
	add := func(n int) {
		r.Elements++
		r.Bytes += int64(n)
		r.Largest = max(r.Largest, int64(n))
	}
	switch o := o.(type) {
	case *hdt.StringObject:
		add(len(o.Value))
	case *hdt.ListObject:
		for _, v := range o.Values {
			add(len(v))
		}
	case *hdt.SetObject:
		for _, v := range o.Members {
			add(len(v))
		}
	case *hdt.ZSetObject:
		for _, e := range o.Entries {
			add(len(e.Member))
		}
	case *hdt.HashObject:
		for f, v := range o.Hash {
			add(len(f) + len(v))
		}
		for _, at := range o.FieldExpirations {
			if at > 0 {
				r.FieldTTL++
			}
		}
	case *hdt.StreamObject:
		streamReading(r, o)
	}
	return r
}

func streamReading(r *reading, o *model.StreamObject) {
	r.Elements = int64(o.Length)
	for _, node := range o.Entries {
		for _, m := range node.Msgs {
			if m.Deleted {
				continue
			}
			n := 0
			for f, v := range m.Fields {
				n += len(f) + len(v)
			}
			r.Bytes += int64(n)
			r.Largest = max(r.Largest, int64(n))
		}
	}
	r.Groups = int64(len(o.Groups))
	for _, g := range o.Groups {
		r.Pending += int64(len(g.Pending))
	}
}

// The snapshots that the other reader does not get through for what stands
// between their keys.
var knownStops = map[string]string{
	"redis-8.0.2/cluster.rdb": "unsupported opcode 244", // slot information, which it knows of Valkey only
}

// TestDifferentialWhole compares what stands between the keys: database, name,
// order, expiry, idle time and counter.
func TestDifferentialWhole(t *testing.T) {
	paths, err := filepath.Glob("../testdata/rules/*.rdb")
	if err != nil {
		t.Fatal(err)
	}
	paths = append(paths, "../testdata/shop.rdb")
	for _, name := range []string{"lfu", "nocrc", "aof-base", "expired", "cluster"} {
		more, err := filepath.Glob(ownTruth + "/*/" + name + ".rdb")
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, more...)
	}
	for _, path := range paths {
		ours, _, err := scanAll(path)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		i := 0
		err = hdt.NewDecoder(bytes.NewReader(data)).Parse(func(o hdt.RedisObject) bool {
			if i >= len(ours) {
				return false
			}
			if want, got := describe(ours[i]), describeObject(o); want != got {
				t.Errorf("%s: hdt3213/rdb has\n%s, we have\n%s", path, got, want)
			}
			i++
			return true
		})
		stop := knownStops[filepath.Join(filepath.Base(filepath.Dir(path)), filepath.Base(path))]
		if stop != "" {
			if err == nil || !strings.Contains(err.Error(), stop) {
				t.Errorf("%s: hdt3213/rdb now ends with %v", path, err)
			}
			continue
		}
		if err != nil || i != len(ours) {
			t.Errorf("%s: hdt3213/rdb read %d of %d keys: %v", path, i, len(ours), err)
		}
	}
}

func describe(k *parser.Key) string {
	expire := int64(0) // the other reader takes 0 and less for none
	if k.HasExpire && k.ExpireAt > 0 {
		expire = k.ExpireAt
	}
	return strings.Join([]string{strconv.Itoa(k.DB), strconv.Quote(string(k.Name)), k.Type.String(), strconv.FormatInt(expire, 10), strconv.FormatInt(k.Idle, 10), strconv.Itoa(int(k.Freq))}, " ")
}

func describeObject(o hdt.RedisObject) string {
	expire := int64(0)
	if at := o.GetExpiration(); at != nil {
		expire = at.UnixMilli()
	}
	usage := o.(interface {
		GetIdleTime() int64
		GetFreq() int64
	})
	return strings.Join([]string{strconv.Itoa(o.GetDBIndex()), strconv.Quote(o.GetKey()), o.GetType(), strconv.FormatInt(expire, 10), strconv.FormatInt(usage.GetIdleTime(), 10), strconv.FormatInt(usage.GetFreq(), 10)}, " ")
}
