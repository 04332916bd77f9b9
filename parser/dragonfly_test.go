package parser

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/rdblens/rdblens/testdata/watchdog"
)

// The snapshots of testdata/gen, and those that another program made from the format
// of Dragonfly, which need not be there.
const (
	ownDragonfly    = "../testdata/dragonfly"
	sharedDragonfly = "../../shared/corpus/dragonfly"
)

// keyName is a key's database and name.
type keyName struct {
	db   int
	name string
}

// TestDragonfly compares the keys of the snapshots that testdata/gen made with what it
// put there.
func TestDragonfly(t *testing.T) {
	files, err := filepath.Glob(ownDragonfly + "/*.dfs")
	if err != nil || len(files) == 0 {
		t.Fatalf("no snapshots: %v", err)
	}
	for _, file := range files {
		truth, err := os.ReadFile(strings.TrimSuffix(file, ".dfs") + ".tsv")
		if err != nil {
			t.Fatal(err)
		}
		want := make(map[keyName]string)
		for _, row := range strings.Split(strings.TrimSpace(string(truth)), "\n")[1:] {
			var db int
			var name string
			fmt.Sscan(row, &db, &name)
			want[keyName{db, name}] = row
		}
		compareDragonfly(t, file, len(want), func(k *Key) (got, truth string) {
			ttl := int64(-1)
			if k.HasExpire {
				ttl = k.ExpireAt
			}
			return fmt.Sprintf("%d\t%s\t%s\t%d\t%d\t%d\t%d\t%d", k.DB, k.Name, k.Type, k.Elements, k.ValueBytes, ttl, k.FieldsWithTTL, k.MinFieldExpire),
				want[keyName{k.DB, string(k.Name)}]
		})
	}
}

// compareDragonfly reads a snapshot in every way, and compares each of its keys.
func compareDragonfly(t *testing.T, file string, want int, compare func(k *Key) (got, truth string)) {
	t.Helper()
	in, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	differential(t, in)
	s := newScanner(bytes.NewReader(in), Options{}, smallBlock)
	keys := 0
	for ; s.Scan(); keys++ {
		if got, truth := compare(s.Key()); got != truth {
			t.Errorf("%s:\n got %s\nwant %s", filepath.Base(file), got, truth)
		}
	}
	if s.Err() != nil || keys != want {
		t.Errorf("%s: %d keys, want %d: %v", filepath.Base(file), keys, want, s.Err())
	}
	if in := s.Info(); in.Server != "dragonfly" || in.Checksum != ChecksumOff || in.Trailing >= 4096 {
		t.Errorf("%s: %+v", filepath.Base(file), in)
	}
}

// TestDragonflyShared compares the keys of the other snapshots with their truth.
func TestDragonflyShared(t *testing.T) {
	files, _ := filepath.Glob(sharedDragonfly + "/*.truth.jsonl")
	if len(files) == 0 {
		t.Skip("the shared corpus is not there")
	}
	types := map[string]Type{"string": String, "list": List, "set": Set, "zset": ZSet, "hash": Hash, "json": JSON,
		"sbf": Bloom, "cms": CountMin, "topk": TopK, "cuckoo": Cuckoo}
	for _, file := range files {
		text, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		want := make(map[keyName]string)
		for d := json.NewDecoder(text); d.More(); {
			var row struct {
				DB       int
				Key      string
				Type     string
				RDBType  uint8 `json:"df_type"`
				Elements int64
				Bytes    int64  `json:"value_bytes"`
				Expire   *int64 `json:"expire_ms"`
			}
			if err := d.Decode(&row); err != nil {
				t.Fatal(err)
			}
			if row.Type == "" { // the first says how the file was made
				continue
			}
			at := int64(0)
			if row.Expire != nil {
				at = *row.Expire
			}
			want[keyName{row.DB, row.Key}] = fmt.Sprint(types[row.Type], row.RDBType, row.Elements, row.Bytes, row.Expire != nil, at)
		}
		text.Close()
		compareDragonfly(t, strings.TrimSuffix(file, ".truth.jsonl")+".dfs", len(want), func(k *Key) (got, truth string) {
			return fmt.Sprint(k.Type, k.RDBType, k.Elements, k.ValueBytes, k.HasExpire, k.ExpireAt), want[keyName{k.DB, string(k.Name)}]
		})
	}
}

