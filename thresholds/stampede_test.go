package thresholds

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/testdata/testtool"
	"github.com/rdblens/rdblens/thresholds/naming"
)

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
	if len(list) != 2 || SubjectText(list[0].Subject) != "hour 2027-01-15T08:00Z" || SubjectText(list[1].Subject) != "minute 2024-02-12T22:12Z" {
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
	if len(list) != 1 || SubjectText(list[0].Subject) != "minute 2023-11-15T00:00Z" {
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
		add(2000+2*m, 11+m%20) // no neighbours
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
		for _, size := range []int{100_000, 10_000} {
			got := run(size)
			if !reflect.DeepEqual(got, want) {
				t.Errorf("created %d: parts of %d keys give something else", at, size)
			}
		}
	}
}

// A flow is keys that expire at random times from the snapshot on: those of a cache
// that is written at a steady rate with a fixed TTL. A batch is keys that expire
// together.
type expiryCase struct {
	name  string
	flows []flow
	batch []batch
	// want has the first minute after the snapshot and the number of minutes of each
	// finding, worst first.
	want [][2]int64
}

type flow struct{ keys, minutes int64 } // keys in each minute until the TTL has passed

type batch struct{ start, minutes, keys int64 } // keys in each minute

// TestStampedeByCases has the cases of the rule: a limit of 10,000 keys a minute,
// here divided by a scale.
func TestStampedeByCases(t *testing.T) {
	const scale = 10
	day := int64(24 * 60)
	for _, c := range []expiryCase{
		{"one minute among quiet ones", []flow{{1, 30 * day}}, []batch{{5000, 1, 10_500}}, [][2]int64{{5000, 1}}},
		{"two minutes", []flow{{1, 30 * day}}, []batch{{5000, 2, 20_000}}, [][2]int64{{5000, 2}}},
		{"ten minutes", []flow{{1, 30 * day}}, []batch{{5000, 10, 15_000}}, [][2]int64{{5000, 10}}},
		{"three minutes alone", nil, []batch{{day, 3, 100_000}}, [][2]int64{{day, 3}}},
		{"three minutes beside a million keys", []flow{{694, day}}, []batch{{day - 1, 3, 100_000}}, [][2]int64{{day - 1, 3}}},
		{"three minutes very soon", []flow{{694, day}}, []batch{{1, 3, 100_000}}, [][2]int64{{1, 3}}},
		{"two minutes in a steady flow over the limit", []flow{{12_000, day}}, []batch{{300, 2, 200_000}}, [][2]int64{{300, 2}}},
		{"three batches", []flow{{694, day}}, []batch{{60, 1, 30_000}, {120, 2, 20_000}, {180, 1, 40_000}}, [][2]int64{{180, 1}, {60, 1}, {120, 2}}},
		{"a batch every five minutes", nil, []batch{{60, 1, 50_000}, {65, 1, 50_100}, {70, 1, 50_200}}, [][2]int64{{70, 1}, {65, 1}, {60, 1}}},
		{"too few in each minute", nil, []batch{{day, 30, 9_500}}, nil},
		{"less than ten times the rest", []flow{{1200, day}}, []batch{{300, 3, 10_500}}, nil},
		{"ten minutes of a cache", []flow{{33_000, 10}}, nil, nil},
		{"half an hour of a cache", []flow{{33_000, 30}}, nil, nil},
		{"five minutes of a cache", []flow{{33_000, 5}}, nil, nil},
		{"a cache beside a few keys of next year", []flow{{33_000, 30}}, []batch{{365 * day, 50, 1}}, nil},
		{"two caches", []flow{{33_000, 30}, {15_000, 10}}, nil, nil},
		{"a cache near the limit", []flow{{10_000, 60}}, nil, nil},
		{"a day of a cache", []flow{{33_000, day}}, nil, nil},
	} {
		if !testtool.Nightly() && len(c.flows) > 0 && c.flows[0].keys*c.flows[0].minutes > 20_000_000 {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			e := mustLoad(t, LoadOptions{Config: writeConfig(t, fmt.Sprintf("rules: {ttl-stampede: {warning: %d}}", 10_000/scale))})
			for _, second := range []int64{0, 30, 59} {
				taken := int64(created)/60*60 + second
				env := testEnv()
				env.Created = taken
				e := e.Compile(env)
				whole, part := e.NewInstance(), e.NewInstance()
				f := facts(e, key("cache:item:1", nil))
				r := rand.New(rand.NewPCG(1, uint64(second)))
				k := key("cache:item:1", nil)
				add := func(ms int64) {
					k.ExpireAt, k.Offset = ms, k.Offset+100
					part.Add(k, f)
					if k.Offset%1_000_000 == 0 {
						whole.Merge(part)
						part.Reset()
					}
				}
				minute := taken / 60
				for _, b := range c.batch {
					for i := range max(b.keys/scale, 1) * b.minutes {
						add((minute+b.start+i%b.minutes)*60_000 + r.Int64N(60_000))
					}
				}
				for _, fl := range c.flows {
					for range max(fl.keys*fl.minutes/scale, 1) {
						add(taken*1000 + r.Int64N(fl.minutes*60_000))
					}
				}
				whole.Merge(part)
				kept, _ := whole.Findings()
				var got [][2]int64
				for _, f := range kept {
					if f.Rule.Name() != "ttl-stampede" {
						continue
					}
					start := slices.IndexFunc(c.want, func(w [2]int64) bool { return SubjectText(f.Subject) == windowText(minute+w[0], w[1]) })
					if start < 0 {
						t.Errorf("second %d: %s: %d keys", second, f.Subject, f.Keys)
						continue
					}
					got = append(got, c.want[start])
					if !slices.Equal(f.Groups, []string{"cache:item:*"}) {
						t.Errorf("groups %q", f.Groups)
					}
				}
				if !reflect.DeepEqual(got, c.want) {
					t.Errorf("second %d: %v, want %v", second, got, c.want)
				}
			}
		})
	}
}

