package report

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds"
)

// The canned reports that every format writes: empty, ordinary, hostile (names that
// some format could mishandle) and fleet (several inputs, one damaged).

// hostileNames are the names of package text.
var hostileNames = func() []string {
	data, err := os.ReadFile("text/testdata/hostile_names.txt")
	if err != nil {
		panic(err)
	}
	var names []string
	for line := range strings.Lines(string(data)) {
		name, err := strconv.Unquote(strings.TrimSpace(line))
		if err != nil {
			panic(err)
		}
		names = append(names, name)
	}
	return append(names, strings.Repeat("\x80\xff", 2048), strings.Repeat("k", 4096))
}()

type cannedReport struct {
	name   string
	report *Report
}

func cannedReports() []cannedReport {
	list := []cannedReport{{"empty", &Report{Schema: SchemaVersion, Complete: true, By: ByMemory}}, {"ordinary", ordinaryReport()},
		{"hostile", hostileReport()}, {"fleet", fleetReport()}}
	for _, c := range list {
		c.report.Tree = treeOfGroups(c.report)
	}
	return list
}

// treeOfGroups returns the tree of names of a report that has groups only.
func treeOfGroups(r *Report) *TreeNode {
	if len(r.Groups) == 0 {
		return nil
	}
	byPrefix := map[string]*TreeNode{}
	root := &TreeNode{Types: []string{}}
	separators := cmp.Or(r.Config.Separators, ":")
	for i := range r.Groups {
		g := &r.Groups[i]
		at, pattern := root, string(g.Group)
		add := func(n *TreeNode) {
			n.Keys += g.Keys
			n.Elements += g.Elements
			n.ValueBytes += g.ValueBytes
			n.MemoryBytes = n.MemoryBytes.plus(g.MemoryBytes)
			n.WithoutTTL.Keys += g.WithoutTTL
			n.WithoutTTL.MemoryBytes = n.WithoutTTL.MemoryBytes.plus(g.MemoryWithoutTTL)
			n.Findings.Warning += g.Findings - g.Errors
			n.Findings.Error += g.Errors
		}
		add(at)
		for depth, end := 1, 0; end < len(pattern) || depth == 1; depth++ {
			from := end
			end = len(pattern)
			if n := strings.IndexAny(pattern[from:], separators); n >= 0 && depth < 12 {
				end = from + n + 1
			}
			prefix := pattern[:end]
			if end == len(pattern) && (from == end || strings.ContainsRune(separators, rune(pattern[end-1]))) {
				prefix += restOfPrefix // that is of all names that begin so
			}
			n := byPrefix[prefix]
			if n == nil {
				n = &TreeNode{Prefix: Name(prefix), Types: []string{}}
				byPrefix[prefix] = n
				at.Children = append(at.Children, n)
			}
			add(n)
			at = n
		}
		at.DB, at.Owner = g.DB, g.Owner
		if g.Type != "" {
			at.Types = []string{g.Type}
		}
	}
	for _, n := range byPrefix {
		slices.SortFunc(n.Children, compareNodes)
	}
	slices.SortFunc(root.Children, compareNodes)
	return root
}

func compareNodes(a, b *TreeNode) int {
	return cmp.Or(cmp.Compare(b.size(), a.size()), cmp.Compare(a.Prefix, b.Prefix))
}

func p(n int64) *int64 { return &n }

func np(s string) *Name { n := Name(s); return &n }

func row(key, typ, enc string, elements, value, memory int64, ttl *int64) KeyRow {
	k := KeyRow{Key: Name(key), Type: typ, Encoding: enc, Elements: Figure(elements), ValueBytes: Figure(value), Serialized: Figure(value + 5),
		Memory: Figure(memory), MemoryUsage: Figure(memory - 8), Largest: Figure(value / max(1, elements)), FieldsWithTTL: Unknown, Idle: 3600, Freq: Unknown,
		Offset: 1000 + value, TTL: ttl, Group: Name(key[:strings.LastIndex(key, ":")+1] + "*"), Longest: Unknown}
	if typ != "string" {
		k.LargestElement = np("field:17")
	}
	if ttl != nil {
		k.ExpireAt = p(1_772_323_200_000 + *ttl*1000)
	}
	return k
}

