package thresholds

import (
	"math"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/parser"
)

// adviceOn returns the advice on the finding of a rule about a key, as lines.
func adviceOn(t *testing.T, env Env, opt LoadOptions, rule string, k *parser.Key) (text string, lines []string) {
	t.Helper()
	e := mustLoad(t, opt).Compile(env)
	f := found(t, e, rule, k)
	if f.Severity == Off {
		t.Fatalf("%s finds nothing about %q", rule, k.Name)
	}
	s := SubjectOf(k)
	for _, a := range adviceTexts(e.Advise(f, &s)) {
		if a.Text == "" || strings.ContainsAny(a.Text, "{}") && !strings.Contains(a.Text, "{…}") {
			t.Errorf("%s: %s: %q", rule, a.Kind, a.Text)
		}
		if (a.Condition != "") != a.ChangesData || a.ChangesData && !strings.HasPrefix(a.Condition, "if ") {
			t.Errorf("%s: %s: changes data: %v, condition %q, commands %q", rule, a.Kind, a.ChangesData, a.Condition, a.Commands)
		}
		lines = append(lines, strings.TrimSpace(a.Kind+" "+a.Condition)+": "+a.Text)
		for _, c := range a.Commands {
			lines = append(lines, "  "+c)
		}
	}
	return e.Text(f, &s).String(), lines
}

// adviceText is Advice in English.
type adviceText struct {
	Kind, Text  string
	Commands    []string
	ChangesData bool
	Condition   string
}

func adviceTexts(list []Advice) (texts []adviceText) {
	for _, a := range list {
		texts = append(texts, adviceText{a.Kind, a.Text.String(), commandTexts(a), a.ChangesData, a.Condition.String()})
	}
	return texts
}

func commandTexts(a Advice) (texts []string) {
	for _, c := range a.Commands {
		texts = append(texts, CommandText(c))
	}
	return texts
}

func has(t *testing.T, lines []string, want ...string) {
	t.Helper()
	all := strings.Join(lines, "\n")
	for _, w := range want {
		if !strings.Contains(all, w) {
			t.Errorf("no %q in\n%s", w, all)
		}
	}
}

func TestAdviceOnABigCollection(t *testing.T) {
	k := key("big:hash", collection(parser.Hash, parser.EncHashtable, 2_000_000))
	text, lines := adviceOn(t, testEnv(), LoadOptions{}, "big-collection", k)
	if text != "2,000,000 elements, over 5,000" {
		t.Error(text)
	}
	has(t, lines, "cost: One read of the whole value transfers 20,000,000 bytes: 6 reads a second fill a 1 Gbit/s network card (128 MB/s).",
		"cost: HGETALL of 5,000 fields of 10 bytes: Baidu measured 120 a second. Its table ends there: more fields, or longer ones, take longer.",
		"newKey = key:(hash(field) % 424)", "key:202601", "  HLEN \"big:hash\"", "  MEMORY USAGE \"big:hash\"", "  UNLINK \"big:hash\"")
	k.DB = 3
	_, lines = adviceOn(t, Env{Server: "redis", Version: "3.2.12", Created: -1}, LoadOptions{}, "big-collection", k)
	has(t, lines, "delete if it is no longer needed: In batches of 500", `HSCAN "big:hash" '"$c"' COUNT 500' | redis-cli -n 3`, `HDEL "big:hash"`, "  SELECT 3")
	for _, l := range lines {
		if strings.Contains(l, "UNLINK \"") || strings.Contains(l, "MEMORY USAGE") {
			t.Errorf("not on Redis 3.2: %s", l)
		}
	}
}

