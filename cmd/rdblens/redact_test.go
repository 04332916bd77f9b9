package main

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/report"
	"github.com/rdblens/rdblens/testdata/testtool"
)

// tokens makes words that nothing else has, and remembers them.
type tokens struct {
	r    *rand.Rand
	list []string
}

// word returns a new token: letters and digits in turn, so that no part of it is a
// word or a number that an output could have anyway.
func (t *tokens) word() string {
	b := make([]byte, 0, 10)
	for range 5 {
		b = append(b, "GHJKMNPQRTVWXYZ"[t.r.IntN(15)], "23456789"[t.r.IntN(8)])
	}
	t.list = append(t.list, string(b))
	return string(b)
}

// letters returns a new token of capital letters that are no hexadecimal digits.
func (t *tokens) letters() string {
	b := make([]byte, 9)
	for i := range b {
		b[i] = "GHJKMNPQRSTVWXYZ"[t.r.IntN(16)]
	}
	t.list = append(t.list, string(b))
	return string(b)
}

// leaks returns the tokens that an output has: as they are, in any case; as the
// octets of escapes, of percent signs or of hexadecimal; and in base64, at each place
// of a longer text.
func (t *tokens) leaks(out []byte) (list []string) {
	// By their first four bytes.
	anyCase, exact := map[[4]byte][]string{}, map[[4]byte][]string{}
	add := func(to map[[4]byte][]string, s string) { to[[4]byte([]byte(s))] = append(to[[4]byte([]byte(s))], s) }
	for _, token := range t.list {
		add(anyCase, strings.ToLower(token))
		add(anyCase, hex.EncodeToString([]byte(token)))
		for i := range 3 {
			add(exact, base64.RawStdEncoding.EncodeToString(append(make([]byte, i), token...))[(i*8+5)/6:][:len(token)])
		}
	}
	search := func(out []byte, of map[[4]byte][]string) {
		for i := 0; i+4 <= len(out); i++ {
			for _, s := range of[[4]byte(out[i:])] {
				if bytes.HasPrefix(out[i:], []byte(s)) && !slices.Contains(list, s) {
					list = append(list, s)
				}
			}
		}
	}
	search(out, exact)
	out = bytes.ToLower(out)
	search(out, anyCase)
	for _, sign := range []string{`\x`, "%"} {
		if bytes.Contains(out, []byte(sign)) {
			search(bytes.ReplaceAll(out, []byte(sign), nil), anyCase)
		}
	}
	return list
}

