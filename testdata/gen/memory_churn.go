package main

import (
	"math/rand/v2"
	"strconv"
)

// A memoryChurn changes a keyspace with all write commands, in rounds with
// different limits of the compact encodings, so that tables have grown and
// shrunk, values have changed their encoding, and strings have spare bytes.
type memoryChurn struct {
	memoryFill
	names [6][]string // keys by type: string, list, set, zset, hash, stream
}

// churnLimits are the values between which a round chooses, the default first.
// A server that does not know a limit refuses it.
var churnLimits = []struct {
	name   string
	values []int
}{
	{"hash-max-listpack-entries", []int{512, 512, 16, 4000}},
	{"hash-max-listpack-value", []int{64, 64, 16, 1000}},
	{"list-max-listpack-size", []int{-2, -2, -1, -5, 3, 200}},
	{"list-compress-depth", []int{0, 0, 0, 0, 0, 0, 1}},
	{"set-max-intset-entries", []int{512, 512, 16, 4000}},
	{"set-max-listpack-entries", []int{128, 128, 16, 2000}},
	{"set-max-listpack-value", []int{64, 64, 16, 1000}},
	{"zset-max-listpack-entries", []int{128, 128, 16, 2000}},
	{"zset-max-listpack-value", []int{64, 64, 16, 1000}},
	{"stream-node-max-entries", []int{100, 100, 10, 1000}},
	{"stream-node-max-bytes", []int{4096, 4096, 1024, 20000}},
	{"hll-sparse-max-bytes", []int{3000, 3000, 100}},
}

// run writes m.keys keys and changes them 12 times as often.
func (m *memoryChurn) run() {
	types := []string{"string", "list", "set", "zset", "hash", "stream"}
	for i := range m.keys {
		t := []int{0, 0, 0, 1, 2, 2, 3, 3, 4, 4, 4, 5}[m.rng.IntN(12)]
		m.names[t] = append(m.names[t], m.name(types[t], i))
	}
	ops := [6][]func(key string){
		{m.set0, m.set0, m.growString, m.setRange, m.number, m.bits, m.hyperLogLog, m.bitop},
		{m.push, m.push, m.push, m.pop, m.pop, m.editList, m.trimList, m.moveItems, m.sortStore},
		{m.addMembers, m.addMembers, m.addMembers, m.removeMembers, m.removeMembers, m.popMembers, m.storeSet, m.moveMember},
		{m.addScored, m.addScored, m.addScored, m.increaseScores, m.removeScored, m.removeScored, m.removeRange, m.storeSorted, m.geoAdd},
		{m.setFields, m.setFields, m.setFields, m.increaseFields, m.deleteFields, m.deleteFields, m.expireFields},
		{m.addEntries, m.addEntries, m.addEntries, m.deleteEntries, m.trimStream, m.groups, m.claim},
	}
	const rounds = 24
	for range rounds {
		for _, l := range churnLimits {
			m.send("CONFIG", "SET", l.name, strconv.Itoa(l.values[m.rng.IntN(len(l.values))]))
		}
		for range m.keys * 12 / rounds {
			t := m.rng.IntN(len(ops))
			if len(m.names[t]) == 0 {
				continue
			}
			key := m.any(t)
			ops[t][m.rng.IntN(len(ops[t]))](key)
			switch m.rng.IntN(40) {
			case 0, 1, 2:
				m.send("PEXPIREAT", key, strconv.FormatInt(4_102_444_800_000+m.rng.Int64N(1e9), 10))
			case 3:
				m.send("PERSIST", key)
			case 4:
				m.send("DEL", key)
			case 5:
				m.send("RENAME", key, m.any(t))
			case 6:
				// DUMP and RESTORE within the server.
				m.send("EVAL", "local p = redis.call('DUMP', KEYS[1]); if p then redis.call('RESTORE', KEYS[2], 0, p, 'REPLACE') end", "2", key, m.any(t))
			case 7, 8, 9:
				m.send("COPY", key, m.any(t), "REPLACE")
			case 10:
				m.send("MOVE", key, "1")
				m.send("SELECT", "1")
				m.send("MOVE", key, "0")
				m.send("SELECT", "0")
			}
		}
	}
	m.send("SCRIPT", "FLUSH")
	m.send("SELECT", "1")
	m.send("FLUSHDB")
	m.send("SELECT", "0")
}

