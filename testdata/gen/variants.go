package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
)

// fixtures are all fixtures, each of which every server can make.
var fixtures = []fixture{
	{name: "all", conf: []string{"--maxmemory-policy", "allkeys-lru"}, fill: fillAll, between: (*filler).idleTimes},
	{name: "lfu", conf: []string{"--maxmemory-policy", "allkeys-lfu", "--lfu-decay-time", "0"}, fill: fillSome, between: (*filler).counters},
	{name: "nocomp", conf: []string{"--rdbcompression", "no"}, fill: fillPlain, large: true},
	{name: "nocrc", conf: []string{"--rdbchecksum", "no"}, fill: fillSome},
	{name: "limits", fill: (*filler).limits},
	{name: "empty", fill: func(*filler) {}},
	{name: "cluster", conf: []string{"--cluster-enabled", "yes"}, fill: (*filler).slots, noDrop: true},
	{name: "expired", fill: (*filler).expired, noReload: true, capture: saveExpired},
	{name: "overflow", fill: (*filler).overflow, noDrop: true, large: true},
	{name: "extreme", fill: (*filler).extreme, noDrop: true, large: true},
	{name: "aof-base", fill: fillSome, capture: captureBase, noReload: true},
	{name: "aof-preamble", ext: "aof", fill: fillSome, capture: capturePreamble, noReload: true},
	{name: "repl-eof", ext: "bin", fill: fillSome, capture: captureEOF, noReload: true, conf: []string{"--repl-diskless-sync", "yes", "--repl-diskless-sync-delay", "0"}},
	{name: "repl-len", ext: "bin", fill: fillSome, capture: captureLength, noReload: true, conf: []string{"--repl-diskless-sync", "no"}},
}

// makeFixtures makes the named fixtures, or all but the large ones, in a
// directory named after the server.
func makeFixtures(argv []string, dir string, names []string) error {
	for i := range fixtures {
		x := fixtures[i]
		if len(names) == 0 && x.large || len(names) > 0 && !contains(names, x.name) {
			continue
		}
		if x.ext == "" {
			x.ext = "rdb"
		}
		if err := x.make(argv, dir); err != nil {
			return fmt.Errorf("%s: %w", x.name, err)
		}
	}
	return nil
}

func fillAll(f *filler) {
	f.everything()
	f.usage()
}

func fillPlain(f *filler) {
	f.plain = true
	f.strings()
	f.hashes()
	f.fieldExpiries()
	f.lists()
	f.sets()
	f.sortedSets()
	f.streams()
	f.streamGroups()
}

// fillSome writes a few keys of every type.
func fillSome(f *filler) {
	f.do("SET", "str", "value")
	f.do("SET", "int", "12345")
	f.do("SET", "lzf", text(400))
	f.do("SET", "expiring", "x", "PXAT", "4102444800000")
	f.do("HSET", "hash", "f1", "v1", "f2", text(100))
	f.do("HSET", "hash:packed", "f", "v")
	f.do("RPUSH", "list", "a", "b", text(70))
	f.do("SADD", "set", "a", "bb", "ccc")
	f.do("SADD", "intset", "1", "70000")
	f.do("ZADD", "zset", "1.5", "a", "2", "bb")
	f.do("ZADD", "zset:table", "1", text(65), "2", "x")
	f.do("XADD", "stream", "1-1", "f", "v")
	f.do("XGROUP", "CREATE", "stream", "g", "0")
	f.do("XREADGROUP", "GROUP", "g", "c", "STREAMS", "stream", ">")
	f.functions()
	f.do("SELECT", "3")
	f.do("SET", "third", "x")
	f.do("SELECT", "0")
	f.usage()
}

