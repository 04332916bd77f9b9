package parser

import (
	"bytes"
	"fmt"
	"hash/crc64"
	"slices"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/parser/internal/memory"
	"github.com/rdblens/rdblens/parser/internal/rdb"
)

// formats are snapshots that no server at hand writes, and what each of their
// keys has to be. The numbers were counted from the format, byte by byte.
func formats() []struct {
	name string
	in   []byte
	want []string
	info func(*Info) bool
} {
	const at = 1700000000000 // a length of 9 bytes, a listpack entry of 10
	node := listpack(1, 0, 1, "f", 0, 2, 0, 0, "val", 4)
	// stream is 1 node of 31 bytes, 1 group with 1 pending entry, 1 consumer.
	stream := func(r *rdbBuilder, t byte) *rdbBuilder {
		r.key(t, "st").len(1).len(16).id(5, 0).str(node).len(1).len(5).len(0)
		if t >= 19 {
			r.len(5).len(0).len(0).len(0).len(1)
		}
		r.len(1).str("g").len(5).len(0)
		if t >= 19 {
			r.len(1<<64 - 1) // entries read: -1
		}
		r.len(1).id(5, 0).le64(at).len(1)
		r.len(1).str("c").le64(at)
		if t >= 21 {
			r.le64(-1)
		}
		r.len(1).id(5, 0)
		if t >= 27 {
			r.len(1).id(5, 0)
		}
		if t >= 26 {
			r.len(100).len(50).len(1).str("p").len(1).str("i").len(5).len(0).len(1).len(0)
		}
		return r
	}
	streamLine := func(s int) string {
		return fmt.Sprintf(`0 "st" stream/stream n=1 v=4 s=%d largest=4:"5-0" longest=3 nodes=1 live=1 groups=1 consumers=1 pending=1`, s)
	}
	as := strings.Repeat("a", 30)
	return []struct {
		name string
		in   []byte
		want []string
		info func(*Info) bool
	}{
		{"version 1", newRDB("REDIS0001").raw(0xfe, 0).
			key(0, "s").str("hello").
			key(1, "l").len(3).str("a", "bcd", "ef").
			key(2, "t").len(2).str("x").raw(0xc0, 0xff).
			key(3, "z").len(4).str("one").raw(3, "1.5").str("nan").raw(253).str("inf").raw(254).str("ninf").raw(255).
			key(4, "h").len(2).str("f1", "v", "f2", "value").
			raw(0xfd).le32(1700000000).key(0, "e").raw(0xc1, 0x39, 0x30).endNone(),
			[]string{
				`0 "s" string/embstr n=1 v=5 s=6 largest=5 longest=5`,
				`0 "l" list/linkedlist n=3 v=6 s=10 largest=3:"1" longest=3`,
				`0 "t" set/hashtable n=2 v=3 s=5 largest=2:"-1" longest=2`,
				`0 "z" zset/skiplist n=4 v=13 s=25 largest=4:"ninf" longest=4`,
				`0 "h" hash/hashtable n=2 v=10 s=15 largest=7:"f2" longest=5`,
				`0 "e" string/int n=1 v=5 s=3 largest=5 longest=5 at=1700000000000`,
			}, func(in *Info) bool { return in.Checksum == ChecksumNone && in.Version == 1 && in.Server == "" }},
		{"version 2, packed", newRDB("REDIS0002").raw(0xfe, 3).
			key(9, "zm").str(zipmap(2, "f", "v", "field", "value")).
			key(10, "zl").str(ziplist("a", 12, -1, 300, 1<<17, 1<<31-1, 1<<40, strings.Repeat("x", 100))).
			key(11, "i2").str(intset(2, -5, 7, 12345)).
			key(11, "i4").str(intset(4, -100000, 1)).
			key(11, "i8").str(intset(8, -1<<63, 1<<63-1)).
			key(12, "zz").str(ziplist("member", 1, "m", 2)).endNone(),
			[]string{
				// 1 count, 1+1 1+1+1+2, 1+5 1+1+5+2, 1 end
				`3 "zm" hash/zipmap n=2 v=12 s=25 largest=10:"field" longest=5`,
				// 10 head; 3 2 3 4 5 6 10; 1+2+100; 1 end
				`3 "zl" list/ziplist n=8 v=137 s=149 largest=100:"7" longest=100`,
				`3 "i2" set/intset n=3 v=8 s=15 largest=5:"12345" longest=5 integers`,
				`3 "i4" set/intset n=2 v=8 s=17 largest=7:"-100000" longest=7 integers`,
				`3 "i8" set/intset n=2 v=39 s=25 largest=20:"-9223372036854775808" longest=20 integers`,
				`3 "zz" zset/ziplist n=2 v=7 s=27 largest=6:"member" longest=6`,
			}, func(in *Info) bool { return in.Databases == 1 }},
		{"version 3, expiry in ms before and after the epoch", newRDB("REDIS0003").
			raw(0xfc).le64(at).key(0, "a").str("").
			raw(0xfc).le64(-1).key(0, "b").str("").
			raw(0xfd).le32(1<<32-1).key(0, "c").str("").
			raw(0xfc).le64(-1<<63).key(0, "d").str("").endNone(),
			[]string{
				`0 "a" string/embstr n=1 v=0 s=1 largest=0 longest=0 at=1700000000000`,
				`0 "b" string/embstr n=1 v=0 s=1 largest=0 longest=0 at=-1`,
				`0 "c" string/embstr n=1 v=0 s=1 largest=0 longest=0 at=-1000`,
				`0 "d" string/embstr n=1 v=0 s=1 largest=0 longest=0 at=-9223372036854775808`,
			}, nil},
		{"version 4, ziplist hash", newRDB("REDIS0004").key(13, "h").str(ziplist("f", "v1", "g", 5)).endNone(),
			[]string{`0 "h" hash/ziplist n=2 v=5 s=24 largest=3:"f" longest=2`}, nil},
		{"version 5, checksum", newRDB("REDIS0005").key(0, "k").str("v").end(),
			[]string{`0 "k" string/embstr n=1 v=1 s=2 largest=1 longest=1`},
			func(in *Info) bool { return in.Checksum == ChecksumOK && in.Bytes == 9+1+2+2+1+8 }},
		{"version 7, quicklist of ziplists", newRDB("REDIS0007").aux("redis-ver", "3.2.0").raw(0xfb, 1, 0).
			key(14, "ql").len(2).str(ziplist("a", "b")).str(ziplist("longer")).end(),
			[]string{`0 "ql" list/quicklist n=3 v=8 s=39 largest=6:"2" longest=6 nodes=2`},
			func(in *Info) bool { return in.Server == "redis" && in.ServerVersion == "3.2.0" && in.AuxCount == 1 }},
		{"version 8, 64-bit lengths and binary scores", newRDB("REDIS0008").
			key(5, "z").raw(0x81).raw(0, 0, 0, 0, 0, 0, 0, 1).raw(0x80, 0, 0, 0, 2, "mm").le64(0x3ff0000000000000).
			key(7, "mod").len(moduleID("ReJSON-RL", 3)).len(2).len(7).len(1).len(1<<64 - 1).len(3).raw("1234").len(4).raw("12345678").len(5).str("{}").len(0).
			end(),
			[]string{
				`0 "z" zset/skiplist n=1 v=2 s=24 largest=2:"mm" longest=2`,
				// 9 id, 2 uint, 10 int, 5 float, 9 double, 4 string, 1 end
				`0 "mod" ReJSON-RL/ n=-1 v=-1 s=40 module=ReJSON-RL`,
			}, func(in *Info) bool {
				return len(in.Modules) == 1 && in.Modules[0] == ModuleInfo{"ReJSON-RL", 1, 0, 3, 1}
			}},
		{"version 9, idle and frequency, module aux", newRDB("REDIS0009").
			raw(0xf7).len(moduleID("module-xy", 1)).len(2).len(1).len(5).str("state").len(0).
			raw(0xfc).le64(at).raw(0xf8).len(1000).key(0, "i").str("1").
			raw(0xf9, 200).key(0, "f").str("01").key(0, "none").str("-0").end(),
			[]string{
				`0 "i" string/int n=1 v=1 s=2 largest=1 longest=1 at=1700000000000 idle=1000`,
				`0 "f" string/embstr n=1 v=2 s=3 largest=2 longest=2 freq=200`,
				`0 "none" string/embstr n=1 v=2 s=3 largest=2 longest=2`,
			}, func(in *Info) bool {
				return len(in.Modules) == 1 && in.Modules[0] == ModuleInfo{"module-xy", 0, 1, 0, 0}
			}},
		{"version 10, functions and listpacks", newRDB("REDIS0010").
			raw(0xf5).str("#!lua name=a\n").raw(0xf6).str("b", "lua").len(1).str("about", "code").raw(0xf6).str("c", "lua").len(0).str("other").
			key(16, "h").str(listpack("f", "v", "field", 4095)).
			key(17, "z").str(listpack("m", 1, "mm", "2.5")).
			key(18, "l").len(2).len(2).str(listpack("a", -4096, -4097)).len(1).str(strings.Repeat("p", 70)).
			key(18, "one").len(1).len(2).str(listpack("a")).
			end(),
			[]string{
				// 6, 3 3 7 3, 1
				`0 "h" hash/listpack n=2 v=11 s=24 largest=9:"field" longest=5`,
				// 6, 3 2 4 5, 1
				`0 "z" zset/listpack n=2 v=3 s=22 largest=2:"mm" longest=2`,
				// nodes; container, length, 6 3 3 4 1; container, length of 2 bytes, text
				`0 "l" list/quicklist n=4 v=81 s=93 largest=70:"3" longest=70 nodes=2`,
				`0 "one" list/quicklist n=1 v=1 s=13 largest=1:"0" longest=1 nodes=1`,
			}, func(in *Info) bool { return in.Functions == 3 && in.FunctionBytes == 13+4+5 }},
		{"version 12, set listpack, slot info", newRDB("REDIS0012").aux("redis-ver", "7.4.0").
			raw(0xf4).len(16383).len(1).len(0).
			key(20, "s").str(listpack("a", 127, 128)).
			key(18, "one").len(1).len(2).str(listpack("a")).end(),
			[]string{
				`0 "s" set/listpack n=3 v=7 s=16 largest=3:"127" longest=3`,
				`0 "one" list/listpack n=1 v=1 s=13 largest=1:"0" longest=1 nodes=1`,
			}, func(in *Info) bool { return in.Cluster && slices.Equal(in.Slots, []memory.Slot{{Keys: 1}}) }},
		{"slot info in the fields of Valkey 8 and 9", newRDB("VALKEY080").aux("valkey-ver", "9.1.2").
			aux("slot-info", "0,2,1").key(0, "a").str("b").key(0, "c").str("d").
			aux("slot-info", "16383,1,0,1").key(0, "e").str("f").aux("slot-info", "7").end(),
			[]string{
				`0 "a" string/embstr n=1 v=1 s=2 largest=1 longest=1`,
				`0 "c" string/embstr n=1 v=1 s=2 largest=1 longest=1`,
				`0 "e" string/embstr n=1 v=1 s=2 largest=1 longest=1`,
			}, func(in *Info) bool {
				return in.Cluster && slices.Equal(in.Slots, []memory.Slot{{Keys: 2, Expires: 1}, {Keys: 1}})
			}},
		{"listpack lengths at their limits", newRDB("REDIS0011").
			key(16, "h").str(listpack(strings.Repeat("a", 63), strings.Repeat("b", 64), strings.Repeat("c", 126), strings.Repeat("d", 4095),
			strings.Repeat("e", 4096), strings.Repeat("f", 16377), strings.Repeat("g", 16378), strings.Repeat("h", 16379))).end(),
			[]string{
				// 6; 65 67 129+... the entry of 16,383 bytes is the first with a back length of 3
				fmt.Sprintf(`0 "h" hash/listpack n=4 v=57578 s=%d largest=32757:%q longest=16379`,
					5+6+(1+63+1)+(2+64+1)+(2+126+2)+(2+4095+2)+(5+4096+2)+(5+16377+2)+(5+16378+3)+(5+16379+3)+1, strings.Repeat("g", 256)),
			}, nil},
		{"count unknown", newRDB("REDIS0011").
			key(20, "s").str(counted(listpack("a", "bb"), 4)).
			key(10, "l").str(counted(ziplist("a", "bb"), 8)).
			key(9, "zm").str("\xfe" + zipmap(0, "f", "v")[1:]).end(),
			[]string{
				`0 "s" set/listpack n=2 v=3 s=15 largest=2:"bb" longest=2`,
				`0 "l" list/ziplist n=2 v=3 s=19 largest=2:"1" longest=2`,
				`0 "zm" hash/zipmap n=1 v=2 s=8 largest=2:"f" longest=1`,
			}, nil},
		{"hash fields that expire, before 7.4 was released", newRDB("REDIS0012").
			key(22, "h").len(2).len(at).str("f", "v").len(0).str("g", "w2").
			key(23, "lp").str(listpack("f", "v", at, "g", "w2", 0)).end(),
			[]string{
				// 1; 9 2 2; 1 2 3
				`0 "h" hash/hashtable n=2 v=5 s=20 largest=3:"g" longest=2 fields=1@1700000000000`,
				// 1; 6; 3 3 10; 3 4 2; 1
				`0 "lp" hash/listpackex n=2 v=5 s=33 largest=3:"g" longest=2 fields=1@1700000000000`,
			}, nil},
		{"hash fields that expire", newRDB("REDIS0012").
			key(24, "h").le64(at).len(3).len(1).str("f", "v").len(0).str("g", "w2").len(101).str("i", "x").
			key(25, "lp").le64(at).str(listpack("f", "v", at, "g", "w2", 0)).
			key(25, "no").le64(0).str(listpack("f", "v", 0)).end(),
			[]string{
				// 8 1; 1 2 2; 1 2 3; 2 2 2
				`0 "h" hash/hashtable n=3 v=7 s=26 largest=3:"g" longest=2 fields=2@1700000000000`,
				`0 "lp" hash/listpackex n=2 v=5 s=41 largest=3:"g" longest=2 fields=1@1700000000000`,
				`0 "no" hash/listpackex n=1 v=2 s=24 largest=2:"f" longest=1`,
			}, nil},
		{"streams of five kinds", stream(stream(stream(stream(stream(newRDB("REDIS0014"), 15), 19), 21), 26), 27).end(),
			[]string{
				// nodes 1, ID 17, node 1+31, length and last ID 3; group 1+2+2,
				// pending 1+25, consumer 1+2+8+1+16
				streamLine(112),
				streamLine(112 + 5 + 9), // five lengths, entries read
				streamLine(126 + 8),     // active time
				// duration 2, max 1, producers 1, p 2, 1, i 2, ID 2, added, dup
				streamLine(134 + 2 + 1 + 1 + 2 + 1 + 2 + 2 + 2),
				streamLine(147 + 1 + 16), // nacked
			}, nil},
		{"stream with deleted entries and other fields", newRDB("REDIS0011").
			key(21, "st").len(1).len(16).id(1000, 7).
			str(listpack(2, 1, 1, "f", 0,
				2, 0, 0, "first", 4,
				3, 1, 0, "deleted", 4,
				0, 5, -7, 2, "name", "value", "x", 12345, 8)).
			len(2).len(1005).len(0).len(1000).len(7).len(1001).len(7).len(3).len(0).end(),
			[]string{
				// nodes 1, ID 17; 2 6; count, deleted, fields, f, end 11; 6 7 2; 6 9 2;
				// 2 2 3 2, 6 7 3 4, 2; 1; length 1, last 3, first 3, deleted 3, added 1,
				// groups 1
				`0 "st" stream/stream n=2 v=21 s=113 largest=15:"1005-0" longest=5 nodes=1 live=2 groups=0 consumers=0 pending=0`,
			}, nil},
		{"stream with nothing, stream with a wrong length", newRDB("REDIS0009").
			key(15, "st").len(0).len(0).len(0).len(0).len(0).
			key(15, "old").len(1).len(16).id(5, 0).str(node).len(9).len(5).len(0).len(0).end(),
			[]string{
				`0 "st" stream/stream n=0 v=0 s=5 largest=0 longest=0 live=0 groups=0 consumers=0 pending=0`,
				`0 "old" stream/stream n=9 v=4 s=54 largest=4:"5-0" longest=3 nodes=1 live=1 groups=0 consumers=0 pending=0`,
			}, func(in *Info) bool { return in.StreamMismatch == 1 && len(in.Warnings) == 1 }},
		{"version 13, metadata of keys", newRDB("REDIS0013").
			raw(0xfc).le64(at).raw(0xf3).len(2).raw("abcd").len(2).len(5).len(5).str("meta").len(0).raw("efgh").len(0).
			key(0, "k").str("v").key(0, "without").str("v").end(),
			[]string{
				`0 "k" string/embstr n=1 v=1 s=2 largest=1 longest=1 at=1700000000000`,
				`0 "without" string/embstr n=1 v=1 s=2 largest=1 longest=1`,
			}, nil},
		{"version 14, array", newRDB("REDIS0014").
			key(28, "a").len(4).len(1).len(2).len(0).len(0).str("hello").len(1).len(1).le64(-1).len(2).len(2).le64(0x3ff8000000000000).len(1000).len(3).str("abc").
			key(28, "b").len(1).len(0).len(5).len(0).str("x").end(),
			[]string{
				// 3; 8; 10; 10; 2+1+4
				`0 "a" array/sliced-array n=4 v=24 s=38 largest=8:"1" longest=8`,
				`0 "b" array/sliced-array n=1 v=1 s=6 largest=1:"5" longest=1`,
			}, nil},
		{"version 15, templates and GCRA", newRDB("REDIS0015").
			raw(0xf2).len(7).len(2).str("a", "bc").raw(0xf2).len(1<<64-1).len(1).str("f").
			key(32, "array").len(7).str("x", "yz").
			key(30, "lp").str(listpack(7, "x", 12)).
			key(30, "far").str(listpack(-1, "v")).
			key(29, "dump").len(0).str(listpack("a", "bc")).str(listpack(0, "x", "yz")).
			key(31, "dump2").len(1).len(2).str("a", "bc").str("x", "yz").
			key(33, "limit").len(1 << 40).end(),
			[]string{
				`0 "array" hash/template-array n=2 v=6 s=6 largest=4:"bc" longest=2`,
				`0 "lp" hash/template-listpack n=2 v=6 s=15 largest=4:"bc" longest=2`,
				`0 "far" hash/template-listpack n=1 v=2 s=14 largest=2:"f" longest=1`,
				`0 "dump" hash/template-listpack n=2 v=6 s=33 largest=4:"bc" longest=2`,
				`0 "dump2" hash/template-array n=2 v=6 s=12 largest=4:"bc" longest=2`,
				`0 "limit" gcra/ n=1 v=8 s=9 largest=8 longest=8`,
			}, nil},
		{"valkey 9", newRDB("VALKEY080").aux("valkey-ver", "9.0.0").
			raw(0xf3).str(mark).len(2).len(0).len(100).len(16000).len(16383).
			key(22, "h").len(2).str("f", "v").le64(at).str("g", "w2").le64(-1).end(),
			[]string{
				// 1; 4 8; 5 8
				`0 "h" hash/hashtable n=2 v=5 s=26 largest=3:"g" longest=2 fields=1@1700000000000`,
			}, func(in *Info) bool {
				return in.Magic == "VALKEY" && in.Server == "valkey" && in.ServerVersion == "9.0.0" && in.Opcodes[243] == 1
			}},
		{"valkey 9.2", newRDB("VALKEY081").aux("valkey-ver", "9.2.0").
			key(23, "paths").len(3).str("").len(1).str("f", "v").str("a").len(2).str("g", "w2").raw(2, "hh", 0xc0, 100).str("a/b").len(1).str("i", "").
			raw(242, "*3\r\n$3\r\nSET\r\n$5\r\nlater\r\n$0\r\n\r\n").
			key(22, "h").len(2).str("f", "v").le64(at).str("g", "w2").le64(-1).
			key(22, "long").len(1).str("f", strings.Repeat("v", 65)).le64(at).
			key(5, "z").len(1).str("m").le64(0).
			raw(242, "*0\r\n").end(),
			[]string{
				// 1; 1 1 2+2; 2 1 2+3 3+2; 4 1 2+1
				`0 "paths" pathhash/pathhash n=3 v=11 s=28 largest=5:"hh" longest=3`,
				`0 "h" hash/listpack n=2 v=5 s=26 largest=3:"g" longest=2 fields=1@1700000000000`,
				`0 "long" hash/hashtable n=1 v=66 s=78 largest=66:"f" longest=65 fields=1@1700000000000`,
				`0 "z" zset/btree n=1 v=1 s=11 largest=1:"m" longest=1`,
			}, func(in *Info) bool {
				return in.Server == "valkey" && in.Opcodes[242] == 2 && len(in.Warnings) == 1
			}},
		{"keydb", newRDB("REDIS0009").aux("redis-ver", "6.3.4").aux("mvcc-tstamp", "1").
			raw(0xfc).le64(at).aux("mvcc-tstamp", "123456789").key(0, "k").str("v").
			key(4, "h").len(1).str("f", "v").aux("keydb-subexpire-key", "f").aux("keydb-subexpire-when", "1700000000000").
			key(64, "job").str("return 1").le64(at).le64(1000).len(1).str("k1").len(0).end(),
			[]string{
				`0 "k" string/embstr n=1 v=1 s=2 largest=1 longest=1 at=1700000000000`,
				`0 "h" hash/hashtable n=1 v=2 s=5 largest=2:"f" longest=1`,
				`0 "job" cron/ n=1 v=-1 s=30`,
			}, func(in *Info) bool { return in.Server == "keydb" }},
		{"dragonfly", newRDB("REDIS0009").aux("redis-ver", "6.2.11").aux("df-ver", "1.30.0").
			raw(0xc8).le64(1).raw(0xd3).le64(2).raw(0xd2).len(1).str("journal").
			raw(0xfe, 1, 0xdc).le32(1).key(30, "json").str(`{"a":1}`).
			raw(0xdc).le32(3).le32(9).key(0, "masked").str("v").
			raw(0xfe, 0).key(31, "hash").len(2).str("f", "v", "-1", "g", "w2", "100").
			key(32, "set").len(2).str("m1", "-1", "mm2", "50").
			key(33, "sbf").len(0).raw(make([]byte, 16)).len(1).len(2).len(3).len(1).len(3).str("12345").
			key(34, "sbf2").len(0).raw(make([]byte, 16)).len(1).len(2).len(3).len(1).len(3).len(5).str("12", "345").
			key(35, "cms").len(2).len(3).len(9).raw(make([]byte, 48)).
			key(36, "topk").len(0).len(5).len(8).len(7).raw(make([]byte, 8)).len(1).str("it").len(4).len(4).raw("1234").
			key(37, "cuckoo").raw(1, 2, 3, 4, 5, 6).len(1).len(3).str("abc").
			key(17, "lp").str(listpack("m", 1)).
			raw(0xdf).len(0).str("idx").len(1).str("doc:1").len(0).
			raw(0xde).str("vec").len(1).len(1).le32(0).le64(1).le32(1).le32(1).le32(5).le32(0).
			endOff(),
			[]string{
				`1 "json" ReJSON-RL/ n=1 v=7 s=8 largest=7 longest=7`,
				`1 "masked" string/embstr n=1 v=1 s=2 largest=1 longest=1`,
				`0 "hash" hash/hashtable n=2 v=5 s=17 largest=3:"g" longest=2 fields=1@1675209700000`,
				`0 "set" set/hashtable n=2 v=5 s=14 largest=3:"mm2" longest=3 fields=1@1675209650000`,
				`0 "sbf" MBbloom--/ n=3 v=5 s=28 largest=5:"0" longest=5`,
				`0 "sbf2" MBbloom--/ n=3 v=5 s=30 largest=5:"0" longest=5`,
				`0 "cms" CMSk-TYPE/ n=9 v=48 s=51 largest=48 longest=48`,
				`0 "topk" TopK-TYPE/ n=1 v=6 s=22 largest=2:"it" longest=2`,
				`0 "cuckoo" MBbloomCF/ n=5 v=3 s=12 largest=3:"0" longest=3`,
				`0 "lp" zset/listpack n=1 v=1 s=13 largest=1:"m" longest=1`,
			}, func(in *Info) bool {
				return in.Server == "dragonfly" && in.ServerVersion == "1.30.0" && in.Checksum == ChecksumOff
			}},
		{"old dragonfly", newRDB("REDIS0009").aux("df-ver", "1.2.0").key(20, "json").str("[1,2]").key(2, "set").len(1).str("m").endOff(),
			[]string{
				`0 "json" ReJSON-RL/ n=2 v=5 s=6 largest=5 longest=5`,
				`0 "set" set/hashtable n=1 v=1 s=3 largest=1:"m" longest=1`,
			}, func(in *Info) bool { return in.Server == "dragonfly" }},
		{"redis enterprise", newRDB("REDIS0012").aux("redis-ver", "7.4.0").aux("big-used-ram", "1").
			raw(0xfc).le64(at).raw(107).len(500).raw(121).len(16383).key(0, "k").str("v").key(0, "next").str("v").end(),
			[]string{
				`0 "k" string/embstr n=1 v=1 s=2 largest=1 longest=1 at=1700000000000`,
				`0 "next" string/embstr n=1 v=1 s=2 largest=1 longest=1`,
			}, func(in *Info) bool { return in.Server == "redis-enterprise" }},
		{"strings of every form", newRDB("REDIS0011").
			raw(0, 0xc0, 0x80, 0xc1, 0x00, 0x80).
			raw(0, 0xc2, 0x00, 0x00, 0x00, 0x80, "\xc3\x05\x1e", lzf(as)).
			raw(0, "\xc3\x05\x1e", lzf(as), 0xc0, 7).
			raw(0, 0x40, 1, "k", 0x80, 0, 0, 0, 1, "v").
			key(16, "h").raw("\xc3\x11\x29", lzf(listpack(as, 1))).
			key(2, "s").len(2).raw(0xc0, 5).raw("\xc3\x05\x1e", lzf(as)).
			end(),
			[]string{
				`0 "-128" string/int n=1 v=6 s=3 largest=6 longest=6`,
				`0 "-2147483648" string/embstr n=1 v=30 s=8 largest=30 longest=30 lzf=5>30`,
				`0 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" string/int n=1 v=1 s=2 largest=1 longest=1`,
				`0 "k" string/embstr n=1 v=1 s=6 largest=1 longest=1`,
				// 8 bytes up to the first a in 9, 29 more in 3, 4 in 5
				`0 "h" hash/listpack n=1 v=31 s=20 largest=31:"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" longest=30 lzf=17>41`,
				`0 "s" set/hashtable n=2 v=31 s=11 largest=30:"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" longest=30 lzf=5>30`,
			}, nil},
		{"databases behind what is walked on its own", newRDB("REDIS0007").raw(0xfe, 0).key(3, "z").len(1).str("m").raw(1, "1").
			raw(0xfe, 3).key(0, "s").str("v").key(3, "z").len(1).str("m").raw(1, "1").raw(0xfe, 4).key(0, "s").str("v").key(3, "z").len(1).str("m").raw(1, "1").end(),
			[]string{
				`0 "z" zset/skiplist n=1 v=1 s=5 largest=1:"m" longest=1`,
				`3 "s" string/embstr n=1 v=1 s=2 largest=1 longest=1`,
				`3 "z" zset/skiplist n=1 v=1 s=5 largest=1:"m" longest=1`,
				`4 "s" string/embstr n=1 v=1 s=2 largest=1 longest=1`,
				`4 "z" zset/skiplist n=1 v=1 s=5 largest=1:"m" longest=1`,
			}, func(in *Info) bool { return in.Databases == 3 }},
		{"legal oddities", newRDB("REDIS0011").raw(0xfe, 0, 0xfe, 0, 0xfb, 0x80, 0, 0, 0, 9, 0).
			key(2, "empty").len(0).key(4, "empty").len(0).key(18, "empty").len(0).key(16, "empty").str(listpack()).key(11, "empty").str(intset(2)).
			key(0, "").str("the empty name").raw(0xfe).len(1<<31-1).key(0, "far").str("db").
			raw(0xfc).le64(at).raw(0xfe, 2, 0xfa).str("odd", "place").key(0, "late").str("expiry").end(),
			[]string{
				`0 "empty" set/hashtable n=0 v=0 s=1 largest=0 longest=0`,
				`0 "empty" hash/hashtable n=0 v=0 s=1 largest=0 longest=0`,
				`0 "empty" list/quicklist n=0 v=0 s=1 largest=0 longest=0`,
				`0 "empty" hash/listpack n=0 v=0 s=8 largest=0 longest=0`,
				`0 "empty" set/intset n=0 v=0 s=9 largest=0 longest=0 integers`,
				`0 "" string/embstr n=1 v=14 s=15 largest=14 longest=14`,
				`2147483647 "far" string/embstr n=1 v=2 s=3 largest=2 longest=2`,
				`2 "late" string/embstr n=1 v=6 s=7 largest=6 longest=6 at=1700000000000`,
			}, func(in *Info) bool { return in.EmptyKeys == 5 && in.Databases == 3 }},
	}
}

