package thresholds

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// snapshotCase is a snapshot for the rules over the whole instance.
type snapshotCase struct {
	profile string
	cluster bool
	keys    func(add func(*parser.Key))
	subject string // of the worst finding
	count   int64
}

var instanceCases = map[string]struct{ hit, miss *snapshotCase }{
	"ttl-stampede": {
		&snapshotCase{profile: "default", keys: func(add func(*parser.Key)) { spread(add, 10001, 20) }, subject: "minute 2023-11-15T00:00Z", count: 1},
		&snapshotCase{profile: "default", keys: func(add func(*parser.Key)) { spread(add, 10000, 20) }},
	},
	"multiple-databases": {
		&snapshotCase{profile: "aliyun", keys: func(add func(*parser.Key)) {
			add(key("a:b", nil))
			add(key("a:c", func(k *parser.Key) { k.DB = 7 }))
		}, subject: "db 0, 7", count: 1},
		&snapshotCase{profile: "aliyun", keys: func(add func(*parser.Key)) { add(key("a:b", func(k *parser.Key) { k.DB = 7 })) }},
	},
	"mixed-business": {
		&snapshotCase{profile: "aliyun", keys: func(add func(*parser.Key)) { businesses(add, 11) }, subject: "first segments", count: 1},
		&snapshotCase{profile: "aliyun", keys: func(add func(*parser.Key)) { businesses(add, 10) }},
	},
	"slot-skew": {
		&snapshotCase{profile: "baidu", cluster: true, keys: func(add func(*parser.Key)) { tagged(add, 10<<20+1, 999) }, subject: fmt.Sprintf("slot %d", naming.Slot([]byte("hot"))), count: 1},
		&snapshotCase{profile: "baidu", cluster: true, keys: func(add func(*parser.Key)) { tagged(add, 10<<20, 999) }},
	},
	"hashtag-skew": {
		&snapshotCase{profile: "baidu", cluster: true, keys: func(add func(*parser.Key)) { tagged(add, 10<<20+1, 5) }, subject: "{hot}", count: 1},
		&snapshotCase{profile: "baidu", cluster: true, keys: func(add func(*parser.Key)) { tagged(add, 10<<20, 5) }},
	},
}

// spread adds n keys in one minute, and one in each of others after it.
func spread(add func(*parser.Key), n, others int) {
	const minute = 1_700_006_400 // 2023-11-15 00:00
	for i := range n {
		add(key(fmt.Sprintf("item:%d:price", i), expires(minute*1000+int64(i)*59_999/int64(n))))
	}
	for i := range others {
		add(key("b:c", expires((minute+60+60*int64(i))*1000)))
	}
}

func businesses(add func(*parser.Key), n int) {
	for i := range n {
		add(key(fmt.Sprintf("business%d:x:%d", i, i), nil))
		add(key(fmt.Sprintf("%d:order", 1000+i), nil)) // numbers are no businesses
		add(key(fmt.Sprintf("plain%d", i), nil))       // nor are names without segments
	}
}

// tagged adds one key of a size with a tag, and others of 10 bytes.
func tagged(add func(*parser.Key), size int64, others int) {
	add(key("{hot}:1", str(size)))
	for i := range others {
		add(key(fmt.Sprintf("user:%d", i), str(10)))
	}
}

func runInstance(t *testing.T, c *snapshotCase, parts int) ([]InstanceFinding, []Omitted) {
	t.Helper()
	env := testEnv()
	env.Cluster = c.cluster
	e := mustLoad(t, LoadOptions{Profile: c.profile}).Compile(env)
	whole := e.NewInstance()
	part := e.NewInstance()
	n := 0
	c.keys(func(k *parser.Key) {
		part.Add(k, facts(e, k))
		if n++; n == parts {
			n = 0
			whole.Merge(part)
			part.Reset()
		}
	})
	whole.Merge(part)
	return whole.Findings()
}

