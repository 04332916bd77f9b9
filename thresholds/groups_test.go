package thresholds

import (
	"strings"
	"testing"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
)

// groupCase is a group, and the text of the finding of a rule about it under default, "" none.
type groupCase struct {
	group GroupSums
	want  string
}

func ttlGroup(keys, without int64, change ...func(*GroupSums)) GroupSums {
	g := GroupSums{Group: "cart:*", Keys: keys, WithoutTTL: without, Memory: keys * 100, MemoryWithoutTTL: without * 100, Type: parser.String}
	for _, c := range change {
		c(&g)
	}
	return g
}

func large(k *parser.Key, memory int64) Subject {
	s := SubjectOf(k)
	s.Memory = memory
	return s
}

// sized is a group of keys of 1 KB, and large ones.
func sized(keys int64, change func(*GroupSums), list ...Subject) GroupSums {
	g := GroupSums{Group: "cart:*", Keys: keys + int64(len(list)), Memory: keys << 10, Type: parser.Hash, Large: list}
	for i := range list {
		g.Memory += list[i].Memory
	}
	change(&g)
	return g
}

// groupCases are the fixtures of the rules about groups.
var groupCases = map[string][]groupCase{
	"mixed-ttl": {
		{ttlGroup(1000, 1), "1 of 1,000 keys have no TTL, the others have one"},
		{ttlGroup(1000, 300), "300 of 1,000 keys have no TTL, the others have one"},
		{ttlGroup(1000, 301), ""}, {ttlGroup(1000, 700), "300 of 1,000 keys have a TTL, the others have none"},
		{ttlGroup(1000, 999), "1 of 1,000 keys have a TTL, the others have none"}, {ttlGroup(1000, 1000), ""}, {ttlGroup(1000, 0), ""},
		{ttlGroup(1001, 1), ""}, {ttlGroup(99, 10), ""}, {ttlGroup(100, 10), "10 of 100 keys have no TTL, the others have one"},
		{ttlGroup(100, 10, func(g *GroupSums) { g.Identity = byDesignIdentity }), ""},
		{ttlGroup(100, 10, func(g *GroupSums) { g.Identity = &Identity{Library: "connect-redis", Role: RoleSession, Sure: Sure} }),
			"10 of 100 keys have no TTL, the others have one"},
		{ttlGroup(100, 10, func(g *GroupSums) { g.IsFolded = true }), ""},
	},
	"outlier": {
		{sized(9, func(*GroupSums) {}, large(key("cart:0", collection(parser.Hash, parser.EncHashtable, 210_000)), 2<<20)),
			"cart:0 takes 2 MB, the others 1,024 bytes on average: 210,000 elements"},
		{sized(9, func(*GroupSums) {}, large(key("cart:0", nil), 1<<20)), ""}, // not over 1 MB
		{sized(8, func(*GroupSums) {}, large(key("cart:0", nil), 2<<20)), ""}, // nine keys
		// The others could be 40 KB at the median: 50 times that is 2 MB.
		{sized(99, func(g *GroupSums) { g.Memory += 99 * 25 << 10 }, large(key("cart:0", nil), 2<<20)), ""},
		{sized(99, func(g *GroupSums) { g.Memory += 99 * 15 << 10 }, large(key("cart:0", collection(parser.Hash, parser.EncHashtable, 3)), 2<<20)),
			"cart:0 takes 2 MB, the others 16 KB on average: 3 elements"},
		// Several large ones do not hide each other, unless they are usual.
		{sized(20, func(*GroupSums) {}, large(key("cart:0", str(3<<20)), 3<<20), large(key("cart:1", nil), 2<<20)), "cart:0 takes 3 MB, the others 1,024 bytes on average: a string of 3 MB"},
		{sized(2, func(g *GroupSums) { g.Keys = 4 }, large(key("cart:0", nil), 3<<20), large(key("cart:1", nil), 2<<20)), ""},
		{sized(9, func(g *GroupSums) { g.IsFolded = true }, large(key("x", nil), 2<<20)), ""},
	},
}

// TestGroupRules checks what rules about groups find and advise.
func TestGroupRules(t *testing.T) {
	e := mustLoad(t, LoadOptions{}).Compile(testEnv())
	for rule, cases := range groupCases {
		for i, c := range cases {
			kept, omitted := e.JudgeGroups([]GroupSums{c.group})
			text := ""
			for _, f := range kept {
				if f.Rule.Name() != rule {
					continue
				}
				text = e.InstanceText(f).String()
				if SubjectText(f.Subject) != "cart:*" || f.Of != c.group.Keys {
					t.Errorf("%s %d: %+v", rule, i, f)
				}
				for _, a := range adviceTexts(e.AdviseInstance(f)) {
					if a.Text == "" || strings.ContainsAny(a.Text, "{}") {
						t.Errorf("%s %d: %q", rule, i, a.Text)
					}
				}
				p := Problem{Rule: f.Rule, Severity: f.Severity, Instance: &f}
				fixes := e.FixFirst([]Problem{p}, nil, nil, &listing, 5)
				if len(fixes) != 1 || strings.ContainsAny(fixes[0].Text.String(), "{}") {
					t.Errorf("%s %d: %+v", rule, i, fixes)
				}
			}
			if text != c.want || omitted != nil {
				t.Errorf("%s %d: %q, want %q", rule, i, text, c.want)
			}
		}
	}
}

