package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/memory"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report/internal/cluster"
	"github.com/rdblens/rdblens/report/text"
)

// recordedPage is a page whose parts are lines: of a table those columns that are not
// empty.
type recordedPage struct{ lines []string }

func (p *recordedPage) add(mark, s string) {
	p.lines = append(p.lines, strings.TrimSpace(mark+strings.ReplaceAll(s, text.NBSP, " ")))
}
func (p *recordedPage) section(title, note message.Message) {
	s := english(title)
	if !note.IsZero() {
		s += " (" + english(note) + ")"
	}
	p.add("# ", s)
}
func (p *recordedPage) heading(m message.Message)             { p.add("## ", english(m)) }
func (p *recordedPage) alert(m message.Message)               { p.add("! ", english(m)) }
func (p *recordedPage) strong(message.Message)                {}
func (p *recordedPage) sentence(m message.Message)            { p.add("", english(m)) }
func (p *recordedPage) foot(m message.Message)                { p.add("-- ", english(m)) }
func (p *recordedPage) field(label string, m message.Message) { p.add(label+": ", english(m)) }
func (p *recordedPage) list(items []message.Message) {
	for i, m := range items {
		p.add(fmt.Sprint(i+1, ". "), english(m))
	}
}
func (p *recordedPage) commands(list []string) {
	for _, s := range list {
		p.add("$ ", s)
	}
}
func (p *recordedPage) table(t table) {
	g := t.grid(func(id string) string { return id }, func(m message.Message, _ column) string { return textStyle(nil).cell(m) })
	used := make([]bool, len(g.Columns))
	for _, row := range g.Rows {
		for i, cell := range row {
			used[i] = used[i] || cell != ""
		}
	}
	line := func(cell func(i int) string) {
		var cells []string
		for i := range g.Columns {
			if used[i] {
				cells = append(cells, cell(i))
			}
		}
		p.add("| ", strings.Join(cells, " | "))
	}
	if len(g.Rows) > 0 {
		line(func(i int) string { return g.Columns[i].Title })
	}
	for _, row := range g.Rows {
		line(func(i int) string { return row[i] })
	}
}

// recorded returns the lines of a section of a report.
func recorded(r *Report, write func(d *details)) string {
	p := &recordedPage{}
	write(newDetails(p, r, WriteOptions{}))
	return strings.Join(p.lines, "\n")
}

type sectionCase struct {
	name  string
	r     *Report
	write func(d *details)
	want  string
}

func checkSections(t *testing.T, cases []sectionCase) {
	t.Helper()
	for _, c := range cases {
		if got := recorded(c.r, c.write); got != strings.TrimPrefix(c.want, "\n") {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, strings.TrimPrefix(c.want, "\n"))
		}
	}
}