// TestDragonflyHostile reads the damaged snapshots among them.
func TestDragonflyHostile(t *testing.T) {
	for name, want := range map[string]struct {
		keys   int
		reason string // "" none
	}{
		"bad-lz4-cut-frame":          {0, "the lz4 data ends early"},
		"bad-lz4-len-past-end":       {40, "the file ends within it"},
		"bad-lz4-no-content-size":    {0, "does not say how long"},
		"bad-record-cut-at-blob-end": {39, "reaches past the end of the compressed block at byte 149"},
		"bad-tag-id0":                {0, "has the tag 0"},
		"bad-tag-never-finished":     {0, "1 of its values in tagged chunks do not"},
		"bad-tag-payload-left":       {1, "string form 63"},
		"bad-tag-size0":              {0, "and 0 bytes"},
		"edge-blob-end-in-stream":    {0, "opcode 203"},
		"edge-high-ratio":            {1, ""},
		"edge-lz4-flipped-byte":      {46, ""}, // no checksum covers it
		"edge-nested-blob":           {0, "stands in a compressed block"},
	} {
		in, err := os.ReadFile(filepath.Join(sharedDragonfly, name+".dfs"))
		if errors.Is(err, os.ErrNotExist) {
			t.Skip("the shared corpus is not there")
		}
		differential(t, in)
		o := scanned(bytes.NewReader(in), Options{}, smallBlock)
		if len(o.lines) != want.keys || (o.err == nil) != (want.reason == "") || o.err != nil && !strings.Contains(o.err.Error(), want.reason) {
			t.Errorf("%s: %d keys and %v, want %d and %q", name, len(o.lines), o.err, want.keys, want.reason)
		}
	}
}