func TestAdviceBeforeUnlink(t *testing.T) {
	env := Env{Server: "", Version: "", Created: -1}
	for _, c := range []struct {
		typ  parser.Type
		enc  parser.Encoding
		want string
	}{
		{parser.List, parser.EncQuicklist, `  60 LTRIM "k:1" 100 -1`}, {parser.ZSet, parser.EncSkiplist, `  60 ZREMRANGEBYRANK "k:1" 0 99`},
		{parser.Set, parser.EncHashtable, `SSCAN "k:1" '"$c"' COUNT 100`}, {parser.Set, parser.EncHashtable, `SREM "k:1" '"$m"`}, {parser.Hash, parser.EncListpack, `  DEL "k:1"`},
	} {
		_, lines := adviceOn(t, env, LoadOptions{}, "big-collection", key("k:1", collection(c.typ, c.enc, 5950)))
		has(t, lines, c.want)
	}
	_, lines := adviceOn(t, env, LoadOptions{}, "big-string", key("k:1", str(20000)))
	has(t, lines, `  DEL "k:1"`, "over 2 keys of at most 10 KB each", "Baidu measured 73,000 requests a second for values of 10 KB, and 68,000 for 50 KB")
	_, lines = adviceOn(t, Env{Server: "keydb", Version: "6.3.4"}, LoadOptions{}, "big-string", key("k:1", str(20000)))
	has(t, lines, `  UNLINK "k:1"`)
	element := key("k:1", with(collection(parser.Hash, parser.EncHashtable, 3), pair(13, 5000)))
	element.LargestName, element.LargestNameLen = []byte("school 'list'"), 13
	text, lines := adviceOn(t, testEnv(), LoadOptions{}, "big-element", element)
	if text != `value of "school 'list'" of 5,000 bytes, over 4 KB` {
		t.Error(text)
	}
	element.LargestName, element.LargestNameLen = []byte("a"), 1 // the field of a shorter value
	if text, lines := adviceOn(t, testEnv(), LoadOptions{}, "big-element", element); text != "value of 5,000 bytes, over 4 KB" {
		t.Error(text)
	} else {
		has(t, lines, "Store that element's value under a key of its own")
	}
	has(t, lines, `HSTRLEN "k:1" "school \x27list\x27"`, "cost: HGETALL of 10 fields of 10 bytes: Baidu measured 48,000 a second.")
	element = key("k:1", with(collection(parser.Hash, parser.EncHashtable, 3), pair(4, 3<<20)))
	element.LargestName, element.LargestNameLen = []byte("blob"), 4
	_, lines = adviceOn(t, testEnv(), LoadOptions{}, "big-element", element)
	has(t, lines, `Store blob compressed or in parts under keys of its own, since 3 MB is over the limit of a string, 10 KB`)
	long := key("k:1", str(20000))
	long.NameLen = 70000
	_, lines = adviceOn(t, env, LoadOptions{}, "big-string", long)
	has(t, lines, "no command can be given")
}

// TestCommandsSelectTheirDatabase checks that commands pasted after those about a
// key of another database still act on their own key.
func TestCommandsSelectTheirDatabase(t *testing.T) {
	k := key("k:1", collection(parser.List, parser.EncQuicklist, 5950))
	for _, c := range []struct {
		db      int
		several bool
		want    string // the first command, "" that of the key
	}{{0, false, ""}, {0, true, "SELECT 0"}, {3, false, "SELECT 3"}, {3, true, "SELECT 3"}} {
		for _, version := range []string{"3.2.12", "7.0.15"} {
			e := mustLoad(t, LoadOptions{}).Compile(Env{Server: "redis", Version: version, Created: -1})
			s := SubjectOf(k)
			s.DB, s.SelectDB = c.db, c.several
			bundles := 0
			for _, a := range e.Advise(found(t, e, "big-collection", k), &s) {
				for i, command := range commandTexts(a) {
					if selects := strings.HasPrefix(command, "SELECT "); selects != (i == 0 && c.want != "") || selects && command != c.want {
						t.Errorf("db %d of several %v, %s: command %d of %s is %q", c.db, c.several, version, i, a.Kind, command)
					}
				}
				if len(a.Commands) > 0 {
					bundles++
				}
			}
			if bundles < 2 {
				t.Errorf("%s: only %d bundles of commands", version, bundles)
			}
		}
	}
}