// TestSnapshotSections checks what the report says of files: of one that has everything,
// one that has nothing, and several.
func TestSnapshotSections(t *testing.T) {
	full := Input{Name: "d/a.rdb.gz", Server: "valkey", ServerVersion: "9.0.1", Format: "VALKEY", RDBVersion: 80, Created: 86400, Checksum: "ok", Bytes: 5000, FileBytes: 2000,
		Frames: []string{"gzip", "zstd"}, Cluster: true, AOFBase: true, Keys: 1234, Databases: 2, UsedMem: 9000, Functions: 1, FunctionBytes: 77, Scripts: 2, ScriptBytes: 88,
		Modules: []Module{{Name: "ReJSON-RL", Keys: 1}, {Name: "search"}}, LoadableBy: Loadable{Valkey: "9.0"}, Trailing: 1, Warnings: []string{"odd"}, Complete: true}
	cut := full
	cut.Format, cut.Frames, cut.Cluster, cut.AOFBase, cut.Databases, cut.Functions, cut.Scripts = "REDIS", []string{"gzip"}, false, false, parser.MaxDatabases, 2, 1
	cut.FileBytes, cut.Trailing, cut.Modules, cut.Warnings, cut.Complete = 5000, parser.MaxTrailing, nil, nil, false
	cut.Error = &Damage{Offset: 70, Reason: "it ends", Key: np("k"), LastKey: np("l"), Hint: "copy it"}
	unread := Input{Name: "-", Created: Unknown, UsedMem: Unknown, FileBytes: Unknown, Checksum: "not checked", Error: &Damage{Offset: Unknown, Reason: "a text"}}
	plain := full
	plain.Frames, plain.Functions, plain.Scripts, plain.Trailing, plain.Modules, plain.LoadableBy = nil, 0, 0, 0, nil, Loadable{}
	checkSections(t, []sectionCase{
		{"nothing", &Report{}, (*details).snapshots, ""},
		{"all", &Report{Inputs: []Input{full}}, (*details).snapshots, `
# Snapshot
file: d/a.rdb.gz, 4.9 KB in gzip, zstd of 2 KB
server: valkey 9.0.1, cluster node, RDB version 80 (VALKEY), base of an append-only file
taken: 1970-01-02 00:00:00 UTC
checksum: ok
keys: 1,234 in 2 databases
used_memory: 8.8 KB when the snapshot was taken
functions: 1 library, 77 B
scripts: 2 scripts, 88 B
modules: ReJSON-RL (1 key), search
loadable by: Valkey 9.0 and later, no Redis
trailing: 1 byte after the end
warning: odd`},
		{"cut", &Report{Inputs: []Input{cut}}, (*details).snapshots, `
# Snapshot
file: d/a.rdb.gz, 4.9 KB in gzip
server: valkey 9.0.1, RDB version 80
taken: 1970-01-02 00:00:00 UTC
checksum: ok
keys: 1,234 in at least ` + fmt.Sprintf("%d,%03d", parser.MaxDatabases/1000, parser.MaxDatabases%1000) + ` databases
used_memory: 8.8 KB when the snapshot was taken
functions: 2 libraries, 77 B
scripts: 1 script, 88 B
loadable by: Valkey 9.0 and later, no Redis
trailing: ` + recordedCount(parser.MaxTrailing) + ` bytes or more after the end
INCOMPLETE: it ends at offset 70
: while reading key k
: the last complete key is l
hint: copy it`},
		{"unread", &Report{Inputs: []Input{unread}}, (*details).snapshots, `
# Snapshot
file: standard input, 0 B
checksum: not checked
keys: 0 in 0 databases
NOT READ: a text`},
		{"plain", &Report{Inputs: []Input{plain}}, (*details).snapshots, `
# Snapshot
file: d/a.rdb.gz, 4.9 KB
server: valkey 9.0.1, cluster node, RDB version 80 (VALKEY), base of an append-only file
taken: 1970-01-02 00:00:00 UTC
checksum: ok
keys: 1,234 in 2 databases
used_memory: 8.8 KB when the snapshot was taken
warning: odd`},
		{"rows", &Report{Inputs: []Input{full, cut, unread}}, (*details).snapshotRows, `
| file | server | RDB | taken | checksum | size | keys | used_memory | state
| d/a.rdb.gz | valkey 9.0.1 | 80 | 1970-01-02 00:00:00 UTC | ok | 4.9 KB | 1,234 | 8.8 KB | complete
| d/a.rdb.gz | valkey 9.0.1 | 80 | 1970-01-02 00:00:00 UTC | ok | 4.9 KB | 1,234 | 8.8 KB | INCOMPLETE
| standard input | unknown |  |  | not checked | 0 B | 0 |  | NOT READ
## d/a.rdb.gz
warning: odd
## d/a.rdb.gz
INCOMPLETE: it ends at offset 70
: while reading key k
: the last complete key is l
hint: copy it
## standard input
NOT READ: a text`},
	})
	for want, in := range map[string]Input{"complete": {Complete: true, Ended: true}, "DAMAGED": {Ended: true, Error: &Damage{Offset: 1}}, "NOT READ": {Error: &Damage{Offset: Unknown}},
		"INCOMPLETE": {Error: &Damage{Offset: 0}}} {
		if got := stateText(&in); got != want {
			t.Errorf("%+v: %s", in, got)
		}
	}
	for want, l := range map[string]Loadable{"": {}, "Redis 5.0 and later, no Valkey": {Redis: "5.0"}, "Redis 7.0 and later, Valkey 7.2 and later, with the module a": {Redis: "7.0", Valkey: "7.2", Modules: []Name{"a"}},
		"Redis 7.0 and later, no Valkey, with the modules a, b, c": {Redis: "7.0", Modules: []Name{"a", "b", "c"}}, "Valkey 8.0 and later, no Redis, with the modules a, b, c and 1 more": {Valkey: "8.0", Modules: []Name{"a", "b", "c", "d"}},
		"Valkey 8.0 and later, no Redis, with the modules a, b": {Valkey: "8.0", Modules: []Name{"a", "b"}}} {
		if got := english(loadableText(&l)); got != want {
			t.Errorf("%+v: %q", l, got)
		}
	}
}

