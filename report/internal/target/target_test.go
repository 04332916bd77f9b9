package target_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/report/internal/target"
)

// nothing is a sink that drops keys.
type nothing struct{}

func (nothing) Key(*parser.Key)  {}
func (nothing) Size() int        { return 0 }
func (nothing) Flush(bool) error { return nil }

// check returns the problems of a snapshot, each as "effect kind number name since
// count examples".
func check(t *testing.T, server, snapshot string, jobs int) (problems []string) {
	t.Helper()
	s, err := target.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	var c *target.Check
	src, err := parser.Wrap(strings.NewReader(snapshot))
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	info, err := parser.Run(t.Context(), src, parser.Options{NoChecksum: true, Jobs: jobs, Header: func(in *parser.Info) { c = s.NewCheck(in) }},
		func() parser.Sink { return c.Sink(nothing{}) })
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range c.Problems(info) {
		var names []string
		for _, e := range p.Examples {
			names = append(names, string(e.Name))
		}
		effect := map[target.Effect]string{target.Lost: "lost", target.Conditional: "conditional", target.Blocks: "blocks"}[p.Effect]
		problems = append(problems, strings.TrimSpace(fmt.Sprintf("%s %s %d %s since %s, %d: %s", effect, p.Kind, p.Number, p.Name, p.Since, p.Count, strings.Join(names, " "))))
	}
	return problems
}

// str returns a string as snapshots have it, of under 64 bytes.
func str(s string) string { return string(rune(len(s))) + s }

const end = "\xff\x00\x00\x00\x00\x00\x00\x00\x00"

// moduleKey returns a key of ReJSON-RL or vectorset, whose ID is known, with the
// document {} or nothing.
func moduleKey(name, id, items string) string {
	return "\x07" + str(name) + "\x81" + id + items + "\x00"
}

// The IDs of modules: nine characters of 6 bits and 10 bits of encoding version
// (moduleTypeEncodeId in module.c).
func moduleID(name string, version uint64) string {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	var id uint64
	for _, c := range name {
		id = id<<6 | uint64(strings.IndexRune(letters, c))
	}
	id = id<<10 | version
	var b []byte
	for shift := 56; shift >= 0; shift -= 8 {
		b = append(b, byte(id>>shift))
	}
	return string(b)
}

