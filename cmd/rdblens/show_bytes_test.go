package main

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/testdata/testtool"
)

// shown returns what show prints of a key of a file.
func shown(t *testing.T, file string, args ...string) string {
	t.Helper()
	out, errs, code := showRun(t, nil, append([]string{file}, args...)...)
	if code != exitDone {
		t.Fatalf("%q: exit code %d, %s", args, code, errs)
	}
	return out
}

// TestShowAgainstServer compares counts of HyperLogLogs, bits, coordinates and consumer groups
// with what a server says of the same keys.
func TestShowAgainstServer(t *testing.T) {
	s := testtool.Redis(t)
	var b strings.Builder
	sizes := []int{1, 2, 30, 1000, 20_000}
	for _, n := range sizes {
		for from := 0; from < n; from += 500 {
			fmt.Fprintf(&b, "PFADD hll%d", n)
			for i := from; i < min(n, from+500); i++ {
				fmt.Fprintf(&b, " m%d", i)
			}
			b.WriteString("\n")
		}
	}
	b.WriteString("PFADD cached a b c\nPFCOUNT cached\n")
	b.WriteString("GEOADD places 13.361389 38.115556 Palermo 15.087269 37.502669 Catania -179.9 -85 south 179.999 85.05 north 0 0 null\n")
	for _, bit := range []int{0, 7, 8, 9, 10, 200, 80_001} {
		fmt.Fprintf(&b, "SETBIT bits %d 1\n", bit)
	}
	for _, stream := range []string{"read", "deleted", "trimmed"} {
		for i := 1; i <= 20; i++ {
			fmt.Fprintf(&b, "XADD %s %d-0 f v\n", stream, i)
		}
		fmt.Fprintf(&b, "XGROUP CREATE %[1]s new 0\nXGROUP CREATE %[1]s end $\nXGROUP CREATE %[1]s middle 7-0\n", stream)
		fmt.Fprintf(&b, "XREADGROUP GROUP new alice COUNT 5 STREAMS %[1]s >\nXREADGROUP GROUP new bob COUNT 1 STREAMS %[1]s >\nXACK %[1]s new 1-0\n", stream)
	}
	b.WriteString("XDEL deleted 15-0\nXTRIM trimmed MAXLEN 10\nXGROUP CREATE trimmed first 11-0\nSAVE\n")
	s.Do(b.String())
	file := filepath.Join(s.Dir, "dump.rdb")

	for _, key := range []string{"hll1", "hll2", "hll30", "hll1000", "hll20000", "cached"} {
		want, _ := strconv.ParseInt(strings.TrimSpace(s.Do("PFCOUNT "+key+"\n")), 10, 64)
		found := regexp.MustCompile(`HyperLogLog, (sparse|dense): PFCOUNT is ([0-9,]+)`).FindStringSubmatch(shown(t, file, key))
		if found == nil {
			t.Errorf("%s is no HyperLogLog", key)
		} else if got, _ := strconv.ParseInt(strings.ReplaceAll(found[2], ",", ""), 10, 64); got != want {
			t.Errorf("%s: %d, the server has %d", key, got, want)
		}
	}

	set := strings.TrimSpace(s.Do("BITCOUNT bits\n"))
	if out := shown(t, file, "bits"); !strings.Contains(out, "bitmap: "+set+" of 80,008 bits are set, the first is 0, the last 80,001\n") ||
		!strings.HasSuffix(out, "\n0 7-10 200 80,001\n") {
		t.Errorf("%s", out)
	}

	out := shown(t, file, "places")
	for _, place := range []string{"Palermo", "Catania", "south", "north", "null"} {
		want := strings.Fields(s.Do("GEOPOS places " + place + "\n"))
		found := regexp.MustCompile(`(?m)^ *(-?[0-9.]+) +(-?[0-9.]+)  ` + place + `$`).FindStringSubmatch(out)
		if found == nil || len(want) != 2 {
			t.Errorf("%s: %q in\n%s", place, want, out)
			continue
		}
		for i := range want {
			a, _ := strconv.ParseFloat(want[i], 64)
			if got, _ := strconv.ParseFloat(found[i+1], 64); math.Abs(got-a) > 1e-6 {
				t.Errorf("%s: %v, GEOPOS has %v", place, got, a)
			}
		}
	}

	for _, stream := range []string{"read", "deleted", "trimmed"} {
		out := shown(t, file, stream)
		// Each group has six names with values; a nil is an empty line.
		fields := strings.Split(strings.TrimSuffix(s.Do("XINFO GROUPS "+stream+"\n"), "\n"), "\n")
		if len(fields) < 36 || len(fields)%12 != 0 {
			t.Fatalf("%s: %q", stream, fields)
		}
		for pairs := range slices.Chunk(fields, 12) {
			group := map[string]string{}
			for pair := range slices.Chunk(pairs, 2) {
				group[pair[0]] = pair[1]
			}
			lag := ` +` + group["lag"]
			if group["lag"] == "" {
				lag = ""
			}
			line := regexp.MustCompile(`(?m)^ +` + group["name"] + ` +` + group["last-delivered-id"] + lag + ` +` + group["pending"] + `( |$)`)
			if !line.MatchString(out) {
				t.Errorf("%s: group %v is not in\n%s", stream, group, out)
			}
		}
		for _, c := range []string{"alice +new +4 +0s", "bob +new +1 +0s"} {
			if !regexp.MustCompile(`(?m)^ +` + c).MatchString(out) {
				t.Errorf("%s: no consumer %s in\n%s", stream, c, out)
			}
		}
	}
}