func bucket(label string, lo, hi *int64, keys, value int64) Bucket {
	return Bucket{Label: label, Min: lo, Max: hi, Keys: keys, ValueBytes: value, MemoryBytes: Figure(value * 2)}
}

func ordinaryReport() *Report {
	cart := row("shop:cart:items:8812:hash", "hash", "hashtable", 6120, 412_000, 733_184, nil)
	page := row("cache:page:17", "string", "raw", 1, 14_000, 14_336, p(3600))
	board := row("game:leaderboard:all", "zset", "skiplist", 50_000, 600_000, 6_553_600, nil)
	session := row("session:user:10086", "string", "embstr", 1, 30, 96, p(86_400*3+4*3600))
	queue := row("job:mail:queue", "list", "quicklist", 12_000, 240_000, 260_000, nil)
	top := []KeyRow{board, cart, queue, page, session}
	return withMessages(&Report{
		Schema: SchemaVersion, Complete: true, Tool: Tool{Name: "rdblens", Version: "1.0.0"},
		Config: Config{Profile: "aliyun", Separators: ":#", File: "rdblens.yaml", FailOn: "error"},
		Inputs: []Input{{Name: "testdata/shop.rdb", Server: "redis", ServerVersion: "7.0.15", Format: "REDIS", RDBVersion: 10, Created: 1_772_323_200,
			Checksum: "ok", Bytes: 712_345, FileBytes: 712_345, Keys: 4213, Databases: 2, UsedMem: 13_700_000, Functions: 2, FunctionBytes: 3100,
			Modules: []Module{{Name: "ReJSON-RL", Keys: 3}}, LoadableBy: Loadable{Redis: "7.0", Valkey: "7.2", Modules: []Name{"ReJSON-RL"}}, Complete: true, Ended: true,
			Warnings: []string{`1 stream has another number of live entries than its length says (first: "events:\xff")`},
			Memory: &Memory{Model: "redis 7.0", AllocatorChoice: AllocatorChoice{Allocator: "jemalloc"}, State: "live", Predicted: 12_400_000, Startup: 870_000, Keys: 11_400_000, Tables: 130_000,
				Difference: p(1_300_000), Explanation: []string{"about 1.2 MB that a restart frees: the difference is over 10 %, which slack left by deleted data, another allocator or modules explain"},
				Fit: &Fit{MaxMemory: 10 << 20, Fits: new(false), Free: new(int64(10<<20 - 12_400_000)), Reported: 13_700_000, Policies: []Eviction{
					{Policy: "allkeys-*", Keys: 4213, MemoryBytes: 11_400_000, Share: 1}, {Policy: "volatile-*", Keys: 3000, MemoryBytes: 3_100_000, Share: 0.27}}}},
		}},
		Totals: Totals{Keys: 4213, Stalling: 2, Elements: 98_765, ValueBytes: 3_456_789, SerializedBytes: 2_345_678, MemoryBytes: 11_400_000, MemoryUsage: 11_100_000,
			NameBytes: 100_000, WithTTL: 3000, WithoutTTL: 1213, WithoutTTLBytes: 2_000_000, WithoutTTLMemory: 8_300_000, Expired: 17},
		Types: []TypeRow{
			{Type: "zset", Keys: 3, Elements: 50_020, ValueBytes: 600_300, SerializedBytes: 900_000, MemoryBytes: 6_553_900, MemoryUsage: 6_553_000, Share: 0.575,
				AverageBytes: 200_100, MaxElements: 50_000, MaxValueBytes: 600_000, MaxMemoryBytes: 6_553_600, LargestKey: &board},
			{Type: "hash", Keys: 210, Elements: 9_000, ValueBytes: 500_000, SerializedBytes: 300_000, MemoryBytes: 1_900_000, MemoryUsage: 1_890_000, Share: 0.1667,
				AverageBytes: 2380, MaxElements: 6120, MaxValueBytes: 412_000, MaxMemoryBytes: 733_184, LargestKey: &cart},
			{Type: "string", Keys: 3997, Elements: 3997, ValueBytes: 1_900_000, SerializedBytes: 900_000, MemoryBytes: 2_600_000, MemoryUsage: 2_590_000, Share: 0.228,
				AverageBytes: 475, MaxElements: 1, MaxValueBytes: 14_000, MaxMemoryBytes: 14_336, LargestKey: &page},
			{Type: "module", Keys: 3, Elements: 0, ValueBytes: 0, SerializedBytes: 300, MemoryBytes: Unknown, MemoryUsage: Unknown, Share: 0,
				AverageBytes: Unknown, MaxElements: Unknown, MaxValueBytes: Unknown, MaxMemoryBytes: Unknown},
		},
		Encodings: []Encoding{{Type: "zset", Encoding: "skiplist", Keys: 1, Elements: 50_000, ValueBytes: 600_000, MemoryBytes: 6_553_600, WithoutTTL: 1, WithoutTTLMemory: 6_553_600},
			{Type: "string", Encoding: "int", Keys: 1497, Elements: 1497, ValueBytes: 4000, MemoryBytes: 83_832, WithoutTTL: 1210, WithoutTTLMemory: 67_760},
			{Type: "module", Keys: 3, MemoryBytes: Unknown, WithoutTTLMemory: Unknown}},
		Databases: []Database{{DB: 0, Keys: 4000, WithTTL: 2900, ValueBytes: 3_400_000, MemoryBytes: 11_000_000}, {DB: 1, Keys: 213, WithTTL: 100, ValueBytes: 56_789, MemoryBytes: 400_000}},
		By:        ByMemory,
		Top:       map[string][]KeyRow{ByMemory: top, ByElements: {board, queue, cart}},
		TopByType: map[string]map[string][]KeyRow{"zset": {ByMemory: {board}}, "hash": {ByMemory: {cart}}, "string": {ByMemory: {page, session}}},
		Findings:  Counts{Error: 2, Warning: 1213, Info: 2, Ignored: 4},
		Passed:    []string{"big-string", "key-length"},
		Rules: []Finding{
			{Rule: "big-collection", Severity: "error", Title: "a hash, list, set or sorted set with more elements than the limit", Count: 2, ValueBytes: 1_012_000, MemoryBytes: 7_286_784, MemoryUsage: 7_286_000,
				Groups:   []FindingGroup{{Group: "game:leaderboard:*", Count: 1, ValueBytes: 600_000, MemoryBytes: 6_553_600}, {Group: "shop:cart:items:*:hash", Count: 1, ValueBytes: 412_000, MemoryBytes: 733_184}},
				Examples: []Example{{KeyRow: &board, Input: board.Input, Measured: 50_000, Limit: 5000, Text: "50,000 elements, limit 5,000", Reason: "Boards have at most 5,000 places.", Source: "standard 4.2", Advice: []Advice{{Kind: "delete", Text: "UNLINK frees it in the background", Commands: []string{"SELECT 0", `UNLINK "game:leaderboard:all"`}, ChangesData: true, Condition: "if it is no longer needed"}, {Kind: "split", Text: "11 buckets bring it under the limit: key:(hash(member) % 11)"}}}, {KeyRow: &cart, Input: cart.Input, Measured: 6120, Limit: 5000, Text: "6,120 elements, limit 5,000"}}},
			{Rule: "no-ttl", Severity: "warning", Title: "a key without an expiry", Count: 1213, ValueBytes: 2_000_000, MemoryBytes: 8_300_000, MemoryUsage: 8_100_000, GroupsMore: 7,
				Groups:   []FindingGroup{{Group: "shop:cart:items:*:hash", Count: 200, ValueBytes: 412_000, MemoryBytes: 800_000}},
				Examples: []Example{{KeyRow: &board, Input: board.Input, Measured: Unknown, Limit: Unknown, Text: "no expiry"}}},
			{Rule: "ttl-stampede", Severity: "info", Title: "a minute in which very many keys expire", Count: 2, ValueBytes: Unknown, MemoryBytes: 300_000, MemoryUsage: Unknown,
				Examples: []Example{{Subject: "minute 2026-03-01 00:05", Input: 1, Keys: 2900, Bytes: 90_000, Groups: []Name{"session:user:*"}, Measured: 2900, Limit: 1000, Text: "2,900 keys expire, limit 1,000 (median minute: 3)"}}},
		},
		Ignored: []Ignored{{Rule: "no-ttl", Pattern: "config:*", Reason: "configuration is kept for ever", Until: "2026-12-31", Count: 4}},
		Groups: []Group{
			{Group: "game:leaderboard:*", Keys: 3, Elements: 50_020, ValueBytes: 600_300, MemoryBytes: 6_553_900, MemoryUsage: 6_553_000, WithoutTTL: 3, LargestKey: &board, Findings: 4, Errors: 1, Owner: "game-team"},
			{Group: "session:user:*", Keys: 2900, Elements: 2900, ValueBytes: 90_000, MemoryBytes: 290_000, MemoryUsage: 240_000, WithoutTTL: 0, TTLMin: p(-60), TTLMedian: p(43_200), TTLMax: p(31_536_000), LargestKey: &session},
		},
		CanGo: []Removable{{Step: Step{Advice: Advice{Kind: "delete", Text: "cache:page:* (40 keys): no TTL, and not used for 40d to 90d.", Condition: "Delete them only if nobody needs them."},
			Group: "cache:page:*", DB: new(0), Keys: 40, OfKeys: 40, MemoryBytes: 573_440, SavesBytes: 573_440, List: []string{"rdblens", "keys", "--group", "cache:page:*", "--over", "cold-key", "testdata/shop.rdb"}},
			IdleMin: p(40 * 86_400), IdleMax: p(90 * 86_400), Owner: "game-team"}},
		ExpiresNext: []Expiring{{Window: "1h", From: 1_772_323_200, Until: 1_772_326_800, Keys: 2000, MemoryBytes: 192_000,
			Prefixes: []ExpiringPrefix{{Prefix: "session:user:", Keys: 1990, Of: 2900, MemoryBytes: 191_040}}, List: []string{"rdblens", "keys", "--expire-after", "0s", "--expire-before", "1h", "testdata/shop.rdb"}}},
		ExpiresHourly: []Expiring{{Window: "hour", From: 1_772_323_200, Until: 1_772_326_800, Keys: 2000, MemoryBytes: 192_000, Prefixes: []ExpiringPrefix{{Prefix: "session:user:", Keys: 1990, Of: 2900, MemoryBytes: 191_040}}}},
		ExpiryTimes:   []thresholds.ExpiryTimes{{From: 1_772_323_200, Step: 600, Keys: []int64{1500, 500, 0, 0, 0, 0, 0, 7}}, {From: 1_772_323_200, Step: 21_600, Keys: []int64{2000, 0, 900}}},
		GroupsFolded:  12,
		Owners: []Owner{{Owner: "game-team", Keys: 3, Elements: 50_020, ValueBytes: 600_300, MemoryBytes: 6_553_900, WithoutTTL: 3, Findings: Counts{Error: 1, Warning: 3}},
			{Keys: 4210, Elements: 48_745, ValueBytes: 2_856_489, MemoryBytes: 4_846_100, WithoutTTL: 1210, Findings: Counts{Error: 1, Warning: 1210, Info: 2}}},
		Expiry: []Bucket{bucket("already expired", nil, p(0), 17, 500), bucket("under 1 minute", p(0), p(60), 0, 0), bucket("1 minute to 1 hour", p(60), p(3600), 2000, 60_000),
			bucket("1 hour to 1 day", p(3600), p(86_400), 983, 30_000), bucket("no expiry", nil, nil, 1213, 2_000_000)},
		Histograms: Histograms{KeyLength: []Bucket{bucket("1-8", p(1), p(9), 13, 400), bucket("9-16", p(9), p(17), 4100, 3_000_000), bucket("17-32", p(17), p(33), 100, 0)},
			Elements: []Bucket{bucket("1-10", p(1), p(11), 100, 400), bucket("11-100", p(11), p(101), 110, 400)},
			Idle:     []Bucket{bucket("under 1 hour", p(0), p(3600), 4213, 3_456_789)}},
	})
}

