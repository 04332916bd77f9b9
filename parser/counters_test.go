package parser

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/parser/internal/memory"
	"github.com/rdblens/rdblens/parser/internal/rdb"
	"github.com/rdblens/rdblens/parser/message"
)

// TestCountersAddUp adds counters of two parts of a snapshot.
func TestCountersAddUp(t *testing.T) {
	part := func(n int64) *counters {
		c := newCounters()
		c.keys, c.types[3], c.types[255], c.opcodes[0], c.opcodes[250] = 1*n, 2*n, 3*n, 4*n, 5*n
		c.streamMismatch, c.emptyKeys, c.auxCount, c.functions, c.functionBytes = 6*n, 7*n, 8*n, 9*n, 10*n
		c.scripts, c.scriptBytes, c.subexpires, c.streamNode = 11*n, 12*n, 13*n, 20*n
		m := c.module(rdb.ModuleID("ReJSON-RL") << 10)
		m.Keys, m.Aux, m.Skipped, m.Version = 14*n, 15*n, 16*n, int(5-n)
		c.addSlots(memory.Slot{Keys: n})
		c.resized, c.slotSizes = announced(uint64(17*n), uint64(18*n)), announced(uint64(16*n), uint64(19*n))
		c.addDB(int(n))
		c.addDB(7)
		return c
	}
	total := newCounters()
	total.add(part(1))
	total.add(part(2))
	total.add(newCounters())
	var got Info
	total.fill(&got)
	want := Info{Keys: 3, StreamMismatch: 18, StreamNode: 40, EmptyKeys: 21, AuxCount: 24, Functions: 27, FunctionBytes: 30, Scripts: 33, ScriptBytes: 36, Subexpires: 39, Databases: 3, Cluster: true,
		AnnouncedKeys: 51, AnnouncedExpires: 57,
		Slots: []memory.Slot{{Keys: 1}, {Keys: 2}}, Modules: []ModuleInfo{{Name: "ReJSON-RL", Keys: 42, Aux: 45, Skipped: 48, Version: 4}}}
	want.Types[3], want.Types[255], want.Opcodes[0], want.Opcodes[250] = 6, 9, 12, 15
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
	total.reset()
	total.fill(&got)
	if !reflect.DeepEqual(got, Info{Cluster: true, Slots: []memory.Slot{}, AnnouncedKeys: -1, AnnouncedExpires: -1}) { // a cluster stays one
		t.Errorf("%+v after a reset", got)
	}
}

// TestCountersAreBounded counts more databases, slots and modules than are kept.
func TestCountersAreBounded(t *testing.T) {
	c := newCounters()
	for i := range MaxDatabases + 5 {
		c.addDB(i)
		c.addDB(i)
		if want := min(i+1, MaxDatabases); len(c.dbs) != want {
			t.Fatalf("%d databases of %d", len(c.dbs), i+1)
		}
	}
	var in Info
	for i := range maxSlots {
		c.addSlots(memory.Slot{Keys: int64(i)})
	}
	if c.fill(&in); len(in.Slots) != maxSlots || !in.Cluster || in.Databases != MaxDatabases {
		t.Errorf("%d slots of %d", len(in.Slots), maxSlots)
	}
	more := newCounters()
	more.addSlots(memory.Slot{Keys: 1})
	c.add(more)
	if c.fill(&in); in.Slots != nil || len(c.slots) != maxSlots || c.slotCount != maxSlots+1 {
		t.Errorf("%d of %d slots are there", len(in.Slots), c.slotCount)
	}
	for i := range maxModules + 10 {
		c.module(uint64(i)<<10).Keys++
		c.module(uint64(i)<<10).Keys++
	}
	if c.fill(&in); len(in.Modules) != maxModules+1 || in.Modules[0].Name != "(other)" || in.Modules[0].Keys != 20 || in.Modules[1].Keys != 2 {
		t.Errorf("%d modules, %+v", len(in.Modules), in.Modules[0])
	}
}

