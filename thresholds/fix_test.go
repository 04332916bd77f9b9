package thresholds

import (
	"slices"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/memory"
	"github.com/rdblens/rdblens/parser/message"
)

var byDesignIdentity = &Identity{Library: "BullMQ", Role: RoleJobData, ByDesign: true, Setting: "removeOnComplete", Deletion: "with Queue.clean()", Sure: Sure}

// allowedActions returns the words of the actions that may be advised on a thing.
func allowedActions(e *Engine, t *thing) (words []string) {
	for a := range numActions {
		if _, ok := e.allows(a, t); ok {
			words = append(words, actions[a].word)
		}
	}
	return words
}

// TestExclusions checks what may never be advised, by type, content, role and server.
func TestExclusions(t *testing.T) {
	const expire, split, compress, share, del, name, trim, lazyFree = adviseExpire, adviseSplit, adviseCompress, adviseShare, adviseDelete, adviseName, adviseTrim, adviseLazyFree
	for _, c := range []struct {
		what    string
		version string
		thing   thing
		not, ok []action
	}{
		{"a small string", "7.0.15", thing{typ: parser.String}, nil, []action{expire, split, compress, share, del, name, trim, lazyFree}},
		{"text", "7.0.15", thing{typ: parser.String, content: ContentText}, nil, []action{expire, split, compress, share, del}},
		{"a HyperLogLog", "7.0.15", thing{typ: parser.String, content: ContentHyperLogLog}, []action{split, compress, share}, []action{expire, del}},
		{"a bitmap", "7.0.15", thing{typ: parser.String, content: ContentBitmap}, []action{compress, share}, []action{expire, split, del}},
		{"gzip", "7.0.15", thing{typ: parser.String, content: ContentCompressed}, []action{compress, share}, []action{expire, split, del}},
		{"a list", "7.0.15", thing{typ: parser.List}, []action{expire, share}, []action{split, del}},
		{"a stream", "7.0.15", thing{typ: parser.Stream}, []action{expire, share}, []action{split, del}},
		{"a group of several types", "7.0.15", thing{typ: parser.NumTypes}, []action{expire, share}, []action{split, del}},
		{"a hash at the limit", "7.0.15", thing{typ: parser.Hash, elements: 5000}, []action{share}, []action{expire, split, del}},
		{"a big hash", "7.0.15", thing{typ: parser.Hash, elements: 5001}, []action{expire, share}, []action{split, del}},
		{"a queue in a sorted set", "7.0.15", thing{typ: parser.ZSet, identity: &Identity{Role: RoleQueue}}, []action{expire, split, del, share}, []action{name}},
		{"a ranking", "7.0.15", thing{typ: parser.ZSet, identity: &Identity{Role: RoleLeaderboard}}, []action{split}, []action{expire, trim, del}},
		{"a schedule", "7.0.15", thing{typ: parser.ZSet, identity: &Identity{Role: RoleSchedule}}, []action{trim}, []action{expire, split, del}},
		{"what a library keeps", "7.0.15", thing{typ: parser.String, identity: byDesignIdentity}, []action{expire, del, name, share, trim, split, adviseShorten}, nil},
		{"a setting", "7.0.15", thing{typ: parser.Hash, identity: &Identity{Role: RoleSetting}}, []action{expire, del, trim}, []action{name, split}},
		{"an old server", "3.2.12", thing{typ: parser.Hash}, []action{lazyFree}, []action{expire, split, del}},
	} {
		e := mustLoad(t, LoadOptions{}).Compile(Env{Server: "redis", Version: c.version, Created: -1})
		c.thing.settings = e.base.settings
		allowed := allowedActions(e, &c.thing)
		for _, a := range c.not {
			if slices.Contains(allowed, actions[a].word) {
				if _, ok := e.allows(a, &c.thing); ok {
					t.Errorf("%s: %s is advised", c.what, actions[a].word)
				}
			}
		}
		for _, a := range c.ok {
			if _, ok := e.allows(a, &c.thing); !ok {
				t.Errorf("%s: %s is not advised", c.what, actions[a].word)
			}
		}
	}
	for _, x := range exclusions {
		m := message.New(x.instead, append(byDesignIdentity.words(), message.Int("limit", 5000))...).String()
		if strings.ContainsAny(m, "{}") || x.instead != "" && !strings.HasSuffix(m, ".") {
			t.Errorf("%s: %q", actions[x.action].word, m)
		}
	}
	for a := range numActions {
		if actions[a].word == "" || actions[a].kind == "" {
			t.Errorf("action %d has no words", a)
		}
	}
}

