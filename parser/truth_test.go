package parser_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/rdblens/rdblens/parser"
)

// The snapshots of real servers, each beside the server's own answers. The
// second directory is a larger collection that need not be there.
const (
	ownTruth    = "../testdata/truth"
	sharedTruth = "../../shared/corpus/generated"
)

// A truthFile is what a server said of the keys of one snapshot.
type truthFile struct {
	snapshot string
	server   string // name of the directory: "redis-7.0.15" and the like
	comments []string
	rows     []map[string]string // by column
}

// truthFiles reads every truth file below a directory.
func truthFiles(t *testing.T, dir string) []*truthFile {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*", "*.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	var out []*truthFile
	for _, path := range paths {
		if strings.HasSuffix(path, ".true.tsv") {
			continue // a second opinion on another file's sizes
		}
		f := &truthFile{server: filepath.Base(filepath.Dir(path))}
		for _, ext := range []string{".rdb", ".aof", ".bin"} {
			p := strings.TrimSuffix(path, ".tsv") + ext
			if _, err := os.Stat(p); err == nil {
				f.snapshot = p
			}
		}
		if f.snapshot == "" {
			t.Errorf("%s: no snapshot beside it", path)
			continue
		}
		if err := f.read(path); err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		out = append(out, f)
	}
	return out
}

func (f *truthFile) read(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	var columns []string
	for lines.Scan() {
		line := lines.Text()
		switch {
		case columns == nil && strings.HasPrefix(line, "#"):
			f.comments = append(f.comments, line)
			continue
		case columns == nil:
			columns = strings.Split(line, "\t")
			continue
		}
		cells := strings.Split(line, "\t")
		if len(cells) != len(columns) {
			return fmt.Errorf("%d cells below %d columns: %.60q", len(cells), len(columns), line)
		}
		row := make(map[string]string, len(cells))
		for i, c := range cells {
			row[columns[i]] = c
		}
		f.rows = append(f.rows, row)
	}
	return lines.Err()
}

// unescape returns the bytes of an escaped name of a truth file.
func unescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			if n, err := strconv.ParseUint(s[min(i+2, len(s)):min(i+4, len(s))], 16, 8); s[i+1] == 'x' && err == nil {
				b.WriteByte(byte(n))
				i += 3
				continue
			}
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// scanAll reads a snapshot with the Scanner.
func scanAll(path string) ([]*parser.Key, *parser.Info, error) {
	src, err := parser.Open(path)
	if err != nil {
		return nil, &parser.Info{}, err
	}
	defer src.Close()
	s := parser.NewScanner(src, parser.Options{})
	var keys []*parser.Key
	for s.Scan() {
		keys = append(keys, s.Key().Clone())
	}
	return keys, s.Info(), s.Err()
}

// runAll reads a snapshot with Run.
func runAll(path string, jobs int) ([]*parser.Key, *parser.Info, error) {
	src, err := parser.Open(path)
	if err != nil {
		return nil, &parser.Info{}, err
	}
	defer src.Close()
	var keys []*parser.Key
	info, err := parser.Run(context.Background(), src, parser.Options{Jobs: jobs}, func() parser.Sink { return &keySink{all: &keys} })
	return keys, info, err
}

// keySink collects keys.
type keySink struct {
	keys []*parser.Key
	all  *[]*parser.Key
}

func (s *keySink) Key(k *parser.Key) { s.keys = append(s.keys, k.Clone()) }
func (s *keySink) Size() int         { return 0 }

func (s *keySink) Flush(bool) error {
	*s.all = append(*s.all, s.keys...)
	s.keys = s.keys[:0]
	return nil
}

func TestTruth(t *testing.T) {
	files := truthFiles(t, ownTruth)
	if len(files) < 40 {
		t.Fatalf("only %d snapshots in %s", len(files), ownTruth)
	}
	testTruth(t, files)
}

func TestSharedTruth(t *testing.T) {
	files := truthFiles(t, sharedTruth)
	if len(files) == 0 {
		t.Skip("the larger collection is not here")
	}
	testTruth(t, files)
}

func testTruth(t *testing.T, files []*truthFile) {
	keys := 0
	for _, f := range files {
		t.Run(f.server+"/"+filepath.Base(f.snapshot), func(t *testing.T) {
			scanned, info, err := scanAll(f.snapshot)
			if err != nil {
				t.Fatal(err)
			}
			checkInfo(t, f, info)
			run, _, err := runAll(f.snapshot, 2)
			if err != nil {
				t.Fatalf("Run: %v", err)
			}
			if d := cmp.Diff(scanned, run, cmpopts.IgnoreUnexported(parser.Key{})); d != "" {
				t.Fatalf("Scanner and Run differ (-scanner +run):\n%.2000s", d)
			}
			f.compare(t, scanned)
			keys += len(f.rows)
		})
	}
	t.Logf("%d keys of %d snapshots", keys, len(files))
}