// TestDamageText has the message of damage, with a name of which 200 bytes are shown.
func TestDamageText(t *testing.T) {
	for _, c := range []struct {
		key  []byte
		want string
	}{
		{nil, "offset 7: why"}, {[]byte{}, `offset 7: why (in key "")`}, {[]byte("a\n"), `offset 7: why (in key "a\n")`},
		{bytes.Repeat([]byte("a"), 200), `offset 7: why (in key "` + strings.Repeat("a", 200) + `")`}, {bytes.Repeat([]byte("a"), 201), `offset 7: why (in key "` + strings.Repeat("a", 200) + `"...)`},
	} {
		e := &DamageError{Offset: 7, Reason: message.New("why"), Key: c.key, Err: io.ErrNoProgress}
		if e.Error() != c.want || !errors.Is(e, io.ErrNoProgress) {
			t.Errorf("%q: %s", c.key, e)
		}
	}
}

// TestTypeNames has each type and encoding by the server's word.
func TestTypeNames(t *testing.T) {
	seen := map[string]bool{}
	for i := range NumTypes {
		got, ok := ParseType(i.String())
		if got != i || !ok || seen[i.String()] {
			t.Errorf("%d is %s, which is %d", i, i, got)
		}
		seen[i.String()] = true
		module := i == Module || i >= JSON
		if i.OfModule() != module || i.Opaque() != (module && i != JSON || i == GCRA || i == Cron) {
			t.Errorf("%s: of a module %v, opaque %v", i, i.OfModule(), i.Opaque())
		}
		if id := rdb.ModuleID(strings.Repeat("A", 9-min(9, len(i.String())))+i.String()) << 10; i >= JSON && (typeOfModule(id) != i || typeOfModule(id|1023) != i || typeOfModule(id+1<<10) == i) {
			t.Errorf("%s: ID %x is %s", i, id, typeOfModule(id))
		}
	}
	if got, ok := ParseType("nothing"); ok || got != 0 {
		t.Errorf("nothing is %s", got)
	}
	if got := NumTypes.String(); got != "unknown" || NumTypes.OfModule() || typeOfModule(0) != Module {
		t.Errorf("%d types: %s", NumTypes, got)
	}
	compact := []string{"listpack", "listpackex", "ziplist", "zipmap", "intset"}
	for e := range NumEncodings {
		if e.Compact() != slices.Contains(compact, e.String()) || (e == EncUnknown) != (e.String() == "") {
			t.Errorf("%d is %s, compact %v", e, e, e.Compact())
		}
	}
	if NumEncodings.String() != "" || NumEncodings.Compact() {
		t.Error("there is an encoding too many")
	}
}

// TestStreamIDs compares IDs and writes them.
func TestStreamIDs(t *testing.T) {
	for _, c := range []struct {
		a, b StreamID
		want int
	}{{StreamID{1, 2}, StreamID{1, 2}, 0}, {StreamID{1, 2}, StreamID{1, 3}, -1}, {StreamID{2, 1}, StreamID{1, 9}, 1}, {StreamID{1 << 63, 0}, StreamID{1, 0}, 1}} {
		if c.a.Compare(c.b) != c.want || c.b.Compare(c.a) != -c.want {
			t.Errorf("%s and %s: %d", c.a, c.b, c.a.Compare(c.b))
		}
	}
	if got := (StreamID{1700000000000, 1<<64 - 1}).String(); got != "1700000000000-18446744073709551615" {
		t.Error(got)
	}
}