// TestNothingContradicts checks that the advice on a finding never has an action that is
// excluded of its key, whatever the rule.
func TestNothingContradicts(t *testing.T) {
	for id, not := range map[*Identity][]string{{Role: RoleQueue}: {"EXPIRE", "UNLINK", "newKey"}, {Role: RoleLeaderboard}: {"newKey"},
		byDesignIdentity: {"EXPIRE", "UNLINK", "newKey", "RENAMENX", "Change the name"}, {Role: RoleSchedule}: {"ZREMRANGEBYRANK"}} {
		for rule, cases := range ruleCases {
			for _, c := range cases {
				for i, profile := range profileNames {
					if c.want[i] == '-' {
						continue
					}
					opt := LoadOptions{Profile: profile}
					if c.config != "" {
						opt.Config = writeConfig(t, c.config)
					}
					env := testEnv()
					if c.env != nil {
						c.env(&env)
					}
					e := mustLoad(t, opt).Compile(env)
					s := SubjectOf(c.key)
					s.Identity = id
					for _, a := range adviceTexts(e.Advise(found(t, e, rule, c.key), &s)) {
						all := a.Text + "\n" + strings.Join(a.Commands, "\n")
						for _, word := range not {
							if strings.Contains(all, word) {
								t.Errorf("%s, %s, %s: %s", profile, rule, id.Role, all)
							}
						}
					}
				}
			}
		}
	}
}

func TestContentOf(t *testing.T) {
	hll := "HYLL\x00\x00\x00\x00" + strings.Repeat("\x00", 24)
	for _, c := range []struct {
		typ    parser.Type
		head   string
		length int64
		want   Content
	}{
		{parser.String, hll, denseLength, ContentHyperLogLog}, {parser.String, "HYLL\x01" + strings.Repeat("\x00", 27), 300, ContentHyperLogLog}, {parser.String, hll, denseLength + 1, ContentBitmap},
		{parser.String, `{"a": 1`, 512, ContentText}, {parser.String, `{"a": 1`, 511, 0}, {parser.String, "plain", 600, ContentText}, {parser.Hash, "plain", 600, ContentText}, {parser.String, "", 0, 0}, {parser.String, "\x1f\x8b\x08\x00", 900, ContentCompressed},
		{parser.String, "\x28\xb5\x2f\xfd\x04", 900, ContentCompressed}, {parser.String, "\x78\x9c\xab", 900, ContentCompressed}, {parser.String, "\x89PNG\r\n", 900, ContentCompressed},
		{parser.String, strings.Repeat("\x00", 32), 900, ContentBitmap}, {parser.String, "\x80\x00\x00\x00\x00\x00\x00\x00", 900, ContentBitmap}, {parser.String, "\x80\x01\x02\x00\x00\x00\x07\x09", 900, 0},
		{parser.String, "\xff\xff\xff\xff\x01\x02\x03\x04", 900, ContentBitmap}, {parser.String, "\x00\x00\x00\x00", 4, 0}, {parser.Hash, strings.Repeat("\x00", 32), 900, 0}, {parser.String, "\x80\x05\x95\x10\x8c\x03abc", 900, 0},
	} {
		if got := ContentOf(&parser.Key{Type: c.typ, Head: []byte(c.head), ValueBytes: c.length}); got != c.want {
			t.Errorf("%s %q of %d bytes: %d, want %d", c.typ, c.head, c.length, got, c.want)
		}
	}
}

// sums are those of a group of strings without a TTL.
func sums(change func(*GroupSums)) GroupSums {
	g := GroupSums{Group: "a:*", DB: 0, Type: parser.String, Elements: 1, Keys: 1000, WithoutTTL: 1000, ValueBytes: 10_000, Serialized: 12_000, NameBytes: 6000,
		Memory: 100_000, MemoryWithoutTTL: 100_000}
	g.Model, _, _ = memory.Choose("", "", memory.Options{Server: "redis-7.0"})
	change(&g)
	return g
}