func TestProblems(t *testing.T) {
	plain := "REDIS0009" + "\x00" + str("k") + str("v") + end
	expiring := "REDIS0012" + "\x18" + str("h") + "\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00" + str("f") + str("v") + end
	document := func(version uint64, text string) string {
		return "REDIS0009" + moduleKey("j", moduleID("ReJSON-RL", version), "\x05"+str(text)) + end
	}
	for _, c := range []struct {
		name, server, snapshot string
		want                   []string
	}{
		{"plain", "redis-5.0", plain, nil},
		{"plain", "valkey-9.2", plain, nil},
		{"plain", "keydb", plain, nil},
		{"too new", "redis-4.0", plain, []string{"blocks version 9 REDIS since 5.0, 1:"}},
		{"field TTLs", "redis-7.4", expiring, nil},
		{"field TTLs", "7.2.5", expiring, []string{"blocks version 12 REDIS since 7.4, 1:", "blocks type 24  since 7.4, 1: h"}},
		{"field TTLs", "valkey-9.1", expiring, []string{"blocks version 12 REDIS since , 1:", "blocks type 24  since , 1: h"}},
		{"field TTLs", "keydb", expiring, []string{"blocks version 12 REDIS since 7.4, 1:", "blocks type 24  since 7.4, 1: h"}},
		{"Valkey", "redis-8.10", "VALKEY080" + "\x00" + str("k") + str("v") + end, []string{"blocks version 80 VALKEY since , 1:"}},
		{"Valkey", "valkey-8.1", "VALKEY080" + "\x00" + str("k") + str("v") + end, []string{"blocks version 80 VALKEY since 9.0, 1:"}},
		{"path hash", "valkey-9.1", "VALKEY081" + "\x17" + str("p") + "\x01" + str("a") + "\x01" + str("f") + str("v") + end,
			[]string{"blocks version 81 VALKEY since 9.2, 1:", "blocks type 23  since 9.2, 1: p"}},
		{"text documents", "redis-7.0", document(3, "{}"), []string{"conditional module 3 ReJSON-RL since 4.0, 1: j"}},
		{"CBOR documents", "redis-8.8", document(4, "\xa0"), []string{"conditional module 4 ReJSON-RL since 8.8, 1: j"}},
		{"CBOR documents", "redis-8.6", document(4, "\xa0"), []string{"blocks module 4 ReJSON-RL since 8.8, 1: j"}},
		{"CBOR documents", "valkey-9.2", document(4, "\xa0"), []string{"blocks module 4 ReJSON-RL since , 1: j"}},
		{"documents of two versions", "redis-8.6", "REDIS0009" + moduleKey("a", moduleID("ReJSON-RL", 4), "\x05"+str("\xa0")) + moduleKey("b", moduleID("ReJSON-RL", 3), "\x05"+str("{}")) + end,
			[]string{"blocks module 4 ReJSON-RL since 8.8, 1: a", "conditional module 3 ReJSON-RL since 4.0, 1: b"}},
		{"records of a module", "redis-7.0", "REDIS0009" + "\xf7\x81" + moduleID("ft_index0", 17) + "\x02\x01\x00" + end, []string{"conditional module 0 ft_index0 since 4.0, 1:"}},
		{"vector sets", "redis-7.4", "REDIS0012" + moduleKey("v", moduleID("vectorset", 0), "\x02\x01") + end, []string{"blocks module 0 vectorset since 8.0, 1: v"}},
		{"vector sets", "redis-8.0", "REDIS0012" + moduleKey("v", moduleID("vectorset", 0), "\x02\x01") + end, []string{"conditional module 0 vectorset since 8.0, 1: v"}},
		{"vector sets", "redis-8.2", "REDIS0012" + moduleKey("v", moduleID("vectorset", 0), "\x02\x01") + end, nil},
		{"a stream without the entry that it counts", "valkey-9.1", "REDIS0009" + "\x0f" + str("s") + "\x00\x01\x05\x00\x00" + end, []string{"blocks streams 0  since , 1:"}},
		{"a stream without the entry that it counts", "redis-8.0", "REDIS0009" + "\x0f" + str("s") + "\x00\x01\x05\x00\x00" + end, nil},
		{"functions of release candidates", "redis-7.0", "REDIS0010" + "\xf6" + str("name") + str("LUA") + "\x00" + str("code") + end, nil},
		{"functions of release candidates", "redis-7.2", "REDIS0010" + "\xf6" + str("name") + str("LUA") + "\x00" + str("code") + end, []string{"blocks opcode 246  since , 1:"}},
		{"functions", "redis-6.2", "REDIS0010" + "\xf5" + str("code") + end, []string{"blocks version 10 REDIS since 7.0, 1:", "blocks opcode 245  since 7.0, 1:"}},
		{"a database beyond 16", "redis-7.0", "REDIS0009" + "\xfe\x10" + "\x00" + str("k") + str("v") + end, []string{"conditional databases 16  since , 1: k"}},
		{"the last of 16 databases", "redis-7.0", "REDIS0009" + "\xfe\x0f" + "\x00" + str("k") + str("v") + end, nil},
		{"scripts", "redis-7.0", "REDIS0009" + "\xfa" + str("lua") + str("return 1") + end, []string{"lost scripts 0  since , 1:"}},
		{"scripts", "redis-6.2", "REDIS0009" + "\xfa" + str("lua") + str("return 1") + end, nil},
		{"member TTLs", "redis-7.0", "REDIS0009" + "\xfa" + str("mvcc-tstamp") + str("1") + "\x00" + str("k") + str("v") + "\xfa" + str("keydb-subexpire-key") + str("m") + end,
			[]string{"lost member-ttl 0  since , 1:"}},
		{"member TTLs", "keydb", "REDIS0009" + "\xfa" + str("mvcc-tstamp") + str("1") + "\xfa" + str("keydb-subexpire-key") + str("m") + end, nil},
		{"a job of KeyDB", "redis-7.0", "REDIS0009" + "\x40" + str("c") + str("x") + strings.Repeat("\x00", 16) + "\x00\x00" + end, []string{"blocks type 64  since , 1: c"}},
		{"a job of KeyDB", "keydb-6.3", "REDIS0009" + "\x40" + str("c") + str("x") + strings.Repeat("\x00", 16) + "\x00\x00" + end, nil},
		{"a captured stream", "redis-7.0", fmt.Sprintf("$%d\r\n%s", len(plain), plain), []string{"conditional frame 0 replication-length since , 1:"}},
	} {
		for _, jobs := range []int{1, 3} {
			if got := check(t, c.server, c.snapshot, jobs); fmt.Sprint(got) != fmt.Sprint(c.want) {
				t.Errorf("%s for %s, %d jobs:\n got %q\nwant %q", c.name, c.server, jobs, got, c.want)
			}
		}
	}
}

