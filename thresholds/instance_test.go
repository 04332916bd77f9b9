package thresholds

import (
	"fmt"
	"math"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// snapshotCase is a snapshot for the rules over the whole instance.
type snapshotCase struct {
	profile string
	cluster bool
	config  string // fields of a configuration, "" none
	age     time.Duration
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
	"max-age": {
		&snapshotCase{profile: "default", config: "rules: {max-age: {error: 26h}}", age: 26*time.Hour + time.Second, keys: few, subject: "snapshot", count: 1},
		&snapshotCase{profile: "default", config: "rules: {max-age: {error: 26h}}", age: 26 * time.Hour, keys: few},
	},
	"min-keys": {
		&snapshotCase{profile: "default", config: "rules: {min-keys: {error: 3}}", keys: few, subject: "snapshot", count: 1},
		&snapshotCase{profile: "default", config: "rules: {min-keys: {error: 2}}", keys: few},
	},
	"budget": {
		&snapshotCase{profile: "default", config: "budgets: [{group: 'a:*', keys: {error: 1}, reason: agreed}]", keys: few, subject: "a:*", count: 1},
		&snapshotCase{profile: "default", config: "budgets: [{group: 'a:*', keys: {error: 2}, memory: {warning: 100 B}, without_ttl: {error: 0%}}, {group: 'b:*', keys: {error: 0}}]", keys: few},
	},
	"slot-skew": {
		&snapshotCase{profile: "baidu", cluster: true, keys: func(add func(*parser.Key)) { tagged(add, 10<<20+1, 999) }, subject: fmt.Sprintf("slot %d", naming.Slot([]byte("hot"))), count: 1},
		&snapshotCase{profile: "baidu", cluster: true, keys: func(add func(*parser.Key)) { tagged(add, 10<<20, 999) }},
	},
	"node-skew": {
		&snapshotCase{profile: "default", cluster: true, config: "rules: {node-skew: {warning: 0.5x, min_nodes: 1, min_size: 1 B}}", keys: few, subject: "node memory", count: 1},
		&snapshotCase{profile: "default", cluster: true, config: "rules: {node-skew: {warning: 1x, min_nodes: 1, min_size: 1 B}}", keys: few},
	},
	"hashtag-skew": {
		&snapshotCase{profile: "baidu", cluster: true, keys: func(add func(*parser.Key)) { tagged(add, 10<<20+1, 5) }, subject: "{hot}", count: 1},
		&snapshotCase{profile: "baidu", cluster: true, keys: func(add func(*parser.Key)) { tagged(add, 10<<20, 5) }},
	},
}

func few(add func(*parser.Key)) {
	add(key("a:b", nil))
	add(key("a:c", nil))
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

func (c *snapshotCase) options(t *testing.T) LoadOptions {
	opt := LoadOptions{Profile: c.profile}
	if c.config != "" {
		opt.Config = writeConfig(t, c.config)
	}
	return opt
}

func runInstance(t *testing.T, c *snapshotCase, parts int) ([]InstanceFinding, []Omitted) {
	t.Helper()
	env := testEnv()
	env.Cluster = c.cluster
	env.Now = time.Unix(env.Created, 0).Add(c.age)
	e := mustLoad(t, c.options(t)).Compile(env)
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
					if s.count > 0 && SubjectText(own[0].Subject) != s.subject {
						t.Errorf("subject %q, want %q", own[0].Subject, s.subject)
					}
				}
			}
		})
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
	if SubjectText(tag.Subject) != "{hot}" || tag.note != noteAtLeast || tag.Bytes > 600<<20 || tag.Bytes < 600<<20-whole.total.bytes/maxTags {
		t.Errorf("tag %q of %d bytes", tag.Subject, tag.Bytes)
	}
	if f := byRule["multiple-databases"]; f.note != noteAtLeast || !strings.HasSuffix(SubjectText(f.Subject), ", ...") {
		t.Errorf("%+v", f)
	}
	if f := byRule["mixed-business"]; f.note != noteAtLeast || f.Measured != 4096 || len(f.Groups) != 20 || f.Groups[0] != "hot" {
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
	if len(list) != 1 || list[0].Rule.Name() != "slot-skew" || SubjectText(list[0].Subject) != "slot 16320" {
		t.Errorf("%+v", list)
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
	for _, c := range []struct{ a, b, c, want int64 }{{1<<62 - 1, 1, 1, 1<<62 - 1}, {1 << 62, 1, 1, 1 << 62}, {1 << 62, 3, 1, 1 << 62}, {1 << 62, 4, 1, 1 << 62},
		{math.MaxInt64, math.MaxInt64, math.MaxInt64, 1 << 62}, {1 << 62, 6, 8, 3 << 60}, {7, 1, 2, 3}, {5, 10, -1, 1 << 62}, {5, 10, 1, 50}, {0, 5, 1, 0}} {
		if got := share(c.a, c.b, c.c); got != c.want {
			t.Errorf("share(%d, %d, %d) is %d, want %d", c.a, c.b, c.c, got, c.want)
		}
	}
	if !more(math.MaxInt64, 2, math.MaxInt64, 1) || more(3, 5, 5, 3) || !more(4, 4, 5, 3) {
		t.Error("more")
	}
}

// TestUndated checks that a snapshot is not taken for a fresh one that does not say
// when it was taken, nor one from the future, further than clocks differ.
func TestUndated(t *testing.T) {
	policy := mustLoad(t, LoadOptions{Config: writeConfig(t, "rules: {max-age: {warning: 1h, error: 26h}}")})
	for at, want := range map[int64]string{-1: "it does not say when it was taken, and the limit is 1d 2h", created + 300: "",
		created + 7200: "taken 2023-11-15 00:13:20 UTC, in the future", created - 7200: "taken 2023-11-14 20:13:20 UTC, longer ago than 1h"} {
		env := testEnv()
		env.Created = at
		e := policy.Compile(env)
		list, _ := e.NewInstance().Findings()
		got := ""
		if len(list) > 0 {
			got = e.InstanceText(list[0]).String()
		}
		if got != want {
			t.Errorf("taken at %d: %q, want %q", at, got, want)
		}
	}
}

// TestBytesIsTheMemory compares the size that each accumulator states with what the
// garbage collector gets back once it is dropped.
func TestBytesIsTheMemory(t *testing.T) {
	env := testEnv()
	env.Cluster = true
	e := mustLoad(t, LoadOptions{Config: writeConfig(t, "rules: {mixed-business: {warning: 10}, slot-skew: {error: 10x}, multiple-databases: {severity: warning}}")}).Compile(env)
	whole := e.NewInstance()
	var facts naming.Facts
	var total int64
	for i := range 40_000 {
		k := key(fmt.Sprintf("b%c%d:{t%d}:x", 'a'+i%26, i%7000, i*31%30_000), nil)
		k.DB, k.ValueBytes, k.HasExpire = i%3000, int64(1+i%9), true
		k.ExpireAt = (created + int64(i)*7919%400_000) * 1000
		e.Namer().Facts(k.Name, &facts)
		whole.Add(k, &facts)
	}
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	sized := 0
	for _, a := range whole.accumulators {
		size, name := a.size(), fmt.Sprintf("%T", a)
		total += size
		if size == 0 {
			continue
		}
		sized++
		before := heap()
		reflect.ValueOf(a).Elem().SetZero()
		if freed := before - heap(); math.Abs(float64(freed-size)) > float64(size)/10+4096 {
			t.Errorf("%s: %d bytes stated, %d were in use", name, size, freed)
		}
	}
	if total < 1<<20 || sized < 5 {
		t.Errorf("%d bytes in %d accumulators test nothing", total, sized)
	}
	if n := whole.Bytes(); n != 0 {
		t.Errorf("%d bytes remain", n)
	}
}