func recordedCount(n int64) string { return english(countText(Figure(n))) }

// TestMemorySection checks what is said of a prediction, and whether it fits.
func TestMemorySection(t *testing.T) {
	in := func(used Figure, m Memory) *Report {
		return &Report{Inputs: []Input{{Name: "a.rdb", UsedMem: used, Memory: &m}}}
	}
	write := func(d *details) {
		for i := range d.r.Inputs {
			d.memory(&d.r.Inputs[i])
		}
	}
	two := in(Unknown, Memory{Predicted: Unknown, Note: "no model"})
	two.Inputs = append(two.Inputs, Input{Name: "b.rdb", UsedMem: 10, Memory: &Memory{Model: "redis 7.0", Predicted: 300, Startup: 100, Keys: Unknown, Tables: 200}})
	checkSections(t, []sectionCase{
		{"more", in(1100, Memory{Model: "redis 7.0", AllocatorChoice: AllocatorChoice{Allocator: "jemalloc"}, State: "live", Predicted: 1000, Startup: 100, Keys: 700, Tables: 200, Difference: p(100), Explanation: []string{"why"}}), write, `
# Memory (redis 7.0, jemalloc, live)
predicted: 1,000 B = 100 B empty server + 700 B keys + 200 B key tables
reported: 1.1 KB used_memory, 100 B more (10.0%)
: why`},
		{"less, at least", in(900, Memory{Model: "redis 7.0", State: "reloaded", Approximate: true, Bound: true, Predicted: 1000, Startup: Unknown, Keys: Unknown, Tables: Unknown, Difference: p(-100)}), write, `
# Memory (redis 7.0, approximate, reloaded)
predicted: at least 1,000 B
reported: 900 B used_memory, 100 B less (10.0%)`},
		{"the same", in(1000, Memory{Model: "redis 7.0", Predicted: 1000, Startup: Unknown, Keys: 1, Tables: Unknown, Difference: p(0)}), write, `
# Memory (redis 7.0)
predicted: 1,000 B = 1 B keys
reported: 1,000 B used_memory, 0 B more (0.0%)`},
		{"two", two, write, `
# Memory of a.rdb
model: no model
# Memory of b.rdb (redis 7.0)
predicted: 300 B = 100 B empty server + 200 B key tables
reported: 10 B used_memory`},
		{"fits", in(Unknown, Memory{Model: "m", Predicted: 1000, Startup: Unknown, Keys: Unknown, Tables: Unknown, Fit: &Fit{MaxMemory: 1024, Fits: new(true), Free: p(24), Policies: []Eviction{{"allkeys-*", 5, 70, 0.5}, {"noeviction", 0, 0, 0}}}}), write, `
# Memory (m)
predicted: 1,000 B
maxmemory: 1 KB: 97.7% full by the prediction of 1,000 B
| policy | can evict keys | memory | share
| allkeys-* | 5 | 70 B | 50.0%
| noeviction | 0 | 0 B | 0.0%`},
		{"does not", in(Unknown, Memory{Model: "m", Predicted: 1000, Startup: Unknown, Keys: Unknown, Tables: Unknown, Fit: &Fit{MaxMemory: 900, Fits: new(false), Free: p(-100)}}), write, `
# Memory (m)
predicted: 1,000 B
maxmemory: DOES NOT FIT: 900 B: 111.1% full by the prediction of 1,000 B; 100 B too much`},
		{"nobody knows", in(Unknown, Memory{Model: "m", Predicted: 800, Startup: Unknown, Keys: Unknown, Tables: Unknown, Bound: true, Fit: &Fit{MaxMemory: 900, Reported: 450}}), write, `
# Memory (m)
predicted: at least 800 B
maxmemory: 900 B: at least 88.9% full by the prediction of 800 B, 50.0% by the used_memory of 450 B`},
		{"what if", in(Unknown, Memory{Model: "m", Predicted: Unknown, WhatIf: []WhatIf{{"valkey 8.0", "libc", "reloaded", 10, 20}}}), write, `
# Memory (m)
| what if | allocator | state | keys | used_memory
| valkey 8.0 | libc | reloaded | 10 B | 20 B`},
	})
	// What a difference may be: over a tenth of the prediction is much.
	const buffers = "that is not keys: buffers, slack left by deleted data (a restart frees both), or another allocator"
	for _, c := range []struct {
		m       Memory
		d       int64
		dropped bool
		want    []string
	}{
		{Memory{Predicted: 1000, State: "live"}, 0, false, nil},
		{Memory{Predicted: 1000, State: "live"}, 100, false, []string{"about 100 B " + buffers}},
		{Memory{Predicted: 1000, State: "live"}, 101, false, []string{"about 101 B " + buffers}},
		{Memory{Predicted: 1000, State: "live"}, -100, false, []string{"the server used less"}},
		{Memory{Predicted: 1000, State: "live"}, -101, false, []string{"the server used less", "over 10 %: another allocator (--allocator), lists"}},
		{Memory{Predicted: 1000, State: "reloaded"}, 50, false, []string{"about 50 B that a restart frees: buffers"}},
		{Memory{Predicted: 1000, State: "reloaded"}, 500, true, []string{"about 500 B that a restart frees: the expired keys"}},
		{Memory{Predicted: 1000, State: "reloaded"}, -50, true, []string{"the server used less"}},
		{Memory{Predicted: 1000, Bound: true}, 500, false, []string{"the difference: what those keys take"}},
		{Memory{Predicted: 1000, Bound: true}, 0, false, nil},
		{Memory{Predicted: 1000, Bound: true}, -500, false, []string{"the server used less", "over 10 %: another allocator"}},
	} {
		c.m.explainDifference(c.d, c.dropped)
		got := c.m.Explanation
		if !slices.EqualFunc(got, c.want, strings.HasPrefix) {
			t.Errorf("%+v, %d: %q", c.m, c.d, got)
		}
	}
	// Expired keys are dropped from the keys that have an expiry, all of them.
	databases := []memory.Database{{Keys: 100, Expires: 30}, {Keys: 50, Expires: 0}, {Keys: 10, Expires: 10}, {Keys: 7, Expires: 5}}
	dropExpired(databases, 11)
	gone := [4]int64{100 - databases[0].Keys, 50 - databases[1].Keys, 10 - databases[2].Keys, 7 - databases[3].Keys}
	if gone != [4]int64{11, 0, 0, 0} || databases[0].Expires != 19 || databases[2].Expires != 10 {
		t.Errorf("dropped %v", gone)
	}
}