// counted sets the count in a listpack or ziplist to "unknown".
func counted(b string, at int) string { return b[:at] + "\xff\xff" + b[at+2:] }

// moduleID packs nine characters and a version, as the format has it.
func moduleID(name string, version uint64) uint64 {
	var id uint64
	for _, c := range name {
		id = id<<6 | uint64(strings.IndexRune("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", c))
	}
	return id<<10 | version
}

// TestFormats checks every key of every hand-made snapshot, with each way to read it.
func TestFormats(t *testing.T) {
	for _, tt := range formats() {
		for how, o := range map[string]outcome{
			"scanner":       scanned(bytes.NewReader(tt.in), Options{}, scanBlock),
			"small scanner": scanned(bytes.NewReader(tt.in), Options{}, smallBlock),
			"one job":       ran(bytes.NewReader(tt.in), Options{}, 1),
			"four jobs":     ran(bytes.NewReader(tt.in), Options{}, 4),
		} {
			if o.err != nil {
				t.Errorf("%s, %s: %v", tt.name, how, o.err)
			}
			if n := o.info.Opcodes[255]; n != 1 {
				t.Errorf("%s, %s: %d end marks", tt.name, how, n)
			}
			for i := range max(len(o.lines), len(tt.want)) {
				got, want := "nothing", "nothing"
				if i < len(o.lines) {
					got = o.lines[i]
				}
				if i < len(tt.want) {
					want = tt.want[i]
				}
				if got != want {
					t.Errorf("%s, %s:\n got %s\nwant %s", tt.name, how, got, want)
				}
			}
			if tt.info != nil && !tt.info(o.info) {
				t.Errorf("%s, %s: %+v", tt.name, how, o.info)
			}
			if o.info.Keys != int64(len(tt.want)) || o.info.Bytes != int64(len(tt.in)) {
				t.Errorf("%s, %s: %d keys, %d bytes, want %d and %d", tt.name, how, o.info.Keys, o.info.Bytes, len(tt.want), len(tt.in))
			}
		}
	}
}