// TestTrimSaysWhatItDiscards checks that before each command that discards items of
// a queue a text says how many, and at which end.
func TestTrimSaysWhatItDiscards(t *testing.T) {
	k := key("k:1", collection(parser.List, parser.EncQuicklist, 5950))
	e := mustLoad(t, LoadOptions{Profile: "baidu"}).Compile(testEnv())
	s := SubjectOf(k)
	want := map[string]string{
		`LTRIM "k:1" -1000 -1`: "if jobs may be lost, and producers write with RPUSH: LTRIM discards 4,950 of the 5,950 items that were queued when the snapshot was taken, the oldest, at the head, and keeps the newest 1,000.",
		`LTRIM "k:1" 0 999`:    "if jobs may be lost, and producers write with LPUSH: LTRIM discards 4,950 of the 5,950 items that were queued when the snapshot was taken, the oldest, at the tail, and keeps the newest 1,000.",
	}
	for _, a := range adviceTexts(e.Advise(found(t, e, "queue-backlog", k), &s)) {
		for _, c := range a.Commands {
			if !strings.Contains(c, "LTRIM") {
				continue
			}
			if text, ok := want[c]; !ok || a.Kind != "delete" || len(a.Commands) != 1 || !a.ChangesData || a.Condition+": "+a.Text != text {
				t.Errorf("%q among %q under %s: %q", c, a.Commands, a.Kind, a.Text)
			}
			delete(want, c)
		}
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
	// LTRIM key -0 -1 and LTRIM key 0 -1 would keep all.
	_, lines := adviceOn(t, testEnv(), LoadOptions{Config: writeConfig(t, "rules: {queue-backlog: {types: {list: {warning: 0}}}}")}, "queue-backlog", k)
	for _, l := range lines {
		if strings.Contains(l, "LTRIM") {
			t.Errorf("with a limit of 0: %s", l)
		}
	}
}

// TestSplitIsUnderTheMilderLimitsToo checks that the advice names the parts that
// satisfy every limit of the rule, not only the one that was passed.
func TestSplitIsUnderTheMilderLimitsToo(t *testing.T) {
	value := func(typ parser.Type, enc parser.Encoding, elements, bytes, most int64) *parser.Key {
		return key("a:b", with(collection(typ, enc, elements), func(k *parser.Key) { k.ValueBytes, k.Largest, k.Longest = bytes, most, most }))
	}
	for _, c := range []struct {
		profile, rule string
		key           *parser.Key
		want          string
	}{
		{"baidu", "big-collection", key("a:b", collection(parser.Hash, parser.EncHashtable, 5001)),
			"split: If it is read by field (HGET): split it into 2 buckets, newKey = key:(hash(field) % 2): about 2,500 elements each, so that no bucket is likely to be over 5,000. For the warning limit of 1,000: 6 buckets, key:(hash(field) % 6)."},
		{"baidu", "big-collection", key("a:b", collection(parser.List, parser.EncQuicklist, 5001)),
			"split: If it is read by index, and only grows at its tail: split it into 2 lists, newKey = key:(index / 2501): about 2,500 elements each. For the warning limit of 1,000: 6 lists, key:(index / 834)."},
		{"baidu", "big-collection", key("a:b", collection(parser.Set, parser.EncHashtable, 4000)),
			"split: If it is read by member (SISMEMBER): split it into 5 buckets, newKey = key:(hash(member) % 5): about 800 elements each, so that no bucket is likely to be over 1,000."},
		{"baidu", "big-string", key("a:b", with(str(10241), func(k *parser.Key) { k.Head = []byte(`{"a": 1`) })),
			"read with HGET and HMGET. For the warning limit of 1 KB: 11 keys, key:(offset / 1024).\n"},
		{"typed", "big-value", value(parser.Hash, parser.EncHashtable, 20_000, 2<<20, 104),
			"split: If it is read by field (HGET): split it into 5 buckets, newKey = key:(hash(field) % 5):hash: about 410 KB each, so that no bucket is likely to be over 1 MB. For the warning limit of 10 KB: 306 buckets, key:(hash(field) % 306):hash."},
		{"default", "big-value", value(parser.List, parser.EncQuicklist, 20_000, 2<<20, 104),
			"split: If it is read by index, and only grows at its tail: split it into 4 lists, newKey = key:(index / 5000): about 512 KB each.\nsplit: If its newest items are read, start a new list for each period: key:202601, key:202602. A read takes the newest,"},
		{"typed", "big-value", value(parser.Stream, parser.EncStream, 20_000, 2<<20, 104),
			"split: Start a new stream for each period: key:202601:stream, key:202602:stream. XRANGE takes"},
		{"default", "big-collection", key("a:b", collection(parser.ZSet, parser.EncSkiplist, 12_000)),
			"split: If it is read by score: split it into 3 ranges of scores (periods, if scores are times), newKey = key:(range): about 4,000 elements each. ZRANGE key 4000 4000 WITHSCORES shows"},
	} {
		_, lines := adviceOn(t, testEnv(), LoadOptions{Profile: c.profile}, c.rule, c.key)
		has(t, append(lines, ""), c.want)
	}
}

// TestNamesAreByTheProfile checks that the suggested pattern is the profile's, not
// one of the number of segments that the team sets.
func TestNamesAreByTheProfile(t *testing.T) {
	for _, c := range []struct{ config, name, want string }{
		{"extends: default", "user", "pattern of the profile: business:table:id."},
		{"extends: aliyun", "user", "pattern of the profile: business:table:id."},
		{"extends: aliyun\nrules: {key-structure: {warning: 3}}", "user:1", "pattern of the profile: business:table:id."},
		{"extends: aliyun\nrules: {key-structure: {warning: 4}}", "user:1", "Use 4 or more segments, with : as the separator."},
		{"extends: aliyun\nseparators: '#_'", "user", "Use 2 or more segments, with # or _ as the separator."},
		{"extends: baidu", "user", "pattern of the profile: business:meaning."},
		{"extends: typed", "user:1", "pattern of the profile: module:logic.words:other:type."},
		{"extends: typed\nrules: {key-structure: {error: 2}}", "user", "pattern of the profile: module:logic.words:other:type."},
		{"extends: upper", "user:1", "pattern of the profile: PROJECT:TABLE:FIELD:ID."},
	} {
		_, lines := adviceOn(t, testEnv(), LoadOptions{Config: writeConfig(t, c.config)}, "key-structure", key(c.name, nil))
		has(t, lines, c.want)
	}
	for _, p := range profileNames {
		if namePatterns[p] == "" {
			t.Errorf("%s has no pattern of names", p)
		}
	}
}

func TestTypeWordIsReplaced(t *testing.T) {
	hash := collection(parser.Hash, parser.EncListpack, 3)
	aliases := "extends: typed\nrules: {key-type-suffix: {aliases: {zset: [rank]}}}"
	for _, c := range []struct {
		config, name string
		change       func(*parser.Key)
		want         string
	}{
		{"extends: typed", "m:x:string", hash, "m:x:hash"}, {"extends: typed", "m:x:1:String", nil, "m:x:1:string"}, {"extends: typed", "m:x:HASH", nil, "m:x:string"},
		{"extends: typed", "m:x:1", hash, "m:x:1:hash"}, {"extends: typed", "m:x:", hash, "m:x:hash"}, {"extends: typed", "list", hash, "list:hash"},
		{"extends: typed", "m:hashes", nil, "m:hashes:string"}, {"extends: typed", "m:rank", hash, "m:rank:hash"}, {aliases, "m:Rank", hash, "m:hash"},
	} {
		_, lines := adviceOn(t, testEnv(), LoadOptions{Config: writeConfig(t, c.config)}, "key-type-suffix", key(c.name, c.change))
		has(t, lines, "  RENAMENX \""+c.name+"\" \""+c.want+"\"")
	}
}

// TestEveryFindingHasWords puts each finding of the rules' own fixtures into
// words.
func TestEveryFindingHasWords(t *testing.T) {
	want := map[string][]string{
		"big-string":        {"101 bytes long, over 100 B", "10,241 bytes long, over 10 KB"},
		"big-value":         {"1,048,577 bytes in 9 elements, over 1 MB"},
		"compact-encoding":  {"hashtable with 513 elements, over 512", "hashtable with a string of 65 bytes, over 64 B", "hashtable with 3 elements and no string over 64 B: it was once larger", "linkedlist with 600 elements, over 512"},
		"key-charset":       {`"-" at byte 1 is not allowed`, "the name is empty", `3 characters are not allowed, the first is "\xe7" at byte 0`},
		"key-special-char":  {"white space at byte 4", "a byte that is not UTF-8 at byte 4", "a control character at byte 4", "a quote at byte 4", "a backslash at byte 4"},
		"key-length":        {"name of 2 bytes, under 3 B", "name of 129 bytes, over 128 B"},
		"key-structure":     {"1 segment, fewer than 2", "2 segments, fewer than 3"},
		"key-empty-segment": {"an empty segment"},
		"key-type-suffix":   {`ends with hash, but holds a string`},
		"key-namespace":     {`tmp is not a listed namespace`},
		"key-hashtag":       {`hash tag {user}`, "braces without a hash tag"},
		"key-abbreviation":  {"economic has the short form ec", `"file path" has the short form fp`},
		"cold-key":          {"never expires, and has been idle for 30d 1s, over 30d", "never expires, and its LFU counter is 0"},
		"already-expired":   {"expired 0s before the snapshot was taken"},
		"ttl-too-long":      {"expires in 30d 1s, over 30d"},
		"queue-backlog":     {"1,001 items, over 1,000", "1,001 pending entries, over 1,000"},
		"large-text":        {"JSON of 10,241 bytes, over 10 KB", "XML of 102,401 bytes, over 100 KB", "JSON of 4,097 bytes in the largest element, over 4 KB"},
		"big-key-expiry":    {"5,001 elements to delete when it expires, over 5,000"},
		"single-element":    {"hash with one element"},
		"no-ttl":            {"never expires"},
		"filter-growth":     {"5 filters, over 4"},
		"series-retention":  {"100,001 samples without a retention, over 100,000"},
		"vector-links":      {"links of 257 bytes for vectors of 256 B"},
		"key-pattern":       {"the name does not match ^(prd|uat):[a-z]+:.+$", "the name matches none of ^prd:, ^uat:"},
		"key-words":         {"test at byte 4 is forbidden", "6222020200112233445 at byte 4 matches /[0-9]{13,19}/, which is forbidden"},
		"key-type":          {"type hash, allowed: string", "type list is forbidden"},
		"ttl-too-short":     {"expires in 59m 59s, under 1h"},
		"ttl-unwanted":      {"has an expiry"},
	}
	for name, cases := range ruleCases {
		texts := map[string]bool{}
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
				text, lines := adviceOn(t, env, opt, name, c.key)
				if text == "" || len(lines) == 0 {
					t.Errorf("%s about %q: %q, advice %q", name, c.key.Name, text, lines)
				}
				if strings.ContainsAny(strings.NewReplacer("{user}", "", "{13,19}", "").Replace(text), "{}\x00\x7f") {
					t.Errorf("%s about %q: %q", name, c.key.Name, text)
				}
				texts[text] = true
			}
		}
		for _, w := range want[name] {
			if !texts[w] {
				t.Errorf("%s: never %q, but %v", name, w, texts)
			}
		}
	}
}