// usage writes the keys to which restoreUsage gives an idle time or a counter.
func (f *filler) usage() {
	for _, n := range []int{0, 1, 5, 10, 70, 255, 1000, 100_000, 2_592_000, 2_592_100, 10_000_000} {
		f.do("SET", "usage:"+strconv.Itoa(n), text(n%50))
	}
	f.do("HSET", "usage:hash:3600", "f", "v")
	f.do("SET", "usage:expiring:7200", "v", "PXAT", "4102444800000")
}

// restoreUsage restores the usage keys with an option of RESTORE, whose value is
// the number at the end of their name.
func (f *filler) restoreUsage(option string, limit int) {
	keys, err := f.s.strings("KEYS", "usage:*")
	if err != nil && f.err == nil {
		f.err = err
	}
	for _, key := range keys {
		n, err := strconv.Atoi(key[strings.LastIndex(key, ":")+1:])
		if err != nil || n > limit {
			continue
		}
		payload, err := f.s.text("DUMP", key)
		if err == nil {
			at, _ := f.s.integer("PEXPIRETIME", key)
			f.do("RESTORE", key, strconv.FormatInt(max(at, 0), 10), payload, "REPLACE", "ABSTTL", option, strconv.Itoa(n))
		} else if f.err == nil {
			f.err = err
		}
	}
}

func (f *filler) idleTimes() { f.restoreUsage("IDLETIME", 1<<30) }
func (f *filler) counters()  { f.restoreUsage("FREQ", 255) }

// limits writes values under other limits of the compact encodings than those of
// the restart.
func (f *filler) limits() {
	member := func(i int) []string { return []string{"member:" + strconv.Itoa(i)} }
	raised := func(value string) {
		f.do("SADD", "raised:set:long", value, "a", "b")
		f.do("ZADD", "raised:zset:long", "1", value, "2.5", "b")
		f.do("HSET", "raised:hash:long", "f", value, "g", "v")
		for _, n := range []int{120, 129, 281, 600} {
			name := ":" + strconv.Itoa(n)
			f.add(n, member, "SADD", "raised:set"+name)
			f.add(n, func(i int) []string { return []string{strconv.Itoa(i), "member:" + strconv.Itoa(i)} }, "ZADD", "raised:zset"+name)
			f.add(n, func(i int) []string { return []string{"field:" + strconv.Itoa(i), "value"} }, "HSET", "raised:hash"+name)
			f.add(n, func(i int) []string { return []string{strconv.Itoa(i * 1000)} }, "SADD", "raised:intset"+name)
		}
	}
	f.with(func() { raised(text(500)) }, "set-max-intset-entries", "4000", "set-max-listpack-entries", "2000", "set-max-listpack-value", "1000",
		"hash-max-listpack-entries", "2000", "hash-max-listpack-value", "1000", "zset-max-listpack-entries", "2000", "zset-max-listpack-value", "1000")
	f.with(func() {
		for _, largest := range []int{100, 127, 128, 32767, 32768, 99999, 1 << 23, 1<<31 - 1, 1 << 31, 1 << 40} {
			for i, sign := range []int{1, -1} {
				f.add(30, func(i int) []string { return []string{strconv.Itoa(sign * (largest - i))} }, "SADD", "lowered:intset:"+strconv.Itoa(sign*largest))
				// A listpack that begins as an intset.
				f.add(20+40*i, func(i int) []string { return []string{strconv.Itoa(sign * (largest - i))} }, "SADD", "lowered:mixed:"+strconv.Itoa(sign*largest))
				f.do("SADD", "lowered:mixed:"+strconv.Itoa(sign*largest), "text")
			}
		}
		for _, score := range []string{
			"0", "-0", "1", "1.5", "0.1", "0.30000000000000004", "3.14159", "12345.678", "1e-5", "1.5e-5", "1.25e-7", "1e-7", "1.5e-300", "1e300", "-1.5e22", "1e21", "1e22", "123456789e20",
			"inf", "-inf", "9007199254740991", "9007199254740992", "-9007199254740994", "100000000000000000", "4611686018427387904", "4611686018427388928", "9223372036854775808", "-1e19",
		} {
			f.add(40, func(i int) []string { return []string{score, "m" + strconv.Itoa(i)} }, "ZADD", "lowered:zset:"+score)
		}
		f.add(100, func(int) []string { return []string{strconv.FormatFloat(f.rng.NormFloat64(), 'g', -1, 64), f.noise(8)} }, "ZADD", "lowered:zset:fractions")
		f.add(100, func(i int) []string { return []string{"field:" + strconv.Itoa(i), "value"} }, "HSET", "lowered:hash")
	}, "set-max-intset-entries", "1", "set-max-listpack-entries", "1", "hash-max-listpack-entries", "1", "zset-max-listpack-entries", "0")
}