// withMessages sets the messages of the sentences of a report, and the titles of its rules.
func withMessages(r *Report) *Report {
	for i := range r.Rules {
		f := &r.Rules[i]
		if rule, ok := thresholds.Lookup(f.Rule); ok {
			f.Title = rule.Title
		}
		for n := range f.Examples {
			e := &f.Examples[n]
			e.Message = message.New(e.Text)
			if e.Subject != "" {
				e.SubjectMessage = message.New(string(e.Subject))
			}
			for j := range e.Advice {
				a := &e.Advice[j]
				a.Message, a.ConditionMessage = message.New(a.Text), message.New(a.Condition)
			}
		}
	}
	for i := range r.Inputs {
		in := &r.Inputs[i]
		for _, w := range in.Warnings {
			in.WarningMessages = append(in.WarningMessages, message.Sentence(w))
		}
		if d := in.Error; d != nil {
			d.Message, d.HintMessage = message.Sentence(d.Reason), message.Sentence(d.Hint)
		}
		if t := in.Target; t != nil {
			for n := range t.Problems {
				t.Problems[n].Message = message.New(t.Problems[n].Text)
			}
		}
		if m := in.Memory; m != nil {
			for _, e := range m.Explanation {
				m.ExplanationMessages = append(m.ExplanationMessages, message.New(e))
			}
		}
	}
	return r
}