func TestInstanceFindingsHaveWords(t *testing.T) {
	want := map[string]string{
		"ttl-stampede":       "10,001 keys expire in one minute, over 10,000",
		"multiple-databases": "2 databases with keys",
		"mixed-business":     "11 first segments, over 10",
		"budget":             "2 keys, over the budget of 1",
		"max-age":            "taken 2023-11-14 22:13:20 UTC, longer ago than 1d 2h",
		"min-keys":           "2 keys, under 3",
		"slot-skew":          "10 MB, 999.04x its fair share, over 10x",
		"hashtag-skew":       "10 MB, 99.99% of the memory, over 1%",
		"node-skew":          "100 bytes, 1x the mean of the nodes, over 0.5x",
	}
	for name, c := range instanceCases {
		env := testEnv()
		env.Cluster = true
		e := mustLoad(t, c.hit.options(t)).Compile(env)
		list, _ := runInstance(t, c.hit, 1<<30)
		for _, f := range list {
			if f.Rule.Name() != name {
				continue
			}
			if got := e.InstanceText(f).String(); got != want[name] {
				t.Errorf("%s: %q, want %q", name, got, want[name])
			}
			advice := adviceTexts(e.AdviseInstance(f))
			if len(advice) == 0 {
				t.Errorf("%s: no advice", name)
			}
			for _, a := range advice {
				if a.Text == "" || strings.ContainsAny(a.Text, "{}") {
					t.Errorf("%s: %q", name, a.Text)
				}
			}
		}
	}
	stampede := InstanceFinding{Finding: Finding{Rule: ruleID(t, "ttl-stampede"), Severity: Warning, Measured: 48_000, Limit: 10_000}, Keys: 48_000}
	advice := adviceTexts(mustLoad(t, LoadOptions{}).Compile(testEnv()).AdviseInstance(stampede))
	if !strings.Contains(advice[0].Text, "drawn again for each key: EXPIRE key (seconds + random(0..420))") {
		t.Error(advice[0].Text)
	}
}

