package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
)

// A memoryFill writes the keyspace with which the memory model is measured: every
// type and encoding in many sizes, grown by the commands of applications.
type memoryFill struct {
	rng    *rand.Rand
	send   func(args ...string)
	keys   int
	fields bool // the server has expiries of fields
}

// size returns a random number between from and to, each power of two as likely
// as the next.
func (m *memoryFill) size(from, to int) int {
	return int(float64(from) * math.Pow(float64(to)/float64(from), m.rng.Float64()))
}

// word returns a random text of n characters.
func (m *memoryFill) word(n int) string {
	const letters = "abcdefghijklmnopqrstuvwxyz0123456789"
	b := make([]byte, n)
	for i := range b {
		b[i] = letters[m.rng.IntN(len(letters))]
	}
	return string(b)
}

// bulk returns a text of n bytes, made quickly.
func (m *memoryFill) bulk(n int) string {
	return strings.Repeat(m.word(min(n, 40)+1), n/min(n+1, 41)+1)[:n]
}

// name returns a key of a type, of varying length.
func (m *memoryFill) name(typ string, i int) string {
	s := typ + ":" + strconv.Itoa(i)
	switch m.rng.IntN(10) {
	case 0:
		return s
	case 1:
		return s + ":" + m.word(m.size(20, 300))
	}
	return "shop:" + s + ":" + m.word(m.rng.IntN(24))
}

// fill writes all keys.
func (m *memoryFill) fill() {
	for i := range m.keys {
		var key string
		switch p := m.rng.IntN(1000); {
		case p < 550:
			key = m.name("string", i)
			m.str(key)
		case p < 700:
			key = m.name("hash", i)
			m.hash(key)
		case p < 780:
			key = m.name("list", i)
			m.list(key)
		case p < 870:
			key = m.name("set", i)
			m.set(key)
		case p < 960:
			key = m.name("zset", i)
			m.zset(key)
		default:
			key = m.name("stream", i)
			m.stream(key)
		}
		if m.rng.IntN(3) == 0 {
			m.send("PEXPIREAT", key, strconv.FormatInt(4_102_444_800_000+m.rng.Int64N(1e9), 10))
		}
	}
}

func (m *memoryFill) str(key string) {
	switch m.rng.IntN(6) {
	case 0:
		m.send("SET", key, strconv.Itoa(m.rng.IntN(20_000)))
	case 1:
		m.send("SET", key, strconv.FormatInt(m.rng.Int64()-m.rng.Int64(), 10))
	case 2, 3:
		m.send("SET", key, m.word(m.rng.IntN(60)))
	case 4:
		m.send("SET", key, m.word(m.size(40, 300)))
	default:
		m.send("SET", key, m.bulk(m.size(100, 20_000)))
	}
}

// add sends a command with n rounds of arguments, 300 at a time.
func (m *memoryFill) add(n int, round func(args []string) []string, command ...string) {
	for n > 0 {
		args := append([]string{}, command...)
		for k := 0; k < 300 && n > 0; k++ {
			args = round(args)
			n--
		}
		m.send(args...)
	}
}

// count returns a random number of elements: mostly for compact encodings,
// sometimes for full ones, rarely thousands.
func (m *memoryFill) count(limit int) int {
	switch p := m.rng.IntN(1000); {
	case p < 800:
		return m.size(1, limit)
	case p < 990:
		return m.size(limit, 6*limit)
	case p < 999:
		return m.size(6*limit, 20*limit)
	}
	return m.size(10_000, 30_000)
}

func (m *memoryFill) element() func() string {
	switch m.rng.IntN(4) {
	case 0:
		return func() string { return strconv.Itoa(m.rng.IntN(1 << 30)) }
	case 1:
		return func() string { return m.word(8 + m.rng.IntN(4)) }
	case 2:
		return func() string { return m.word(m.size(4, 60)) }
	}
	return func() string { return "user:" + strconv.Itoa(m.rng.IntN(1_000_000)) }
}