func windowText(minute, minutes int64) string {
	if minutes == 1 {
		return "minute " + timeText(minute)
	}
	return "minutes " + timeText(minute) + " to " + timeText(minute+minutes-1)
}

// TestStampedeNeedsTenTimesTheAverage has a minute of 20,000 keys after ten of
// 1,999 or 2,000.
func TestStampedeNeedsTenTimesTheAverage(t *testing.T) {
	for each, want := range map[int64]int{1999: 1, 2000: 0} {
		got := stampedesOf(t, testEnv(), func(add func(*parser.Key)) {
			for minute := range int64(10) {
				for range each {
					add(key("x:y", expires((created/60+minute)*60_000+59_999)))
				}
			}
			for range 20_000 {
				add(key("x:y", expires((created/60+10)*60_000)))
			}
		})
		if len(got) != want {
			t.Errorf("20000 against an average of %d: %+v", each, got)
		}
	}
}

// TestStampedeOverSeveralSnapshots adds up snapshots that were taken on different
// days: no one alone has more than the limit, not even the one whose minute is so
// far ahead of it that it is counted by the hour.
func TestStampedeOverSeveralSnapshots(t *testing.T) {
	p := mustLoad(t, LoadOptions{Rules: "ttl-stampede"})
	at := int64(created/60 + nearMinutes + 600)
	var all *Instance
	for _, taken := range []int64{created + 2*86_400, created + 86_400, created} {
		env := testEnv()
		env.Created = taken
		e := p.Compile(env)
		one := e.NewInstance()
		for i := range int64(9000) {
			k := key(fmt.Sprintf("item:%d", i), expires(at*60_000+i))
			one.Add(k, facts(e, k))
		}
		if list, _ := one.Findings(); len(list) > 0 {
			t.Errorf("%+v", list)
		}
		if all == nil {
			all = e.NewInstance()
		}
		all.Merge(one)
	}
	list, _ := all.Findings()
	if len(list) != 1 || SubjectText(list[0].Subject) != "minute "+timeText(at) || list[0].Keys != 18_000 || !slices.Equal(list[0].Groups, []string{"item:*"}) {
		t.Errorf("%+v", list)
	}
}