// TestManyGroups checks that findings beyond the first are counted.
func TestManyGroups(t *testing.T) {
	var groups []GroupSums
	for i := range 130 {
		groups = append(groups, ttlGroup(1000, int64(i+1)))
	}
	kept, omitted := mustLoad(t, LoadOptions{}).Compile(testEnv()).JudgeGroups(groups)
	if len(kept) != maxKept || len(omitted) != 1 || omitted[0].Count != 30 || kept[0].Keys != 130 || omitted[0].Keys != 30*31/2 ||
		omitted[0].Bytes != 100*omitted[0].Keys {
		t.Errorf("%d are kept, %+v omitted; the first is about %d keys", len(kept), omitted, kept[0].Keys)
	}
}

// TestBacklog checks which queues of libraries are found under every profile.
func TestBacklog(t *testing.T) {
	waiting := &Identity{Library: "Sidekiq", Role: RoleWaiting, ByDesign: true, Sure: Sure}
	dead := &Identity{Library: "Sidekiq", Role: RoleFailed, ByDesign: true, Sure: Sure, Setting: "dead_max_jobs", Deletion: "with DeadSet.new.clear"}
	queue := func(id *Identity, typ parser.Type, enc parser.Encoding, n int64) *Subject {
		s := SubjectOf(key("dead", collection(typ, enc, n)))
		s.Identity = id
		return &s
	}
	for _, profile := range profileNames {
		for _, c := range []struct {
			queue *Subject
			want  bool
		}{
			{queue(waiting, parser.List, parser.EncQuicklist, 10_001), profile != "baidu"}, // where all lists have a limit
			{queue(waiting, parser.List, parser.EncQuicklist, 10_000), false}, {queue(dead, parser.ZSet, parser.EncSkiplist, 10_001), true},
			{queue(nil, parser.ZSet, parser.EncSkiplist, 10_001), false}, {queue(&Identity{Role: RoleQueue}, parser.List, parser.EncQuicklist, 10_001), false},
		} {
			e := mustLoad(t, LoadOptions{Profile: profile}).Compile(testEnv())
			found, ok := e.Backlog(&c.queue.Key, c.queue.Identity)
			if ok != c.want {
				t.Errorf("%s: %+v of %d: %v", profile, c.queue.Identity, c.queue.Elements, ok)
			}
			if !ok || c.queue.Identity != dead {
				continue
			}
			advice := adviceTexts(e.Advise(found, c.queue))
			if e.Text(found, c.queue).String() != "10,001 items, over 10,000" || advice[0].Kind != "setting" || advice[0].Text !=
				"Sidekiq bounds its failed or dead jobs with dead_max_jobs, which may not act on what is there already." {
				t.Errorf("%+v", advice)
			}
			for _, a := range advice {
				if a.ChangesData && (a.Text != "Delete it through Sidekiq: DeadSet.new.clear. The jobs can no longer be tried again." || len(a.Commands) > 0) {
					t.Errorf("%+v", a)
				}
			}
			p := Problem{Rule: found.Rule, Severity: found.Severity, Finding: found, Key: c.queue}
			if list := e.FixFirst([]Problem{p}, nil, nil, &listing, 5); len(list) != 1 ||
				!strings.HasPrefix(list[0].Text.String(), "10,001 failed or dead jobs of Sidekiq, ") || !strings.HasSuffix(list[0].Text.String(), ": set dead_max_jobs. Key: dead.") {
				t.Errorf("%+v", list)
			}
		}
	}
}

// TestKept checks what is said of keys that a library keeps by design.
func TestKept(t *testing.T) {
	e := mustLoad(t, LoadOptions{}).Compile(testEnv())
	id := &Identity{Library: "BullMQ", Role: RoleCompleted, Queue: "email", ByDesign: true, Setting: "removeOnComplete", Sure: Sure}
	g := GroupSums{Group: "bull:email:completed", DB: 3, Type: parser.ZSet, Identity: id, Keys: 1, AllElements: 3000, WithoutTTL: 1, Memory: 1 << 20}
	list := e.Kept([]GroupSums{g}, 10<<20, &listing)
	if want := "3,000 completed jobs of BullMQ queue email, 1 MB: set removeOnComplete. Keys: bull:email:completed (1 key)."; len(list) != 1 ||
		list[0].Text.String() != want || list[0].Kind != "setting" || list[0].ChangesData {
		t.Errorf("%+v", list)
	}
	for what, change := range map[string]func(*GroupSums){
		"little memory": func(g *GroupSums) { g.Memory = 10 << 10 }, "a TTL": func(g *GroupSums) { g.WithoutTTL = 0 },
		"few jobs":     func(g *GroupSums) { g.AllElements, g.Memory = 999, 1<<20-1 },
		"no setting":   func(g *GroupSums) { g.Identity = &Identity{Library: "x", Role: RoleCompleted} },
		"waiting jobs": func(g *GroupSums) { g.Identity = &Identity{Library: "x", Role: RoleWaiting, Setting: "y"} },
	} {
		other := g
		change(&other)
		if list := e.Kept([]GroupSums{other}, 10<<20, &listing); len(list) > 0 {
			t.Errorf("%s: %s", what, list[0].Text)
		}
	}
	if text := message.New("{x}", message.Phrase("x", id.Label())).String(); text != "BullMQ: completed jobs" {
		t.Error(text)
	}
}

