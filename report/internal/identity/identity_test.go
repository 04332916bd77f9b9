package identity

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/thresholds"
)

func text1(name string, ttl bool, value string) *Sample {
	tail := -1
	if value != "" {
		tail = int(value[len(value)-1])
	}
	return &Sample{Name: []byte(name), Type: parser.String, TTL: ttl, Elements: 1, Bytes: int64(len(value)), Text: []byte(value), Tail: tail}
}

func collection(name string, typ parser.Type, values ...Value) *Sample {
	return &Sample{Name: []byte(name), Type: typ, Elements: int64(len(values)), Values: values}
}

func fields(pairs ...string) (list []Value) {
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, Value{Name: []byte(pairs[i]), Text: []byte(pairs[i+1])})
	}
	return list
}

func items(texts ...string) (list []Value) {
	for _, t := range texts {
		list = append(list, Value{Text: []byte(t), Score: 1.7e9})
	}
	return list
}

// identities returns "library: role" of samples, each of which is a group.
func identities(samples ...*Sample) (list []string) {
	var groups []*Group
	for _, s := range samples {
		groups = append(groups, &Group{Pattern: string(s.Name), Keys: 1, Samples: []*Sample{s}})
	}
	for _, id := range Identify(groups) {
		if id == nil {
			list = append(list, "")
		} else {
			list = append(list, id.Library+": "+string(id.Role))
		}
	}
	return list
}

const sidekiqJob = `{"class":"Mail","args":[1],"jid":"0123456789abcdef01234567","queue":"mail"}`

