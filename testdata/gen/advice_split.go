package main

import (
	"fmt"
	"hash/crc32"
	"math/bits"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/rdblens/rdblens/parser"
)

// newName is the formula of advice on splits: the key, what separates the number of a part,
// what the number is computed of, the divisor, and what follows.
var newName = regexp.MustCompile(`newKey = key(\W?)\((hash\(\w+\)|offset|bit|index) [%/] (\d+)\)([:.\w]*)`)

// splits follows the advice on splits as an application would: it writes the parts of a key
// beside it and reads its elements under their new names. It follows two of each form and
// rule.
func (c *adviceCheck) splits(list []followed) error {
	forms := map[string]int{} // of what numbers are computed of, by rule
	for _, a := range list {
		m := newName.FindStringSubmatch(a.Text.String())
		isCut := len(a.key.name) == parser.MaxName // no server has a key of this name
		if m == nil || isCut || forms[a.rule+m[2]] == 2 {
			continue
		}
		forms[a.rule+m[2]]++
		if _, err := c.do("SELECT", strconv.Itoa(a.key.db)); err != nil {
			return err
		}
		divisor, err := strconv.ParseInt(m[3], 10, 64)
		if err != nil {
			return err
		}
		s := split{c: c, key: a.key.name, of: m[2], n: divisor, part: func(i int64) string {
			return strings.TrimSuffix(a.key.name, m[4]) + m[1] + strconv.FormatInt(i, 10) + m[4]
		}}
		if err := s.follow(); err != nil {
			c.problem("%v: %s: %v", a.key, a.Text, err)
		}
		c.commands++
	}
	if len(forms) == 0 {
		c.problem("no advice splits a key")
	}
	return nil
}

// split is a key and how it is split.
type split struct {
	c     *adviceCheck
	key   string
	of    string // what the number of a part is computed of
	n     int64
	part  func(i int64) string
	parts []string // that were written
}

func (s *split) follow() error {
	kind, err := s.c.text("TYPE", s.key)
	if err != nil {
		return err
	}
	defer func() {
		for _, p := range s.parts {
			s.c.do("DEL", p)
		}
	}()
	switch {
	case strings.HasPrefix(s.of, "hash("):
		return s.buckets(kind)
	case kind == "string" && s.of == "offset":
		return s.pieces()
	case kind == "string" && s.of == "bit":
		return s.bits()
	case kind == "list" && s.of == "index":
		return s.items()
	}
	return fmt.Errorf("a %s is split by %s", kind, s.of)
}

// bucket returns the part of an element.
func (s *split) bucket(element string) string {
	return s.add(int64(crc32.ChecksumIEEE([]byte(element))) % s.n)
}

func (s *split) add(i int64) string {
	p := s.part(i)
	if !slices.Contains(s.parts, p) {
		s.parts = append(s.parts, p)
	}
	return p
}

// buckets splits a hash or a set.
func (s *split) buckets(kind string) error {
	read, write, step := "SMEMBERS", "SADD", 1
	if kind == "hash" {
		read, write, step = "HGETALL", "HSET", 2
	} else if kind != "set" {
		return fmt.Errorf("a %s is split by a hash", kind)
	}
	all, err := s.c.strings(read, s.key)
	if err != nil {
		return err
	}
	for i := 0; i < len(all); i += step {
		if _, err := s.c.do(append([]string{write, s.bucket(all[i])}, all[i:i+step]...)...); err != nil {
			return err
		}
	}
	for i := 0; i < len(all); i += 37 * step {
		if kind == "hash" {
			if v, err := s.c.text("HGET", s.bucket(all[i]), all[i]); err != nil || v != all[i+1] {
				return fmt.Errorf("HGET of %q: %q, %v", all[i], v, err)
			}
		} else if n, err := s.c.integer("SISMEMBER", s.bucket(all[i]), all[i]); err != nil || n != 1 {
			return fmt.Errorf("SISMEMBER of %q: %d, %v", all[i], n, err)
		}
	}
	return nil
}

// pieces splits a string that is read whole.
func (s *split) pieces() error {
	text, err := s.c.text("GET", s.key)
	if err != nil {
		return err
	}
	for from := int64(0); from < int64(len(text)); from += s.n {
		if _, err := s.c.do("SET", s.add(from/s.n), text[from:min(from+s.n, int64(len(text)))]); err != nil {
			return err
		}
	}
	whole, err := s.c.strings(append([]string{"MGET"}, s.parts...)...)
	if err == nil && strings.Join(whole, "") != text {
		err = fmt.Errorf("MGET differs")
	}
	return err
}

// bits splits a bitmap.
func (s *split) bits() error {
	text, err := s.c.text("GET", s.key)
	if err != nil {
		return err
	}
	if strings.HasPrefix(text, "HYLL") {
		return fmt.Errorf("a HyperLogLog is split")
	}
	for at := range len(text) {
		for b := text[at]; b != 0; b &= b - 1 {
			bit := int64(at)*8 + int64(bits.LeadingZeros8(b&-b))
			if _, err := s.c.do("SETBIT", s.add(bit/s.n), strconv.FormatInt(bit%s.n, 10), "1"); err != nil {
				return err
			}
			if v, err := s.c.integer("GETBIT", s.part(bit/s.n), strconv.FormatInt(bit%s.n, 10)); err != nil || v != 1 {
				return fmt.Errorf("GETBIT of bit %d: %d, %v", bit, v, err)
			}
		}
	}
	want, err := s.c.integer("BITCOUNT", s.key)
	sum := int64(0)
	for _, p := range s.parts {
		n, failed := s.c.integer("BITCOUNT", p)
		if failed != nil {
			return failed
		}
		sum += n
	}
	if err == nil && sum != want {
		err = fmt.Errorf("BITCOUNT: %d, want %d", sum, want)
	}
	return err
}

// items splits a list, whose order stays.
func (s *split) items() error {
	all, err := s.c.strings("LRANGE", s.key, "0", "-1")
	if err != nil {
		return err
	}
	for i, item := range all {
		if _, err := s.c.do("RPUSH", s.add(int64(i)/s.n), item); err != nil {
			return err
		}
	}
	for i := 0; i < len(all); i += 101 {
		if v, err := s.c.text("LINDEX", s.part(int64(i)/s.n), strconv.Itoa(i%int(s.n))); err != nil || v != all[i] {
			return fmt.Errorf("LINDEX %d: %q, %v", i, v, err)
		}
	}
	return nil
}

// reads checks that what applications read is as they left it, after all advice that
// changes nothing was followed: counts, and the order of queues.
func (c *adviceCheck) reads() error {
	if _, err := c.do("SELECT", "7"); err != nil {
		return err
	}
	for _, r := range []struct {
		want    string
		command []string
	}{
		{"1", []string{"BITCOUNT", "big:bitmap"}},
		{numberedItem(0), []string{"LPOP", "queue:list"}},
		{fmt.Sprint([]any{numberedItem(0), "0"}), []string{"ZPOPMIN", "queue:zset"}},
		{"50", []string{"PFCOUNT", "count:visitors"}},
	} {
		v, err := c.do(r.command...)
		if err != nil || fmt.Sprint(v) != r.want {
			c.problem("%q: %v, %v, want %s", r.command, v, err, r.want)
		}
	}
	v, err := c.do("XREADGROUP", "GROUP", "g", "c", "COUNT", "1", "STREAMS", "queue:stream", ">")
	if err != nil || !strings.Contains(fmt.Sprint(v), numberedItem(1200)) {
		c.problem("XREADGROUP: %v, %v", v, err)
	}
	return nil
}