func TestInstance(t *testing.T) {
	for name, c := range instanceCases {
		t.Run(name, func(t *testing.T) {
			for _, parts := range []int{1 << 30, 1000, 7} {
				for _, s := range []*snapshotCase{c.hit, c.miss} {
					list, _ := runInstance(t, s, parts)
					var own []InstanceFinding
					for _, f := range list {
						if f.Rule.Name() == name {
							own = append(own, f)
						}
					}
					if int64(len(own)) != s.count {
						t.Fatalf("parts of %d keys: %d findings, want %d: %+v", parts, len(own), s.count, own)
					}
					if s.count > 0 && own[0].Subject != s.subject {
						t.Errorf("subject %q, want %q", own[0].Subject, s.subject)
					}
				}
			}
		})
	}
}

func TestStampedeHasGroups(t *testing.T) {
	for _, parts := range []int{1 << 30, 500} {
		list, _ := runInstance(t, instanceCases["ttl-stampede"].hit, parts)
		f := list[0]
		if f.Keys != 10001 || f.Measured != 10001 || f.Limit != 10000 || f.Bytes != 50*10001 {
			t.Errorf("%+v", f)
		}
		if !reflect.DeepEqual(f.Groups, []string{"item:*:price"}) {
			t.Errorf("groups %q", f.Groups)
		}
	}
}

func stampedesOf(t *testing.T, env Env, keys func(add func(*parser.Key))) []InstanceFinding {
	t.Helper()
	e := mustLoad(t, LoadOptions{Profile: "default", Rules: "ttl-stampede"}).Compile(env)
	i := e.NewInstance()
	keys(func(k *parser.Key) { i.Add(k, facts(e, k)) })
	kept, _ := i.Findings()
	return kept
}

func TestStampedeOfOneMinute(t *testing.T) {
	got := stampedesOf(t, testEnv(), func(add func(*parser.Key)) { spread(add, 10001, 0) })
	if len(got) != 1 {
		t.Errorf("a single minute has no others to compare with: %+v", got)
	}
}

func TestStampedeNeedsTenTimesTheMedian(t *testing.T) {
	run := func(each int) int {
		return len(stampedesOf(t, testEnv(), func(add func(*parser.Key)) {
			spread(add, 20000, 0)
			for minute := range 4 {
				for range each {
					add(key("x:y", expires((1_700_006_400+600+60*int64(minute))*1000)))
				}
			}
		}))
	}
	if n := run(1999); n != 1 {
		t.Errorf("20000 against a median of 1999: %d findings", n)
	}
	if n := run(2000); n != 0 {
		t.Errorf("20000 against a median of 2000: %d findings", n)
	}
}

func TestStampedeSkipsExpiredKeys(t *testing.T) {
	old := func(at int64) int {
		return len(stampedesOf(t, testEnv(), func(add func(*parser.Key)) {
			for range 10001 {
				add(key("x:y", expires(at)))
			}
		}))
	}
	if n := old(created*1000 - 1); n != 0 {
		t.Errorf("expired keys make %d findings", n)
	}
	if n := old(created * 1000); n != 1 {
		t.Errorf("keys that expire just then make %d findings", n)
	}
}

func TestStampedeFoldsIntoHours(t *testing.T) {
	const near = (created/60 + nearMinutes - 1) * 60
	list := stampedesOf(t, testEnv(), func(add func(*parser.Key)) {
		for i := range 10001 {
			add(key("near:1", expires(near*1000)))
			add(key("far:1", expires((1_800_000_000+int64(i)%3600)*1000)))
		}
		add(key("far:2", expires(1_900_000_000_000)))
		add(key("far:3", expires(1_900_010_000_000)))
		add(key("never:1", expires(1<<63-1)))
	})
	if len(list) != 2 || list[0].Subject != "hour 2027-01-15T08:00Z" || list[1].Subject != "minute 2024-02-12T22:12Z" {
		t.Errorf("%+v", list)
	}
}

func TestStampedeWithoutTime(t *testing.T) {
	env := testEnv()
	env.Created = -1
	list := stampedesOf(t, env, func(add func(*parser.Key)) {
		spread(add, 10001, 3)
		for day := range 1000 { // more days than are told apart
			add(key("x:y", expires(int64(day)*86_400_000)))
		}
	})
	if len(list) != 1 || list[0].Subject != "minute 2023-11-15T00:00Z" {
		t.Errorf("%+v", list)
	}
}

