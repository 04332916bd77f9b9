package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"sort"
	"strconv"
	"strings"
)

// unknown is a figure that was not measured.
const unknown = -1 << 63

// A row is what the server says of a key.
type row struct {
	db       int
	key      string
	typ      string // TYPE
	encoding string // OBJECT ENCODING
	elements int64  // xLEN, XLEN, 1 for a string
	ttl      int64  // PEXPIRETIME: ms since the epoch, -1 none
	usage    int64  // MEMORY USAGE SAMPLES 0 before the save
	ser      int64  // serializedlength of DEBUG OBJECT
	idle     int64  // OBJECT IDLETIME, seconds
	freq     int64  // OBJECT FREQ

	valueBytes  int64  // sum of the elements' lengths
	largest     int64  // the largest of them
	largestName string // its name
	named       bool   // only one element has that size
	longest     int64  // the longest single string
	fieldsTTL   int64  // fields with an expiry of their own
	minField    int64  // the earliest of them, ms since the epoch; 0 none
	groups      int64
	consumers   int64
	pending     int64

	// What the server says after a restart from the file, and by how much
	// used_memory falls when the key is deleted, before and after.
	reloadedEncoding string
	reloadedUsage    int64
	allocated        int64
	reloadedAlloc    int64
	againUsage       int64 // after another restart; not in truth files
}

// unknownRow returns a row of which only the key is known.
func unknownRow(db int, key string) row {
	return row{
		db: db, key: key, elements: unknown, ttl: unknown, usage: unknown, ser: unknown, idle: unknown, freq: unknown,
		valueBytes: unknown, largest: unknown, longest: unknown, fieldsTTL: unknown, minField: unknown, groups: unknown, consumers: unknown, pending: unknown,
		reloadedUsage: unknown, allocated: unknown, reloadedAlloc: unknown,
	}
}

// readTruth reads everything that can be read before the save. It first reads
// what changes idle times and counters, then calls between, which may set these,
// then reads the rest.
func readTruth(s *server, between func() error) ([]row, error) {
	dbs, err := databases(s)
	if err != nil {
		return nil, err
	}
	var rows []row
	for _, db := range dbs {
		if _, err := s.do("SELECT", strconv.Itoa(db)); err != nil {
			return nil, err
		}
		keys, err := s.strings("KEYS", "*")
		if err != nil {
			return nil, err
		}
		sort.Strings(keys)
		for _, key := range keys {
			r := unknownRow(db, key)
			r.fieldsTTL, r.minField, r.groups, r.consumers, r.pending = 0, 0, 0, 0, 0
			if err := r.readValue(s); err != nil {
				return nil, fmt.Errorf("%.80q: %w", key, err)
			}
			rows = append(rows, r)
		}
	}
	if _, err := s.do("SELECT", "0"); err != nil {
		return nil, err
	}
	if err := between(); err != nil {
		return nil, err
	}
	err = eachRow(s, rows, func(r *row) error { return r.readFacts(s) })
	return rows, err
}

// databases returns the numbers of databases with keys.
func databases(s *server) ([]int, error) {
	text, err := s.text("INFO", "keyspace")
	if err != nil {
		return nil, err
	}
	var out []int
	for line := range strings.Lines(text) {
		name, _, ok := strings.Cut(line, ":")
		if n, err := strconv.Atoi(strings.TrimPrefix(name, "db")); ok && err == nil {
			out = append(out, n)
		}
	}
	return out, nil
}

// eachRow calls do for each row with its database selected, and selects
// database 0 at the end.
func eachRow(s *server, rows []row, do func(*row) error) error {
	db := -1
	for i := range rows {
		r := &rows[i]
		if r.db != db {
			db = r.db
			if _, err := s.do("SELECT", strconv.Itoa(db)); err != nil {
				return err
			}
		}
		if err := do(r); err != nil {
			return fmt.Errorf("%.80q: %w", r.key, err)
		}
	}
	_, err := s.do("SELECT", "0")
	return err
}