// TestExamples has the three largest keys of each problem, the first of equal ones,
// whatever the number of workers, and a bounded number of problems.
func TestExamples(t *testing.T) {
	var b bytes.Buffer
	b.WriteString("REDIS0012")
	for i := range 40_000 { // several blocks
		size := (i*7919)%40 + 1
		fmt.Fprintf(&b, "\x18%s\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00%s%s", str(fmt.Sprint("key:", i)), str("f"), str(strings.Repeat("v", size)))
	}
	b.WriteString(end)
	want := "[blocks version 12 REDIS since 7.4, 1: blocks type 24  since 7.4, 40000: key:1 key:41 key:81]"
	for _, jobs := range []int{1, 4} {
		if got := fmt.Sprint(check(t, "redis-7.0", b.String(), jobs)); got != want {
			t.Errorf("%d jobs: %s, want %s", jobs, got, want)
		}
	}
	b.Reset()
	b.WriteString("REDIS0009")
	for i := range 1000 {
		b.WriteString(moduleKey("k", moduleID("mod------", uint64(i)), ""))
	}
	b.WriteString(end)
	if got := check(t, "redis-7.0", b.String(), 2); len(got) != 300 || got[0] != "conditional module 0 (other) since 4.0, 701: k k k" {
		t.Errorf("%d problems, the first is %s", len(got), got[0])
	}
}

func TestParse(t *testing.T) {
	for _, c := range []struct{ name, text, title, model string }{
		{"redis-7.2", "redis-7.2", "Redis 7.2", "redis-7.2"},
		{"Redis-7.2.5", "redis-7.2.5", "Redis 7.2", "redis-7.2.5"},
		{"8", "redis-8", "Redis 8.0", "redis-8"},
		{"v8.10", "redis-8.10", "Redis 8.10", "redis-8.10"},
		{"valkey-9.2-rc1", "valkey-9.2-rc1", "Valkey 9.2", "valkey-9.2-rc1"},
		{"keydb", "keydb", "KeyDB", "redis-6.2"},
		{"KeyDB-6.3.4", "keydb-6.3.4", "KeyDB", "redis-6.2"},
	} {
		s, err := target.Parse(c.name)
		if err != nil || s.String() != c.text || s.Title() != c.title || s.Model() != c.model {
			t.Errorf("%s: %v, %v", c.name, s, err)
		}
	}
	for _, name := range []string{"", "redis", "valkey", "dragonfly-1.2", "redis-", "redis-x", "valkey-0.1"} {
		if s, err := target.Parse(name); err == nil {
			t.Errorf("%q is %v", name, s)
		}
	}
	if _, err := target.Parse("dragonfly"); err == nil || !strings.Contains(err.Error(), "Dragonfly loads") {
		t.Errorf("dragonfly: %v", err)
	}
	for _, name := range target.Servers() {
		if s, err := target.Parse(name); err != nil || s.String() != name {
			t.Errorf("%s: %v, %v", name, s, err)
		}
	}
}
