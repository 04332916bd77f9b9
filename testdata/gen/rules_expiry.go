package main

import (
	"strconv"
	"time"
)

// keyExpiries writes keys with expiries and idle times around the limits, counted
// from the second in which the snapshot is taken: the fill ends when that second
// begins.
func (f *filler) keyExpiries() {
	created := time.Now().Add(3 * time.Second).Truncate(time.Second)
	f.do("DEBUG", "SET-ACTIVE-EXPIRE", "0")
	for name, d := range map[string]time.Duration{
		"ttl:past:1ms": -time.Millisecond, "ttl:past:1s": -time.Second, "ttl:zero": 0, "ttl:1s": time.Second, "ttl:59s": 59 * time.Second, "ttl:1h": time.Hour,
		"ttl:1d": 24 * time.Hour, "ttl:7d": 7 * 24 * time.Hour, "ttl:30d": 30 * 24 * time.Hour, "ttl:30d:1ms": 30*24*time.Hour + time.Millisecond,
		"ttl:30d:1s": 30*24*time.Hour + time.Second, "ttl:365d": 365 * 24 * time.Hour,
	} {
		f.do("SET", name, "1", "PXAT", strconv.FormatInt(created.Add(d).UnixMilli(), 10))
	}
	f.do("SET", "ttl:none", "text") // small integers share one object, and so its idle time
	f.do("HSET", "ttl:none:hash", "f", "v")
	payload, err := f.s.text("DUMP", "ttl:none")
	if err != nil && f.err == nil {
		f.err = err
	}
	waitForSecond(created)
	time.Sleep(110 * time.Millisecond) // the server's clock for idle times has moved on
	at := strconv.FormatInt(created.Add(24*time.Hour).UnixMilli(), 10)
	for _, days := range []int{1, 29, 30, 31, 90} {
		for _, more := range []int{0, 1} {
			seconds := strconv.Itoa(days*86_400 + more)
			f.do("RESTORE", "idle:"+seconds, "0", payload, "IDLETIME", seconds)
			f.do("RESTORE", "idle:expiring:"+seconds, at, payload, "ABSTTL", "IDLETIME", seconds)
		}
	}
}

// frequencies writes LFU counters of keys with and without an expiry.
func (f *filler) frequencies() {
	f.do("SET", "template", "text")
	payload, err := f.s.text("DUMP", "template")
	if err != nil && f.err == nil {
		f.err = err
	}
	f.do("DEL", "template")
	for _, n := range []string{"0", "1", "5", "10", "100", "254", "255"} {
		f.do("RESTORE", "freq:"+n, "0", payload, "FREQ", n)
		f.do("RESTORE", "freq:expiring:"+n, "4102444800000", payload, "ABSTTL", "FREQ", n)
	}
}

// hashFieldExpiries writes hashes of which all, some or no fields have an expiry.
func (f *filler) hashFieldExpiries() {
	if !f.s.fieldExpiry {
		return
	}
	for _, n := range []int{3, 600} {
		for _, expiring := range []int{0, 1, n - 1, n} {
			key := "fields:" + strconv.Itoa(n) + ":expiring:" + strconv.Itoa(expiring)
			f.collection("hash", key, n, strconv.Itoa)
			for i := range expiring {
				f.do("HPEXPIREAT", key, "4102444800000", "FIELDS", "1", strconv.Itoa(i))
			}
		}
	}
	f.do("HSET", "fields:and:key", "f", "v")
	f.do("HPEXPIREAT", "fields:and:key", "4102444800000", "FIELDS", "1", "f")
	f.do("PEXPIREAT", "fields:and:key", "4102444900000")
}

// expiringCollections writes collections with an expiry, around the limit of big
// collections, in full and in compact encodings.
func (f *filler) expiringCollections() {
	fill := func(name string) {
		for _, typ := range collections {
			for _, n := range []int{5000, 5001} {
				key := name + ":" + typ + ":" + strconv.Itoa(n)
				f.collection(typ, key, n, strconv.Itoa)
				f.do("PEXPIREAT", key, "4102444800000")
			}
		}
	}
	fill("expiring")
	f.with(func() { fill("expiring:compact") }, "hash-max-listpack-entries", "100000", "zset-max-listpack-entries", "100000", "set-max-intset-entries", "100000",
		"list-max-listpack-size", "100000")
}

// stampede writes minutes with 10,001, 10,000, 1001 and 1000 expiring keys and
// twenty with five.
func (f *filler) stampede() {
	minute := time.Now().Add(10 * 24 * time.Hour).Truncate(time.Hour)
	fill := func(name string, n int) {
		if f.err != nil {
			return
		}
		at := minute
		minute = minute.Add(time.Minute)
		f.err = f.s.pipeline(func(send func(args ...string)) {
			for i := range n {
				ms := at.UnixMilli() + int64(i)*59_999/int64(n)
				send("SET", name+":"+strconv.Itoa(i), "1", "PXAT", strconv.FormatInt(ms, 10))
			}
		})
	}
	fill("over:10000", 10_001)
	fill("at:10000", 10_000)
	fill("over:1000", 1001)
	fill("at:1000", 1000)
	for i := range 20 {
		fill("quiet:"+strconv.Itoa(i), 5)
	}
}
