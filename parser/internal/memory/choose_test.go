package memory

import (
	"fmt"
	"strings"
	"testing"
)

func TestChoose(t *testing.T) {
	for _, c := range []struct {
		server, version string
		opt             Options
		want            string // "" no model
		note            string // part of the note
		approximate     bool
	}{
		{"redis", "7.0.15", Options{}, "redis-7.0", "", false},
		{"redis", "7.2.4", Options{}, "redis-7.2", "", false},
		{"redis", "8.0.2", Options{}, "redis-8.0", "", false},
		{"redis", "8.6.3", Options{}, "redis-8.6", "", false},
		{"redis", "8.10.0", Options{}, "redis-8.10", "", false},
		{"redis", "8.8.1", Options{RDB: 14}, "redis-8.8", "", false},
		{"redis", "8.12.0", Options{}, "redis-8.10", "Redis 8.12.0 is newer", false},
		{"redis", "9.1", Options{}, "redis-8.10", "newer than the newest memory model, Redis 8.10", false},
		{"redis", "6.2.14", Options{}, "redis-6.2", "", false},
		{"redis", "5.0.7", Options{}, "redis-6.2", "as old as Redis 5.0.7: the one of Redis 6.2", true},
		{"", "", Options{}, "redis-6.2", "does not name its server", true},
		{"redis", "255.255.255", Options{RDB: 12}, "redis-8.4", "development build", true},
		{"redis", "255.255.255", Options{RDB: 14}, "redis-8.10", "development build", true},
		{"redis", "255.255.255", Options{RDB: 9}, "redis-6.2", "development build", true}, // KeyDB and Dragonfly of old say so
		{"redis", "255.255.255", Options{RDB: 1}, "redis-6.2", "development build", true},
		{"redis", "255.255.255", Options{RDB: 10}, "redis-7.0", "development build", true},
		{"redis", "999.999.999", Options{RDB: 9}, "redis-6.2", "development build", true},
		{"redis", "255.255.255", Options{RDB: 15}, "redis-8.10", "development build", true},
		{"redis", "255.255.255", Options{}, "redis-8.10", "development build", true},
		{"valkey", "255.255.255", Options{RDB: 80}, "valkey-9", "development build", true},
		{"valkey", "255.255.255", Options{RDB: 81}, "valkey-9.2", "development build", true},
		{"valkey", "255.255.255", Options{}, "valkey-9.2", "development build", true},
		{"", "", Options{RDB: 9}, "redis-6.2", "does not name its server", true},
		{"", "", Options{RDB: 10}, "redis-7.0", "does not name its server: the model of Redis 7.0", true},
		{"", "", Options{RDB: 11}, "redis-7.2", "does not name its server: the model of Redis 7.2", true},
		{"", "", Options{RDB: 12}, "redis-7.4", "does not name its server: the model of Redis 7.4", true},
		{"", "", Options{RDB: 14}, "redis-8.8", "does not name its server", true},
		{"", "", Options{RDB: 15}, "redis-8.10", "does not name its server", true},
		{"valkey", "", Options{RDB: 81}, "valkey-9.2", "does not name its server's version: the model of Valkey 9.2", true},
		{"valkey", "", Options{RDB: 80}, "valkey-9", "does not name its server's version: the model of Valkey 9", true},
		{"valkey", "what", Options{RDB: 80}, "valkey-9", "unknown server version \"what\": the model of Valkey 9", true},
		{"redis", "7.0-rc1", Options{}, "redis-7.0", "", false},
		{"valkey", "8.1.1-rc1", Options{}, "valkey-8.1", "", false},
		{"redis", "what", Options{}, "redis-6.2", "unknown server version \"what\"", true},
		{"valkey", "8.0.1", Options{}, "valkey-8.0", "", false},
		{"valkey", "8.1.1", Options{}, "valkey-8.1", "", false},
		{"valkey", "9.1.2", Options{}, "valkey-9", "", false},
		{"valkey", "9.2.0", Options{}, "valkey-9.2", "", false},
		{"valkey", "9.3.0", Options{}, "valkey-9.2", "Valkey 9.3.0 is newer", false},
		{"valkey", "7.2.5", Options{}, "redis-7.2", "", false},
		{"keydb", "6.3.4", Options{}, "redis-6.2", "KeyDB", true},
		{"redis-enterprise", "7.4.2", Options{}, "redis-7.4", "", false},
		{"dragonfly", "1.20", Options{}, "", "Dragonfly", false},
		{"dragonfly", "1.20", Options{Server: "redis-8.0"}, "redis-8.0", "", false},
		{"redis", "7.0.15", Options{Server: "valkey-9"}, "valkey-9", "", false},
		{"redis", "7.0.15", Options{Server: "valkey-9.1.2"}, "valkey-9", "", false},
		{"redis", "7.0.15", Options{Server: "8.0"}, "redis-8.0", "", false},
		{"redis", "8.0.2", Options{Server: "redis-7.0-rc1"}, "redis-7.0", "", false},
		{"redis", "8.0.2", Options{Server: "7.0-rc1"}, "redis-7.0", "", false},
		{"redis", "8.0.2", Options{Server: "Redis-7.0"}, "redis-7.0", "", false},
		{"redis", "8.0.2", Options{Server: "v7.0"}, "redis-7.0", "", false},
		{"redis", "8.0.2", Options{Server: "VALKEY-v8.1.1-rc1"}, "valkey-8.1", "", false},
	} {
		m, note, err := Choose(c.server, c.version, c.opt)
		if err != nil {
			t.Errorf("%s %s: %v", c.server, c.version, err)
			continue
		}
		name := ""
		if m != nil {
			name = m.Name()
			if m.Approximate() != c.approximate {
				t.Errorf("%s %s: approximate is %v", c.server, c.version, m.Approximate())
			}
		}
		if name != c.want || (note == "") != (c.note == "") || !strings.Contains(note, c.note) {
			t.Errorf("%s %s %+v: got %q with the note %q, want %q with %q", c.server, c.version, c.opt, name, note, c.want, c.note)
		}
	}
	for _, opt := range []Options{{Allocator: "libc"}, {State: "dead"}, {Server: "mysql-8"}, {Server: "redis-"}, {Server: "redis"}, {Server: "v"}, {Server: "7.x"}, {Server: "redis-0.9"}, {Server: "redis-valkey-9"},
		{Server: "6.2,7.0"}, {Server: "redis-7.0-rc1,valkey-9"}, {Server: "redis-7.0x"}, {Server: "7.0 8.0"}} {
		if _, _, err := Choose("redis", "7.0.15", opt); err == nil {
			t.Errorf("%+v is no error", opt)
		}
	}
	for _, name := range Servers() {
		m, note, err := Choose("", "", Options{Server: name, State: "reloaded", Allocator: "jemalloc-system", Cluster: true})
		if err != nil || note != "" || m.Name() != name || m.State() != "reloaded" || m.Allocator() != "jemalloc-system" || !m.cluster {
			t.Errorf("%s: %v, %q, %v", name, m, note, err)
		}
	}
}

