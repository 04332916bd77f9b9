package main

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// A filler sends commands one by one and keeps the first error, so that a data
// set reads as a list of its contents.
type filler struct {
	s   *server
	rng *rand.Rand
	err error
	// plain omits the largest values, which make a snapshot without
	// compression too large for a fixture.
	plain bool
}

func newFiller(s *server) *filler {
	return &filler{s: s, rng: rand.New(rand.NewPCG(7, 11))}
}

// do sends one command.
func (f *filler) do(args ...string) {
	if f.err == nil {
		_, f.err = f.s.do(args...)
	}
}

// add sends one command with n rounds of arguments at the end, a few hundred
// rounds at a time.
func (f *filler) add(n int, round func(i int) []string, command ...string) {
	const batch = 500
	for i := 0; i < n && f.err == nil; {
		args := append([]string{}, command...)
		for k := 0; k < batch && i < n; k++ {
			args = append(args, round(i)...)
			i++
		}
		f.do(args...)
	}
}

// with runs fill under other settings of the server and then restores the old
// ones. Settings that this server does not know are omitted.
func (f *filler) with(fill func(), settings ...string) {
	var old []string
	for i := 0; i+1 < len(settings) && f.err == nil; i += 2 {
		v, err := f.s.strings("CONFIG", "GET", settings[i])
		if f.err = err; err != nil || len(v) < 2 {
			continue
		}
		old = append(old, settings[i], v[1])
		f.do("CONFIG", "SET", settings[i], settings[i+1])
	}
	fill()
	for i := 0; i+1 < len(old); i += 2 {
		f.do("CONFIG", "SET", old[i], old[i+1])
	}
}

// text returns n bytes that compress well.
func text(n int) string {
	const words = "the quick brown fox jumps over the lazy dog; "
	return strings.Repeat(words, n/len(words)+1)[:n]
}

// counts returns the numbers of elements to make collections with.
func (f *filler) counts(all ...int) []int {
	for i, n := range all {
		if f.plain && n > 600 {
			return all[:i]
		}
	}
	return all
}

// packedStrings are lengths on both sides of every string form of a listpack:
// 6, 12 and 32 bits, and back lengths of one, two and three bytes (an entry of
// 127 and 128, 16382 to 16384 bytes with its header).
var packedStrings = []int{0, 1, 63, 64, 125, 126, 127, 4095, 4096, 16376, 16377, 16378, 16379}

func (f *filler) packedStrings() []int { return f.counts(packedStrings...) }

// noise returns n bytes that do not compress, the same in every run.
func (f *filler) noise(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(f.rng.Uint32())
	}
	return string(b)
}

// integers are numbers on both sides of every width that an encoding has:
// RDB's 8, 16 and 32 bits, the listpack's 7, 13, 16, 24, 32 and 64 bits, the
// shared integers' end, and the limits of int64.
var integers = []string{
	"0", "1", "12", "13", "42", "-1", "127", "128", "-128", "-129", "4095", "4096", "-4096", "-4097", "9999", "10000",
	"32767", "32768", "-32768", "-32769", "8388607", "8388608", "-8388608", "-8388609",
	"2147483647", "2147483648", "-2147483648", "-2147483649", "12345678901",
	"9223372036854775807", "-9223372036854775808",
}

// lookalikes are texts that look like integers and are stored as text.
var lookalikes = []string{"007", "+1", "-0", " 1", "1 ", "1.0", "9223372036854775808", "-9223372036854775809", "0x10", "1e3"}

// hostileNames are names and elements that a report must escape.
var hostileNames = []string{
	"\x1b[31mred\x1b[0m", "\x1b]0;title\x07", "<script>alert(1)</script>", "=cmd|' /C calc'!A0", "+1+1", "-1-1", "@SUM(A1)",
	"a|b|c", "`rm -rf`", "nul\x00inside", "line\nbreak", "cr\rlf\r\n", "tab\there", "\u202egnp.exe\u202c", "zero\u200bwidth",
	"caf\u00e9:\u043a\u043b\u044e\u0447:\u9375", "bad\xff\xfeutf8", "cut\xe4\xb8", "over\xc0\xaflong", `back\slash`, `back\x41slash`,
	`quote"double`, "quote'single", " leading and trailing ", "$(reboot)", "%s%n%x", "a,b;c", "{tag}:x", "del\x7f", "\u0085nel\u2028ls",
}

// everything fills the server with every type, every encoding and the edges
// between them.
func (f *filler) everything() {
	f.strings()
	f.embeddings()
	f.names()
	f.hashes()
	f.fieldExpiries()
	f.lists()
	f.sets()
	f.sortedSets()
	f.streams()
	f.streamGroups()
	f.vectors()
	f.functions()
	f.expiries()
	f.databases()
}