// TestSumsSections checks the sections of sums: each figure in its column.
func TestSumsSections(t *testing.T) {
	totals := func(t Totals) *Report { return &Report{Totals: t} }
	base := Totals{Keys: 4, Elements: 5, ValueBytes: 9999, SerializedBytes: 10_000, MemoryBytes: 20_000, MemoryUsage: Unknown, WithTTL: 3, WithoutTTL: 1, WithoutTTLMemory: Unknown, Expired: Unknown}
	with := func(edit func(t *Totals)) Totals {
		t := base
		edit(&t)
		return t
	}
	lines := func(memory string) string {
		return "# Totals\nkeys: 4\nelements: 5\nvalue bytes: 9.8 KB\nserialized: 9.8 KB = 10,000 bytes in the file, without names\n" + memory + "with TTL: 3 keys, 75.0%\nno TTL: 1 key, 25.0%"
	}
	ints := totals(base)
	ints.Encodings = []Encoding{{Type: "string", Encoding: "int", WithoutTTL: 1, WithoutTTLMemory: 56}, {Type: "string", Encoding: "raw", WithoutTTL: 9}, {Type: "string", Encoding: "int", WithoutTTL: 0}}
	checkSections(t, []sectionCase{
		{"no keys", totals(Totals{MemoryBytes: 0}), (*details).totals, "# Totals\nkeys: 0"},
		{"totals", totals(base), (*details).totals, lines("memory: 19.5 KB = 20,000 bytes allocated\n")},
		{"a bound", totals(with(func(t *Totals) { t.MemoryBound = true })), (*details).totals, lines("memory: 19.5 KB = 20,000 bytes allocated (a lower bound: no model covers some types)\n")},
		{"approximate", totals(with(func(t *Totals) { t.MemoryApproximate = true })), (*details).totals, lines("memory: 19.5 KB = 20,000 bytes allocated (approximate for some types of modules)\n")},
		{"partly", totals(with(func(t *Totals) { t.MemoryBound, t.WithoutMemory = true, 1 })), (*details).totals,
			lines("memory: 19.5 KB = 20,000 bytes allocated (without 1 key of servers that no model covers)\n")},
		{"unknown", totals(with(func(t *Totals) { t.MemoryBytes, t.MemoryUsage = Unknown, 700 })), (*details).totals, lines("memory usage: 700 B as the sum of MEMORY USAGE\n")},
		{"without TTL", totals(with(func(t *Totals) { t.WithoutTTLMemory, t.Expired = 2048, 1 })), (*details).totals,
			lines("memory: 19.5 KB = 20,000 bytes allocated\n") + ", 2 KB of memory that volatile policies never evict\nexpired: 1 key when the snapshot was taken"},
		{"integers", ints, (*details).totals, lines("memory: 19.5 KB = 20,000 bytes allocated\n") + "\nintegers: 1 integer string without a TTL, such as counters, 56 B"},
		{"types", &Report{Types: []TypeRow{{Type: "hash", Keys: 1, Elements: 2, ValueBytes: 3, SerializedBytes: 4, MemoryBytes: 5, Share: 0.06, AverageBytes: 7, MaxMemoryBytes: 8, MaxValueBytes: 9, LargestKey: &KeyRow{Key: "k"}},
			{Type: "set", MemoryBytes: Unknown, AverageBytes: Unknown, MaxMemoryBytes: Unknown, MaxValueBytes: 10}}}, (*details).types, `
# By type
| type | keys | elements | value | serialized | memory | share | average B | largest | largest key
| hash | 1 | 2 | 3 B | 4 B | 5 B | 6.0% | 7 | 8 B | k
| set | 0 | 0 | 0 B | 0 B |  | 0.0% |  | 10 B |`},
		{"encodings", &Report{Encodings: []Encoding{{"hash", "listpack", 1, 2, 3, 4, 5, 6}}}, (*details).encodings, `
# By encoding
| type | encoding | keys | elements | value | memory | no TTL | memory without TTL
| hash | listpack | 1 | 2 | 3 B | 4 B | 5 | 6 B`},
		{"one database", &Report{Databases: []Database{{DB: 0, Keys: 1}}}, (*details).databases, ""},
		{"databases", &Report{Databases: []Database{{DB: 0, Keys: 1, WithTTL: 2, ValueBytes: 3, MemoryBytes: 4}, {DB: OtherDatabases, Keys: 5, MemoryBytes: Unknown}}}, (*details).databases, `
# By database
| database | keys | with TTL | value | memory
| 0 | 1 | 2 | 3 B | 4 B
| (others) | 5 | 0 | 0 B |`},
		{"nobody owns", &Report{Owners: []Owner{{Keys: 1}}}, (*details).owners, ""},
		{"one owner", &Report{Owners: []Owner{{Owner: "a", Keys: 4, Elements: 2, ValueBytes: 3, MemoryBytes: 5, WithoutTTL: 1, Findings: Counts{Error: 6, Warning: 7, Info: 8, Ignored: 9}}}}, (*details).owners, `
# By owner
| owner | keys | elements | value | memory | no TTL | errors | warnings | info
| a | 4 | 2 | 3 B | 5 B | 25.0% | 6 | 7 | 8`},
		{"owners", &Report{Owners: []Owner{{Owner: "", Keys: 1, MemoryBytes: Unknown}, {Owner: "b", Keys: 1, MemoryBytes: Unknown}}}, (*details).owners, `
# By owner
| owner | keys | elements | value | no TTL | errors | warnings | info
| (no owner) | 1 | 0 | 0 B | 0.0% | 0 | 0 | 0
| b | 1 | 0 | 0 B | 0.0% | 0 | 0 | 0`},
		{"budgets", &Report{Inputs: []Input{{Name: "a.rdb"}, {Name: "b.rdb"}}, Budgets: []Budget{
			{Budget: "shop:*", Input: 1, Keys: 50, Bytes: 2048, WithoutTTL: 5, Reason: "planned", Limits: []BudgetLimit{{"keys", "error", 40, true}, {"memory", "warning", 4096, false}, {"growth", "error", 1, true}}},
			{Budget: "all", Inputs: 2, Keys: 3, Limits: []BudgetLimit{{"keys", "info", 3, false}}}}}, (*details).budgets, `
# Budgets
| snapshot | budget | of | now | limit | used | exceeded | reason
| b.rdb | shop:* | keys | 50 | 40 | 125.0% | error | planned
| b.rdb | shop:* | memory | 2 KB | 4 KB | 50.0% |  | planned
|  | all | keys | 3 | 3 | 100.0% |  |`},
		{"expiry of nothing", &Report{Expiry: []Bucket{{Label: "x"}}}, (*details).expiry, ""},
		{"expiry", &Report{Totals: Totals{Keys: 1}, Expiry: []Bucket{{Label: "a", Keys: 48, ValueBytes: 2, MemoryBytes: 3}, {Label: "b", Keys: 1, MemoryBytes: Unknown}, {Label: "c", MemoryBytes: Unknown}, {Label: "d", Keys: 3, MemoryBytes: Unknown}}}, (*details).expiry, `
# TTL (time left when the snapshot was taken)
| TTL | keys | share | value | memory
| a | 48 | 92.3% | 2 B | 3 B
| b | 1 | 1.9% | 0 B |
| c | 0 | 0.0% | 0 B |
| d | 3 | 5.8% | 0 B |`},
		{"histograms", &Report{Histograms: Histograms{KeyLength: []Bucket{{Label: "1-8", Keys: 3}, {Label: "9-16"}, {Label: "17", Keys: 1}}, Idle: []Bucket{{Label: "x"}}, LFU: []Bucket{{Label: "5", Keys: 2}}}}, (*details).histograms, `
# Distribution of keys (key length in bytes, elements of collections, idle time)
| key length | keys | share | value | memory
| 1-8 | 3 | 75.0% | 0 B | 0 B
| 17 | 1 | 25.0% | 0 B | 0 B
| LFU counter | keys | share | value | memory
| 5 | 2 | 100.0% | 0 B | 0 B`},
	})
}