// redactedSnapshot is a snapshot whose names are tokens, apart from the fixed words
// of shop:cart:*:items, which 150 keys have.
func redactedSnapshot(t *testing.T, names *tokens) []byte {
	t.Helper()
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	w := names.word
	line("aux redis-ver 7.0.15-%s", w())
	line("aux ctime 1772330000")
	line("aux used-mem 5000000")
	line("aux %s %s", w(), w())
	line("db 0")
	for range 150 {
		line("string shop:cart:%s:items %s", w(), w())
	}
	for range 99 {
		line("string %s:%s:x %s", names.list[3], w(), w()) // a word of too few keys
	}
	line("string %s v*70000", w())
	line("string {%s:%s}.tail v*2000000", w(), w())
	line("string %q v", "with space "+w()+"\n\x01\xff'"+w())
	line("string %q v", "用户:"+w()+"\u202e:"+w())
	line("string %s*900 v*20000", w()) // cut in the lists
	line("hash user:%s 6000#%s", w(), w())
	line("hash %s %s v*9000", w(), w())
	line("hash Account_%s_%s %s %s", w(), names.letters(), w(), w())
	line("list %s:queue 200000#%s", w(), w())
	line("set %s:%s 7000#%s", w(), names.letters(), w())
	line("zset rank:%s %s*600 1 %s 2", w(), w(), w())
	line("ttl 1772330900")
	line("hash a:b:c:%s:%s:%s %s v*50000", w(), w(), w(), w())
	line("db 3")
	line("stamped %s: 120 string", names.list[10]) // as the value of a cart above
	out, err := snapshotOf(b.String())
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestRedact searches all outputs of a snapshot for its names.
func TestRedact(t *testing.T) {
	names := &tokens{r: rand.New(rand.NewPCG(20261122, 1))}
	b := redactedSnapshot(t, names)
	checkRedacted(t, names, b)
}

// TestRedactServer is TestRedact with what only a server writes: streams, consumers,
// functions.
func TestRedactServer(t *testing.T) {
	server := testtool.Redis(t)
	names := &tokens{r: rand.New(rand.NewPCG(20261122, 2))}
	var script strings.Builder
	for range 5 {
		stream := names.word()
		for range 100 {
			fmt.Fprintf(&script, "XADD %s * %s %s\n", stream, names.word(), names.word())
		}
		group := names.word()
		fmt.Fprintf(&script, "XGROUP CREATE %s %s 0\nXREADGROUP GROUP %s %s COUNT 50 STREAMS %s >\n", stream, group, group, names.word(), stream)
	}
	fmt.Fprintf(&script, "GEOADD %s 1 2 %s\nSETBIT %s 80000 1\n", names.word(), names.word(), names.word())
	fmt.Fprintf(&script, `FUNCTION LOAD "#!lua name=%s\nredis.register_function('%s', function() return 1 end)"`+"\nSAVE\n", names.word(), names.word())
	if out := server.Do(script.String()); !strings.HasSuffix(out, "OK\n") {
		t.Fatal(out)
	}
	b, err := os.ReadFile(filepath.Join(server.Dir, "dump.rdb"))
	if err != nil {
		t.Fatal(err)
	}
	checkRedacted(t, names, b)
}

// checkRedacted checks all outputs of a snapshot.
func checkRedacted(t *testing.T, names *tokens, b []byte) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), names.word())
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	file := func(content []byte) string {
		path := filepath.Join(dir, names.word()+".rdb")
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	whole, damaged, none, missing := file(b), file(b[:len(b)*2/3]), file([]byte("<"+names.word()+">\n")), filepath.Join(dir, names.word())
	other := file([]byte("ERR " + names.word() + " " + names.word()))
	owned := strings.ToLower(names.letters())
	config := filepath.Join(dir, names.word()+".yaml")
	text := fmt.Sprintf("cluster: true\nabbreviations:\n  %s: ab\nnamespaces:\n- %s\noverrides:\n- key: \"%s*\"\n  owner: team\n- key: \"shop:*\"\n  owner: shop\n"+
		"ignore:\n- rule: no-ttl\n  key: \"%s:*\"\n  reason: %s\n", strings.ToLower(names.letters()), owned, names.list[0], names.list[1], names.word())
	if err := os.WriteFile(config, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	filter := []string{"--match", "*", "--match", names.word() + "*", "--regex", ".|" + names.word()}
	outputs := map[string][]byte{}
	collect := func(what string, want int, args ...string) string {
		var out, errs bytes.Buffer
		if code := run(t.Context(), args, nil, &out, &errs); code != want {
			t.Fatalf("%s: exit code %d: %s", what, code, errs.Bytes())
		}
		outputs[what], outputs[what+", errors"] = out.Bytes(), errs.Bytes()
		return out.String()
	}
	results := t.TempDir()
	write := func(what string, want int, names []string, args ...string) {
		var formats []string
		for _, f := range names {
			formats = append(formats, "-f", f+"="+filepath.Join(results, f))
		}
		collect(what, want, slices.Concat(args[:1], []string{"--redact", "--config", config, "--rules", "all"}, formats, args[1:])...)
		for _, f := range names {
			out, err := os.ReadFile(filepath.Join(results, f))
			if err != nil {
				t.Fatal(err)
			}
			if len(out) == 0 && f != "folded" {
				t.Errorf("%s: nothing in %s", what, f)
			}
			if zipped, err := gzip.NewReader(bytes.NewReader(out)); err == nil { // pprof
				if out, err = io.ReadAll(zipped); err != nil {
					t.Fatal(err)
				}
			}
			outputs[what+", "+f] = out
		}
	}
	formats := slices.DeleteFunc(report.FormatNames(), func(f string) bool { return f == "shard" }) // it refuses --redact
	scan := func(what string, want int, args ...string) {
		write(what, want, formats, append([]string{"scan", "--top", "40"}, args...)...)
	}
	diff := func(what string, want int, args ...string) {
		write(what, want, slices.DeleteFunc(report.DiffFormatNames(), func(f string) bool { return f == "table" || f == "summary" }), append([]string{"diff", "--min-change", "0.1%,1B"}, args...)...)
	}
	scan("whole", 0, whole)
	scan("advice", 0, "--advice", "--details", whole)
	scan("cluster", 0, "--cluster", "--profile", "aliyun", whole, whole)
	scan("filtered", 0, append(filter, whole)...)
	scan("damaged", 3, damaged, whole)
	scan("partly unread", 3, whole, none, missing, other)
	for _, profile := range []string{"baidu", "typed", "upper"} {
		scan(profile, 0, "--profile", profile, whole)
	}
	diff("diff with a part", 3, whole, damaged)
	diff("diff of a part", 3, append(filter, damaged, whole)...)
	diff("diff without a change", 0, "--cluster", "--profile", "typed", "--details", whole, whole)
	collect("diff of nothing", 2, "diff", "--redact", none, whole)
	collect("diff with what is missing", 2, "diff", "--redact", whole, missing)
	// What each owner has, and what a baseline does not accept: all findings of a rule,
	// since one was accepted.
	byOwner := filepath.Join(t.TempDir(), "owners")
	scan("by owner", 0, "--split-by", "owner="+byOwner, whole)
	own, err := filepath.Glob(filepath.Join(byOwner, "*"))
	if err != nil || len(own) < len(formats) || strings.Contains(string(b), "shop:cart:") && len(own) < 2*len(formats) {
		t.Errorf("%d files of owners: %v", len(own), err)
	}
	for _, path := range own {
		if outputs[path], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	baseline := filepath.Join(dir, names.word()+".yaml")
	collect("baseline", 0, "baseline", "create", "--config", config, "-o", baseline, whole)
	delete(outputs, "baseline")
	accepted, err := os.ReadFile(baseline)
	if err != nil {
		t.Fatal(err)
	}
	accepted = regexp.MustCompile(`findings: \d+`).ReplaceAll(accepted, []byte("findings: 2"))
	if err := os.WriteFile(baseline, accepted, 0o666); err != nil {
		t.Fatal(err)
	}
	scan("baseline", 0, "--baseline", baseline, whole)
	for _, format := range []string{"csv", "jsonl"} {
		collect("keys "+format, 0, "keys", "--redact", "-f", format, "--config", config, "--columns", "+file,+key_bytes", whole)
		collect("damaged keys "+format, 3, "keys", "--redact", "-f", format, damaged, none, missing, other)
		collect("findings "+format, 0, "keys", "--redact", "-f", format, "--rule", "all", whole)
		collect("keys from a pipe "+format, 0, "keys", "--redact", "-f", format, whole)
	}
	if len(outputs) < 100 {
		t.Errorf("%d outputs", len(outputs))
	}
	for what, out := range outputs {
		if found := names.leaks(out); len(found) > 0 {
			at := max(0, bytes.Index(bytes.ToLower(out), []byte(found[0])))
			t.Errorf("%s has %d names, %q: %.200q", what, len(found), found[0], out[max(0, at-80):])
		}
	}
	if strings.Contains(string(outputs["whole, json"]), "shop:cart") {
		t.Errorf("words of 150 keys stay, which nobody asked for")
	}
	// The search finds names where they are.
	plain := collect("plain", 0, "keys", whole)
	if n := len(names.leaks([]byte(plain))); n < 5 {
		t.Errorf("only %d names are found where none is redacted: %s", n, plain)
	}
	token := []byte(names.list[0])
	octets := fmt.Sprintf("% x", token)
	for _, spelled := range []string{string(bytes.ToLower(token)), `\x` + strings.ReplaceAll(octets, " ", `\x`), "%" + strings.ReplaceAll(strings.ToUpper(octets), " ", "%"),
		base64.StdEncoding.EncodeToString(append([]byte("a"), token...)), base64.StdEncoding.EncodeToString(append([]byte("ab"), token...))} {
		if len(names.leaks([]byte(spelled))) != 1 {
			t.Errorf("%s is not found", spelled)
		}
	}
}

// TestRedactedDiff checks what diff --redact compares, by construction: globs match the
// names as they were, nothing that is said has a name, and words of keys of both nights
// together stay.
func TestRedactedDiff(t *testing.T) {
	dir := t.TempDir()
	night := func(name, description string) string {
		b, err := snapshotOf("aux redis-ver 7.0.15\n" + description)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	old := night("old.rdb", "aux ctime 1772330000\ndb 0\nstamped hidden:shop: 110 string\nstring hidden:uno v*400000\n")
	now := night("now.rdb", "aux ctime 1772416400\ndb 0\nstamped hidden:shop: 90 string\nstring hidden:uno v*700000\nstring hidden:dos v*800000\nhash secret f v*900000\n")
	output := func(want int, args ...string) string {
		var out, errs bytes.Buffer
		if code := run(t.Context(), args, nil, &out, &errs); code != want {
			t.Fatalf("%v: exit code %d, want %d: %s", args, code, want, errs.Bytes())
		}
		return out.String() + errs.String()
	}
	args := []string{"diff", "--redact-salt", "salt", "--redact-keep", "80", "--fail-on-growth", "secret:20%", "--fail-on-growth", "hidden:uno:20%", "--details", old, now}
	got := output(1, args...)
	for _, name := range []string{"secret", "uno", "dos", "old.rdb", "now.rdb"} {
		if regexp.MustCompile(`\b` + name + `\b`).MatchString(got) {
			t.Errorf("the comparison has the name %s: %s", name, got)
		}
	}
	if n := strings.Count(got, "--fail-on-growth: "); n != 2 || !strings.Contains(got, "hidden:shop:*") {
		t.Errorf("%d limits are exceeded, want 2; hidden:shop:* stays: %s", n, got)
	}
	// Reports that were saved without names compare with each other, and with nothing else.
	save := func(path, salt, snapshot string) string {
		output(0, "scan", "--redact-salt", salt, "-f", "json="+filepath.Join(dir, path), snapshot)
		return filepath.Join(dir, path)
	}
	a, b, other := save("a.json", "salt", old), save("b.json", "salt", now), save("c.json", "pepper", now)
	if got := output(0, "diff", a, b); !strings.Contains(got, "new") || strings.Contains(got, "secret") {
		t.Errorf("the comparison of two reports: %s", got)
	}
	for _, refused := range [][]string{{a, other}, {a, now}, {"--redact", a, b}} {
		output(2, append([]string{"diff"}, refused...)...)
	}
}

// TestRedactSalt checks that names under one salt are those of another run, and under
// another salt others.
func TestRedactSalt(t *testing.T) {
	names := &tokens{r: rand.New(rand.NewPCG(20261122, 3))}
	file := filepath.Join(t.TempDir(), "dump.rdb")
	if err := os.WriteFile(file, redactedSnapshot(t, names), 0o666); err != nil {
		t.Fatal(err)
	}
	output := func(args ...string) string {
		var out, errs bytes.Buffer
		if code := run(t.Context(), append(args, file), nil, &out, &errs); code != 0 {
			t.Fatalf("%v: %s", args, errs.Bytes())
		}
		return out.String()
	}
	for _, command := range [][]string{{"keys"}, {"scan", "-f", "csv"}, {"scan", "-f", "json"}} {
		one, again, other := output(append(command, "--redact-salt", "one")...), output(append(command, "--redact-salt", "one")...), output(append(command, "--redact-salt", "other")...)
		if one != again {
			t.Errorf("%v: two outputs with one salt differ", command)
		}
		if one == other {
			t.Errorf("%v: outputs with two salts are equal", command)
		}
		t.Setenv(saltVariable, "one")
		if env := output(append(command, "--redact")...); env != one {
			t.Errorf("%v: the salt of the environment gives another output", command)
		}
		t.Setenv(saltVariable, "")
		if a, b := output(append(command, "--redact")...), output(append(command, "--redact")...); a == b {
			t.Errorf("%v: two random salts are equal", command)
		}
	}
	// A key has the same name in the report and in the rows.
	rows := output("keys", "--redact-salt", "one", "-f", "jsonl")
	keys := regexp.MustCompile(`"key": ?("[^"]*")`).FindAllStringSubmatch(output("scan", "-f", "json", "--redact-salt", "one"), -1)
	for _, k := range keys {
		if !strings.Contains(rows, `"key":`+k[1]+",") {
			t.Errorf("the rows have no key %s", k[1])
		}
	}
	if len(keys) < 100 {
		t.Errorf("%d keys", len(keys))
	}
}
