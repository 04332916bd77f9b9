// Package serverinfo reads what a server says of its own memory: the outputs of the
// commands INFO, MEMORY STATS, MEMORY MALLOC-STATS and CONFIG GET, as redis-cli prints them.
package serverinfo

import (
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/rdblens/rdblens/parser/memory"
)

// maxText is the longest text that Add reads, in bytes.
const maxText = 16 << 20

// Info has figures that a server gave, by the names that INFO has for them. The zero
// Info has none.
type Info struct {
	figures map[string]int64
	Keys    int64 // of all databases by INFO keyspace, -1 unknown
	// Commands is the number of commands that were called, by INFO commandstats: each
	// has a histogram of its latency. -1 unknown.
	Commands int64
	Version  string // of the server, "" unknown
	malloc   string // name and version of the allocator, "" unknown
}

// names are the figures that are read. Those of MEMORY STATS have the name that INFO has
// for the same figure, if it has one.
var names = func() map[string]string {
	list := map[string]string{
		"total.allocated":                 "used_memory",
		"startup.allocated":               "used_memory_startup",
		"replication.backlog":             "mem_replication_backlog",
		"clients.slaves":                  "mem_clients_slaves",
		"clients.normal":                  "mem_clients_normal",
		"cluster.links":                   "mem_cluster_links",
		"cluster.slot_import":             "mem_cluster_slot_import",
		"cluster.slot_export":             "mem_cluster_slot_export",
		"aof.buffer":                      "mem_aof_buffer",
		"lua.caches":                      "used_memory_scripts_eval",
		"functions.caches":                "used_memory_functions",
		"replica.fullsync.buffer":         "mem_replica_full_sync_buffer",
		"replicas.repl.buffer":            "mem_replicas_repl_buffer",
		"script.VMs":                      "used_memory_vm_total",
		"keys.count":                      "keys",
		mainTables:                        mainTables,
		"overhead.db.hashtable.rehashing": "mem_overhead_db_hashtable_rehashing",
	}
	for _, name := range list {
		list[name] = name
	}
	for _, name := range []string{"used_memory_rss", "used_memory_lua", "maxmemory", "repl-backlog-size",
		"lazyfree_pending_objects", "allocator_frag_bytes", streamNode, quantum} {
		list[name] = name
	}
	return list
}()

// mainTables is what MEMORY STATS says of each database; it is added up.
const mainTables = "overhead.hashtable.main"

// beginning is the first name of MEMORY STATS.
const beginning = "peak.allocated"

// Names of figures: the setting of streams, and the step between sizes of blocks that MEMORY
// MALLOC-STATS has.
const (
	streamNode = "stream-node-max-bytes"
	quantum    = "Quantum size"
)

// Options completes the options of the memory model by what the server said: its allocator and
// stream-node-max-bytes.
func (i *Info) Options(o memory.Options) memory.Options {
	if n, ok := i.Get(streamNode); ok && n > 0 {
		o.StreamNode = n
	}
	step, _ := i.Get(quantum)
	switch {
	case i == nil || o.Allocator != "" || o.Server != "":
	case strings.Contains(i.malloc, "5.3.1"):
		o.Allocator = "jemalloc-5.3.1"
	case step == 16:
		o.Allocator = "jemalloc-system"
	case step == 8:
		o.Allocator = "jemalloc"
	}
	return o
}

// Get returns a figure by its name in INFO or CONFIG GET, in bytes unless the name says
// otherwise. Unknown reports false, as all figures of a nil Info are.
func (i *Info) Get(name string) (n int64, ok bool) {
	if i != nil {
		n, ok = i.figures[name]
	}
	return n, ok
}

// Sum returns the sum of the figures that are known, and whether any is.
func (i *Info) Sum(names ...string) (sum int64, known bool) {
	for _, name := range names {
		n, ok := i.figures[name]
		sum, known = sum+n, known || ok
	}
	return sum, known
}

// number is how redis-cli counts the parts of a reply on a terminal: 1), 1# or 1~, and
// again for replies within.
var number = regexp.MustCompile(`^\s*(\d+[)#~]\s)+\s*`)

// Add reads a text with the output of one or several of the commands, plain or as on a
// terminal. Of a figure that it has twice the last one counts.
func (i *Info) Add(r io.Reader) error {
	all, err := io.ReadAll(io.LimitReader(r, maxText+1))
	if err != nil {
		return err
	}
	text := string(all)
	if len(text) > maxText {
		return errors.New("more than 16 MB")
	}
	if i.figures == nil {
		*i = Info{figures: make(map[string]int64), Keys: -1, Commands: -1}
	}
	read := false
	words := wordsOfLines(text)
	var keys, commands int64 = -1, -1
	for at, w := range words {
		if name, value, ok := strings.Cut(w, ":"); ok {
			switch {
			case database.MatchString(name):
				keys = max(keys, 0) + keysOf(value)
			case strings.HasPrefix(name, "cmdstat_"):
				if commands = max(commands, 0); !strings.HasPrefix(value, "calls=0,") {
					commands++
				}
			default:
				read = i.set(name, value) || read
			}
			continue
		}
		switch {
		case w == beginning:
			delete(i.figures, mainTables)
		case w == "# Keyspace":
			keys = 0
		case at+1 < len(words):
			read = i.set(w, words[at+1]) || read
		}
	}
	if keys >= 0 {
		i.Keys = keys
	}
	if commands >= 0 {
		i.Commands = commands
	}
	if !read && keys < 0 && commands < 0 {
		return errors.New("no line of INFO, MEMORY STATS or CONFIG GET is in it")
	}
	return nil
}

var database = regexp.MustCompile(`^db\d+$`)

// keysOf reads "keys=5,expires=1,avg_ttl=0".
func keysOf(s string) (keys int64) {
	for field := range strings.SplitSeq(s, ",") {
		if n, ok := strings.CutPrefix(field, "keys="); ok {
			keys, _ = strconv.ParseInt(n, 10, 64)
		}
	}
	return max(keys, 0)
}

func (i *Info) set(name, value string) bool {
	if name == "redis_version" && i.Version == "" || name == "valkey_version" {
		i.Version = value
		return true
	}
	if name == "mem_allocator" {
		i.malloc = value
		return true
	}
	name, ok := names[name]
	if !ok {
		return false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
	const most = 1 << 50 // more is no server's memory, and sums overflow
	if err != nil || n < 0 || n > most {
		return false
	}
	if name == mainTables {
		n = min(n+i.figures[name], most)
	}
	i.figures[name] = n
	return true
}

// wordsOfLines returns the words of a reply, one a line: a name, its value, or both with
// a colon between.
func wordsOfLines(text string) (words []string) {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		line = line[len(number.FindString(line)):]
		name, value, both := strings.Cut(line, " => ")
		words = append(words, bare(name))
		if both {
			words = append(words, bare(value))
		}
	}
	return words
}

// bare removes what redis-cli adds to a word on a terminal.
func bare(s string) string {
	s = number.ReplaceAllString(s, "")
	s = strings.TrimPrefix(s, "(integer) ")
	if len(s) >= 2 && s[0] == '"' && s[len(s)-1] == '"' {
		s = s[1 : len(s)-1]
	}
	return s
}