func TestCompactSaving(t *testing.T) {
	k := key("a:b", collection(parser.Hash, parser.EncHashtable, 513))
	k.Memory, k.CompactMemory = 50_000, 9_000
	env := testEnv()
	text, lines := adviceOn(t, env, LoadOptions{}, "compact-encoding", k)
	if text != "hashtable with 513 elements, over 512; compact would save 40 KB" {
		t.Error(text)
	}
	has(t, lines, "50,000 bytes now, 9,000 bytes in the compact encoding: 41,000 bytes less.", "hash-max-listpack-entries")
	env.Version = "6.2.14"
	_, lines = adviceOn(t, env, LoadOptions{}, "compact-encoding", k)
	has(t, lines, "hash-max-ziplist-entries")
}

func TestOneOfAKind(t *testing.T) {
	zero := "rules: {big-collection: {error: 0}, big-stream: {warning: 0}, queue-backlog: {warning: 0}}"
	for _, c := range []struct{ rule, config, want string }{
		{"compact-encoding", "", "hashtable with 1 element and no string over 64 B: it was once larger"},
		{"big-value", "", "2,097,152 bytes in 1 element, over 1 MB"},
		{"big-collection", zero, "1 element, over 0"}, {"big-stream", zero, "1 entry, over 0"}, {"queue-backlog", zero, "1 pending entry, over 0"},
		{"big-key-expiry", zero, "1 element to delete when it expires, over 0"},
	} {
		opt := LoadOptions{}
		if c.config != "" {
			opt.Config = writeConfig(t, c.config)
		}
		k := key("a:b", collection(parser.Hash, parser.EncHashtable, 1))
		switch c.rule {
		case "big-value":
			k.ValueBytes, k.Largest = 2<<20, 2<<20
		case "big-stream", "queue-backlog":
			k.Type, k.Encoding, k.Pending = parser.Stream, parser.EncStream, 1
		}
		if text, _ := adviceOn(t, testEnv(), opt, c.rule, k); text != c.want {
			t.Errorf("%s: %q, want %q", c.rule, text, c.want)
		}
	}
	_, lines := adviceOn(t, testEnv(), LoadOptions{}, "big-string", key("a:b", str(100<<20)))
	has(t, lines, "One read of the whole value transfers 104,857,600 bytes: a single read a second fills a 1 Gbit/s network card (128 MB/s).")
	e := mustLoad(t, LoadOptions{}).Compile(testEnv())
	if text := e.Text(Finding{Rule: ruleID(t, "big-value"), Severity: Warning, Measured: 2 << 20, Limit: 1 << 20}, nil).String(); text != "2,097,152 bytes, over 1 MB" {
		t.Error(text)
	}
}

