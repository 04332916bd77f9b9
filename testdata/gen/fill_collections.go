package main

import (
	"strconv"
	"strings"
)

func (f *filler) hashes() {
	pair := func(i int) []string { return []string{"field:" + strconv.Itoa(i), "value-" + strconv.Itoa(i*7)} }
	for _, n := range f.counts(1, 2, 5, 128, 512, 513) {
		f.add(n, pair, "HSET", "hash:fields:"+strconv.Itoa(n))
	}
	f.do("HSET", "hash:value:64", "f", f.noise(64))
	f.do("HSET", "hash:value:65", "f", f.noise(65))
	f.do("HSET", "hash:field:65", f.noise(65), "v")
	f.do("HSET", "hash:empty", "", "", "f", "", "g", "x")
	f.do("HSET", "hash:one:big", "f", text(5000))
	for _, s := range integers {
		f.do("HSET", "hash:ints", s, "-"+s, "f"+s, s)
	}
	f.add(len(lookalikes), func(i int) []string { return []string{lookalikes[i], lookalikes[len(lookalikes)-1-i]} }, "HSET", "hash:lookalikes")
	f.add(len(hostileNames), func(i int) []string { return []string{hostileNames[i], hostileNames[len(hostileNames)-1-i]} }, "HSET", "hash:hostile")
	f.do("HSET", "hash:long:name", "short", "1", strings.Repeat("f", 255), "1", strings.Repeat("g", 256), "22", strings.Repeat("h", 300), "333")
	// Over the default limits, so that a listpack holds every form of entry.
	f.with(func() {
		for i, n := range packedStrings {
			if f.plain && i%3 == 0 && n > 4096 {
				continue
			}
			f.do("HSET", "hash:packed:forms", "len:"+strconv.Itoa(n), text(n))
		}
		f.add(600, pair, "HSET", "hash:packed:600")
		f.do("HSET", "hash:packed:noise", "f", f.noise(300), "g", f.noise(70))
	}, "hash-max-listpack-value", "100000", "hash-max-listpack-entries", "1000")
	f.add(600, pair, "HSET", "hash:shrunk")
	f.add(590, func(i int) []string { return []string{"field:" + strconv.Itoa(i)} }, "HDEL", "hash:shrunk")
}

// fieldExpiries writes hashes with expiries of fields, if the server has them.
func (f *filler) fieldExpiries() {
	if !f.s.fieldExpiry {
		return
	}
	pair := func(i int) []string { return []string{"field:" + strconv.Itoa(i), "value-" + strconv.Itoa(i)} }
	expire := func(key, at string, n int) {
		f.add(1, func(int) []string {
			args := []string{strconv.Itoa(n)}
			for i := range n {
				args = append(args, "field:"+strconv.Itoa(i))
			}
			return args
		}, "HPEXPIREAT", key, at, "FIELDS")
	}
	f.add(5, pair, "HSET", "hash:ttl:all")
	expire("hash:ttl:all", "4102444800000", 5)
	f.add(5, pair, "HSET", "hash:ttl:some")
	expire("hash:ttl:some", "4102444800001", 2)
	expire("hash:ttl:some", "4102444700000", 1)
	f.add(3, pair, "HSET", "hash:ttl:persisted")
	expire("hash:ttl:persisted", "4102444800000", 2)
	f.do("HPERSIST", "hash:ttl:persisted", "FIELDS", "2", "field:0", "field:1")
	f.add(600, pair, "HSET", "hash:ttl:table")
	expire("hash:ttl:table", "4102444800005", 300)
	expire("hash:ttl:table", "4102444800002", 10)
	f.do("HSET", "hash:ttl:long", "field:0", text(3000), "field:1", "x", strings.Repeat("field", 30), "y")
	expire("hash:ttl:long", "4102444800000", 1)
	f.add(4, pair, "HSET", "hash:ttl:both")
	expire("hash:ttl:both", "4102444700000", 4)
	f.do("PEXPIREAT", "hash:ttl:both", "4102444800000")
}