func (f *filler) strings() {
	for _, s := range integers {
		f.do("SET", "str:int:"+s, s)
	}
	for i, s := range lookalikes {
		f.do("SET", "str:lookalike:"+strconv.Itoa(i), s)
	}
	// LZF is tried above 20 bytes; 44 is the last embstr; 63 and 64 are the
	// last 6-bit and the first 14-bit length.
	for _, n := range []int{0, 1, 20, 21, 31, 32, 43, 44, 45, 63, 64, 100, 128, 255, 256} {
		f.do("SET", fmt.Sprintf("str:noise:%d", n), f.noise(n))
		f.do("SET", fmt.Sprintf("str:text:%d", n), text(n))
	}
	f.do("SET", "str:noise:2000", f.noise(2000))
	f.do("SET", "str:zeros", strings.Repeat("\x00", 300))
	// 16383 and 16384 are the last 14-bit and the first 32-bit length.
	for _, n := range []int{16383, 16384, 65535, 65536} {
		if f.plain && n > 16384 {
			continue
		}
		f.do("SET", fmt.Sprintf("str:text:%d", n), text(n))
	}
	f.do("APPEND", "str:append", "hello ")
	f.do("APPEND", "str:append", "world")
	f.do("SETRANGE", "str:range", "70", "x")
	f.do("SETBIT", "str:bitmap", "80000", "1")
	f.add(3, func(i int) []string { return []string{"visitor" + strconv.Itoa(i)} }, "PFADD", "hll:sparse")
	if !f.plain {
		f.with(func() {
			f.add(50, func(i int) []string { return []string{"visitor" + strconv.Itoa(i)} }, "PFADD", "hll:dense")
		},
			"hll-sparse-max-bytes", "100")
	}
}

// embeddings writes strings on both sides of Valkey's limit for values inside
// the key's object, with and without an expiry.
func (f *filler) embeddings() {
	for _, name := range []int{8, 31, 32, 45, 100, 127, 128, 252, 253} {
		for _, n := range []int{3, 9, 20, 33, 60, 90} {
			key := "emb:" + strconv.Itoa(n) + ":"
			key += strings.Repeat("k", name-min(name, len(key)))
			f.do("SET", key, f.noise(n))
			f.do("SET", key+"t", f.noise(n), "PXAT", "4102444800000")
		}
	}
}

func (f *filler) names() {
	for i, name := range hostileNames {
		f.do("SET", name, strconv.Itoa(i))
		f.do("HSET", "hostile:hash:"+strconv.Itoa(i), name, text(200), "plain", "1")
	}
	f.do("SET", "", "empty name")
	for _, name := range []string{"0", "-7", "12345", "2147483648", "-9223372036854775808"} {
		f.do("SET", name, "name is a number")
	}
	for _, n := range []int{30, 31, 32, 63, 64, 128, 129, 251, 252, 255, 256, 300, 4096} {
		prefix := "name:" + strconv.Itoa(n) + ":"
		f.do("SET", prefix+strings.Repeat("n", n-len(prefix)), "x")
	}
	f.do("SET", "invalid:"+strings.Repeat("\xff\xc3(", 1365), "4 KB of invalid UTF-8")
}

// vectors writes a vector set, a module's value, if the server has them.
func (f *filler) vectors() {
	if !f.s.knows("VADD") {
		return
	}
	for i := range 20 {
		f.do("VADD", "vectors", "VALUES", "3", strconv.Itoa(i), strconv.Itoa(i*i%7), "1", "element:"+strconv.Itoa(i))
	}
	f.do("PEXPIREAT", "vectors", "4102444800000")
}

func (f *filler) functions() {
	for _, name := range []string{"mylib", "other"} {
		f.do("FUNCTION", "LOAD", "REPLACE", "#!lua name="+name+"\nredis.register_function('"+name+"_f', function(keys, args) return args[1] end)\n")
	}
}

func (f *filler) expiries() {
	for i, at := range []string{"1900000000000", "2147483647999", "4102444800123", "253402300799999", "9223372036854775000"} {
		f.do("SET", "exp:str:"+strconv.Itoa(i), "v", "PXAT", at)
	}
	f.do("SET", "exp:int", "123")
	f.do("PEXPIREAT", "exp:int", "4102444800124")
	for _, c := range [][]string{
		{"HSET", "exp:hash", "f", "v"}, {"RPUSH", "exp:list", "a", "b"}, {"SADD", "exp:set", "a", "b"}, {"SADD", "exp:intset", "1", "2"},
		{"ZADD", "exp:zset", "1", "a"}, {"XADD", "exp:stream", "1-1", "f", "v"}, {"SET", "exp:raw", f.noise(100)},
	} {
		f.do(c...)
		f.do("EXPIREAT", c[1], "4102444800")
	}
	f.do("SET", "exp:persisted", "v", "PXAT", "4102444800000")
	f.do("PERSIST", "exp:persisted")
}

// databases writes to databases whose numbers take one and two length bytes.
func (f *filler) databases() {
	for _, db := range []string{"1", "9", "63", "64", "255"} {
		f.do("SELECT", db)
		f.do("SET", "db:"+db, "value in database "+db)
		f.do("HSET", "db:hash", "f", "v")
	}
	f.do("SELECT", "9")
	f.add(60, func(i int) []string { return []string{"db9:" + strconv.Itoa(i), "v" + strconv.Itoa(i)} }, "MSET")
	f.do("PEXPIREAT", "db9:7", "1900000000000")
	f.do("SELECT", "0")
}
