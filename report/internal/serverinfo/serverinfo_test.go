package serverinfo

import (
	"strings"
	"testing"

	"github.com/rdblens/rdblens/parser/memory"
)

// TestAdd reads the replies as redis-cli 7.0 prints them: through a pipe, on a terminal
// with RESP2 and RESP3.
func TestAdd(t *testing.T) {
	for name, text := range map[string]string{
		"pipe":     "peak.allocated\n974848\ntotal.allocated\n939344\ndb.0\noverhead.hashtable.main\n72\noverhead.hashtable.expires\n0\ndb.3\noverhead.hashtable.main\n8\nkeys.count\n1\n",
		"terminal": " 1) \"peak.allocated\"\n 2) (integer) 974848\n 3) \"total.allocated\"\n 4) (integer) 939344\n 5) \"db.0\"\n 6) 1) \"overhead.hashtable.main\"\n    2) (integer) 72\n 7) \"db.3\"\n 8) 1) \"overhead.hashtable.main\"\n    2) (integer) 8\n 9) \"keys.count\"\n10) (integer) 1\n",
		"RESP3":    " 1# \"peak.allocated\" => (integer) 974848\n 2# \"total.allocated\" => (integer) 939344\n 3# \"db.0\" => \n    1# \"overhead.hashtable.main\" => (integer) 72\n 4# \"db.3\" => \n    1# \"overhead.hashtable.main\" => (integer) 8\n 5# \"keys.count\" => (integer) 1\n",
	} {
		var i Info
		for range 2 { // the second reply replaces the first
			if err := i.Add(strings.NewReader(text)); err != nil {
				t.Fatal(name, err)
			}
		}
		for figure, want := range map[string]int64{"used_memory": 939344, "overhead.hashtable.main": 80, "keys": 1} {
			if got, ok := i.Get(figure); got != want || !ok {
				t.Errorf("%s: %s %d, want %d", name, figure, got, want)
			}
		}
		if _, ok := i.Get("mem_aof_buffer"); ok || i.Keys != -1 || i.Commands != -1 {
			t.Errorf("%s: %+v", name, i)
		}
	}
	var i Info
	info := "# Memory\r\nused_memory:914800\r\nused_memory_human:893.36K\r\nmem_clients_normal:5\r\nmem_aof_buffer:-3\r\n# Commandstats\r\ncmdstat_get:calls=3,usec=1\r\n" +
		"cmdstat_set:calls=0,usec=0\r\ncmdstat_config|get:calls=1,usec=1\r\n# Keyspace\r\ndb0:keys=12,expires=3,avg_ttl=0\r\ndb1:keys=5,expires=1,avg_ttl=0\r\n"
	if err := i.Add(strings.NewReader(info)); err != nil {
		t.Fatal(err)
	}
	if err := i.Add(strings.NewReader("maxmemory\n1000\nmaxmemory-policy\nnoeviction\n")); err != nil {
		t.Fatal(err)
	}
	most, _ := i.Get("maxmemory")
	sum, known := i.Sum("mem_clients_normal", "mem_aof_buffer")
	if i.Keys != 17 || i.Commands != 2 || most != 1000 || sum != 5 || !known {
		t.Errorf("%+v", i)
	}
	// The statistics of jemalloc decide on its model, unless the caller did.
	for text, want := range map[string]string{
		"Version: \"5.3.0-0-g54eaed1d\"\nQuantum size: 16\n":          "jemalloc-system",
		"Version: \"5.3.0-0-g54eaed1d\"\nQuantum size: 8\n":           "jemalloc",
		"mem_allocator:jemalloc-5.3.1\r\n# Memory\r\nused_memory:1\n": "jemalloc-5.3.1",
		"mem_allocator:jemalloc-5.3.0\r\n":                            "",
	} {
		var i Info
		err := i.Add(strings.NewReader(text + "stream-node-max-bytes\n1000\n"))
		o, given := i.Options(memory.Options{}), i.Options(memory.Options{Allocator: "jemalloc"})
		if err != nil || o.Allocator != want || o.StreamNode != 1000 || given.Allocator != "jemalloc" {
			t.Errorf("%q: %+v %+v %v", text, o, given, err)
		}
	}
	for _, text := range []string{"", "hello\nworld", "{", "used_memory", "used_memory:x", "used_memory:99999999999999999999"} {
		var i Info
		if err := i.Add(strings.NewReader(text)); err == nil {
			t.Errorf("%q: %+v", text, i)
		}
	}
	if err := new(Info).Add(strings.NewReader(strings.Repeat(" ", maxText+1))); err == nil {
		t.Error("a text of more than 16 MB is read")
	}
}