func TestStampedeKeepsTheWorst(t *testing.T) {
	e := mustLoad(t, LoadOptions{Config: writeConfig(t, "rules: {ttl-stampede: {info: 10, warning: 29, error: off}}")}).Compile(testEnv())
	i := e.NewInstance()
	var f naming.Facts
	add := func(minute, n int64) {
		for range n {
			i.Add(key("x:y", expires((created+60*minute)*1000)), &f)
		}
	}
	for m := range int64(1000) {
		add(m, 1)
	}
	for m := range int64(130) {
		add(2000+m, 11+m%20)
	}
	kept, omitted := i.Findings()
	if len(kept) != maxKept || kept[0].Measured != 30 || kept[0].Severity != Warning || kept[0].Limit != 29 {
		t.Fatalf("%d kept, first %+v", len(kept), kept[0])
	}
	for n := range kept[1:] {
		if kept[n].Measured < kept[n+1].Measured {
			t.Errorf("order: %d before %d", kept[n].Measured, kept[n+1].Measured)
		}
	}
	if len(omitted) != 1 || omitted[0].Count != 30 || omitted[0].Severity != Info {
		t.Errorf("omitted %+v", omitted)
	}
}

// TestInstanceIsBounded fills every bound, and holds the result of parts to that
// of one run.
func TestInstanceIsBounded(t *testing.T) {
	env := testEnv()
	env.Cluster = true
	e := mustLoad(t, LoadOptions{Config: writeConfig(t, "rules: {mixed-business: {warning: 10}}")}).Compile(env)
	whole := e.NewInstance()
	part := e.NewInstance()
	var f naming.Facts
	name := make([]byte, 0, 64)
	k := key("", nil)
	for i := range 60_000 {
		name = fmt.Appendf(name[:0], "b%c%d:{t%d}:x", 'a'+i%26, i%7000, i*31%50_000)
		k.Name, k.NameLen, k.DB, k.ValueBytes = name, int64(len(name)), i%3000, int64(1+i%9)
		if i%100 == 0 {
			k.Name, k.ValueBytes = []byte("hot:{hot}"), 1<<20
		}
		k.ExpireAt = (created + int64(i)*7919%40_000_000) * 1000
		e.Namer().Facts(k.Name, &f)
		part.Add(k, &f)
		if i%1777 == 0 {
			whole.Merge(part)
			part.Reset()
		}
	}
	whole.Merge(part)
	bounds := 0
	for _, a := range whole.accumulators {
		switch a := a.(type) {
		case *usedDatabases:
			if n := len(a.list); n != maxDatabases {
				t.Errorf("%d databases", n)
			}
			bounds++
		case *firstSegments:
			if n := len(a.segments.list); n > maxBusinesses {
				t.Errorf("%d businesses", n)
			}
			bounds++
		case *tagSizes:
			if n := len(a.tags.list); n > 2*maxTags {
				t.Errorf("%d tags", n)
			}
			bounds++
		}
	}
	if bounds != 3 {
		t.Errorf("%d of 3 bounds", bounds)
	}
	byRule := map[string]InstanceFinding{}
	kept, _ := whole.Findings()
	for _, f := range kept {
		byRule[f.Rule.Name()] = f
	}
	tag := byRule["hashtag-skew"]
	if tag.Subject != "{hot}" || tag.note != noteAtLeast || tag.Bytes > 600<<20 || tag.Bytes < 600<<20-whole.total.bytes/maxTags {
		t.Errorf("tag %q of %d bytes", tag.Subject, tag.Bytes)
	}
	if f := byRule["multiple-databases"]; f.note != noteAtLeast || !strings.HasSuffix(f.Subject, ", ...") {
		t.Errorf("%+v", f)
	}
	if f := byRule["mixed-business"]; f.note != noteAtLeast || f.Measured != maxBusinesses || len(f.Groups) != 20 || f.Groups[0] != "hot" {
		t.Errorf("%+v", f)
	}
}

func TestIsID(t *testing.T) {
	for s, want := range map[string]bool{"1": true, "123456": true, "{42}": true, "deadbeef01": true, "123e4567-e89b-12d3-a456-426614174000": true,
		"feedcafe": false, "a1": false, "user1": false, "": false, "{}": false, "2024-05-01": true} {
		if got := isID([]byte(s)); got != want {
			t.Errorf("%q: %v", s, got)
		}
	}
}