// used_memory of servers seven seconds after a restart, with one idle client that
// had sent PING and INFO: keys from "key:DB:0" on in each of some databases, each
// a text of 20 bytes, some with an expiry. Of two databases the second is the
// last one.
func TestInstance(t *testing.T) {
	for _, c := range []struct {
		server, version, allocator     string
		configured, used, keys, expire int
		want                           int64
	}{
		{"redis", "7.0.15", "jemalloc-system", 16, 0, 0, 0, 948816},
		{"redis", "7.0.15", "jemalloc-system", 16, 1, 1, 0, 949008},
		{"redis", "7.0.15", "jemalloc-system", 16, 1, 1000, 0, 1053456},
		{"redis", "7.0.15", "jemalloc-system", 16, 16, 100, 50, 1152976},
		{"redis", "7.0.15", "jemalloc-system", 200, 200, 10, 5, 1294360},
		{"redis", "7.0.15", "jemalloc-system", 1000, 2, 100, 100, 1421816},
		{"redis", "7.0.15", "jemalloc-system", 16, 1, 20000, 10000, 3582576},
		{"redis", "8.0.2", "jemalloc-system", 16, 0, 0, 0, 743336},
		{"redis", "8.0.2", "jemalloc-system", 16, 1, 1, 0, 746056},
		{"redis", "8.0.2", "jemalloc-system", 16, 1, 1000, 0, 850120},
		{"redis", "8.0.2", "jemalloc-system", 16, 16, 100, 50, 989128},
		{"redis", "8.0.2", "jemalloc-system", 200, 200, 10, 5, 2225776},
		{"redis", "8.0.2", "jemalloc-system", 16, 1, 20000, 10000, 3379768},
		{"redis", "8.0.2", "jemalloc-system", 1000, 2, 100, 100, 4495856},
		{"valkey", "8.1.1", "jemalloc-system", 16, 0, 0, 0, 943488},
		{"valkey", "8.1.1", "jemalloc-system", 16, 1, 1, 0, 944000},
		{"valkey", "8.1.1", "jemalloc-system", 16, 1, 1000, 0, 1025408},
		{"valkey", "8.1.1", "jemalloc-system", 16, 16, 100, 50, 1081440},
		{"valkey", "8.1.1", "jemalloc-system", 200, 200, 10, 5, 1268296},
		{"valkey", "8.1.1", "jemalloc-system", 1000, 2, 100, 100, 1594376},
		{"valkey", "8.1.1", "jemalloc-system", 16, 1, 20000, 10000, 2665632},
		{"valkey", "9.1.2", "jemalloc-5.3.1", 16, 0, 0, 0, 973968},
		{"valkey", "9.1.2", "jemalloc-5.3.1", 16, 1, 1, 0, 974528},
		{"valkey", "9.1.2", "jemalloc-5.3.1", 1000, 2, 100, 100, 1000928},
		{"valkey", "9.1.2", "jemalloc-5.3.1", 16, 1, 1000, 0, 1040080},
		{"valkey", "9.1.2", "jemalloc-5.3.1", 16, 16, 100, 50, 1114280},
		{"valkey", "9.1.2", "jemalloc-5.3.1", 200, 200, 10, 5, 1383760},
		{"valkey", "9.1.2", "jemalloc-5.3.1", 16, 1, 20000, 10000, 2535728},
		// Measured with names of 12 bytes, texts of 16, and INFO alone: with the histograms of two commands, of 24
		// buckets with 128 counters each (hdr_init in hdr_histogram.c).
		{"redis", "8.6.3", "jemalloc-5.3.1", 16, 1, 20000, 0, 2370128 + 2*(24*128*8+112)},
		{"redis", "8.6.3", "jemalloc-5.3.1", 16, 1, 200000, 0, 16607056 + 2*(24*128*8+112)},
	} {
		m, _, err := Choose(c.server, c.version, Options{Allocator: c.allocator, State: "reloaded"})
		if err != nil {
			t.Fatal(err)
		}
		var databases []Database
		var keys int64
		for i := range c.used {
			d := Database{Number: i, Keys: int64(c.keys), Expires: int64(c.expire)}
			if i > 0 {
				d.Number += c.configured - c.used
			}
			databases = append(databases, d)
			for k := range c.keys {
				alloc, _ := m.TextSizes(int64(len(fmt.Sprintf("key:%d:%d", d.Number, k))), 20, k < c.expire)
				keys += alloc
			}
		}
		in := m.Instance(keys, databases, nil)
		if e := in.UsedMemory - c.want; max(e, -e) > 2000+c.want/500 {
			t.Errorf("%s %s, %d databases, %d with %d keys, %d expire: %+v, the server used %d (%+d)", c.server, c.version, c.configured, c.used, c.keys, c.expire, in, c.want, e)
		}
	}
}

