package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// packedTexts is a listpack of texts of up to 4 GB and small numbers.
func packedTexts(entries ...any) string {
	b := make([]byte, 6)
	for _, e := range entries {
		start := len(b)
		switch e := e.(type) {
		case int:
			b = binary.LittleEndian.AppendUint32(append(b, 0xf3), uint32(e))
		case string:
			b = append(binary.LittleEndian.AppendUint32(append(b, 0xf0), uint32(len(e))), e...)
		}
		n := len(b) - start
		size := 1
		for _, limit := range []int{127, 16382, 2097150} {
			if n > limit {
				size++
			}
		}
		for i := size - 1; i >= 0; i-- {
			c := byte(n>>(7*i)) & 127
			if i < size-1 {
				c |= 128
			}
			b = append(b, c)
		}
	}
	b = append(b, 0xff)
	binary.LittleEndian.PutUint32(b, uint32(len(b)))
	binary.LittleEndian.PutUint16(b[4:], uint16(min(len(entries), 65535)))
	return string(b)
}

// streamOf returns a snapshot of a stream named st, of one node with n entries.
// node is the node's listpack.
func streamOf(node []byte, n int) []byte {
	b := []byte("REDIS0011\xfe\x00\x0f\x02st\x01\x10")
	b = binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(b, 7), 0)
	b = append(b, node...)
	b = append(appendLength(b, n), 1, 1, 0)
	return append(append(b, 0xff), make([]byte, 8)...)
}

// shows returns what show prints of a key after its figures.
func shows(t *testing.T, snapshot []byte, args ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "in.rdb")
	if err := os.WriteFile(path, snapshot, 0o666); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	args = slices.Insert(args, len(args)-1, path)
	if code := run(t.Context(), append([]string{"show"}, args...), nil, &out, &errs); code != exitDone {
		t.Fatalf("%q: exit code %d, %s", args, code, &errs)
	}
	_, value, _ := strings.Cut(out.String(), "\n\n")
	return value
}

// TestShowCutTexts checks that elements whose texts are cut remain separate, also
// if the shown parts are equal.
func TestShowCutTexts(t *testing.T) {
	long := strings.Repeat("x", 5000)
	text := fmt.Sprintf("db 0\nhash h %[1]sa first %[1]sb second f %[1]sc\nset s %[1]sa %[1]sb\nzset z %[1]sa 1 %[1]sb 2\nlist l %[1]s\n", long)
	b, err := snapshotOf(text)
	if err != nil {
		t.Fatal(err)
	}
	head := long[:showText]
	mark := head + "... (4.9 KB)"
	for _, c := range []struct{ key, want string }{
		{"h", mark + " = first\n" + mark + " = second\nf = " + mark + "\n"},
		{"s", mark + "\n" + mark + "\n"},
		{"z", "1  " + mark + "\n2  " + mark + "\n"},
		{"l", "0) " + head + "... (4.9 KB)\n"},
	} {
		if got := shows(t, b, c.key); got != c.want {
			t.Errorf("%s: %q", c.key, strings.ReplaceAll(got, head, "<4 KB>"))
		}
	}
	node := packedTexts(2, 0, 1, "shared", 0, 2, 0, 0, long+"a", 4, 0, 0, 1, 2, long+"a", "first", long+"b", "second", 8)
	st := streamOf(appendString(nil, node), 2)
	want := "7-0  shared=" + mark + "\n7-1  " + mark + "=first  " + mark + "=second\n"
	if got := shows(t, st, "st"); got != want {
		t.Errorf("stream: %q", strings.ReplaceAll(got, head, "<4 KB>"))
	}
}

// TestShowBatches has more elements than are decoded at a time.
func TestShowBatches(t *testing.T) {
	b, err := snapshotOf("list l 30000#item\nhash h 30000#field\n")
	if err != nil {
		t.Fatal(err)
	}
	var list, hash strings.Builder
	for i := range 25000 {
		fmt.Fprintf(&list, "%d) item%d\n", i, i)
		fmt.Fprintf(&hash, "field%d = v\n", i)
	}
	for key, want := range map[string]string{"l": list.String(), "h": hash.String()} {
		want += "... 25,000 of 30,000 elements\n"
		if got := shows(t, b, "--limit", "25000", key); got != want {
			t.Errorf("%s: %d bytes, want %d: ... %q", key, len(got), len(want), got[max(0, len(got)-100):])
		}
	}
}

// TestShowLeavesOut checks that show says what it omits, and why.
func TestShowLeavesOut(t *testing.T) {
	fields := []any{1, 0, 150}
	values := []any{}
	var all, some string
	for i := range 150 {
		fields = append(fields, fmt.Sprint("f", i))
		values = append(values, fmt.Sprint("v", i))
		all += fmt.Sprintf("  f%d=v%d", i, i)
		if i == 99 {
			some = all
		}
	}
	wide := streamOf(appendString(nil, packedTexts(append(append(append(fields, 0, 2, 0, 0), values...), 153)...)), 1)
	if got := shows(t, wide, "--limit", "1", "st"); got != "7-0"+some+"  ... 100 of 150 fields\n" {
		t.Errorf("limit 1: %q", got)
	}
	if got := shows(t, wide, "--limit", "150", "st"); got != "7-0"+all+"\n" {
		t.Errorf("limit 150: %q", got)
	}
}