// any returns a random key of a type.
func (m *memoryChurn) any(t int) string { return m.names[t][m.rng.IntN(len(m.names[t]))] }

func (m *memoryChurn) int(n int) string { return strconv.Itoa(m.rng.IntN(n)) }

func (m *memoryChurn) set0(key string) {
	switch m.rng.IntN(6) {
	case 0:
		m.send("SETEX", key, "2000000000", m.word(m.size(1, 100)))
	case 1:
		m.send("GETSET", key, m.word(m.size(1, 1000)))
	case 2:
		m.send("MSET", key, m.int(20_000), m.any(0), m.word(m.size(1, 60)))
	case 3:
		m.send("SET", key, m.word(m.size(1, 300)), "KEEPTTL")
	default:
		m.str(key)
	}
}

func (m *memoryChurn) growString(key string) {
	for range m.size(1, 8) {
		m.send("APPEND", key, m.word(m.size(1, 200)))
	}
}

func (m *memoryChurn) setRange(key string) {
	m.send("SETRANGE", key, m.int(m.size(1, 3000)), m.word(m.size(1, 100)))
}

func (m *memoryChurn) number(key string) {
	if m.rng.IntN(2) == 0 {
		m.send("SET", key, m.int(1_000_000))
	}
	m.send([]string{"INCR", "DECR"}[m.rng.IntN(2)], key)
	m.send("INCRBY", key, m.int(1e9))
	if m.rng.IntN(2) == 0 {
		m.send("INCRBYFLOAT", key, strconv.FormatFloat(m.rng.Float64()*100, 'f', 3, 64))
	}
}

func (m *memoryChurn) bits(key string) {
	m.send("SETBIT", key, m.int(m.size(8, 40_000)), "1")
	m.send("BITFIELD", key, "SET", "u16", m.int(m.size(8, 8000)), m.int(65536))
}

func (m *memoryChurn) bitop(key string) { m.send("BITOP", "XOR", m.any(0), key, m.any(0)) }

func (m *memoryChurn) hyperLogLog(key string) {
	if m.rng.IntN(3) > 0 {
		m.send("DEL", key)
	}
	m.add(m.size(1, 2000), func(args []string) []string { return append(args, m.word(8)) }, "PFADD", key)
}

func (m *memoryChurn) push(key string) {
	item := m.element()
	switch m.rng.IntN(16) {
	case 0:
		item = func() string { return m.bulk(m.size(1000, 20_000)) }
		m.add(m.size(1, 4), func(args []string) []string { return append(args, item()) }, "LPUSH", key)
		return
	case 1:
		item = func() string { return m.word(m.size(20, 500)) }
	}
	m.add(m.count(60), func(args []string) []string { return append(args, item()) }, []string{"LPUSH", "RPUSH", "RPUSHX"}[m.rng.IntN(3)], key)
}

func (m *memoryChurn) pop(key string) {
	m.send([]string{"LPOP", "RPOP"}[m.rng.IntN(2)], key, strconv.Itoa(m.size(1, 100)))
	m.send("LMPOP", "1", key, "LEFT", "COUNT", m.int(5)+"1")
}

func (m *memoryChurn) editList(key string) {
	item := m.element()
	for range m.size(1, 40) {
		at := strconv.Itoa(m.rng.IntN(100) - 50)
		m.send("LSET", key, at, item())
	}
	m.send("RPUSH", key, "pivot")
	m.send("LINSERT", key, "BEFORE", "pivot", item())
	m.send("LREM", key, "0", "pivot")
	if m.rng.IntN(8) == 0 {
		m.send("LSET", key, "0", m.bulk(m.size(5000, 20_000)))
	}
}

func (m *memoryChurn) trimList(key string) {
	m.send("LTRIM", key, m.int(10), strconv.Itoa(m.size(20, 400)))
}

func (m *memoryChurn) moveItems(key string) {
	to := m.any(1)
	for range m.size(1, 30) {
		m.send("LMOVE", key, to, "RIGHT", "LEFT")
	}
	m.send("RPOPLPUSH", key, to)
}