// checkInfo compares the header of a snapshot with the name of its file.
func checkInfo(t *testing.T, f *truthFile, info *parser.Info) {
	name := strings.SplitN(filepath.Base(f.snapshot), ".", 2)[0]
	want := parser.ChecksumOK
	switch {
	case strings.Contains(name, "nocrc"):
		want = parser.ChecksumOff
	case strings.HasPrefix(name, "repl-eof"):
		want = parser.ChecksumOK // or off: some versions do not compute it for a socket
		if info.Checksum == parser.ChecksumOff {
			want = parser.ChecksumOff
		}
	}
	if info.Checksum != want {
		t.Errorf("checksum %v, want %v", info.Checksum, want)
	}
	if info.Keys != int64(len(f.rows)) {
		t.Errorf("%d keys, the server had %d", info.Keys, len(f.rows))
	}
	family, version, _ := strings.Cut(f.server, "-")
	if info.ServerVersion != "" && !strings.HasSuffix(version, "dev") &&
		(info.Server != family || !strings.HasPrefix(info.ServerVersion, version)) {
		t.Errorf("written by %s %s, want %s", info.Server, info.ServerVersion, f.server)
	}
	if want := strings.HasPrefix(name, "aof-"); info.AOFBase != want {
		t.Errorf("base of an append-only file: %v", info.AOFBase)
	}
	if want := map[string]string{"repl-eof": "replication-eof", "repl-len": "replication-length"}[name[:min(8, len(name))]]; strings.Join(info.Frames, " ") != want {
		t.Errorf("frames %q, want %q", info.Frames, want)
	}
}

// compare compares each key with what the server said of it.
func (f *truthFile) compare(t *testing.T, keys []*parser.Key) {
	type name struct {
		db  string
		key string
	}
	have := make(map[name]*parser.Key, len(keys))
	for _, k := range keys {
		n := name{strconv.Itoa(k.DB), string(k.Name)}
		if have[n] != nil {
			t.Errorf("%.80q comes twice", k.Name)
		}
		have[n] = k
	}
	wrong := 0
	for _, row := range f.rows {
		full := unescape(row["key"])
		n := name{row["db"], full[:min(len(full), parser.MaxName)]}
		k := have[n]
		if k == nil {
			t.Errorf("%.80q: not found in database %s", full, row["db"])
			continue
		}
		delete(have, n)
		if k.NameLen != int64(len(full)) {
			t.Errorf("%.80q: name of %d bytes, want %d", full, k.NameLen, len(full))
		}
		for _, problem := range f.differences(k, row) {
			if wrong++; wrong <= 20 {
				t.Errorf("%.80q (type byte %d): %s", full, k.RDBType, problem)
			}
		}
	}
	for n := range have {
		t.Errorf("%.80q: the server had no such key in database %s", n.key, n.db)
	}
	if wrong > 20 {
		t.Errorf("%d differences in all", wrong)
	}
}

// differences are what a key and the server's row disagree on.
func (f *truthFile) differences(k *parser.Key, row map[string]string) (out []string) {
	figure := func(column string, got int64) {
		if want := row[column]; want != "" && want != "-" && want != strconv.FormatInt(got, 10) {
			out = append(out, fmt.Sprintf("%s %d, the server says %s", column, got, want))
		}
	}
	if _, plain := parser.ParseType(row["type"]); !plain {
		if k.Type != parser.Module || k.ModuleName != row["type"] {
			out = append(out, fmt.Sprintf("type %v %q, the server says %s", k.Type, k.ModuleName, row["type"]))
		}
	} else if k.Type.String() != row["type"] {
		return append(out, fmt.Sprintf("type %v, the server says %s", k.Type, row["type"]))
	}
	if want := f.encodings(k, row); !strings.Contains(" "+want+" ", " "+k.Encoding.String()+" ") {
		out = append(out, fmt.Sprintf("encoding %v, the server says %s", k.Encoding, want))
	}
	figure("elements", k.Elements)
	figure("value_bytes", k.ValueBytes)
	figure("max_elem", k.Largest)
	figure("longest", k.Longest)
	figure("fields_ttl", k.FieldsWithTTL)
	figure("min_field_ttl_ms", k.MinFieldExpire)
	figure("groups", k.Groups)
	figure("consumers", k.Consumers)
	figure("pending", k.Pending)
	return append(out, f.metadata(k, row)...)
}