// TestShowHugeTexts has texts that are cut, and elements after them.
func TestShowHugeTexts(t *testing.T) {
	huge := strings.Repeat("x", 17<<20)
	cut := huge[:showText] + "... (17 MB)"
	for what, c := range map[string]struct {
		entries []any
		want    string
	}{
		"a huge value":        {[]any{1, 0, 0, 0, 0, 0, 0, 2, "f", huge, "g", "w", 8}, "7-0  f=" + cut + "  g=w\n"},
		"a huge field":        {[]any{1, 0, 0, 0, 0, 0, 0, 1, huge, "v", 6}, "7-0  " + cut + "=v\n"},
		"a huge shared field": {[]any{1, 0, 1, huge, 0, 2, 0, 0, "v", 4}, "7-0  " + cut + "=v\n"},
	} {
		got := shows(t, streamOf(appendString(nil, packedTexts(c.entries...)), 2), "st")
		if want := c.want + "... 1 of 2 elements\n"; got != want {
			t.Errorf("%s: %q", what, strings.ReplaceAll(got, huge[:showText], "<4 KB>"))
		}
	}
	b, err := snapshotOf("hash h f x*17825792 g w\nhash i x*17825792 v\nlist j a b\n")
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{
		"h": "f = " + cut + "\ng = w\n",
		"i": cut + " = v\n",
		"j": "0) a\n1) b\n",
	} {
		if got := shows(t, b, key); got != want {
			t.Errorf("%s: %q", key, strings.ReplaceAll(got, huge[:showText], "<4 KB>"))
		}
	}
}

// TestShowLongNames tells keys apart that differ behind the first 64 KB of
// their names.
func TestShowLongNames(t *testing.T) {
	b, err := snapshotOf("string \"" + strings.Repeat("a", 70000) + ":end\" v1\nstring \"" + strings.Repeat("a", 70000) + ":zzz\" v2\n")
	if err != nil {
		t.Fatal(err)
	}
	for end, want := range map[string]string{":end": "v1\n", ":zzz": "v2\n"} {
		if got := shows(t, b, strings.Repeat("a", 70000)+end); got != want {
			t.Errorf("%s: %q", end, got)
		}
	}
	path := filepath.Join(t.TempDir(), "in.rdb")
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	code := run(t.Context(), []string{"show", path, strings.Repeat("a", 70000) + ":no!"}, nil, &out, &errs)
	if code != exitUsage || out.Len() > 0 || errs.Len() > 1000 || !strings.Contains(errs.String(), `no key "aaa`) {
		t.Errorf("exit code %d, %d bytes, %.300s", code, out.Len(), &errs)
	}
}

// TestShowIntoOwnInput appends the output to the snapshot that is read.
func TestShowIntoOwnInput(t *testing.T) {
	b, err := snapshotOf("string k v\n")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "own.rdb")
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, input := range []string{path, "-"} {
		own, err := os.OpenFile(path, os.O_APPEND|os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("rdblens", "show", input, "k")
		var errs bytes.Buffer
		cmd.Stdin, cmd.Stdout, cmd.Stderr = own, own, &errs
		err = cmd.Run()
		own.Close()
		if code := exitCode(t, err); code != exitUsage || !strings.Contains(errs.String(), "it is the snapshot that is being read") {
			t.Errorf("%s: exit code %d, %s", input, code, &errs)
		}
		if after, _ := os.ReadFile(path); !bytes.Equal(after, b) {
			t.Errorf("%s: %d bytes were appended to the snapshot", input, len(after)-len(b))
		}
	}
}

// TestShowLargest: the first of the largest elements is the one that the scan found.
func TestShowLargest(t *testing.T) {
	var rows, shown bytes.Buffer
	if code := run(t.Context(), []string{"keys", "-f", "jsonl", "../../testdata/shop.rdb"}, nil, &rows, &rows); code != exitDone {
		t.Fatal(&rows)
	}
	want := map[string]int64{}
	for line := range strings.Lines(rows.String()) {
		var k struct {
			Key, Type string
			Elements  int64
			Largest   int64 `json:"largest_element_bytes"`
		}
		if err := json.Unmarshal([]byte(line), &k); err != nil {
			t.Fatal(err)
		}
		if k.Type != "string" && k.Elements > 1 {
			want[k.Key] = k.Largest
		}
	}
	if code := run(t.Context(), []string{"show", "../../testdata/shop.rdb", "--match", "*", "--limit", "1"}, nil, &shown, &shown); code != exitDone {
		t.Fatal(code)
	}
	seen := 0
	for part := range strings.SplitSeq("\n"+shown.String(), "\nkey              ") {
		name, figures, _ := strings.Cut(part, "\n")
		_, size, ok := strings.Cut(figures, "\nlargest elements ")
		if !ok {
			continue
		}
		seen++
		var n string
		fmt.Sscanf(size, "%s byte", &n)
		if strings.ReplaceAll(n, ",", "") != fmt.Sprint(want[name]) {
			t.Errorf("%s: %s bytes, want %d", name, n, want[name])
		}
	}
	if seen != len(want) || seen < 500 {
		t.Errorf("%d of %d keys", seen, len(want))
	}
}