func (m *memoryChurn) sortStore(key string) { m.send("SORT", key, "ALPHA", "STORE", m.any(1)) }

func (m *memoryChurn) addMembers(key string) { m.set(key) }

func (m *memoryChurn) removeMembers(key string) {
	m.send("EVAL", "for _, e in ipairs(redis.call('SRANDMEMBER', KEYS[1], ARGV[1])) do redis.call('SREM', KEYS[1], e) end", "1", key, strconv.Itoa(m.size(1, 300)))
}

func (m *memoryChurn) popMembers(key string) { m.send("SPOP", key, strconv.Itoa(m.size(1, 300))) }

func (m *memoryChurn) storeSet(key string) {
	m.send([]string{"SUNIONSTORE", "SDIFFSTORE", "SINTERSTORE", "SUNIONSTORE"}[m.rng.IntN(4)], key, m.any(2), m.any(2))
}

func (m *memoryChurn) moveMember(key string) {
	m.send("SADD", key, "moving")
	m.send("SMOVE", key, m.any(2), "moving")
}

// addScored adds members with the scores that applications have, and rare ones.
func (m *memoryChurn) addScored(key string) {
	if m.rng.IntN(3) > 0 {
		m.zset(key)
		return
	}
	member := m.element()
	score := []func() string{
		func() string { return []string{"inf", "-inf", "0", "-0"}[m.rng.IntN(4)] },
		func() string { return strconv.FormatFloat(m.rng.NormFloat64()*1e15, 'g', -1, 64) },
		func() string { return strconv.FormatInt(m.rng.Int64(), 10) },
		func() string { return strconv.FormatInt(int64(1)<<m.rng.IntN(63), 10) },
		func() string { return strconv.FormatFloat(m.rng.ExpFloat64()*1e-9, 'g', -1, 64) },
		func() string { return strconv.FormatFloat(m.rng.Float64()*1e4, 'f', 2, 64) },
		func() string { return "1.5e" + strconv.Itoa(m.rng.IntN(600)-300) },
	}[m.rng.IntN(7)]
	m.add(m.count(40), func(args []string) []string { return append(args, score(), member()) }, "ZADD", key)
}

func (m *memoryChurn) increaseScores(key string) {
	m.send("EVAL", "for _, e in ipairs(redis.call('ZRANGE', KEYS[1], 0, 20)) do redis.call('ZINCRBY', KEYS[1], ARGV[1], e) end", "1", key,
		strconv.FormatFloat(m.rng.Float64()*100, 'f', m.rng.IntN(4), 64))
}

func (m *memoryChurn) removeScored(key string) {
	switch m.rng.IntN(3) {
	case 0:
		m.send("ZPOPMIN", key, strconv.Itoa(m.size(1, 200)))
	case 1:
		m.send("ZPOPMAX", key, strconv.Itoa(m.size(1, 200)))
	default:
		m.send("EVAL", "for _, e in ipairs(redis.call('ZRANDMEMBER', KEYS[1], ARGV[1])) do redis.call('ZREM', KEYS[1], e) end", "1", key, strconv.Itoa(m.size(1, 300)))
	}
}

func (m *memoryChurn) removeRange(key string) {
	m.send("ZREMRANGEBYRANK", key, m.int(20), strconv.Itoa(m.size(20, 300)))
	m.send("ZREMRANGEBYSCORE", key, m.int(1000), m.int(3000))
}

func (m *memoryChurn) storeSorted(key string) {
	if m.rng.IntN(2) == 0 {
		m.send("ZUNIONSTORE", key, "2", m.any(3), m.any(3), "WEIGHTS", "1", "0.5")
		return
	}
	m.send("ZRANGESTORE", key, m.any(3), "0", strconv.Itoa(m.size(1, 1000)))
}

func (m *memoryChurn) geoAdd(key string) {
	m.add(m.size(1, 60), func(args []string) []string {
		return append(args, strconv.FormatFloat(m.rng.Float64()*100, 'f', 5, 64), strconv.FormatFloat(m.rng.Float64()*80, 'f', 5, 64), m.word(8))
	}, "GEOADD", key)
}

func (m *memoryChurn) setFields(key string) { m.hash(key) }