func (m *memoryFill) hash(key string) {
	field, value := m.element(), m.element()
	if m.rng.IntN(12) == 0 {
		value = func() string { return m.word(m.size(20, 400)) } // too long for a listpack
	}
	n := m.count(40)
	if m.rng.IntN(10) == 0 {
		n = m.count(300)
	}
	m.add(n, func(args []string) []string { return append(args, field(), value()) }, "HSET", key)
	if m.fields && m.rng.IntN(6) == 0 {
		n := min(n, m.size(1, 300))
		m.add(n, func(args []string) []string { return append(args, m.word(6), value()) }, "HSET", key)
		names := make([]string, 0, n)
		for i := range n {
			names = append(names, "expiring:"+strconv.Itoa(i))
			m.send("HSET", key, names[i], value())
		}
		at := 4_102_444_800_000 + m.rng.Int64N(1e10)
		spread := int64(m.size(1, 100_000_000))
		for _, f := range names {
			m.send("HPEXPIREAT", key, strconv.FormatInt(at+m.rng.Int64N(spread), 10), "FIELDS", "1", f)
		}
	}
}

func (m *memoryFill) list(key string) {
	item := m.element()
	switch m.rng.IntN(20) {
	case 0:
		item = func() string { return m.bulk(m.size(1000, 30_000)) }
		m.add(m.size(1, 10), func(args []string) []string { return append(args, item()) }, "RPUSH", key)
		return
	case 1, 2:
		item = func() string { return m.word(m.size(20, 500)) }
	}
	command := "RPUSH"
	if m.rng.IntN(3) == 0 {
		command = "LPUSH"
	}
	m.add(m.count(80), func(args []string) []string { return append(args, item()) }, command, key)
}

func (m *memoryFill) set(key string) {
	member := m.element()
	switch m.rng.IntN(3) {
	case 0:
		limit := int64(1) << m.size(5, 62)
		member = func() string { return strconv.FormatInt(m.rng.Int64N(limit)-limit/3, 10) }
	}
	n := m.count(40)
	if m.rng.IntN(6) == 0 {
		n = m.count(200)
	}
	m.add(n, func(args []string) []string { return append(args, member()) }, "SADD", key)
}

func (m *memoryFill) zset(key string) {
	member := m.element()
	if m.rng.IntN(12) == 0 {
		member = func() string { return m.word(m.size(20, 200)) }
	}
	score := func() string { return strconv.Itoa(m.rng.IntN(100_000)) }
	if m.rng.IntN(3) == 0 {
		score = func() string { return strconv.FormatFloat(m.rng.Float64()*1000, 'g', -1, 64) }
	}
	n := m.count(40)
	if m.rng.IntN(6) == 0 {
		n = m.count(120)
	}
	m.add(n, func(args []string) []string { return append(args, score(), member()) }, "ZADD", key)
}

func (m *memoryFill) stream(key string) {
	n := m.size(1, 120)
	if m.rng.IntN(10) == 0 {
		n = m.size(100, 2000)
	}
	ms := 1_700_000_000_000 + m.rng.Int64N(1e9)
	ids := make([]string, n)
	same := m.rng.IntN(3) > 0
	for i := range n {
		ms += int64(m.size(1, 5000)) - 1
		ids[i] = fmt.Sprintf("%d-%d", ms, i)
		args := []string{"XADD", key, ids[i], "user", strconv.Itoa(m.rng.IntN(1_000_000)), "action", m.word(m.size(3, 40))}
		if !same && i%3 == 0 {
			args = append(args, "note", m.word(m.size(1, 100)))
		}
		m.send(args...)
	}
	if m.rng.IntN(3) > 0 {
		return
	}
	for g := range 1 + m.rng.IntN(3) {
		group := "group" + strconv.Itoa(g)
		m.send("XGROUP", "CREATE", key, group, "0")
		for c := range 1 + m.rng.IntN(3) {
			m.send("XREADGROUP", "GROUP", group, "consumer-"+strconv.Itoa(c), "COUNT", strconv.Itoa(1+m.rng.IntN(n)), "STREAMS", key, ">")
		}
		for k := m.rng.IntN(n); k > 0; k-- {
			m.send("XACK", key, group, ids[m.rng.IntN(n)])
		}
	}
	for k := m.rng.IntN(n/4 + 1); k > 0; k-- {
		m.send("XDEL", key, ids[m.rng.IntN(n)])
	}
}