func TestIgnoredInstanceFindings(t *testing.T) {
	e := mustLoad(t, LoadOptions{Config: writeConfig(t, "ignore: [{rule: multiple-databases, reason: two by design}]")}).Compile(testEnv())
	i := e.NewInstance()
	var f naming.Facts
	i.Add(key("a:b", nil), &f)
	i.Add(key("a:b", func(k *parser.Key) { k.DB = 1 }), &f)
	if list, _ := i.Findings(); len(list) != 1 || list[0].Ignored != 1 {
		t.Errorf("%+v", list)
	}
}

// TestSkewWithoutTags checks that slots are those of whole names if a proxy ignores
// tags: CRC-16/XMODEM of "{hot}:1", modulo 16384, is 16320.
func TestSkewWithoutTags(t *testing.T) {
	env := testEnv()
	env.Cluster = true
	e := mustLoad(t, LoadOptions{Profile: "baidu", Config: writeConfig(t, "hashtags: false")}).Compile(env)
	i := e.NewInstance()
	tagged(func(k *parser.Key) { i.Add(k, facts(e, k)) }, 10<<20+1, 999)
	list, _ := i.Findings()
	if len(list) != 1 || list[0].Rule.Name() != "slot-skew" || list[0].Subject != "slot 16320" {
		t.Errorf("%+v", list)
	}
}

// TestPartsGiveTheSame fills more minutes than one run keeps fresh, with and
// without a time of the snapshot.
func TestPartsGiveTheSame(t *testing.T) {
	for _, at := range []int64{created, -1} {
		env := testEnv()
		env.Created = at
		e := mustLoad(t, LoadOptions{Config: writeConfig(t, "rules: {ttl-stampede: {warning: 3, ratio: 0}}")}).Compile(env)
		run := func(size int) []InstanceFinding {
			whole, part := e.NewInstance(), e.NewInstance()
			var f naming.Facts
			for i := range int64(150_000) {
				k := key("a:b", expires((created+i*7919%9_000_000)*1000))
				part.Add(k, &f)
				if int(i)%size == size-1 {
					whole.Merge(part)
					part.Reset()
				}
			}
			whole.Merge(part)
			kept, _ := whole.Findings()
			return kept
		}
		want := run(1 << 30)
		if len(want) == 0 {
			t.Fatal("no findings")
		}
		for i := range want {
			want[i].Groups = nil // samples of a run, not sums
		}
		for _, size := range []int{100_000, 10_000} {
			got := run(size)
			for i := range got {
				got[i].Groups = nil
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("created %d: parts of %d keys give something else", at, size)
			}
		}
	}
}

// TestIgnoredBeyondTheKept checks that findings beyond those that are kept are
// ignored, too.
func TestIgnoredBeyondTheKept(t *testing.T) {
	e := mustLoad(t, LoadOptions{Config: writeConfig(t, `
rules: {ttl-stampede: {info: 10, warning: off, error: off}}
ignore: [{rule: ttl-stampede, key: "minute 2023-11-1[56]*", reason: the nightly import}]
`)}).Compile(testEnv())
	i := e.NewInstance()
	var f naming.Facts
	for minute := range int64(3 * 24 * 60) {
		n := 1
		if minute%8 == 0 {
			n = 11 + int(minute%3)
		}
		for range n {
			i.Add(key("x:y", expires((created+60*minute)*1000)), &f)
		}
	}
	counts := [2]int64{}
	kept, omitted := i.Findings()
	for _, w := range kept {
		counts[w.Ignored]++
	}
	if counts != [2]int64{maxKept, maxKept} {
		t.Errorf("kept %v", counts)
	}
	for _, o := range omitted {
		counts[o.Ignored] += o.Count
	}
	if counts != [2]int64{180, 360} {
		t.Errorf("all %v", counts)
	}
}

func TestShare(t *testing.T) {
	if share(1<<62, 1<<30, 1) != 1<<62 || share(5, 10, 0) != 1<<62 || share(1<<40, 10000, 1<<41) != 5000 {
		t.Error("share")
	}
	if !more(math.MaxInt64, 2, math.MaxInt64, 1) || more(3, 5, 5, 3) || !more(4, 4, 5, 3) {
		t.Error("more")
	}
}