// TestKeySections checks the sections of keys and groups, at the lengths of their lists.
func TestKeySections(t *testing.T) {
	key := func(i int) KeyRow {
		return KeyRow{Key: Name(fmt.Sprint("k", i)), Type: "hash", Encoding: "listpack", Memory: Figure(100 - i), MemoryUsage: Unknown, ValueBytes: 50, Serialized: Unknown, Elements: 2, Largest: 30, Freq: Figure(200 - i), FieldsWithTTL: Unknown}
	}
	keys := func(n int) (list []KeyRow) {
		for i := range n {
			list = append(list, key(i))
		}
		return list
	}
	groups := func(n int) (list []Group) {
		for i := range n {
			list = append(list, Group{Group: Name(fmt.Sprint("g", i)), Keys: 1, MemoryBytes: 1})
		}
		return list
	}
	lines := func(r *Report, write func(d *details)) []string { return strings.Split(recorded(r, write), "\n") }
	totals := Totals{MemoryBytes: 1000}
	for _, n := range []int{detailsHot, detailsHot + 1} {
		got := lines(&Report{Hot: keys(n), Totals: totals}, (*details).hot)
		if len(got) != 2+detailsHot || got[2] != "| 200 | 100 B | 50 B | 10.0% | hash | listpack | 2 | 30 B | none | k0" || got[1] != "| counter | memory | value | share | type | encoding | elements | largest | TTL | key" {
			t.Errorf("%d hot keys: %q", n, got)
		}
	}
	for n, note := range map[int]string{1: "1 pattern", detailsGroups: "20 patterns", detailsGroups + 1: "21 patterns, the first 20; -f groups.csv and JSON have all"} {
		if got := lines(&Report{Groups: groups(n), Totals: totals}, (*details).groups); got[0] != "# Groups ("+note+")" || len(got) != 2+min(n, detailsGroups) {
			t.Errorf("%d groups: %d lines, %q", n, len(got), got[0])
		}
	}
	for folded, note := range map[int64]string{1: "1 pattern; 1 pattern is folded into a wider one", 2: "1 pattern; 2 patterns are folded into wider ones"} {
		if got := lines(&Report{Groups: groups(1), GroupsFolded: folded, Totals: totals}, (*details).groups); got[0] != "# Groups ("+note+")" {
			t.Errorf("%d folded: %q", folded, got[0])
		}
	}
	byType := func(n int, types ...string) *Report {
		r := &Report{By: ByMemory, Totals: totals, TopByType: map[string]map[string][]KeyRow{}}
		for _, typ := range types {
			r.Types = append(r.Types, TypeRow{Type: typ})
			r.TopByType[typ] = map[string][]KeyRow{ByMemory: keys(n)}
		}
		return r
	}
	for _, c := range []struct {
		r    *Report
		want int
	}{{byType(3, "hash"), 0}, {byType(3, "hash", "set"), 6}, {byType(5, "hash", "set"), 10}, {byType(6, "hash", "set"), 10}, {byType(0, "hash", "set"), 0}} {
		got := recorded(c.r, (*details).topByType)
		if n := strings.Count(got, "\n| ") - min(1, c.want); max(n, 0) != c.want || c.want > 0 && !strings.HasPrefix(got, "# Largest keys of each type (by memory)") || c.want == 0 && got != "" {
			t.Errorf("%d rows, want %d: %s", n, c.want, got)
		}
	}
	at := func(ms int64) *int64 { return &ms }
	for want, k := range map[string]KeyRow{"none": {FieldsWithTTL: 0}, "1 field": {FieldsWithTTL: 1}, "1h": {TTL: at(3600), ExpireAt: at(5), FieldsWithTTL: 1}, "at 1970-01-01 00:00:05 UTC": {ExpireAt: at(5999), FieldsWithTTL: 1}} {
		if got := english(ttlText(&k)); got != want {
			t.Errorf("%+v: %q, want %q", k, got, want)
		}
	}
	// The largest element is shown on a screen where it is at least half of the value of
	// several; the measure that ranks always is.
	for _, c := range []struct {
		by    string
		edit  func(k *KeyRow)
		shown bool
	}{{ByMemory, func(k *KeyRow) {}, true}, {ByMemory, func(k *KeyRow) { k.Largest = 25 }, true}, {ByMemory, func(k *KeyRow) { k.Largest = 24 }, false}, {ByMemory, func(k *KeyRow) { k.Elements = 1 }, false}, {ByLargest, func(k *KeyRow) { k.Elements, k.Largest = 1, 1 }, true}} {
		k := key(0)
		c.edit(&k)
		r := &Report{By: c.by, Totals: totals}
		p := &recordedPage{}
		p.table(r.keysTable([]KeyRow{k}, false))
		if got := strings.Contains(p.lines[0], "largest"); got != c.shown {
			t.Errorf("by %s, %+v: %q", c.by, k, p.lines)
		}
	}
	// Databases are shown where one is not 0: of the keys, or of the report.
	for _, c := range []struct {
		db, other int
		shown     bool
	}{{0, 0, false}, {1, 0, true}, {0, 1, true}} {
		k := key(0)
		k.DB = c.db
		p := &recordedPage{}
		p.table((&Report{Databases: []Database{{DB: c.other}}, Totals: totals}).keysTable([]KeyRow{k}, false))
		if got := strings.Contains(p.lines[0], "| db |"); got != c.shown {
			t.Errorf("%+v: %q", c, p.lines)
		}
	}
}