// hostileReport returns a report with every hostile name in every field for names.
func hostileReport() *Report {
	r := &Report{Schema: SchemaVersion, Tool: Tool{Name: "rdblens", Version: "1.0.0"}, By: ByValueBytes,
		Interrupted: true,
		Config: Config{Profile: "default", Separators: ":#", File: "=evil\x1b[2J.yaml", Rules: "all",
			Warnings: []string{"big-string: the warning limit 10KB (=evil\x1b[2J.yaml:3) can never be reported: the error limit is 5KB"}},
		Filter: &Filter{Types: []string{"hash"}, Databases: []int{0, 15}, Match: []string{"*\x1b]0;x\x07\u202e*"}, Regex: []string{`^a\d+`}, MinSize: 1,
			MinElements: 5000, Owners: []string{"@team"}, Dropped: 7},
		Top: map[string][]KeyRow{}, TopByType: map[string]map[string][]KeyRow{"hash": {}},
		Types: []TypeRow{{Type: "hash", Keys: 3, Elements: 3, MemoryBytes: Unknown, MemoryUsage: Unknown, AverageBytes: Unknown, MaxElements: Unknown, MaxValueBytes: 9, MaxMemoryBytes: Unknown},
			{Type: "set", MemoryBytes: Unknown, MemoryUsage: Unknown, AverageBytes: Unknown, MaxElements: Unknown, MaxValueBytes: Unknown, MaxMemoryBytes: Unknown}},
		Totals: Totals{Keys: int64(len(hostileNames)), MemoryBytes: Unknown, MemoryUsage: Unknown, WithoutTTLMemory: Unknown, Expired: Unknown},
	}
	var rows []KeyRow
	for i, name := range hostileNames {
		name = name[:min(len(name), 100)]
		text := strings.ToValidUTF8(name, "?")
		k := row(":", "hash", "listpackex", 1, int64(len(name)), -1, nil)
		k.Key, k.LargestElement, k.Group, k.Owner, k.MemoryUsage, k.DB, k.FieldsWithTTL = Name(name), np(name), Name(name), text, Unknown, i%2, 1
		k.ExpireAt = p(-1 << 63)
		rows = append(rows, k)
		r.Groups = append(r.Groups, Group{Group: Name(name), Keys: 2, MemoryBytes: Unknown, LargestKey: &k, Owner: text, TTLMin: p(-1 << 63), TTLMax: p(1<<63 - 1)})
		r.Owners = append(r.Owners, Owner{Owner: text, Keys: 1, MemoryBytes: Unknown})
		r.Ignored = append(r.Ignored, Ignored{Rule: "no-ttl", Pattern: text, Reason: text, Until: text})
		r.Rules = append(r.Rules, Finding{Rule: "key-special-char", Severity: "error", Title: text, Count: 2, MemoryBytes: Unknown, GroupsMore: Unknown,
			Groups: []FindingGroup{{Group: Name(name), Count: 1, MemoryBytes: Unknown}},
			Examples: []Example{{KeyRow: &k, Measured: Unknown, Limit: Unknown, Text: text, Advice: []Advice{{Kind: "delete", Text: text, Commands: []string{text}}, {Kind: "delete", Text: text, Commands: []string{text, text}, ChangesData: true, Condition: text}}},
				{Subject: Name(name), Measured: 1, Limit: 0, Text: fmt.Sprintf("%q", name)}}})
	}
	r.Top[ByValueBytes], r.TopByType["hash"][ByValueBytes], r.Hot = rows, rows[:6], rows[10:12]
	r.Inputs = []Input{{Name: Name(hostileNames[10]), Server: "redis", ServerVersion: "7\x1b[31m", Format: "REDIS", RDBVersion: 12, Created: 1 << 62, Checksum: "not checked", Bytes: 5,
		FileBytes: Unknown, UsedMem: Unknown, Frames: []string{"gzip"}, Modules: []Module{{Name: "\x1b[2J"}}, Warnings: []string{"\x1b[2J", "c1\u009b", "=1", "\u202e"},
		Target: &Compatibility{Server: "redis\x1b[31m", Loads: "no", Problems: []TargetProblem{{Severity: "\x1b[2J", Name: "<script>", Text: "=1\x1b[2J\u202e<script>", MemoryBytes: Unknown,
			Examples: []TargetKey{{Key: Name(hostileNames[3])}}}}},
		Error: &Damage{Offset: 17, Reason: "length 18446744073709551615 is more than what is left", Key: np("\x00"), LastKey: np("<script>"), Hint: "copy it again\x07"}}}
	return r
}