// slots writes keys to a cluster node that has all slots.
func (f *filler) slots() {
	f.do("CLUSTER", "ADDSLOTSRANGE", "0", "16383")
	if f.err == nil {
		f.err = f.s.awaitCluster()
	}
	for i := range 60 {
		f.do("SET", "slot:"+strconv.Itoa(i), "v"+strconv.Itoa(i))
		f.do("SET", "{user:"+strconv.Itoa(i%7)+"}:"+strconv.Itoa(i), "x", "PXAT", "4102444800000")
	}
	for i, name := range []string{"{}empty", "{a}{b}", "x{y", "x}y{z}", "{{a}}", "a{b}c{d}"} {
		f.do("SET", name, strconv.Itoa(i))
		f.do("HSET", name+":hash", "f", text(90))
	}
	f.do("RPUSH", "{user:1}:list", "a", "b")
	f.do("SADD", "{user:1}:set", "a", "b")
	f.do("ZADD", "{user:1}:zset", "1", "a")
	f.do("XADD", "{user:1}:stream", "1-1", "f", "v")
}

// overflow writes listpacks of more than 65,535 entries and a name of 66,000 bytes.
func (f *filler) overflow() {
	f.with(func() {
		f.add(70_000, func(int) []string { return []string{"a"} }, "RPUSH", "list:70000")
		f.add(33_000, func(i int) []string { return []string{strconv.Itoa(i), "1"} }, "HSET", "hash:33000")
	}, "list-max-listpack-size", "100000", "hash-max-listpack-entries", "100000")
	f.do("SET", "name:"+strings.Repeat("large", 13_200), "v")
}

// extreme writes values of megabytes: listpack entries on both sides of the
// three-byte back length (2,097,151 bytes with their header) and long strings.
func (f *filler) extreme() {
	f.with(func() {
		f.do("HSET", "hash:2mb", "f", text(2_097_145), "g", text(2_097_146), "h", text(2_097_147))
		f.do("RPUSH", "list:1mb", text(1<<20))
	}, "hash-max-listpack-value", "3000000")
	f.do("SET", "str:1mb", strings.Repeat("0123456789abcdef", 1<<16))
	f.do("HSET", "hash:long:field", strings.Repeat("field", 14_000), text(70_000))
}

// expired writes keys that are past their expiry when the snapshot is taken.
func (f *filler) expired() {
	f.do("DEBUG", "SET-ACTIVE-EXPIRE", "0")
	at := strconv.FormatInt(time.Now().Add(2*time.Second).UnixMilli(), 10)
	f.do("SET", "gone:string", "v", "PXAT", at)
	f.do("HSET", "gone:hash", "f", "v")
	f.do("PEXPIREAT", "gone:hash", at)
	f.do("RPUSH", "gone:list", "a", "b")
	f.do("PEXPIREAT", "gone:list", at)
	f.do("SET", "future", "v", "PXAT", "4102444800000")
	f.do("SET", "persistent", "v")
}

func saveExpired(s *server, target string) error {
	time.Sleep(2200 * time.Millisecond)
	return s.snapshot(target)
}

// captureBase writes the base file of a multi-part append-only file.
func captureBase(s *server, target string) error {
	base, _, err := appendOnly(s)
	if err != nil {
		return err
	}
	return os.WriteFile(target, base, 0o644)
}