// TestRank checks the order of a rule's examples, the worst first.
func TestRank(t *testing.T) {
	hash := func(elements, memory, compact int64) *parser.Key {
		return key("a:b", with(collection(parser.Hash, parser.EncHashtable, elements), func(k *parser.Key) { k.Memory, k.CompactMemory = memory, compact }))
	}
	long := hash(2, 700, 650)
	long.Longest = 200
	unused := key("a:b", with(forever, func(k *parser.Key) { k.Freq = 0 }))
	for rule, worst := range map[string][]*parser.Key{
		"compact-encoding": {hash(1000, 60_000, 22_000), hash(600, 500, -1), hash(1, 300, 100), long, hash(7, 100, 100)},
		"cold-key":         {unused, key("a:b", idle(90*day)), key("a:b", idle(31*day))},
		"key-length":       {key(strings.Repeat("a", 200), nil), key(strings.Repeat("a", 129), nil)},
	} {
		e := mustLoad(t, LoadOptions{}).Compile(testEnv())
		before := int64(math.MaxInt64)
		for i, k := range worst {
			f := found(t, e, rule, k)
			rank := f.Rank(k)
			if f.Severity == Off || rank < 0 || i > 0 && rank >= before {
				t.Errorf("%s: number %d, %+v, has rank %d after %d", rule, i, f, rank, before)
			}
			before = rank
		}
	}
}