// fleetReport returns a report with three inputs, one of them damaged and one not
// read at all.
func fleetReport() *Report {
	r := ordinaryReport()
	r.Complete = false
	r.Config = Config{Profile: "default", Separators: ":#"}
	second := r.Inputs[0]
	second.Name, second.Keys, second.Complete, second.Ended, second.Checksum = "backup/node-2.rdb.gz", 100, false, false, "not checked"
	second.Error = &Damage{Offset: 70_000, LastKey: np("user:99"), Reason: "the file ends in the middle of a key", Hint: "copy the snapshot again"}
	second.Memory, second.Warnings = nil, nil
	third := Input{Name: "notes.txt", Created: Unknown, Checksum: "not checked", FileBytes: 12, UsedMem: Unknown,
		Error: &Damage{Offset: Unknown, Reason: "not a snapshot: it begins with \"hello\""}}
	r.Inputs[0].Target = &Compatibility{Server: "redis-6.2", Model: "redis-6.2", Loads: "no", Problems: []TargetProblem{
		{Severity: "error", Kind: "version", Number: 10, Name: "REDIS", Since: "7.0", Count: 1, MemoryBytes: Unknown, Text: "RDB version 10 under the magic REDIS is read from Redis 7.0 on"},
		{Severity: "error", Kind: "type", Number: 16, Since: "7.0", Count: 12, MemoryBytes: 34_000, Text: "RDB type 16 (hash, listpack) is read from Redis 7.0 on",
			Examples: []TargetKey{{Key: "shop:cart:items:8812:hash", KeyBytes: 25, MemoryBytes: 12_000}}},
		{Severity: "warning", Kind: "module", Number: 3, Name: "ReJSON-RL", Since: "4.0", Count: 3, MemoryBytes: 900, Text: "the module type ReJSON-RL, encoding version 3, needs the module that has it"}}}
	second.Target = &Compatibility{Server: "redis-6.2", Model: "redis-6.2", Loads: "unknown", Problems: []TargetProblem{}}
	r.Inputs = append(r.Inputs, second, third)
	whole := r.Totals.MemoryBytes
	r.Nodes = []Node{{Input: 0, Keys: r.Totals.Keys - 100, ValueBytes: r.Totals.ValueBytes - 800, MemoryBytes: whole - 1000, Share: float64(whole-1000) / float64(whole),
		Skew: 2 * float64(whole-1000) / float64(whole), WithoutTTL: 3000, Findings: Counts{Error: 3, Warning: 8, Info: 1}},
		{Input: 1, Keys: 100, ValueBytes: 800, MemoryBytes: 1000, Share: 1000 / float64(whole), Skew: 2000 / float64(whole), WithoutTTL: 100, Findings: Counts{Warning: 1}}}
	r.Databases = append(r.Databases, Database{Input: 1, DB: 0, Keys: 100, MemoryBytes: 1000})
	for i := range r.Top[ByMemory] {
		r.Top[ByMemory][i].Input = i % 2
	}
	r.Rules[0].Examples[0].KeyRow.Input, r.Rules[0].Examples[0].Input = 1, 1
	r.Rules[1].Examples[0].Input = 1 // the same row
	for i := range r.Inputs {
		r.Inputs[i].WarningMessages = nil
		if m := r.Inputs[i].Memory; m != nil {
			m.ExplanationMessages = nil
		}
	}
	return withMessages(r)
}