// capturePreamble writes base and commands to one file, as servers before 7.0 do
// and later ones still read.
func capturePreamble(s *server, target string) error {
	base, commands, err := appendOnly(s)
	if err != nil {
		return err
	}
	return os.WriteFile(target, append(base, commands...), 0o644)
}

// appendOnly switches the append-only file on, writes a few commands, and
// returns its two parts.
func appendOnly(s *server) (base, commands []byte, err error) {
	if _, err := s.do("CONFIG", "SET", "appendonly", "yes"); err != nil {
		return nil, nil, err
	}
	for {
		busy, err := s.info("persistence", "aof_rewrite_in_progress")
		if err != nil {
			return nil, nil, err
		}
		scheduled, err := s.info("persistence", "aof_rewrite_scheduled")
		if err != nil {
			return nil, nil, err
		}
		if busy == "0" && scheduled == "0" {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	if _, err := s.do("SET", "after the base", "not in it"); err != nil {
		return nil, nil, err
	}
	if _, err := s.do("CONFIG", "SET", "appendonly", "no"); err != nil { // writes it out
		return nil, nil, err
	}
	list, err := os.ReadDir(s.path("aof"))
	if err != nil {
		return nil, nil, err
	}
	for _, e := range list {
		data, err := os.ReadFile(s.path("aof/" + e.Name()))
		if err != nil {
			return nil, nil, err
		}
		switch {
		case strings.HasSuffix(e.Name(), ".base.rdb"):
			base = data
		case strings.HasSuffix(e.Name(), ".incr.aof"):
			commands = append(commands, data...)
		}
	}
	if base == nil || commands == nil {
		return nil, nil, fmt.Errorf("no base or no commands in %d files", len(list))
	}
	return base, commands, nil
}

func captureEOF(s *server, target string) error {
	stream, err := fullSync(s, "eof")
	if err != nil {
		return err
	}
	defer stream.close()
	head, err := stream.r.ReadBytes('\n')
	if err != nil {
		return err
	}
	if !bytes.HasPrefix(head, []byte("$EOF:")) || len(head) != 47 {
		return fmt.Errorf("not a stream with an end mark: %q", head)
	}
	mark, data := head[5:45], head
	for !bytes.HasSuffix(data, mark) || len(data) == len(head) {
		c, err := stream.r.ReadByte()
		if err != nil {
			return err
		}
		data = append(data, c)
	}
	return os.WriteFile(target, data, 0o644)
}

func captureLength(s *server, target string) error {
	stream, err := fullSync(s, "psync2")
	if err != nil {
		return err
	}
	defer stream.close()
	head, err := stream.r.ReadBytes('\n')
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(strings.Trim(string(head), "$\r\n"))
	if err != nil {
		return fmt.Errorf("not a stream with a length: %q", head)
	}
	data := make([]byte, n)
	if _, err := io.ReadFull(stream.r, data); err != nil {
		return err
	}
	return os.WriteFile(target, append(head, data...), 0o644)
}

// fullSync requests a full synchronization as a replica does and reads up to
// where the snapshot's frame begins.
func fullSync(s *server, capability string) (*client, error) {
	c, err := dial("unix", s.path("sock"))
	if err != nil {
		return nil, err
	}
	_, version, _ := strings.Cut(s.name, "-")
	for _, args := range [][]string{{"REPLCONF", "capa", capability}, {"REPLCONF", "version", version}} {
		var re replyError // only Valkey has REPLCONF version
		if _, err := c.do(args...); err != nil && !errors.As(err, &re) {
			return nil, err
		}
	}
	if _, err := c.do("PSYNC", "?", "-1"); err != nil {
		return nil, err
	}
	for {
		b, err := c.r.Peek(1)
		if err != nil {
			return nil, err
		}
		if b[0] != '\n' {
			return c, nil
		}
		c.r.Discard(1) // keep-alive
	}
}