func (m *memoryChurn) increaseFields(key string) {
	for range m.size(1, 30) {
		m.send("HINCRBY", key, "counter"+m.int(20), m.int(1e6))
		m.send("HINCRBYFLOAT", key, "float"+m.int(20), strconv.FormatFloat(m.rng.Float64(), 'f', 3, 64))
	}
}

func (m *memoryChurn) deleteFields(key string) {
	m.send("EVAL", "for _, e in ipairs(redis.call('HRANDFIELD', KEYS[1], ARGV[1])) do redis.call('HDEL', KEYS[1], e) end", "1", key, strconv.Itoa(m.size(1, 300)))
}

func (m *memoryChurn) expireFields(key string) {
	if !m.fields || m.rng.IntN(3) > 0 {
		return
	}
	at := 4_102_444_800_000 + m.rng.Int64N(1e10)
	m.send("EVAL", "for i, e in ipairs(redis.call('HRANDFIELD', KEYS[1], ARGV[1])) do redis.call(ARGV[2], KEYS[1], ARGV[3] + i * ARGV[4], 'FIELDS', 1, e) end",
		"1", key, strconv.Itoa(m.size(1, 300)), "HPEXPIREAT", strconv.FormatInt(at, 10), m.int(100_000))
	if m.rng.IntN(3) == 0 {
		m.send("EVAL", "for i, e in ipairs(redis.call('HRANDFIELD', KEYS[1], ARGV[1])) do redis.call('HPERSIST', KEYS[1], 'FIELDS', 1, e) end",
			"1", key, strconv.Itoa(m.size(1, 300)))
	}
}

func (m *memoryChurn) addEntries(key string) {
	same := m.rng.IntN(3) > 0
	for i := range m.size(1, 150) {
		args := []string{"XADD", key, "*", "user", m.int(1_000_000), "action", m.word(m.size(3, 40))}
		if !same && i%3 == 0 {
			args = append(args, "note", m.word(m.size(1, 100)))
		}
		m.send(args...)
	}
}

func (m *memoryChurn) deleteEntries(key string) {
	m.send("EVAL", "for i, e in ipairs(redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', ARGV[1])) do if i % 3 < 2 then redis.call('XDEL', KEYS[1], e[1]) end end",
		"1", key, strconv.Itoa(m.size(1, 100)))
}

func (m *memoryChurn) trimStream(key string) {
	m.send("XTRIM", key, "MAXLEN", []string{"=", "~"}[m.rng.IntN(2)], strconv.Itoa(m.size(1, 200)))
}

func (m *memoryChurn) groups(key string) {
	group := "group" + m.int(3)
	m.send("XGROUP", "CREATE", key, group, "0", "MKSTREAM")
	for range 1 + m.rng.IntN(3) {
		m.send("XREADGROUP", "GROUP", group, "consumer-"+m.int(4), "COUNT", strconv.Itoa(m.size(1, 100)), "STREAMS", key, ">")
	}
	if m.rng.IntN(8) == 0 {
		m.send("XGROUP", "DELCONSUMER", key, group, "consumer-"+m.int(4))
		m.send("XGROUP", "DESTROY", key, "group"+m.int(3))
	}
}

func (m *memoryChurn) claim(key string) {
	group := "group" + m.int(3)
	m.send("XAUTOCLAIM", key, group, "consumer-"+m.int(6), "0", "-", "COUNT", strconv.Itoa(m.size(1, 100)))
	m.send("EVAL", "for i, e in ipairs(redis.call('XPENDING', KEYS[1], ARGV[1], '-', '+', 100)) do if i % 2 == 0 then redis.call('XACK', KEYS[1], ARGV[1], e[1]) end end",
		"1", key, group)
}

// churn runs a churn of a seed on a server. Commands that do not fit the value
// at hand are refused, which is no error.
func (s *server) churn(keys int, seed uint64) error {
	return s.pipelineReplies(func(send func(args ...string)) {
		m := memoryChurn{memoryFill: memoryFill{rng: rand.New(rand.NewPCG(seed, uint64(keys))), send: send, keys: keys, fields: s.fieldExpiry}}
		m.run()
	}, func(any, error) {})
}