// TestKeptResults checks that results without a TTL can go, and no keys that only may be results.
func TestKeptResults(t *testing.T) {
	e := mustLoad(t, LoadOptions{}).Compile(testEnv())
	results := func(change func(*GroupSums)) []GroupSums {
		g := GroupSums{Group: "celery-task-meta-*", DB: 0, Type: parser.String, Keys: 9000, WithoutTTL: 8000, Memory: 2_700_000,
			MemoryWithoutTTL: 2_400_000, AllElements: 9000, Identity: &Identity{Library: "Celery", Role: RoleResult,
				Setting: "result_expires", Deletion: "yes", Sure: Likely}}
		change(&g)
		return []GroupSums{g}
	}
	list := e.CanGo(results(func(*GroupSums) {}), &listing, 10)
	const want = "8,000 results of Celery without a TTL. First set result_expires, which bounds new ones."
	if len(list) != 1 || list[0].Text.String() != want || list[0].Keys != 8000 || list[0].Saves != 2_400_000 {
		t.Errorf("%+v, want %s", list, want)
	}
	for what, change := range map[string]func(*GroupSums){
		"nearly all have a TTL": func(g *GroupSums) { g.WithoutTTL = 10 },
		"any name":              func(g *GroupSums) { g.Group = "*" },
		"a layout":              func(g *GroupSums) { g.Identity.Library, g.Identity.Sure = "", LooksLike },
		"not to be deleted":     func(g *GroupSums) { g.Identity.Deletion = "no" },
		"job data":              func(g *GroupSums) { g.Identity.Role = RoleJobData },
	} {
		if list := e.CanGo(results(change), &listing, 10); len(list) > 0 {
			t.Errorf("%s: %s", what, list[0].Text)
		}
	}
}

// TestDoneJobs checks what is said of deleting jobs that are done. Of 20 jobs of RQ 1.13.0 with a
// result_ttl of -1 FinishedJobRegistry.cleanup() left all 20 hashes, remove(id, delete_job=True) of each none.
func TestDoneJobs(t *testing.T) {
	e := mustLoad(t, LoadOptions{}).Compile(testEnv())
	groups := func(library, deletion, setting string) []GroupSums {
		id := func(role Role) *Identity {
			return &Identity{Library: library, Role: role, ByDesign: true, Setting: setting, Deletion: deletion, Sure: Sure,
				DeletesEach: library == "RQ", DeletesAlso: map[string]string{"Kue": "waiting jobs, delayed jobs"}[library]}
		}
		return []GroupSums{
			{Group: "jobs:done", DB: 0, Type: parser.ZSet, Identity: id(RoleCompleted), Keys: 1, AllElements: 2000, Memory: 100_000},
			{Group: "jobs:waiting", DB: 0, Type: parser.List, Identity: id(RoleWaiting), Keys: 1, AllElements: 2000, Memory: 1000},
			{Group: "job:*", DB: 0, Type: parser.Hash, Identity: id(RoleJobData), Keys: 4000, AllElements: 40_000, Memory: 8_000_000},
		}
	}
	const data = ", and the data of about 2,000 in job:*. "
	const never = " Never delete their list alone: the data would stay, and nothing would name it."
	for _, c := range []struct {
		library, deletion, setting, want string
		saves                            int64
	}{
		{"RQ", "with FinishedJobRegistry.remove(id, delete_job=True)", "result_ttl", data +
			"Delete each with FinishedJobRegistry.remove(id, delete_job=True)." + never + " First set result_ttl, which bounds new ones.", 4_100_000},
		{"BullMQ", "with Queue.clean(0, 0, 'completed')", "", data + "Delete them with Queue.clean(0, 0, 'completed')." + never, 4_100_000},
		{"Kue", "with flush(queue)", "", data + "Delete them with flush(queue). " +
			"It also deletes of the same queue: waiting jobs, delayed jobs." + never, 4_100_000},
		{"Hangfire", "yes", "SucceededListSize", ".", 100_000}, // the jobs' data expires by itself
	} {
		list := e.CanGo(groups(c.library, c.deletion, c.setting), &listing, 10)
		if want := "2,000 completed jobs of " + c.library + c.want; len(list) != 1 || list[0].Text.String() != want ||
			list[0].Saves != c.saves || list[0].SavesAbout != (c.saves > 100_000) || list[0].Keys != 1 {
			t.Errorf("%+v, want %s", list, want)
		}
	}
	for _, deletion := range []string{"no", ""} {
		if list := e.CanGo(groups("Dramatiq", deletion, "dead_message_ttl"), &listing, 10); len(list) > 0 {
			t.Errorf("%q: %s", deletion, list[0].Text)
		}
	}
}