var listing = Listing{Command: []string{"rdblens", "keys"}, Files: []string{"dump.rdb"}, Matching: matching}

func matching(g *GroupSums) int64 { return g.Keys }

// TestSavings checks each saving at the bounds from which on it is worth a line, and that
// the largest is given.
func TestSavings(t *testing.T) {
	e := mustLoad(t, LoadOptions{}).Compile(testEnv())
	text := func(g *GroupSums) {
		g.Group, g.Content, g.ValueBytes, g.Serialized, g.NameBytes, g.WithoutTTL = "doc:*", ContentText, 512_000, 409_600, 9000, 0
		g.Memory = 600_000
	}
	// An entry has 4 bytes besides its value of 10 and the variable part of the name of 4: 500 of them and the 7 bytes of
	// a listpack are 9,007, which jemalloc makes 10,240. A key has 48: dictEntry 24, object 16, name 8.
	// The table of 1,000 keys has 1,024 pointers. With 2 of them it has 16, of which more than a tenth is used.
	const table, hash = 1024*8 - 16*8, 10240 + 48
	for _, c := range []struct {
		what  string
		sums  GroupSums
		saves int64 // 0: nothing
		kind  string
		list  string
	}{
		{"small strings", sums(func(g *GroupSums) {}), 100_000 - 2*hash + table, "share", "rdblens keys --db 0 --group a:* --no-ttl dump.rdb"},
		{"in several databases", sums(func(g *GroupSums) { g.DB = AnyDatabase }), 100_000 - 2*hash + table, "share", "rdblens keys --group a:* --no-ttl dump.rdb"},
		{"too few without a TTL", sums(func(g *GroupSums) { g.WithoutTTL = 499 }), 0, "", ""},
		{"just enough", sums(func(g *GroupSums) { g.WithoutTTL, g.MemoryWithoutTTL = 500, 90_000 }), 90_000 - hash, "share", ""},
		{"numbers in names and values", sums(func(g *GroupSums) { g.IsNumbered, g.IsNumber, g.ValueBytes = true, true, 6000 }), 100_000 - 2*(5120+48) + table, "share", ""}, // 4 and 5 bytes
		{"values of 64 bytes", sums(func(g *GroupSums) { g.ValueBytes, g.MemoryWithoutTTL = 64_000, 200_000 }), 200_000 - 2*(40960+48) + table, "share", ""},
		{"values of 65 bytes", sums(func(g *GroupSums) { g.ValueBytes = 65_000 }), 0, "", ""},
		{"long names", sums(func(g *GroupSums) { g.NameBytes = 67_000 }), 0, "", ""},
		{"hashes", sums(func(g *GroupSums) { g.Type = parser.Hash }), 0, "", ""},
		{"bitmaps", sums(func(g *GroupSums) { g.Content = ContentBitmap }), 0, "", ""},
		{"a library's", sums(func(g *GroupSums) { g.Identity = byDesignIdentity }), 0, "", ""},
		{"memory unknown", sums(func(g *GroupSums) { g.Memory = -1 }), 0, "", ""},
		{"text that LZF shrinks to 80 %", sums(text), 600_000 - 1000*(448+16+24+16+24), "compress", "rdblens keys --db 0 --group doc:* dump.rdb"},
		{"a byte less", sums(func(g *GroupSums) { text(g); g.Serialized++ }), 0, "", ""},
		{"shorter texts", sums(func(g *GroupSums) { text(g); g.ValueBytes--; g.Serialized = 1000 }), 0, "", ""},
		{"text of unknown content", sums(func(g *GroupSums) { text(g); g.Content = 0 }), 0, "", ""},
		{"HyperLogLogs", sums(func(g *GroupSums) { text(g); g.Content = ContentHyperLogLog }), 0, "", ""},
		{"lists", sums(func(g *GroupSums) { text(g); g.Type = parser.List }), 0, "", ""},
		{"hashes near the compact limits", sums(func(g *GroupSums) {
			g.Type, g.CompactKeys, g.CompactSaves, g.CompactRule = parser.Hash, 2, 65_536, "compact-encoding"
		}), 65_536, "compact", "rdblens keys --db 0 --group a:* --over compact-encoding dump.rdb"},
		{"less than used_memory changes by itself", sums(func(g *GroupSums) {
			g.Type, g.CompactKeys, g.CompactSaves, g.CompactRule = parser.Hash, 2, 65_535, "compact-encoding"
		}), 0, "", ""},
		{"hashes that were larger", sums(func(g *GroupSums) {
			g.Type, g.CompactKeys, g.CompactSaves, g.CompactRule, g.WasLarger = parser.Hash, 2, 500_000, "compact-encoding", true
		}), 500_000, "compact", ""},
		{"a single one", sums(func(g *GroupSums) {
			g.Type, g.CompactKeys, g.CompactSaves, g.CompactRule = parser.Hash, 1, 500_000, "compact-encoding"
		}), 0, "", ""},
		// customer, shipping and addresses: 5, 5 and 6 letters less.
		{"long words", sums(func(g *GroupSums) {
			g.Group, g.Type, g.Keys, g.NameBytes = "customer:shipping:addresses:*", parser.Hash, 5000, 165_000
		}), 80_000, "shorten", ""},
		{"a short pattern", sums(func(g *GroupSums) { g.Group, g.Type = "customer:shipping:a*", parser.Hash }), 0, "", ""},
	} {
		list := e.Savings([]GroupSums{c.sums}, 1_000_000, 0, &listing, 10)
		switch {
		case c.saves == 0 && len(list) == 0:
		case len(list) != 1 || list[0].Saves != c.saves || list[0].Kind != c.kind || c.list != "" && strings.Join(list[0].List, " ") != c.list:
			t.Errorf("%s: %+v, want %s %d %s", c.what, list, c.kind, c.saves, c.list)
		case c.kind == "share" && list[0].Keys != c.sums.WithoutTTL:
			t.Errorf("%s: %d keys", c.what, list[0].Keys)
		case list[0].SavesAtLeast != c.sums.WasLarger:
			t.Errorf("%s: %+v", c.what, list[0])
		case list[0].ChangesData || list[0].Of != c.sums.Keys || !strings.HasSuffix(list[0].Text.String(), "."):
			t.Errorf("%s: %+v", c.what, list[0])
		}
	}
	// What the file leaves open: 1,000 hashes of 20 fields that were inserted one by one have a table of 16 pointers
	// each beside that of 32, or those that were once larger have all that used_memory does not explain.
	for _, c := range []struct {
		larger                         bool
		saves, unexplained, most, keys int64
		text                           string
	}{
		{false, 500_000, 0, 660_000, 1000, "Saves 488 KB to 645 KB."},
		{false, 5_000_000, 0, 0, 1000, "Saves 4.8 MB."}, // 3 % more
		{true, 500_000, 1_500_000, 2_000_000, 1000, "Saves at least 488 KB, and at most 1.9 MB."},
		{true, 500_000, 0, 0, 1000, "Saves at least 488 KB."},
		{true, 500_000, 20_000_000, 0, 1000, "Saves at least 488 KB."}, // that says nothing
	} {
		g := sums(func(g *GroupSums) {
			g.Type, g.CompactKeys, g.CompactSaves, g.CompactRule, g.WasLarger = parser.Hash, c.keys, c.saves, "compact-encoding", c.larger
			g.AllElements, g.Elements, g.MemoryWithoutTTL = 20_000, 20, -1
		})
		list := e.Savings([]GroupSums{g}, 1_000_000, c.unexplained, &listing, 10)
		if len(list) != 1 || list[0].Saves != c.saves || list[0].SavesMost != c.most || !strings.HasSuffix(list[0].Text.String(), c.text) {
			t.Errorf("%+v: %+v", c, list)
		}
	}
	// What saves less than a 500th of all memory is not worth a line.
	for whole, want := range map[int64]int{250_000_000: 1, 250_000_001: 0} {
		g := sums(func(g *GroupSums) { g.Type, g.CompactKeys, g.CompactSaves = parser.Hash, 2, 500_000 })
		if list := e.Savings([]GroupSums{g}, whole, 0, &listing, 10); len(list) != want {
			t.Errorf("of %d: %+v", whole, list)
		}
	}
	if list := e.Savings([]GroupSums{sums(func(g *GroupSums) { g.Group = "b:*" }), sums(func(*GroupSums) {}), sums(text)}, 1_000_000, 0, &Listing{Matching: matching}, 10); len(list) != 3 || list[2].Kind != "compress" || list[0].Group != "a:*" || list[0].List != nil {
		t.Errorf("%+v", list)
	}
}