// TestNodesTable checks the columns of nodes, and which master a snapshot is of: known
// only if it is the only one of that master.
func TestNodesTable(t *testing.T) {
	r := &Report{Totals: Totals{MemoryBytes: 1000}, Inputs: []Input{{Name: "a.rdb", UsedMem: 900}, {Name: "b.rdb", UsedMem: Unknown}, {Name: "c.rdb", UsedMem: Unknown, Error: &Damage{Offset: Unknown}}},
		Cluster: &cluster.Check{Masters: []cluster.Master{{Address: "h:1", Inputs: []int{0}}, {Address: "h:2", Inputs: []int{1, 2}}, {Address: "h:3"}}}}
	rows := []Node{{Input: 0, Keys: 8, ValueBytes: 50, MemoryBytes: 700, Share: 0.7, Skew: 1.405, WithoutTTL: 2, Findings: Counts{Error: 3, Warning: 4, Info: 5, Ignored: 6}}, {Input: 1, Keys: 0, MemoryBytes: 300, Share: 0.3, Skew: 0.6},
		{Input: 2, Keys: -1, ValueBytes: -1, MemoryBytes: Unknown, Findings: Counts{Error: -1, Warning: -1, Info: -1, Ignored: -1}}}
	p := &recordedPage{}
	p.table(r.nodesTable(rows))
	want := `| memory | share | x mean | used_memory | keys | no TTL | errors | warnings | state | node | snapshot
| 700 B | 70.0% | 1.41x | 900 B | 8 | 25.0% | 3 | 4 |  | h:1 | a.rdb
| 300 B |  |  |  | 0 |  | 0 | 0 |  |  | b.rdb
|  |  |  |  |  |  |  |  | NOT READ |  | c.rdb`
	if got := strings.Join(p.lines, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	r.Totals.MemoryBytes = Unknown
	p = &recordedPage{}
	if p.table(r.nodesTable(rows[:1])); !strings.Contains(p.lines[1], "| 50 B | 70.0%") {
		t.Errorf("%q", p.lines)
	}
	for rows, want := range map[int]string{2: "the worst 2 of 3; x mean: memory against the mean", 3: "x mean: memory against the mean"} {
		if got := english(r.nodesNote(rows)); got != want {
			t.Errorf("%d rows: %q", rows, got)
		}
	}
	// First those with damage, then as they are; what was not read is a row.
	r.Nodes = []Node{{Input: 1, Keys: 1}, {Input: 0, Keys: 2}}
	var order []int
	for _, n := range r.worstNodes() {
		order = append(order, n.Input)
	}
	if !slices.Equal(order, []int{2, 1, 0}) {
		t.Errorf("%v", order)
	}
	if list := (&Report{Inputs: r.Inputs[:1], Nodes: r.Nodes}).worstNodes(); list != nil {
		t.Errorf("nodes of one input: %v", list)
	}
}
