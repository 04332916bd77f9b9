package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/report/text"
)

// showRun runs show and returns what it wrote.
func showRun(t *testing.T, stdin io.Reader, args ...string) (out, errs string, code int) {
	t.Helper()
	var o, e bytes.Buffer
	code = run(t.Context(), append([]string{"show"}, args...), stdin, &o, &e)
	return o.String(), e.String(), code
}

// commandsOf parses commands in RESP.
func commandsOf(t *testing.T, resp string) (commands [][]string) {
	t.Helper()
	number := func(kind string) int {
		line, rest, ok := strings.Cut(resp, "\r\n")
		n, err := strconv.Atoi(strings.TrimPrefix(line, kind))
		if !ok || err != nil || !strings.HasPrefix(line, kind) {
			t.Fatalf("%.40q where %s and a number should be", resp, kind)
		}
		resp = rest
		return n
	}
	for resp != "" {
		command := make([]string, number("*"))
		for i := range command {
			n := number("$")
			if len(resp) < n+2 || resp[n:n+2] != "\r\n" {
				t.Fatalf("an argument of %d bytes does not end", n)
			}
			command[i], resp = resp[:n], resp[n+2:]
		}
		commands = append(commands, command)
	}
	return commands
}

// TestShowInputs checks that a file, a pipe and a compressed file give the same output.
func TestShowInputs(t *testing.T) {
	file := filepath.Join("..", "..", "testdata", "truth", "redis-7.0.15", "all.rdb")
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	packed := filepath.Join(t.TempDir(), "all.rdb.gz")
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	w.Write(b)
	w.Close()
	if err := os.WriteFile(packed, z.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, flags := range [][]string{{"-f", "resp"}, {"-f", "resp", "--portable"}, {"-f", "json"}, {"--match", "*"}} {
		want, _, code := showRun(t, nil, append([]string{file}, flags...)...)
		if code != exitDone || len(want) < 1000 {
			t.Fatalf("%v: exit code %d, %d bytes", flags, code, len(want))
		}
		for what, got := range map[string]func() (string, string, int){
			"a pipe": func() (string, string, int) {
				return showRun(t, bytes.NewReader(b), append([]string{"-"}, flags...)...)
			},
			"a compressed file": func() (string, string, int) { return showRun(t, nil, append([]string{packed}, flags...)...) },
		} {
			// Of a pipe nobody knows which allocator its figures of memory are for.
			if out, errs, code := got(); memoryFigures.ReplaceAllString(out, "") != memoryFigures.ReplaceAllString(want, "") || code != exitDone {
				t.Errorf("%v of %s: exit code %d, %d bytes instead of %d, %s", flags, what, code, len(out), len(want), errs)
			}
		}
	}
}

// memoryFigures are those of keys in JSON and in text.
var memoryFigures = regexp.MustCompile(`"memory(_usage)?_bytes":[0-9]+|(?m)^memory( usage)? .*$|; compact would save .*`)

// TestShowJSON reads the lines for all keys of the fixtures back.
func TestShowJSON(t *testing.T) {
	files, err := filepath.Glob("../../testdata/truth/*/*.rdb")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	for _, file := range files {
		out, errs, code := showRun(t, nil, file, "-f", "json")
		if code != exitDone {
			t.Fatalf("%s: exit code %d, %s", file, code, errs)
		}
		keys := jsonLines(t, out)
		src, err := parser.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		s := parser.NewScanner(src, parser.Options{})
		n := 0
		for ; s.Scan(); n++ {
			k := s.Key()
			if n >= len(keys) {
				continue
			}
			if what := keys[n].wrong(k); what != "" {
				t.Errorf("%s: %.60q: %s", file, k.Name, what)
			}
		}
		src.Close()
		if n != len(keys) {
			t.Errorf("%s: %d keys, want %d", file, len(keys), n)
		}
	}
}

// shownKey is a line of JSON.
type shownKey struct {
	Key    string
	Type   string
	Value  json.RawMessage
	Groups []struct {
		Name      string
		Pending   []struct{ ID string }
		Consumers []struct {
			Name    string
			Pending []string
		}
	}
}

func jsonLines(t *testing.T, out string) (keys []shownKey) {
	t.Helper()
	for line := range strings.Lines(out) {
		var k shownKey
		if err := json.Unmarshal([]byte(line), &k); err != nil {
			t.Fatalf("%.200s: %v", line, err)
		}
		keys = append(keys, k)
	}
	return keys
}

// wrong says what of a key is not what the scanner has.
func (s *shownKey) wrong(k *parser.Key) string {
	name, err := text.Unescape([]byte(s.Key))
	if err != nil || !bytes.HasPrefix(name, k.Name) || int64(len(name)) != k.NameLen {
		return fmt.Sprintf("name %.60q", s.Key)
	}
	size, elements := int64(0), int64(0)
	add := func(texts ...string) {
		for _, s := range texts {
			b, err := text.Unescape([]byte(s))
			if err != nil {
				size = -1 << 40
			}
			size += int64(len(b))
		}
		elements++
	}
	switch k.Type {
	case parser.String:
		var v string
		err = json.Unmarshal(s.Value, &v)
		add(v)
	case parser.List, parser.Set:
		var v []string
		err = json.Unmarshal(s.Value, &v)
		for _, s := range v {
			add(s)
		}
	case parser.ZSet:
		var v []struct{ Member string }
		err = json.Unmarshal(s.Value, &v)
		for _, e := range v {
			add(e.Member)
		}
	case parser.Hash:
		var v []struct {
			Field, Value string
			ExpireAt     int64 `json:"expire_at_ms"`
		}
		err = json.Unmarshal(s.Value, &v)
		ttls := int64(0)
		for _, e := range v {
			add(e.Field, e.Value)
			if e.ExpireAt != 0 {
				ttls++
			}
		}
		if ttls != k.FieldsWithTTL {
			return fmt.Sprintf("%d fields with a TTL, want %d", ttls, k.FieldsWithTTL)
		}
	case parser.Stream:
		var v []struct {
			ID     string
			Fields []string
		}
		err = json.Unmarshal(s.Value, &v)
		for _, e := range v {
			add(e.Fields...)
		}
		var pending, its, consumers int64
		for _, g := range s.Groups {
			pending += int64(len(g.Pending))
			consumers += int64(len(g.Consumers))
			for _, c := range g.Consumers {
				its += int64(len(c.Pending))
			}
		}
		if int64(len(s.Groups)) != k.Groups || pending != k.Pending || its != k.Pending || consumers != k.Consumers {
			return fmt.Sprintf("%d groups, %d and %d entries pending for %d consumers", len(s.Groups), pending, its, consumers)
		}
	default:
		if string(s.Value) != "null" {
			return fmt.Sprintf("value %.60s", s.Value)
		}
		return ""
	}
	if err != nil || size != k.ValueBytes || elements != k.Elements {
		return fmt.Sprintf("%d elements of %d bytes, want %d of %d, %v", elements, size, k.Elements, k.ValueBytes, err)
	}
	return ""
}

// TestShowPortableStream has what a stream can have.
func TestShowPortableStream(t *testing.T) {
	// Entries 5-1 and 7-2 are there, 3-1 and 6-1 pending and deleted; d has no
	// pending entry.
	node := packedTexts(2, 0, 1, "f", 0, 2, 0, 0, "a", 4, 2, 2, 1, "b", 4)
	var b []byte
	b = append(b, "REDIS0011\xfe\x02\x15\x02st\x01\x10\x00\x00\x00\x00\x00\x00\x00\x05\x00\x00\x00\x00\x00\x00\x00\x01"...)
	b = appendString(b, node)
	b = append(b, 2, 9, 0, 5, 1, 6, 1, 10) // length, last, first, greatest deleted, added
	id := func(ms, seq byte) { b = append(b, 0, 0, 0, 0, 0, 0, 0, ms, 0, 0, 0, 0, 0, 0, 0, seq) }
	time := func(ms byte) { b = append(b, ms, 0, 0, 0, 0, 0, 0, 0) }
	b = append(b, 1, 1, 'g', 8, 0, 4, 3) // one group: last, read, pending
	for i, p := range [][2]byte{{3, 1}, {6, 1}, {7, 2}} {
		id(p[0], p[1])
		time(byte(100 + i))
		b = append(b, byte(1+i))
	}
	b = append(b, 2, 1, 'c')
	time(50)
	time(50)
	b = append(b, 3)
	id(3, 1)
	id(6, 1)
	id(7, 2)
	b = append(b, 1, 'd')
	time(50)
	time(50)
	b = append(b, 0, 0xff, 0, 0, 0, 0, 0, 0, 0, 0)
	out, errs, code := showRun(t, bytes.NewReader(b), "-", "-f", "resp", "--portable")
	if code != exitDone || errs != "" {
		t.Fatalf("exit code %d, %s", code, errs)
	}
	var got []string
	for _, c := range commandsOf(t, out) {
		got = append(got, strings.Join(c, " "))
	}
	want := []string{"SELECT 2", "XADD st 3-1  ", "XADD st 5-1 f a", "XADD st 6-1  ", "XADD st 7-2 f b", "XSETID st 9-0",
		"XSETID st 9-0 ENTRIESADDED 10 MAXDELETEDID 6-1", "XGROUP CREATE st g 8-0", "XGROUP SETID st g 8-0 ENTRIESREAD 4",
		"XCLAIM st g c 0 3-1 TIME 100 RETRYCOUNT 1 JUSTID FORCE", "XCLAIM st g c 0 6-1 TIME 101 RETRYCOUNT 2 JUSTID FORCE",
		"XCLAIM st g c 0 7-2 TIME 102 RETRYCOUNT 3 JUSTID FORCE", "XGROUP CREATECONSUMER st g d", "XTRIM st MAXLEN 3", "XDEL st 6-1",
		"XSETID st 9-0 ENTRIESADDED 10 MAXDELETEDID 6-1"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestShowRefuses names keys that plain commands cannot write.
func TestShowRefuses(t *testing.T) {
	file := filepath.Join("..", "..", "testdata", "truth", "redis-8.0.2", "all.rdb")
	out, errs, code := showRun(t, nil, file, "-f", "resp", "--portable", "--type", "hash,module")
	if code != exitPartial || !strings.Contains(errs, `key "vectors" in database 0 is not written: it is a value of the module type "vectorset"`) ||
		!strings.Contains(errs, `key "hash:ttl:some" in database 0 is not written: fields with a TTL, which --field-ttls writes for Redis 7.4, Valkey 9.0 and later: 2`) {
		t.Errorf("exit code %d, %s", code, errs)
	}
	for _, c := range commandsOf(t, out) {
		if len(c) > 1 && (c[1] == "hash:ttl:some" || c[1] == "vectors" || c[0] == "FUNCTION") {
			t.Errorf("%.80q", c)
		}
	}
	out, errs, code = showRun(t, nil, file, "hash:ttl:some", "-f", "resp", "--portable", "--field-ttls", "--functions")
	if code != exitDone || !strings.Contains(out, "HPEXPIREAT") || !strings.Contains(out, "FUNCTION\r\n$4\r\nLOAD") {
		t.Errorf("exit code %d, %s, %q", code, errs, out)
	}
}

// TestShowDamaged checks that what precedes the damage is written whole.
func TestShowDamaged(t *testing.T) {
	b, err := snapshotOf("db 0\nstring a 1\nstring b 2\nstring c 3\n")
	if err != nil {
		t.Fatal(err)
	}
	i := bytes.Index(b, []byte("c\x01"))
	for _, flags := range [][]string{{"-f", "resp"}, {"-f", "resp", "--portable"}, {"-f", "json"}} {
		out, errs, code := showRun(t, bytes.NewReader(b[:i+2]), append([]string{"-"}, flags...)...)
		if code != exitPartial || !strings.Contains(errs, "the result covers the 2 keys before that") {
			t.Errorf("%v: exit code %d, %s", flags, code, errs)
		}
		n := strings.Count(out, "\n")
		if flags[1] == "resp" {
			n = len(commandsOf(t, out)) - 1
		}
		if n != 2 {
			t.Errorf("%v: %q", flags, out)
		}
	}
}

// TestShowInterrupted leaves no temporary file, however the process ends.
func TestShowInterrupted(t *testing.T) {
	head := append([]byte("REDIS0011\x00\x01k\x80\x04\x00\x00\x00"), make([]byte, 16<<20)...)
	for _, sent := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		dir := t.TempDir()
		cmd := exec.Command("rdblens", "show", "-", "-f", "resp")
		cmd.Env = append(os.Environ(), "TMPDIR="+dir)
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := in.Write(head); err != nil {
			t.Fatal(err)
		}
		time.Sleep(200 * time.Millisecond)
		if err := cmd.Process.Signal(sent); err != nil {
			t.Fatal(err)
		}
		err = cmd.Wait()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || sent == syscall.SIGTERM && exit.ExitCode() != exitPartial {
			t.Errorf("%v: %v, %s", sent, err, &errs)
		}
		if left, _ := os.ReadDir(dir); len(left) > 0 || out.Len() > 0 {
			t.Errorf("%v: %v is left, %d bytes written", sent, left, out.Len())
		}
	}
}

// TestShowFullDisk cannot write all commands.
func TestShowFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no /dev/full")
	}
	defer full.Close()
	for _, flags := range [][]string{{"-f", "resp"}, {"-f", "resp", "--portable"}, {"-f", "json"}, {"--match", "*"}} {
		var errs bytes.Buffer
		args := append([]string{"show", "../../testdata/truth/redis-7.0.15/all.rdb"}, flags...)
		if code := run(t.Context(), args, nil, full, &errs); code != exitUsage || !strings.Contains(errs.String(), "no space left") {
			t.Errorf("%v: exit code %d, %s", flags, code, &errs)
		}
	}
}