func TestQuoteKey(t *testing.T) {
	for name, want := range map[string]string{"user:1": `"user:1"`, "": `""`, "a b": `"a b"`, `a"b\`: `"a\"b\\"`, "it's": `"it\x27s"`, "\x00\n\xff用": `"\x00\x0a\xff\xe7\x94\xa8"`, "$(x)`y`!": `"\x24(x)\x60y\x60\x21"`} {
		if got := quoteKey(name); got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
	}
}

func TestColdKeysAreAsTheServerSawThem(t *testing.T) {
	_, lines := adviceOn(t, testEnv(), LoadOptions{}, "cold-key", key("a:b", idle(31*day)))
	has(t, lines, "on a replica, reads on the master do not count")
}

// TestNoNameThatBreaksAnotherRule checks that no command renames a key to what another rule
// on names flags: a separator that the profile's characters do not have, a length.
func TestNoNameThatBreaksAnotherRule(t *testing.T) {
	for _, c := range []struct {
		config, name string
		renames      bool
	}{{"extends: typed", "user:info:1", true}, {"extends: typed\nseparators: '#:'", "user:info:1", false}, {"extends: typed", "user:info:" + strings.Repeat("1", 113), true}, {"extends: typed", "user:info:" + strings.Repeat("1", 114), false}} {
		_, lines := adviceOn(t, testEnv(), LoadOptions{Config: writeConfig(t, c.config)}, "key-type-suffix", key(c.name, collection(parser.Hash, parser.EncListpack, 3)))
		if got := strings.Contains(strings.Join(lines, "\n"), "RENAMENX"); got != c.renames {
			t.Errorf("%q, %d bytes: %q", c.config, len(c.name), lines)
		}
	}
}