// readFacts reads what does not change the key's idle time or counter.
func (r *row) readFacts(s *server) error {
	var err error
	if r.encoding, err = s.text("OBJECT", "ENCODING", r.key); err != nil {
		return err
	}
	if r.ttl, err = s.integer("PEXPIRETIME", r.key); err != nil {
		return err
	}
	if r.usage, err = s.integer("MEMORY", "USAGE", r.key, "SAMPLES", "0"); err != nil {
		return err
	}
	object, err := s.text("DEBUG", "OBJECT", r.key)
	if err != nil {
		return err
	}
	_, after, _ := strings.Cut(object, "serializedlength:")
	ser, _, _ := strings.Cut(after, " ")
	if r.ser, err = strconv.ParseInt(ser, 10, 64); err != nil {
		return fmt.Errorf("%q: %w", object, err)
	}
	// Under an LFU policy there is no idle time, and otherwise no counter.
	var re replyError
	if r.idle, err = s.integer("OBJECT", "IDLETIME", r.key); errors.As(err, &re) {
		r.idle, err = unknown, nil
		r.freq, err = s.integer("OBJECT", "FREQ", r.key)
	}
	return err
}

// columns are the columns of a truth file.
var columns = []struct {
	name string
	get  func(*row) string
}{
	{"db", func(r *row) string { return strconv.Itoa(r.db) }},
	{"key", func(r *row) string { return escape(r.key) }},
	{"type", func(r *row) string { return r.typ }},
	{"encoding", func(r *row) string { return r.encoding }},
	{"elements", func(r *row) string { return figure(r.elements) }},
	{"ttl_ms", func(r *row) string { return figure(r.ttl) }},
	{"memory_usage", func(r *row) string { return figure(r.usage) }},
	{"serializedlength", func(r *row) string { return figure(r.ser) }},
	{"idle_s", func(r *row) string { return figure(r.idle) }},
	{"freq", func(r *row) string { return figure(r.freq) }},
	{"memory_reloaded", func(r *row) string { return figure(r.reloadedUsage) }},
	{"value_bytes", func(r *row) string { return figure(r.valueBytes) }},
	{"max_elem", func(r *row) string { return figure(r.largest) }},
	{"max_name", func(r *row) string {
		if !r.named {
			return "-"
		}
		return "=" + escape(r.largestName[:min(len(r.largestName), 256)])
	}},
	{"longest", func(r *row) string { return figure(r.longest) }},
	{"fields_ttl", func(r *row) string { return figure(r.fieldsTTL) }},
	{"min_field_ttl_ms", func(r *row) string { return figure(r.minField) }},
	{"groups", func(r *row) string { return figure(r.groups) }},
	{"consumers", func(r *row) string { return figure(r.consumers) }},
	{"pending", func(r *row) string { return figure(r.pending) }},
	{"encoding_reloaded", func(r *row) string {
		if r.reloadedEncoding == "" {
			return "-"
		}
		return r.reloadedEncoding
	}},
	{"allocated", func(r *row) string { return figure(r.allocated) }},
	{"allocated_reloaded", func(r *row) string { return figure(r.reloadedAlloc) }},
}

func figure(n int64) string {
	if n == unknown {
		return "-"
	}
	return strconv.FormatInt(n, 10)
}

// escape writes a name with \xNN for every byte that is not printable ASCII,
// and \\ for a backslash.
func escape(s string) string {
	var b strings.Builder
	for i := range len(s) {
		switch c := s[i]; {
		case c == '\\':
			b.WriteString(`\\`)
		case c < 0x20 || c >= 0x7f:
			fmt.Fprintf(&b, `\x%02x`, c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// writeTruth writes the comment lines and the rows.
func writeTruth(path string, comments []string, rows []row) (err error) {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	w := bufio.NewWriter(file)
	for _, c := range comments {
		fmt.Fprintf(w, "# %s\n", c)
	}
	for i, c := range columns {
		if i > 0 {
			w.WriteByte('\t')
		}
		w.WriteString(c.name)
	}
	w.WriteByte('\n')
	for i := range rows {
		for k, c := range columns {
			if k > 0 {
				w.WriteByte('\t')
			}
			w.WriteString(c.get(&rows[i]))
		}
		w.WriteByte('\n')
	}
	return w.Flush()
}