func (f *filler) lists() {
	item := func(i int) []string { return []string{"item:" + strconv.Itoa(i)} }
	for _, n := range f.counts(1, 2, 100, 3000) {
		f.add(n, item, "RPUSH", "list:items:"+strconv.Itoa(n))
	}
	f.add(len(integers), func(i int) []string { return integers[i : i+1] }, "RPUSH", "list:ints")
	f.add(len(lookalikes), func(i int) []string { return lookalikes[i : i+1] }, "RPUSH", "list:lookalikes")
	f.add(len(hostileNames), func(i int) []string { return hostileNames[i : i+1] }, "RPUSH", "list:hostile")
	f.do("RPUSH", "list:noise", f.noise(300), f.noise(301), f.noise(80))
	f.do("RPUSH", "list:empty", "", "", "x")
	for _, n := range f.packedStrings() {
		f.do("RPUSH", "list:forms", text(n))
	}
	// Both sides of the default node size, and one element over 64 KB.
	f.do("RPUSH", "list:node", text(8100), text(50), text(8192), text(8193))
	if !f.plain {
		f.do("RPUSH", "list:huge", "small", text(66_000), "small")
	}
	f.with(func() { f.add(100, item, "RPUSH", "list:fill16") }, "list-max-listpack-size", "16")
	f.with(func() { f.add(2000, item, "RPUSH", "list:lzf:nodes") }, "list-compress-depth", "1")
	// Plain nodes: by default Redis 7.0 makes them above a gigabyte only.
	f.do("DEBUG", "QUICKLIST-PACKED-THRESHOLD", "500B")
	f.do("RPUSH", "list:plain", "a", text(499), text(500), "b", f.noise(501), text(2000), "c")
	f.do("RPUSH", "list:plain:one", text(1000))
	f.do("DEBUG", "QUICKLIST-PACKED-THRESHOLD", "0")
}

func (f *filler) sets() {
	number := func(step int) func(i int) []string {
		return func(i int) []string { return []string{strconv.Itoa(i * step)} }
	}
	f.do("SADD", "set:int16", "0", "-1", "32767", "-32768")
	f.do("SADD", "set:int32", "0", "32768", "-32769", "2147483647")
	f.do("SADD", "set:int64", "0", "2147483648", "9223372036854775807", "-9223372036854775808")
	for _, n := range f.counts(1, 511, 512, 513) {
		f.add(n, number(3), "SADD", "set:ints:"+strconv.Itoa(n))
	}
	member := func(i int) []string { return []string{"member:" + strconv.Itoa(i)} }
	for _, n := range f.counts(1, 2, 128, 129, 1000) {
		f.add(n, member, "SADD", "set:members:"+strconv.Itoa(n))
	}
	f.do("SADD", "set:member:64", f.noise(64), "x")
	f.do("SADD", "set:member:65", f.noise(65), "x")
	f.do("SADD", "set:empty:member", "", "x")
	f.do("SADD", "set:mixed", "1", "2", "a")
	f.add(len(integers), func(i int) []string { return integers[i : i+1] }, "SADD", "set:mixed")
	f.add(len(hostileNames), func(i int) []string { return hostileNames[i : i+1] }, "SADD", "set:hostile")
	f.do("SADD", "set:big:member", text(9000), "x")
	f.with(func() {
		for _, n := range f.packedStrings() {
			f.do("SADD", "set:packed:forms", text(n))
		}
	}, "set-max-listpack-value", "100000")
	f.add(600, number(1), "SADD", "set:shrunk")
	f.add(590, number(1), "SREM", "set:shrunk")
}

func (f *filler) sortedSets() {
	member := func(i int) []string { return []string{strconv.Itoa(i * i), "member:" + strconv.Itoa(i)} }
	for _, n := range f.counts(1, 2, 128, 129, 1000) {
		f.add(n, member, "ZADD", "zset:members:"+strconv.Itoa(n))
	}
	scores := []string{"0", "-0", "1", "-1.5", "inf", "-inf", "3.141592653589793", "1e300", "-1e-300", "9007199254740993", "1700000000123", "0.1"}
	score := func(i int) []string { return []string{scores[i], "score:" + scores[i]} }
	f.add(len(scores), score, "ZADD", "zset:scores")
	f.do("ZADD", "zset:scores:table", "5", f.noise(65))
	f.add(len(scores), score, "ZADD", "zset:scores:table")
	f.do("ZADD", "zset:member:64", "1", f.noise(64))
	f.do("ZADD", "zset:member:65", "1", f.noise(65))
	f.do("ZADD", "zset:empty:member", "1", "", "2", "x")
	f.do("ZADD", "zset:big:member", "1", text(5000), "2", "x")
	f.add(len(integers), func(i int) []string { return []string{integers[i], integers[i]} }, "ZADD", "zset:ints")
	f.add(len(hostileNames), func(i int) []string { return []string{strconv.Itoa(i), hostileNames[i]} }, "ZADD", "zset:hostile")
	f.with(func() {
		for i, n := range f.packedStrings() {
			f.do("ZADD", "zset:packed:forms", strconv.Itoa(i), text(n))
		}
	}, "zset-max-listpack-value", "100000")
	f.do("GEOADD", "zset:geo", "13.361389", "38.115556", "Palermo", "15.087269", "37.502669", "Catania")
	f.add(600, member, "ZADD", "zset:shrunk")
	f.do("ZREMRANGEBYRANK", "zset:shrunk", "10", "-1")
}