// TestWhich checks that a pattern is given alone only if all keys that it matches are meant.
func TestWhich(t *testing.T) {
	for _, c := range []struct {
		keys int64
		db   int
		want string
	}{{1000, 0, "a:* (1,000 keys)"}, {999, 3, "999 of the 1,000 keys of a:* (db 3)"}, {999, AnyDatabase, "999 of the 1,000 keys of a:*"}} {
		g := sums(func(g *GroupSums) { g.DB = c.db })
		if got := which(&g, c.keys, g.Keys).String(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	if got := which(&GroupSums{Group: "a", Keys: 1}, 1, 1).String(); got != "a (1 key)" {
		t.Error(got)
	}
}

// TestListOfGroup checks that a command lists a group only if its pattern matches no other key.
func TestListOfGroup(t *testing.T) {
	for more, want := range map[int64]bool{-1: false, 0: true, 1: false} {
		l := listing
		l.Matching = func(g *GroupSums) int64 { return g.Keys + more }
		g := sums(func(*GroupSums) {})
		list, matching := l.ofGroup("", &g)
		if matching != g.Keys+more || (list != nil) != want {
			t.Errorf("%d more: %q, %d match", more, list, matching)
		}
	}
}

// TestFewFixes has savings in place of problems: three, if there is nothing else.
func TestFewFixes(t *testing.T) {
	e := mustLoad(t, LoadOptions{}).Compile(testEnv())
	var savings []Advice
	for _, group := range []string{"a:*", "b:*", "c:*", "d:*", "e:*"} {
		savings = append(savings, Advice{Group: group, Text: message.New("Compress it.")})
	}
	if list := e.FixFirst(nil, nil, savings, &listing, 10); len(list) != 3 || list[0].Group != "a:*" || list[2].Group != "c:*" {
		t.Errorf("%+v", list)
	}
}

// TestOrderOfFixes has candidates in their order: by severity, and within one what a team set first.
func TestOrderOfFixes(t *testing.T) {
	list := []candidate{{severity: Error, own: true, harm: UsesMemory}, {severity: Error, harm: Blocks, bytes: 9},
		{severity: Warning, harm: Blocks, own: true}, {severity: Warning, harm: Blocks, bytes: 9}, {severity: Warning, harm: Blocks},
		{severity: Info, own: true, harm: Blocks}, {severity: Info, harm: Blocks, bytes: 99}}
	for i := range list {
		for n := range list[:i] {
			if list[n].compare(&list[i]) >= 0 || list[i].compare(&list[n]) <= 0 {
				t.Errorf("%+v is not before %+v", list[n], list[i])
			}
		}
	}
}

// TestFixFirst checks what is advised first, that nothing is advised twice, and that a
// group which the advice does not fit gives way to the next.
func TestFixFirst(t *testing.T) {
	e := mustLoad(t, LoadOptions{}).Compile(testEnv())
	flagged := func(group string, typ parser.Type, keys, memory int64) Flagged {
		return Flagged{sums(func(g *GroupSums) { g.Group, g.Type = group, typ }), keys, memory}
	}
	big := SubjectOf(key("fans:1", collection(parser.Set, parser.EncHashtable, 5200)))
	queue := SubjectOf(key("jobs", collection(parser.Hash, parser.EncHashtable, 9000)))
	queue.Identity = &Identity{Role: RoleQueue}
	problem := func(rule string, change func(*Problem)) Problem {
		p := Problem{Rule: ruleID(t, rule), Severity: Warning, Keys: 7, Bytes: 70_000}
		p.Finding = Finding{Rule: p.Rule, Severity: Warning, Measured: 5200, Limit: 5000}
		change(&p)
		return p
	}
	bigSet := problem("big-collection", func(p *Problem) { p.Key = &big })
	noTTL := problem("no-ttl", func(p *Problem) {
		p.Groups = []Flagged{flagged("q:*", parser.List, 1000, 90_000), flagged("s:*", parser.String, 11, 500), flagged("t:*", parser.String, 1000, 80_000)}
	})
	going := func(keys int64) Problem {
		f := flagged("old:*", parser.String, 1000, 99_000)
		f.Going = keys
		return problem("no-ttl", func(p *Problem) { p.Groups = []Flagged{f, noTTL.Groups[2]} })
	}
	savings := e.Savings([]GroupSums{sums(func(g *GroupSums) { g.Group = "t:*" }), sums(func(g *GroupSums) { g.Group = "u:*" })}, 1_000_000, 0, &listing, 10)
	for _, c := range []struct {
		what     string
		problems []Problem
		savings  []Advice
		most     int
		want     []string
	}{
		{"a big key", []Problem{bigSet}, nil, 5, []string{"split: Split fans:1: a command on all of its 5,200 elements makes every other client wait."}},
		{"a queue", []Problem{problem("big-collection", func(p *Problem) { p.Key = &queue })}, nil, 5, []string{"queue: Add consumers to jobs, or find the one that is stuck: 9,000 elements wait in it."}},
		{"the same key twice", []Problem{bigSet, bigSet}, nil, 5, []string{"split: Split fans:1: a command on all of its 5,200 elements makes every other client wait."}},
		{"keys without a TTL", []Problem{noTTL}, nil, 5, []string{"expire: Write t:* (1,000 keys) with a TTL, if it may be lost after some time: 78.1 KB is never freed without one."}},
		{"some keys without a TTL", []Problem{problem("no-ttl", func(p *Problem) { p.Groups = noTTL.Groups[:2] })}, nil, 5, []string{"expire: Write 11 of the 1,000 keys of s:* (db 0) with a TTL, if it may be lost after some time: 500 bytes is never freed without one."}},
		{"only queues", []Problem{problem("no-ttl", func(p *Problem) { p.Groups = noTTL.Groups[:1] })}, nil, 5, nil},
		{"most can go", []Problem{going(600)}, nil, 5, []string{"expire: Write t:*"}},
		{"some can go", []Problem{going(400)}, nil, 5, []string{"expire: Write old:*"}},
		{"all can go", []Problem{func() Problem { p := going(1000); p.Groups = p.Groups[:1]; return p }()}, nil, 5, nil},
		{"a saving before what takes memory", []Problem{noTTL}, savings[1:], 5, []string{"share: ", "expire: Write t:*"}},
		{"a saving of the same group", []Problem{noTTL}, savings, 5, []string{"share: Store the strings of t:*", "share: Store the strings of u:*"}},
		{"no more than asked", []Problem{bigSet, noTTL}, savings, 1, []string{"split: "}},
		{"what blocks before a saving", []Problem{bigSet, problem("queue-backlog", func(p *Problem) {
			p.Key = new(SubjectOf(key("mq", collection(parser.List, parser.EncQuicklist, 6000))))
		}),
			problem("big-collection", func(p *Problem) {
				p.Key = new(SubjectOf(key("third", collection(parser.Set, parser.EncHashtable, 5200))))
			})}, savings[:1], 5,
			[]string{"split: Split fans:1", "queue: Find out why mq has 5,200 items, over 5,000.", "split: Split third", "share: "}},
		{"severity before harm", []Problem{bigSet, problem("no-ttl", func(p *Problem) { p.Severity, p.Groups = Error, noTTL.Groups })}, nil, 5, []string{"expire: ", "split: "}},
		{"names", []Problem{problem("key-special-char", func(p *Problem) { p.Groups = []Flagged{flagged("x y:*", parser.String, 1000, 5)} })}, nil, 5, nil},
		{"errors of names", []Problem{problem("key-special-char", func(p *Problem) { p.Severity, p.Groups = Error, []Flagged{flagged("x y:*", parser.String, 1000, 5)} })}, nil, 5,
			[]string{`name: Encode input before it becomes part of a name: the names of "x y:*" (1,000 keys) break tools.`}},
		{"more than a baseline accepts", []Problem{problem("big-collection", func(*Problem) {})}, nil, 5, nil},
		{"nothing that helps at once", []Problem{problem("already-expired", func(p *Problem) { p.Key = &big })}, nil, 5, nil},
	} {
		list := e.FixFirst(c.problems, nil, c.savings, &listing, c.most)
		if len(list) != len(c.want) {
			t.Errorf("%s: %+v, want %q", c.what, list, c.want)
			continue
		}
		for i, a := range list {
			if got := a.Kind + ": " + a.Text.String(); !strings.HasPrefix(got, c.want[i]) {
				t.Errorf("%s: %q, want %q", c.what, got, c.want[i])
			}
		}
	}
	list := e.FixFirst([]Problem{bigSet, noTTL}, nil, nil, &listing, 5)
	if a := list[0]; strings.Join(a.List, " ") != "rdblens keys --db 0 --match fans:1 dump.rdb" || a.Why.String() != "Of all keys, 7 break this rule: 68.4 KB." || a.Keys != 1 || string(a.Key) != "fans:1" {
		t.Errorf("%+v", a)
	}
	if a := list[1]; strings.Join(a.List, " ") != "rdblens keys --db 0 --group t:* --over no-ttl dump.rdb" || a.Keys != 1000 || a.Of != 1000 || a.Memory != 80_000 || a.Group != "t:*" {
		t.Errorf("%+v", a)
	}
	stampede := InstanceFinding{Finding: Finding{Rule: ruleID(t, "ttl-stampede"), Severity: Warning, Measured: 48_000, Limit: 10_000}, Keys: 48_000,
		Subject: message.New("minute {first}", message.Text("first", "2026-03-01T10:00Z")), Groups: []string{"a:*", "b:*", "c:*"}}
	list = e.FixFirst([]Problem{{Rule: stampede.Rule, Severity: Warning, Instance: &stampede}}, nil, nil, &listing, 5)
	if len(list) != 1 || list[0].Text.String() != "Spread the TTLs of a:*, b:*: 48,000 keys expire in one minute, over 10,000 (minute 2026-03-01T10:00Z)." || list[0].List != nil {
		t.Errorf("%+v", list)
	}
}

// TestNoSplitIntoSmallParts checks that no split is advised for an info, nor into parts
// under 1 KB.
func TestNoSplitIntoSmallParts(t *testing.T) {
	hash := key("a:b", collection(parser.Hash, parser.EncHashtable, 6000))
	for _, c := range []struct {
		config, rule string
		key          *parser.Key
		want, not    string
	}{
		{"rules: {big-collection: {info: 100, error: 5000}}", "big-collection", hash, "(hash(field) % 2)", "For the info limit"},
		{"rules: {big-collection: {info: 100}}", "big-collection", hash, "HLEN", "newKey"},
		{"rules: {big-string: {warning: 1023B, error: 10KB}}", "big-string", key("a:b", str(20_000)), "(offset / 10240)", "For the warning limit"},
		{"rules: {big-string: {warning: 1KB, error: 10KB}}", "big-string", key("a:b", str(20_000)), "For the warning limit of 1 KB: 20 keys", "\x00"},
		// 12 MB of elements of 2 KB need more parts than their number: sqrt(1 MB + 4*2048) - 2*sqrt(2048) is 937.5, squared 879,000.
		{"rules: {}", "big-collection", key("a:b", with(collection(parser.Hash, parser.EncHashtable, 6144), func(k *parser.Key) { k.ValueBytes, k.Largest, k.Longest = 12<<20, 2048, 2048 })), "(hash(field) % 15)", "\x00"},
		{"rules: {big-string: {error: 1023B}}", "big-string", key("a:b", str(20_000)), "STRLEN", "newKey"},
	} {
		_, lines := adviceOn(t, testEnv(), LoadOptions{Config: writeConfig(t, c.config)}, c.rule, c.key)
		has(t, lines, c.want)
		if all := strings.Join(lines, "\n"); strings.Contains(all, c.not) {
			t.Errorf("%s: %s", c.config, all)
		}
	}
}