// TestSpreadKeepsUnderTheLimit simulates what the advice says: keys of a batch that
// expire at random over so many minutes, beside the others that expire then. Over
// two minutes, which is enough for the average, 20,000 keys would leave one over
// the limit every other time.
func TestSpreadKeepsUnderTheLimit(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	over := func(keys, limit, minutes, others int64) (n int) {
		for range 200 {
			counts := make([]int64, minutes+1) // the first and the last are not whole
			start := r.Int64N(60)
			for range keys {
				counts[(start+r.Int64N(minutes*60))/60]++
			}
			if slices.Max(counts)+others > limit {
				n++
			}
		}
		return n
	}
	if over(20_000, 10_000, 2, 0) < 20 {
		t.Error("the simulation has nothing to find")
	}
	for _, c := range []struct{ keys, limit, others int64 }{{20_000, 10_000, 694}, {300_000, 10_000, 694}, {10_500, 10_000, 900}, {5000, 1000, 100}, {1001, 1000, 0}, {500, 100, 0}} {
		minutes := spreadMinutes(c.keys, c.limit)
		if n := over(c.keys, c.limit, minutes, c.others); n > 0 {
			t.Errorf("%d keys over %d minutes: %d of 200 times over %d", c.keys, minutes, n, c.limit)
		}
		if most := 2*c.keys/c.limit + 2; minutes > most {
			t.Errorf("%d keys over %d minutes, but %d are enough", c.keys, minutes, most)
		}
	}
}

// TestTakenTimes checks that the sums of a snapshot say when it was taken, or where its
// keys are if it does not say so, and how many keys expire in which minute or hour.
func TestTakenTimes(t *testing.T) {
	for _, known := range []bool{true, false} {
		env := testEnv()
		if !known {
			env.Created = -1
		}
		e := mustLoad(t, LoadOptions{}).Compile(env)
		x := e.NewInstance()
		add := func(seconds int64, n int) {
			for range n {
				k := key("a:b", expires((created+seconds)*1000))
				x.Add(k, facts(e, k))
			}
		}
		add(90, 3)
		add(120*86_400, 2) // beyond what is counted by the minute
		f := e.NewFleet()
		f.Add(x, 7)
		var taken []Count
		var minutes, hours, keys int64
		f.Counts(func(rule string, c *Count) {
			if rule != "ttl-stampede" {
				return
			}
			switch c.List {
			case listTaken:
				taken = append(taken, *c)
			case listMinutes:
				minutes, keys = minutes+1, keys+c.Keys
			case listHours:
				hours, keys = hours+1, keys+c.Keys
			}
			if c.List != listTaken && c.List != listSamples && (c.Largest.Node != 7 || c.Largest.Keys != c.Keys || c.Bytes == 0) {
				t.Errorf("%+v", c)
			}
		})
		if minutes != 1 || hours != 1 || keys != 5 {
			t.Errorf("known %t: %d minutes, %d hours, %d keys", known, minutes, hours, keys)
		}
		want := 1 // the latest of the Fleet
		if known {
			want = 2
		}
		if len(taken) != want || known && (taken[1].Keys != 1 || taken[1].ID != created/60) || taken[0].Keys != 0 {
			t.Errorf("known %t: %+v", known, taken)
		}
	}
}

// TestSpread checks over how many minutes keys are spread: so many that five standard
// deviations above the average of a minute are at most 80 % of the limit, and one less
// would not do; and the hours of minutes before the epoch.
func TestSpread(t *testing.T) {
	for _, c := range [][2]int64{{10_500, 10_000}, {300_000, 10_000}, {1, 1}, {5000, 1000}, {1_000_000, 77}, {20_000, 10_000}} {
		n := spreadMinutes(c[0], c[1])
		most := func(minutes int64) float64 {
			mean := float64(c[0]) / float64(minutes)
			return mean + 5*math.Sqrt(mean)
		}
		if limit := 0.8 * float64(c[1]); most(n) > limit*1.0000001 || n > 1 && most(n-1) <= limit {
			t.Errorf("%d keys under %d a minute: %d minutes", c[0], c[1], n)
		}
	}
	for _, c := range [][3]int64{{0, 60, 0}, {59, 60, 0}, {60, 60, 1}, {-1, 60, -1}, {-60, 60, -1}, {-61, 60, -2}, {-120, 60, -2}, {math.MinInt64, 60, -153722867280912931}, {math.MaxInt64, 60, 153722867280912930}} {
		if got := floorDiv(c[0], c[1]); got != c[2] {
			t.Errorf("%d/%d: %d, want %d", c[0], c[1], got, c[2])
		}
	}
}