func TestSigns(t *testing.T) {
	bullJob := fields("name", "x", "data", "{}", "opts", "{}", "timestamp", "1")
	for _, c := range []struct {
		name    string
		samples []*Sample
		want    []string
	}{
		{"a name alone is no library", []*Sample{collection("queues", parser.Set, items("a")...), collection("dead", parser.ZSet, items("a")...)}, []string{"", ""}},
		{"a job names its queue and what is beside it", []*Sample{
			collection("queue:mail", parser.List, items(sidekiqJob)...), collection("queues", parser.Set, items("mail")...), text1("stat:processed:2026-11-23", true, "4")},
			[]string{"Sidekiq: waiting jobs", "Sidekiq: queue index", "Sidekiq: metrics"}},
		{"not at another prefix", []*Sample{
			collection("app:queue:mail", parser.List, items(sidekiqJob)...), collection("queues", parser.Set, items("mail")...)},
			[]string{"Sidekiq: waiting jobs", ""}},
		{"a hash of a job alone is not enough", []*Sample{collection("bull:mail:1", parser.Hash, bullJob...)}, []string{""}},
		{"its queue's metadata is", []*Sample{
			collection("eu:bull:mail:1", parser.Hash, bullJob...), collection("eu:bull:mail:meta", parser.Hash, fields("opts.maxLenEvents", "10000")...),
			collection("eu:bull:mail:wait", parser.List, items("1")...), collection("eu:other:wait", parser.List, items("1")...)},
			[]string{"BullMQ: job data", "BullMQ: metadata", "BullMQ: waiting jobs", ": queue"}},
		{"Bull has a counter instead", []*Sample{
			collection("bull:mail:1", parser.Hash, bullJob...), text1("bull:mail:id", false, "7"), collection("bull:mail:completed", parser.ZSet, Value{Text: []byte("1"), Score: 1.7e12})},
			[]string{"Bull: job data", "Bull: metadata", "Bull: completed jobs"}},
		{"values of another form", []*Sample{text1("celery-task-meta-1", true, "hello"), text1("rl:10.0.0.1", true, "x"), text1("PHPREDIS", false, "x|i:1;")}, []string{"", "", ""}},
		{"learned prefix", []*Sample{
			text1("acme-database-cache:illuminate:queue:restart", false, "i:1700000000;"), text1("acme-database-cache:user.1", true, "a:1:{i:0;i:1;}"), text1("user.1", true, "a:1:{i:0;i:1;}")},
			[]string{"Laravel: metadata", "Laravel: cache entry", ": cache entry"}},
		{"a lock of redis-py in the cache of Django", []*Sample{
			text1("shop:1:django.contrib.sessions.cacheabcdefghijklmnopqrstuvwxyz012345", true, "\x80\x05\x95x"), text1("shop:1:report", true, "079dda9ce6eb11f1af2e0242ac110002"), text1("report", true, "079dda9ce6eb11f1af2e0242ac110002")},
			[]string{"django-redis: session", "django-redis: lock", "redis-py Lock: lock"}},
	} {
		if got := identities(c.samples...); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestGroupOfSeveral checks that a group is named only if its samples agree.
func TestGroupOfSeveral(t *testing.T) {
	celery := func(n int) *Sample {
		return text1(fmt.Sprintf("celery-task-meta-%d", n), true, `{"status":"SUCCESS","result":1}`)
	}
	g := &Group{Samples: []*Sample{celery(1), celery(2), text1("celery-task-force", false, "x")}}
	if id := Identify([]*Group{g})[0]; id != nil {
		t.Errorf("two of three samples make it %+v", id)
	}
	g.Samples = g.Samples[:2]
	id := Identify([]*Group{g})[0]
	if id == nil || id.Library != "Celery" || id.Setting != "result_expires" || id.Deletion != "yes" || id.ByDesign || id.Sure != thresholds.Likely || !id.FixedName() || id.OfQueue() {
		t.Errorf("%+v", id)
	}
}

// TestVersion checks that a number in names is the version of Django's cache only if it does not differ.
func TestVersion(t *testing.T) {
	for _, c := range []struct{ want, names string }{
		{"django-redis", "shop:1:menu.1 shop:1:menu.7 shop:1:menu.9"}, {"", "user:1:menu user:7:menu user:9:menu"},
		{"", "user:1:menu"}, {"", "user:1:a user:1:b"}, {"", "shop:1:menu.1 shop:1:menu.7 shop:2:menu.9"},
	} {
		g := &Group{}
		for _, name := range strings.Fields(c.names) {
			g.Samples = append(g.Samples, text1(name, true, "\x80\x05\x95\x0b\x00\x00\x00\x00\x00\x00\x00]\x94."))
		}
		library := ""
		if id := Identify([]*Group{g})[0]; id != nil {
			library = id.Library + id.Queue
		}
		if library != c.want {
			t.Errorf("%s: %q, want %q", c.names, library, c.want)
		}
	}
}

// TestNameOnly checks that a key of which the value is not known has the library that is
// known at its prefix, and is no sign of one.
func TestNameOnly(t *testing.T) {
	name := &Sample{Name: []byte("queue:sms"), Type: parser.List, NameOnly: true}
	if got := identities(name, collection("queues", parser.Set, items("sms")...)); got[0] != "" {
		t.Errorf("a name alone: %q", got)
	}
	if got := identities(name, collection("queue:mail", parser.List, items(sidekiqJob)...)); got[0] != "Sidekiq: waiting jobs" {
		t.Errorf("beside others: %q", got)
	}
	mutex := text1("orders-lock-7", true, "BXk9R0yeQd6uZtlmWc1oFA") // as bsm/redislock writes
	owned := &Sample{Name: []byte("job:lock:1"), Type: parser.String, TTL: true, NameOnly: true}
	if got := identities(mutex, owned); got[0] != "bsm/redislock: lock" || got[1] != "" {
		t.Errorf("any lock in a database with a library of locks: %q", got)
	}
	keyv := text1("geo:c1", true, `{"value":{"a":1},"expires":1795404075182}`)
	other := &Sample{Name: []byte("web/sy2xnRYY"), Type: parser.String, NameOnly: true}
	if got := identities(keyv, other); got[0] != "Keyv: cache entry" || got[1] != "" {
		t.Errorf("any name in a database with a library: %q", got)
	}
}

func TestLayouts(t *testing.T) {
	hll := "HYLL\x01\x00\x00\x00" + "\x05\x00\x00\x00\x00\x00\x00\x00" + "\x7f\xff"
	zset := func(name string, scores ...float64) *Sample {
		s := collection(name, parser.ZSet)
		for _, v := range scores {
			s.Values = append(s.Values, Value{Text: []byte("m"), Score: v})
		}
		return s
	}
	for _, c := range []struct {
		sample *Sample
		want   string
	}{
		{text1("uv:2026-11-23", false, hll), ": HyperLogLog"},
		{text1("uv", false, "HYLLO"), ""},
		{text1("lock:order:1", true, "a1b2c3"), ": lock"},
		{text1("lock:order:1", false, "a1b2c3"), ""},
		{text1("lock:order:1", true, "6fa1c29b7f0e4c33b8a1d27e55f90c12"), ": lock"}, // not of node-redlock: anybody writes that
		{text1("lock:order:1", true, "q83vEjRWeJq83vASNFZ4kA=="), ": lock"},
		{text1("clock:1", true, "a1b2c3"), ""},
		{text1("views:1", false, "12"), ": counter"},
		{text1("seen:1", false, "1700000000"), ""},
		{text1("login:10.0.0.1", true, "3"), ": rate-limit counter"},
		{text1("online:2026-11-23", false, "\x00\x01\x00\x80\xff"), ": bitmap"},
		{text1("page", false, "hello, this is text"), ""},
		{zset("leaderboard:2026", 10, 7), ": leaderboard"},
		{zset("drivers", 3663832614298053, 3663832752681684), ": geo set"},
		{zset("events", 1.7e15, 1.7e15+1), ""},
		{zset("mail:delayed", 1.7e9), ": delayed jobs"},
		{&Sample{Name: []byte("u:7"), Type: parser.ZSet, TTL: true, Elements: 1, Values: []Value{{Text: []byte("1700000000000"), Score: 1.7e12}}}, ": rate-limit counter"},
		{&Sample{Name: []byte("u:7"), Type: parser.ZSet, Elements: 1, Values: []Value{{Text: []byte("1700000000000"), Score: 1.7e12}}}, ""},
		{collection("mail:queue", parser.List, items("x")...), ": queue"},
		{collection("mail", parser.List, items("x")...), ""},
		{collection("anything", parser.Stream), ": stream"},
		{collection("user:1:tags", parser.Set, items("x")...), ": tag or index set"},
		{text1("cache:1", true, "hello"), ": cache entry"},
	} {
		if got := identities(c.sample)[0]; got != c.want {
			t.Errorf("%s: %q, want %q", c.sample.Name, got, c.want)
		}
	}
}

// TestPoolOrder checks that the samples of several snapshots are the same in whatever
// order and grouping they are merged, also when there is no room for all.
func TestPoolOrder(t *testing.T) {
	separator := func(b byte) bool { return b == ':' }
	r := rand.New(rand.NewPCG(1, 2))
	pools := func() (list []*Pool) {
		r := rand.New(rand.NewPCG(3, 4))
		for input := range 4 {
			p := NewPool(input, separator)
			for range 20 {
				s := p.NewSampler()
				for range 400 {
					k := parser.Key{Name: fmt.Appendf(nil, "a%d:b:%d", r.IntN(60), r.IntN(200)), Type: parser.Type(r.IntN(3))}
					s.Key(&k, uint64(len(k.Name))<<32|uint64(k.Name[1])<<8|uint64(r.IntN(90)))
				}
				p.Add(s)
			}
			p.Number()
			list = append(list, p)
		}
		return list
	}
	var want []string
	for round := range 6 {
		list := pools()
		r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		for len(list) > 1 {
			i := r.IntN(len(list) - 1)
			list[i].Merge(list[i+1])
			list = slices.Delete(list, i+1, i+2)
		}
		var got []string
		for _, s := range list[0].Samples() {
			got = append(got, fmt.Sprintf("%d %d %s", s.Input, s.N, s.Name))
		}
		if round == 0 {
			want = got
		}
		if len(got) < 1000 || len(list[0].classes) > maxClasses || !slices.Equal(got, want) {
			t.Fatalf("round %d: %d samples, want %d", round, len(got), len(want))
		}
	}
}

// TestRestoredPool checks that a Pool admits again what another one has stored, also where a head or the
// Pool has as many classes as it may have.
func TestRestoredPool(t *testing.T) {
	separator := func(b byte) bool { return b == ':' }
	for _, heads := range []int{1, 3, 60} {
		r := rand.New(rand.NewPCG(5, uint64(heads)))
		p := NewPool(0, separator)
		for range 60 {
			s := p.NewSampler()
			for range 200 {
				k := parser.Key{Name: fmt.Appendf(nil, "a%d:b:%d", r.IntN(heads), r.IntN(1000)), Type: parser.String}
				s.Key(&k, uint64(k.Name[1])<<32|uint64(len(k.Name))<<16|uint64(r.IntN(200)))
			}
			p.Add(s)
		}
		p.Number()
		back := NewPool(0, separator)
		for i, s := range p.Stored() {
			c := *s
			if !back.Restore(&c) {
				t.Fatalf("%d heads: sample %d of %d is refused", heads, i, len(p.list))
			}
		}
		if len(p.list) < 128 || len(back.list) != len(p.list) {
			t.Errorf("%d heads: %d samples of %d", heads, len(back.list), len(p.list))
		}
	}
}

// TestSamplerBounds checks the bounds of a block.
func TestSamplerBounds(t *testing.T) {
	p := NewPool(0, func(b byte) bool { return b == ':' })
	s := p.NewSampler()
	for i := range 10_000 {
		s.Key(&parser.Key{Name: fmt.Appendf(nil, "k%d", i), Type: parser.String}, uint64(i))
		s.Key(&parser.Key{Name: fmt.Appendf(nil, "k%d", i), Type: parser.Set}, uint64(i))
	}
	if len(s.list) != maxStrings+maxOthers || s.Bytes() < 100*int64(len(s.list)) {
		t.Errorf("%d samples of %d bytes", len(s.list), s.Bytes())
	}
	p.Add(s)
	if s.Reset(); len(p.Samples()) != 2*perHead || s.Bytes() > 1<<16 {
		t.Errorf("%d samples, and %d bytes afterwards", len(p.Samples()), s.Bytes())
	}
}

// TestExplainedNames checks which findings about names a library explains: those that it
// causes itself, not those of what the application calls its entries.
func TestExplainedNames(t *testing.T) {
	session := "spring:session:index:org.springframework.session.FindByIndexNameSessionRepository.PRINCIPAL_NAME_INDEX_NAME:ann@example.com"
	for _, c := range []struct {
		sample *Sample
		rules  string
	}{
		{text1("search::SimpleKey [red shoe, 3]", true, "\xac\xed\x00\x05sr\x00\x13java.util.ArrayList"), "key-special-char key-structure key-empty-segment"},
		{text1("search::red shoe", true, "\xac\xed\x00\x05sr\x00\x13java.util.ArrayList"), "key-structure key-empty-segment"},
		{collection(session, parser.Set, items("\xac\xed\x00\x05t\x00\x24a")...), "key-length key-structure"},
	} {
		id := Identify([]*Group{{Pattern: string(c.sample.Name), Keys: 1, Samples: []*Sample{c.sample}}})[0]
		for _, rule := range []string{"key-special-char", "key-length", "key-structure", "key-empty-segment", "big-string", "key-words"} {
			if got, want := id.Explains(rule), strings.Contains(c.rules, rule); got != want {
				t.Errorf("%s: %s is explained: %v, want %v (%+v)", c.sample.Name, rule, got, want, id)
			}
		}
	}
}