// smallBlock is about the smallest buffer with which a Scanner can work: names
// and small blobs lie in it whole.
const smallBlock = rdb.WholeBlock + 4<<10

// TestCutName reads names that are longer than what is kept of them. Hashes are
// those of hash/crc64 under the polynomial of Redis.
func TestCutName(t *testing.T) {
	jones := crc64.MakeTable(0x95ac9329ac4bc9b5)
	sum := func(p []byte) uint64 { return ^crc64.Update(^uint64(0), jones, p) }
	long := bytes.Repeat([]byte("0123456789"), 7000)
	other := append(slices.Clone(long), 'x')
	// 26 letters, and copies of 264 bytes each, as LZF.
	lzf := append([]byte("\x19abcdefghijklmnopqrstuvwxyz"), bytes.Repeat([]byte{0xe0, 255, 25}, 200)...)
	lzfLen := 26 + 200*264
	r := newRDB("REDIS0011")
	for _, name := range [][]byte{long, other, long[:MaxName], long[:2000], []byte("short")} {
		r.key(0, string(name)).str("v")
	}
	r.raw(0, 0xc3).len(uint64(len(lzf))).len(uint64(lzfLen)).raw(lzf).str("v").key(0, "last").str("v")
	text := bytes.Repeat([]byte("abcdefghijklmnopqrstuvwxyz"), 2500)
	want := []struct {
		kept   []byte
		length int
		hash   uint64
	}{{long[:1000], len(long), sum(long)}, {long[:1000], len(other), sum(other)}, {long[:1000], MaxName, sum(long[:MaxName])},
		{long[:1000], 2000, sum(long[:2000])}, {[]byte("short"), 5, 0}, {text[:1000], lzfLen, sum(lzf)}, {[]byte("last"), 4, 0}}
	for _, visitor := range []*Visitor{nil, {MaxName: -1}} {
		s := newScanner(bytes.NewReader(r.end()), Options{}, smallBlock)
		s.Visit(visitor)
		for i, w := range want {
			if !s.Scan() {
				t.Fatal(s.Err())
			}
			k := s.Key()
			if name, hash := k.CutName(1000); !bytes.Equal(name, w.kept) || k.NameLen != int64(w.length) || visitor == nil && hash != w.hash {
				t.Errorf("name %d: %.20q... of %d bytes, hash %016x, want %d bytes, hash %016x", i, name, k.NameLen, hash, w.length, w.hash)
			}
			if visitor == nil && len(k.Name) != min(w.length, 32768) {
				t.Errorf("name %d: %d bytes are kept", i, len(k.Name))
			}
		}
	}
}