// TestDragonflyDamage has files with one false claim each.
func TestDragonflyDamage(t *testing.T) {
	good := func() *rdbBuilder {
		return newRDB("REDIS0009").aux("df-ver", "df-v1.40.1").blob(202, newRDB("").key(0, "good").str("1").b)
	}
	record := newRDB("").key(0, "k").str("value").b
	set := newRDB("").key(2, "set").len(2).str("a").b
	frame := lz4Frame(record)
	many := good()
	for i := range uint32(maxTagged + 1) {
		many.chunk(i+1, set)
	}
	for name, c := range map[string]struct {
		in     *rdbBuilder
		keys   int
		reason string
	}{
		"record over the end":       {good().blob(202, append(record, 0, 1, 'x', 9, 'c')), 2, "a record reaches past the end of the compressed block at byte"},
		"record over the end, zstd": {good().blob(201, record[:5]), 1, "a record reaches past the end of the compressed block at byte"},
		"frame cut":                 {good().raw(202).str(string(frame[:len(frame)-6])), 1, "the lz4 data ends early"},
		"bytes after the frame":     {good().raw(202).str(string(frame) + "x"), 2, "bytes follow its frame"},
		"two zstd frames":           {good().raw(201).str(string(zstdFrame(record)) + string(zstdFrame(record))), 2, "its length is not the one it announces"},
		"garbage after zstd":        {good().raw(201).str(string(zstdFrame(record)) + "garbage"), 2, "bytes follow its frame"},
		// Bits 5 to 7 of the header say that a length of one byte, and no window, follows.
		"zstd without length":      {good().raw(201).str(string(zstdFrame(record)[:4]) + "\x00\x00\x01\x00\x00"), 1, "does not say how long the content is"},
		"block past the file":      {good().raw(202).len(1 << 30).raw(frame), 2, "bytes follow its frame"},
		"block of 2^60":            {good().raw(202).len(1 << 60), 1, "is claimed"},
		"block that is a number":   {good().raw(202, 0xc0, 7), 1, "a string form stands where"},
		"block in a block":         {good().blob(202, newRDB("").blob(202, record).b), 1, "a compressed block stands in a compressed block"},
		"block in a block of keys": {good().blob(202, append(record, newRDB("").blob(201, record).b...)), 2, "a compressed block stands in a compressed block"},
		"end in a block":           {good().blob(202, append(record, 255)), 2, "the end mark stands in a compressed block"},
		"opcode 203":               {good().raw(203), 1, "opcode 203"},
		"chunk without tag":        {good().chunk(0, record), 1, "has the tag 0"},
		"chunk without bytes":      {good().chunk(1, nil), 1, "and 0 bytes"},
		"chunk never finished":     {good().chunk(7, set), 1, "1 of its values in tagged chunks do not"},
		"chunk with too much":      {good().chunk(7, set).chunk(7, []byte("\x01bxyz")), 1, "3 bytes of a tagged chunk follow its value"},
		"chunk past the file":      {good().raw(224).le32(1).le32(1 << 31).raw(set), 1, "string form 63 is not defined"},
		"chunk past the block":     {good().blob(202, newRDB("").raw(224).le32(1).le32(100).raw(set).b), 1, "a record reaches past the end of the compressed block"},
		"block in a chunk":         {good().chunk(1, newRDB("").blob(202, record).b), 1, "a tagged chunk begins with opcode 202"},
		"chunk in a chunk":         {good().chunk(1, newRDB("").chunk(2, record).b), 1, "a tagged chunk begins with opcode 224"},
		"too many open":            {many, 1, "more than 64 values are in tagged chunks"},
		"expiry that is no time":   {good().key(32, "s").len(1).str("m", "soon"), 1, "the expiry of an element is no time"},
		"type of another release":  {good().key(38, "new").len(1), 1, "unknown type or opcode 38 of Dragonfly df-v1.40.1: save the data with SAVE RDB"},
	} {
		in := c.in.endOff()
		twice(t, in)
		o := scanned(bytes.NewReader(in), Options{}, smallBlock)
		var damage *DamageError
		if len(o.lines) != c.keys || !errors.As(o.err, &damage) || !strings.Contains(damage.Reason.Quoted(), c.reason) {
			t.Errorf("%s: %d keys and %v, want %d and %q", name, len(o.lines), o.err, c.keys, c.reason)
		}
	}
}

// TestDragonflyChunks cuts values of every type behind each of their bytes.
func TestDragonflyChunks(t *testing.T) {
	types := mustRead(t, ownDragonfly+"/types.dfs")
	s := newScanner(bytes.NewReader(types), Options{}, smallBlock)
	for s.Scan() {
		k := s.Key()
		record, want := types[k.Offset:s.offset()], line(k)
		for cut := 1; cut < len(record); cut++ {
			in := newRDB("REDIS0009").aux("df-ver", "df-v1.40.1").raw(254, byte(k.DB)).chunk(1, record[:cut])
			in.key(0, "between").str("v").chunk(1, record[cut:])
			o := scanned(bytes.NewReader(in.endOff()), Options{}, smallBlock)
			// What precedes the type byte is not in the record.
			if got := o.lines[len(o.lines)-1]; o.err != nil || len(o.lines) != 2 || !strings.HasPrefix(want, got) {
				t.Fatalf("cut after %d of %d bytes: %q and %v, want %s", cut, len(record), o.lines, o.err, want)
			}
		}
	}
}

// zstdFrame is b in a zstd frame.
func zstdFrame(b []byte) []byte { return zstdEncoder.EncodeAll(b, nil) }

var zstdEncoder, _ = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithSingleSegment(true))

// lz4Frame is b in an LZ4 frame that states its length, as Dragonfly's blocks have it.
func lz4Frame(b []byte) []byte {
	var frame bytes.Buffer
	w := lz4.NewWriter(&frame)
	w.Apply(lz4.BlockSizeOption(lz4.Block64Kb), lz4.ChecksumOption(false), lz4.SizeOption(uint64(len(b))))
	w.Write(b)
	w.Close()
	return frame.Bytes()
}