// used_memory of nodes that own all slots, after a restart: 120,000 keys of text
// of 30 bytes under 12 hash tags, all keys of every third one with an expiry.
func TestInstanceOfAClusterNode(t *testing.T) {
	for _, c := range []struct {
		server, version, allocator string
		alloc, want                int64
	}{
		{"redis", "8.0.2", "jemalloc-system", 16504000, 20690296},
		{"valkey", "8.1.1", "jemalloc-system", 9591744, 14711720},
		{"valkey", "9.1.2", "jemalloc-5.3.1", 8319936, 13267624},
	} {
		m, _, err := Choose(c.server, c.version, Options{Allocator: c.allocator, State: "reloaded", Cluster: true})
		if err != nil {
			t.Fatal(err)
		}
		slots := make([]Slot, 12)
		for i := range slots {
			slots[i].Keys = 10000
			if i%3 == 0 {
				slots[i].Expires = 10000
			}
		}
		in := m.Instance(c.alloc, []Database{{Keys: 120000, Expires: 40000}}, slots)
		if e := float64(in.UsedMemory-c.want) / float64(c.want); e > .005 || e < -.005 {
			t.Errorf("%s %s: %+v, the server used %d (%+.2f%%)", c.server, c.version, in, c.want, 100*e)
		}
	}
}

// In cluster mode each slot with keys has tables of its own.
func TestInstanceOfASlot(t *testing.T) {
	for _, c := range []struct {
		server, version string
		per             int64 // bytes of tables for a slot with one key
	}{{"redis", "8.0.2", 2560 + 32}, {"redis", "8.6.3", 2560 + 64 + 32}, {"valkey", "8.1.1", 96 + 64}} {
		m, _, _ := Choose(c.server, c.version, Options{Allocator: "jemalloc-system", State: "reloaded", Cluster: true})
		slots := make([]Slot, 100)
		for i := range slots {
			slots[i].Keys = 1
		}
		known := m.Instance(0, []Database{{Keys: 60}, {Keys: 40}}, slots)
		if want := 100 * c.per; known.Tables != want {
			t.Errorf("%s: the tables of 100 slots take %d bytes, want %d", c.server, known.Tables, want)
		}
		// A list of slots with other keys than the databases' is ignored.
		for _, wrong := range [][]Slot{nil, slots[:99], append(slots[:99:99], Slot{Keys: 1, Expires: 1})} {
			if in := m.Instance(0, []Database{{Keys: 60}, {Keys: 40}}, wrong); in.Tables < known.Tables*98/100 || in.Tables > known.Tables*102/100 {
				t.Errorf("%s: %d bytes estimated, want about %d", c.server, in.Tables, known.Tables)
			}
		}
	}
}
