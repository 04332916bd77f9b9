package main

import (
	"fmt"
	"strconv"
)

// An elementSum sums the sizes of the elements of a value.
type elementSum struct {
	count, bytes, largest, longest int64
	name                           string
	ties                           int // elements as large as the largest
}

// add adds an element that consists of the given strings.
func (t *elementSum) add(name string, parts ...string) {
	var n int64
	for _, p := range parts {
		n += int64(len(p))
		t.longest = max(t.longest, int64(len(p)))
	}
	t.count++
	t.bytes += n
	switch {
	case n > t.largest || t.count == 1:
		t.largest, t.name, t.ties = n, name, 1
	case n == t.largest:
		t.ties++
	}
}

// readValue reads the whole value and computes its sizes.
func (r *row) readValue(s *server) error {
	var err error
	if r.typ, err = s.text("TYPE", r.key); err != nil {
		return err
	}
	var t elementSum
	switch r.typ {
	case "string":
		v, err := s.text("GET", r.key)
		if err != nil {
			return err
		}
		t.add("", v)
		t.ties = 0 // a string's only element has no name
	case "list":
		err = eachString(s, func(i int, v string) { t.add(strconv.Itoa(i), v) }, "LRANGE", r.key, "0", "-1")
	case "set":
		err = eachString(s, func(_ int, v string) { t.add(v, v) }, "SMEMBERS", r.key)
	case "zset":
		err = eachString(s, func(_ int, v string) { t.add(v, v) }, "ZRANGE", r.key, "0", "-1")
	case "hash":
		err = r.readHash(s, &t)
	case "stream":
		err = r.readStream(s, &t)
	case "vectorset":
		// A module's value, whose content the parser does not read.
		r.valueBytes, r.largest, r.longest = unknown, unknown, unknown
		r.elements, err = s.integer("VCARD", r.key)
		return err
	default:
		return fmt.Errorf("type %q", r.typ)
	}
	if err != nil {
		return err
	}
	r.elements, r.valueBytes, r.largest, r.longest = t.count, t.bytes, t.largest, t.longest
	r.largestName, r.named = t.name, t.ties == 1
	return r.checkLength(s)
}

// eachString calls do for each string of an array reply.
func eachString(s *server, do func(i int, v string), args ...string) error {
	list, err := s.strings(args...)
	for i, v := range list {
		do(i, v)
	}
	return err
}

// checkLength compares the number of elements read with the server's.
func (r *row) checkLength(s *server) error {
	command, ok := map[string]string{"list": "LLEN", "set": "SCARD", "zset": "ZCARD", "hash": "HLEN", "stream": "XLEN"}[r.typ]
	if !ok {
		return nil
	}
	n, err := s.integer(command, r.key)
	if err == nil && n != r.elements {
		err = fmt.Errorf("%d elements read, %s says %d", r.elements, command, n)
	}
	return err
}

func (r *row) readHash(s *server, t *elementSum) error {
	list, err := s.strings("HGETALL", r.key)
	if err != nil {
		return err
	}
	ask := []string{"HPEXPIRETIME", r.key, "FIELDS", strconv.Itoa(len(list) / 2)}
	for i := 0; i+1 < len(list); i += 2 {
		t.add(list[i], list[i], list[i+1])
		ask = append(ask, list[i])
	}
	if !s.fieldExpiry {
		return nil
	}
	v, err := s.do(ask...)
	if err != nil {
		return err
	}
	times, _ := v.([]any)
	for _, e := range times {
		if at, _ := e.(int64); at > 0 {
			r.fieldsTTL++
			if r.minField == 0 || at < r.minField {
				r.minField = at
			}
		}
	}
	return nil
}

func (r *row) readStream(s *server, t *elementSum) error {
	v, err := s.do("XRANGE", r.key, "-", "+")
	if err != nil {
		return err
	}
	entries, _ := v.([]any)
	for _, e := range entries {
		pair, _ := e.([]any)
		if len(pair) != 2 {
			return fmt.Errorf("entry %v", e)
		}
		id, _ := pair[0].(string)
		fields, _ := pair[1].([]any)
		parts := make([]string, len(fields))
		for i, f := range fields {
			parts[i], _ = f.(string)
		}
		t.add(id, parts...)
	}
	v, err = s.do("XINFO", "GROUPS", r.key)
	if err != nil {
		return err
	}
	groups, _ := v.([]any)
	for _, g := range groups {
		r.groups++
		r.consumers += attribute(g, "consumers")
		r.pending += attribute(g, "pending")
	}
	return nil
}

// attribute returns a number of a flat list of names and values.
func attribute(reply any, name string) int64 {
	list, _ := reply.([]any)
	for i := 0; i+1 < len(list); i += 2 {
		if list[i] == name {
			n, _ := list[i+1].(int64)
			return n
		}
	}
	return 0
}