// TestHeaderFields reads what the header says of the server.
func TestHeaderFields(t *testing.T) {
	type header struct {
		server, version              string
		bits                         int
		created, used                int64
		aof, cluster                 bool
		scripts, scriptBytes, expire int64
	}
	for _, c := range []struct {
		fields []string // names and values
		want   header
	}{
		{nil, header{created: -1, used: -1}},
		{[]string{"redis-ver", "7.2.4", "redis-bits", "64", "ctime", "1700000000", "used-mem", "1234567", "aof-base", "0"}, header{server: "redis", version: "7.2.4", bits: 64, created: 1700000000, used: 1234567}},
		{[]string{"redis-ver", "255.255.255", "valkey-ver", "8.1.1", "redis-bits", "32", "aof-base", "1"}, header{server: "valkey", version: "8.1.1", bits: 32, created: -1, used: -1, aof: true}},
		{[]string{"valkey-ver", "8.1.1", "redis-ver", "7.2.4"}, header{server: "valkey", version: "8.1.1", created: -1, used: -1}},
		{[]string{"redis-bits", "16", "ctime", "-1", "used-mem", "x", "aof-preamble", "1"}, header{created: -1, used: -1, aof: true}},
		{[]string{"ctime", "0", "used-mem", "9223372036854775807"}, header{created: 0, used: 1<<63 - 1}},
		{[]string{"ctime", "9223372036854775808"}, header{created: -1, used: -1}},
		{[]string{"redis-ver", "6.3.4", "mvcc-tstamp", "7"}, header{server: "keydb", version: "6.3.4", created: -1, used: -1}},
		{[]string{"redis-ver", "6.3.4", "keydb-subexpire-key", "k", "keydb-subexpire-when", "7"}, header{server: "keydb", version: "6.3.4", created: -1, used: -1, expire: 1}},
		{[]string{"redis-ver", "7.2.4", "big-used-ram", "7"}, header{server: "redis-enterprise", version: "7.2.4", created: -1, used: -1}},
		{[]string{"redis-ver", "6.2.11", "df-ver", "1.2"}, header{server: "dragonfly", version: "1.2", created: -1, used: -1}},
		{[]string{"lua", "return 1", "lua", "return"}, header{created: -1, used: -1, scripts: 2, scriptBytes: 14}},
		{[]string{"slot-info", "5,10,3"}, header{created: -1, used: -1, cluster: true}},
	} {
		r := newRDB("REDIS0009")
		for i := 0; i < len(c.fields); i += 2 {
			r.aux(c.fields[i], c.fields[i+1])
		}
		o := scanned(bytes.NewReader(r.key(0, "k").str("v").end()), Options{}, scanBlock)
		in := o.info
		got := header{in.Server, in.ServerVersion, in.Bits, in.Created, in.UsedMem, in.AOFBase, in.Cluster, in.Scripts, in.ScriptBytes, in.Subexpires}
		if got != c.want || o.err != nil || int(in.AuxCount) != len(c.fields)/2 || len(in.Aux) != len(c.fields)/2 || in.Keys != 1 {
			t.Errorf("%q: %+v, want %+v; %v", c.fields, got, c.want, o.err)
		}
	}
	// What the slots of a cluster have, as Valkey writes it.
	r := newRDB("REDIS0011")
	for _, value := range []string{"5,10,3", "6,20,4,2", "7,30", "8,-1,3", "9,1,x", "10", ""} {
		r.aux("slot-info", value)
	}
	o := scanned(bytes.NewReader(r.raw(0xf4).len(11).len(1<<50).len(1<<40+1).end()), Options{}, scanBlock)
	if want := []memory.Slot{{Keys: 10, Expires: 3}, {Keys: 20, Expires: 4}, {Keys: 1 << 40, Expires: 1 << 40}}; !slices.Equal(o.info.Slots, want) || o.err != nil {
		t.Errorf("%v, want %v; %v", o.info.Slots, want, o.err)
	}
	// The first 64 fields are kept, 128 bytes of each.
	r = newRDB("REDIS0011")
	for i := range 70 {
		r.aux(fmt.Sprint("n", i)+strings.Repeat("n", 100+i), strings.Repeat("v", 60+i))
	}
	o = scanned(bytes.NewReader(r.end()), Options{}, scanBlock)
	if len(o.info.Aux) != 64 || o.info.AuxCount != 70 {
		t.Errorf("%d of %d fields", len(o.info.Aux), o.info.AuxCount)
	}
	for i, a := range o.info.Aux {
		if len(a.Name) != min(128, len(fmt.Sprint("n", i))+100+i) || len(a.Value) != min(128, 60+i) {
			t.Errorf("field %d: a name of %d bytes, a value of %d", i, len(a.Name), len(a.Value))
		}
	}
}

// TestUsage has idle times and counters of the next key, beyond what they can be.
func TestUsage(t *testing.T) {
	r := newRDB("REDIS0011").raw(0xf8).len(1<<62+5).raw(0xf9, 255).key(0, "a").str("").raw(0xf8).len(1<<62).key(0, "b").str("").raw(0xf8).len(1<<62-1).key(0, "c").str("").raw(0xfd).le32(1<<32-1).key(0, "d").str("").raw(0xfc).le64(-5).key(0, "e").str("")
	for how, keys := range readings(t, r.end(), Options{}) {
		var got []string
		for _, k := range keys {
			got = append(got, fmt.Sprint(k.Idle, k.Freq, k.HasExpire, k.ExpireAt))
		}
		if want := []string{"4611686018427387904 255 false 0", "4611686018427387904 -1 false 0", "4611686018427387903 -1 false 0", "-1 -1 true -1000", "-1 -1 true -5"}; !slices.Equal(got, want) {
			t.Errorf("%s: %q", how, got)
		}
	}
}