// TestShowContent checks what strings are called, and how they are shown.
func TestShowContent(t *testing.T) {
	for value, want := range map[string]string{
		`{"a":[1,{"b":"\u001b[2J"}],"c":null}`: "content          JSON, 36 B\n\n{\n  \"a\": [\n    1,\n    {\n      \"b\": \"\\u001b[2J\"\n    }\n  ],\n  \"c\": null\n}\n",
		"[1":                                   "\n\n[1\n",
		"plain text":                           "\n\nplain text\n",
		"中文":                                   "\n\n中文\n",
		"%PDF-1.4\n%\xe2\xe3\xcf\xd3" + strings.Repeat("x", 4<<20):              "content          binary, PDF 1.4, 4 MB\n\n",
		"\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR\x00\x00\x01\x00\x00\x00\x00\x80": "content          binary, PNG 256 x 128, 24 B\n\n",
		"\x1f\x8b\x08\x00\x00\x00\x00\x00\xff":                                  "content          binary, gzip, 9 B\n\n",
		"\x01\x9f\x13\x07abc\x02":                                               "content          binary, 8 B\n\n",
		"HYLL\x00 is no HyperLogLog":                                            "content          binary, 23 B\n\n",
		"\x00\x80\x00\x00":                                                      "content          bitmap: 1 of 32 bits are set, the first is 8, the last 8\n\n8\n",
		"\x00\x00":                                                              "content          bitmap: none of 16 bits is set\n\n",
		"BZh is text":                                                           "\n\nBZh is text\n",
	} {
		snapshot := append(appendString(appendString([]byte("REDIS0011\x00"), "k"), value), 0xff, 0, 0, 0, 0, 0, 0, 0, 0)
		file := filepath.Join(t.TempDir(), "in.rdb")
		if err := os.WriteFile(file, snapshot, 0o666); err != nil {
			t.Fatal(err)
		}
		if out := shown(t, file, "k"); !strings.Contains(out, want) || strings.Contains(want, "content") != strings.Contains(out, "content") {
			t.Errorf("%.40q:\n%.600s\nwant %q", value, out, want)
		}
		if raw := shown(t, file, "--raw", "k"); raw != value {
			t.Errorf("%.40q: --raw writes %.40q", value, raw)
		}
		var out, errs bytes.Buffer
		if code := run(t.Context(), []string{"show", "--raw", "--limit", "3", file, "k"}, nil, &out, &errs); code != exitUsage || out.Len() > 0 {
			t.Errorf("--raw --limit: %d, %s", code, &errs)
		}
	}
}