// metadata compares what surrounds the value: expiry, size in the file,
// idle time or counter, name of the largest element.
func (f *truthFile) metadata(k *parser.Key, row map[string]string) (out []string) {
	figure := func(column string, got int64) {
		if want := row[column]; want != "" && want != "-" && want != strconv.FormatInt(got, 10) {
			out = append(out, fmt.Sprintf("%s %d, the server says %s", column, got, want))
		}
	}
	serialized := k.Serialized
	if k.RDBType == 24 || k.RDBType == 25 {
		serialized -= 8 // DEBUG OBJECT leaves the earliest expiry out
	}
	figure("serializedlength", serialized)
	expire := int64(-1)
	if k.HasExpire {
		expire = k.ExpireAt
	}
	figure("ttl_ms", expire)
	out = append(out, f.usage(k, row)...)
	if want := row["max_name"]; want != "" && want != "-" {
		if want = unescape(want[1:]); want != string(k.LargestName) || int(k.LargestNameLen) < len(want) {
			out = append(out, fmt.Sprintf("largest element %.80q, want %.80q", k.LargestName, want))
		}
	}
	return out
}

// usage compares idle time and LFU counter: one of them stands in a file, and
// only where the policy evicts by it.
func (f *truthFile) usage(k *parser.Key, row map[string]string) (out []string) {
	if k.Freq >= 0 && row["freq"] != strconv.Itoa(int(k.Freq)) {
		out = append(out, fmt.Sprintf("counter %d, the server says %s", k.Freq, row["freq"]))
	}
	if want, err := strconv.ParseInt(row["freq"], 10, 64); err == nil && want != int64(k.Freq) {
		out = append(out, fmt.Sprintf("counter %d, the server says %d", k.Freq, want))
	}
	if k.Idle >= 0 {
		want, err := strconv.ParseInt(row["idle_s"], 10, 64)
		if err != nil || max(k.Idle-want, want-k.Idle) > 2 {
			out = append(out, fmt.Sprintf("idle %d s, the server says %s", k.Idle, row["idle_s"]))
		}
	}
	return out
}

// encodings are the server's words for a value that this file may show.
func (f *truthFile) encodings(k *parser.Key, row map[string]string) string {
	live, reloaded := row["encoding"], row["encoding_reloaded"]
	switch {
	case k.Type.OfModule() || live == "-" || live == "unknown":
		return k.Encoding.String() // not known, or no word for it yet (streams in 5.0)
	case (k.Type == parser.String || k.Type == parser.List) && reloaded != "" && reloaded != "-":
		return reloaded // how the value grew is not in the file
	case k.Type == parser.String && live != "int":
		return "raw embstr"
	case k.Type == parser.List && k.Nodes == 1 && (live == "listpack" || live == "quicklist"):
		return "listpack quicklist"
	}
	return live
}

// TestFunctions looks for the two libraries that the fixtures hold.
func TestFunctions(t *testing.T) {
	for _, f := range truthFiles(t, ownTruth) {
		if filepath.Base(f.snapshot) != "all.rdb" {
			continue
		}
		_, info, err := scanAll(f.snapshot)
		if err != nil {
			t.Fatal(err)
		}
		if info.Functions != 2 || info.FunctionBytes < 150 {
			t.Errorf("%s: %d libraries of %d bytes, want 2", f.server, info.Functions, info.FunctionBytes)
		}
		if info.Databases != 6 {
			t.Errorf("%s: %d databases, want 6", f.server, info.Databases)
		}
	}
}

// TestSmallReads checks that the sizes of a source's reads do not matter.
func TestSmallReads(t *testing.T) {
	for _, f := range truthFiles(t, ownTruth) {
		if !strings.HasPrefix(filepath.Base(f.snapshot), "all.") {
			continue
		}
		data, err := os.ReadFile(f.snapshot)
		if err != nil {
			t.Fatal(err)
		}
		want, _, err := scanAll(f.snapshot)
		if err != nil {
			t.Fatal(err)
		}
		for _, piece := range []int{1, 7, 4096} {
			s := parser.NewScanner(&piecewise{bytes.NewReader(data), piece}, parser.Options{})
			var got []*parser.Key
			for s.Scan() {
				got = append(got, s.Key().Clone())
			}
			if s.Err() != nil {
				t.Fatalf("%s in pieces of %d: %v", f.server, piece, s.Err())
			}
			if d := cmp.Diff(want, got, cmpopts.IgnoreUnexported(parser.Key{})); d != "" {
				t.Fatalf("%s in pieces of %d (-whole +pieces):\n%.2000s", f.server, piece, d)
			}
		}
	}
}

// A piecewise reader gives at most n bytes a Read.
type piecewise struct {
	r *bytes.Reader
	n int
}

func (p *piecewise) Read(b []byte) (int, error) { return p.r.Read(b[:min(len(b), p.n)]) }