// blob adds a compressed block.
func (r *rdbBuilder) blob(op byte, b []byte) *rdbBuilder {
	frame := lz4Frame(b)
	if op == 201 {
		frame = zstdFrame(b)
	}
	return r.raw(op).str(string(frame))
}

// chunk adds a tagged chunk.
func (r *rdbBuilder) chunk(id uint32, b []byte) *rdbBuilder {
	return r.raw(224).le32(id).le32(uint32(len(b))).raw(b)
}

// FuzzDragonfly reads records as they are, in compressed blocks, and in tagged
// chunks that end anywhere, between those of another value: the keys are the same.
func FuzzDragonfly(f *testing.F) {
	header := func() *rdbBuilder { return newRDB("REDIS0009").aux("df-ver", "df-v1.40.1") }
	add := func(in []byte) {
		if i := bytes.IndexByte(in, 0xfe); i > 0 && i < 200 && len(in) < 8<<10 {
			body := in[i:]
			f.Add(body, []byte{3, 1, 50})
			f.Add(bytes.TrimRight(body, "\xa5"), []byte{})
		}
	}
	for name, in := range allFixtures(f) {
		if strings.HasSuffix(name, ".dfs") || strings.Contains(name, "dragonfly") {
			add(in)
		}
	}
	s := newScanner(bytes.NewReader(mustRead(f, ownDragonfly+"/types.dfs")), Options{}, smallBlock)
	types := mustRead(f, ownDragonfly+"/types.dfs")
	for s.Scan() { // each record alone
		k := s.Key()
		if end := s.offset(); k.Offset < end {
			f.Add(types[k.Offset:end], []byte{1, 2, 3, 5, 8, 13})
		}
	}
	f.Fuzz(func(t *testing.T, body, cuts []byte) {
		defer watchdog.Start(t)()
		in := header().raw(body).endOff()
		twice(t, in)
		want := scanned(bytes.NewReader(in), withMemory, scanBlock)
		for _, op := range []byte{201, 202} {
			in := header().blob(op, body).endOff()
			twice(t, in)
			// Of whole records, and nothing that does not stand in blocks.
			if want.err == nil && want.info.Trailing == 0 && want.info.Opcodes[201]+want.info.Opcodes[202] == 0 && len(body) > 0 {
				got := scanned(bytes.NewReader(in), withMemory, smallBlock)
				if got.err != nil || !slices.Equal(got.lines, want.lines) {
					t.Errorf("in a block of opcode %d: %q and %v, want %q", op, got.lines, got.err, want.lines)
				}
			}
		}
		r := header()
		beside := newRDB("").key(2, "beside").len(uint64(len(cuts)) + 1).b
		for rest, i := body, 0; i < len(cuts); i++ {
			n := min(int(cuts[i]), len(rest))
			if i == len(cuts)-1 {
				n = len(rest)
			}
			if n > 0 {
				r.chunk(1, rest[:n])
				rest = rest[n:]
			}
			r.chunk(9, append(beside, 1, 'a'))
			beside = nil
		}
		r.chunk(9, append(beside, 1, 'a'))
		in = r.endOff()
		twice(t, in)
		only := len(want.lines) == 1 && want.err == nil && want.info.Trailing == 0 && len(cuts) > 0
		for op, n := range want.info.Opcodes {
			only = only && (n == 0 || op == 252 || op == 220 || op == 250 || op == 255)
		}
		if only && want.info.AuxCount == 1 {
			got := scanned(bytes.NewReader(in), withMemory, smallBlock)
			if got.err != nil || !slices.Contains(got.lines, want.lines[0]) || len(got.lines) != 2 {
				t.Errorf("in chunks: %q and %v, want %q", got.lines, got.err, want.lines)
			}
		}
	})
}

// twice reads a snapshot with a Scanner, and with two jobs.
func twice(t *testing.T, in []byte) {
	t.Helper()
	want := scanned(bytes.NewReader(in), withMemory, scanBlock)
	checkError(t, "scanner", want)
	if d := difference(want, ranSmall(bytes.NewReader(in), withMemory, 2)); d != "" {
		t.Error(d)
	}
}

func mustRead(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
