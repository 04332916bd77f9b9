package parser

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestAnnounced compares what a snapshot announces with what it has.
func TestAnnounced(t *testing.T) {
	resized := func(version string, keys, expires uint64) *rdbBuilder {
		return newRDB("REDIS"+version).raw(0xfe, 0, 0xfb).len(keys).len(expires)
	}
	two := func(r *rdbBuilder) *rdbBuilder {
		return r.raw(0xfc).le64(4102444800000).key(0, "a").str("1").key(0, "b").str("2")
	}
	slots := newRDB("REDIS0012").raw(0xfe, 0, 0xf4).len(7).len(2).len(1).raw(0xf4).len(9).len(3).len(0)
	aux := newRDB("VALKEY080").aux("slot-info", "7,5,1")
	for name, c := range map[string]struct {
		in            *rdbBuilder
		off           bool // the checksum is
		keys, expires int64
		missing       int64 // keys
		text          string
	}{
		"all there":                    {two(resized("0011", 2, 1)), true, 2, 1, 0, ""},
		"nothing announced":            {two(newRDB("REDIS0011").raw(0xfe, 0)), true, -1, -1, 0, ""},
		"a key is missing":             {two(resized("0011", 3, 1)), true, 3, 1, 1, "the end mark comes after 2 of 3 keys that the file announces"},
		"a key is missing, as written": {two(resized("0011", 3, 1)), false, 3, 1, 1, "the end mark comes after 2 of 3 keys that the file announces"},
		"an expiry is missing":         {two(resized("0011", 2, 2)), true, 2, 2, 0, "the end mark comes after 1 of 2 expiries"},
		"more than announced":          {two(resized("0011", 1, 0)), true, 1, 0, 0, ""},
		"expired before it was saved":  {two(resized("0008", 5, 4)), true, 5, 4, 0, ""},
		"not only expired ones":        {two(resized("0008", 5, 3)), true, 5, 3, 3, "the end mark comes after 2 of 5 keys"},
		"more than 32 bits":            {two(resized("0007", 1<<32-1, 1)), true, -1, -1, 0, ""},
		"second database":              {two(two(resized("0011", 2, 1)).raw(0xfe, 1, 0xfb).len(3).len(1)), true, 5, 2, 1, "the end mark comes after 4 of 5 keys"},
		"slots":                        {two(slots), true, 5, 1, 3, "the end mark comes after 2 of 5 keys"},
		"slots of Valkey":              {two(aux), true, 5, 1, 3, "the end mark comes after 2 of 5 keys"},
		"any number":                   {two(resized("0011", 1<<63, 1)), true, 1 << 40, 1, 1<<40 - 2, "keys that the file announces"},
	} {
		in := bytes.Clone(c.in.b)
		if c.off {
			in = (&rdbBuilder{in}).endOff()
		} else {
			in = (&rdbBuilder{in}).end()
		}
		twice(t, in)
		for _, strict := range []bool{false, true} {
			o := scanned(bytes.NewReader(in), Options{Strict: strict}, smallBlock)
			i := o.info
			if i.AnnouncedKeys != c.keys || i.AnnouncedExpires != c.expires {
				t.Errorf("%s: %d keys and %d expiries are announced, want %d and %d", name, i.AnnouncedKeys, i.AnnouncedExpires, c.keys, c.expires)
			}
			if missing, _ := i.Missing(); missing != c.missing || i.Ended != (missing == 0 || !c.off) {
				t.Errorf("%s: %d keys are missing, want %d; ended: %v", name, missing, c.missing, i.Ended)
			}
			text := fmt.Sprint(i.Warnings)
			if damage := c.text != "" && (c.off || strict) || c.off && strict; damage != (o.err != nil) {
				t.Errorf("%s, strict %v: %v", name, strict, o.err)
			} else if damage {
				text = o.err.Error()
			}
			if !strings.Contains(text, c.text) {
				t.Errorf("%s: %q, want %q", name, text, c.text)
			}
		}
	}
}

// TestAnnouncedDamage damages snapshots of servers whose checksum is off, in many
// ways: none is read without an error that has fewer keys than it announces.
func TestAnnouncedDamage(t *testing.T) {
	random := rand.New(rand.NewPCG(25, 30))
	noticed := make(map[string]int)
	for name, in := range allFixtures(t) {
		if len(in) > 1<<20 || !bytes.HasPrefix(in, []byte("REDIS")) && !bytes.HasPrefix(in, []byte("VALKEY")) {
			continue
		}
		whole := scanned(bytes.NewReader(in), Options{}, smallBlock)
		if whole.err != nil || whole.info.AnnouncedKeys != whole.info.Keys || whole.info.Keys < 2 || whole.info.Checksum != ChecksumOK {
			continue
		}
		in = bytes.Clone(in[:whole.info.Bytes])
		clear(in[len(in)-8:])
		records := whole.firstKey(in)
		for range 30 {
			bad, how := damaged(random, in, records)
			o := scanned(bytes.NewReader(bad), Options{}, smallBlock)
			if lost := whole.info.Keys - o.info.Keys; lost > 0 && o.err == nil && o.info.AnnouncedKeys == whole.info.AnnouncedKeys {
				t.Errorf("%s, %s: %d keys were lost in silence", name, how, lost)
			} else if lost > 0 && o.err != nil && strings.Contains(o.err.Error(), "announces") {
				noticed[how]++
			}
		}
	}
	if len(noticed) < 3 {
		t.Errorf("the end mark comes after what the file announces has shown %v", noticed)
	}
}

// firstKey returns where the first key of a snapshot begins, its type byte included.
func (o outcome) firstKey(in []byte) int {
	s := NewScanner(bytes.NewReader(in), Options{})
	s.Scan()
	return int(s.Key().Offset)
}

// damaged returns a snapshot with one thing wrong behind its header, and what it is.
func damaged(random *rand.Rand, in []byte, from int) (bad []byte, how string) {
	at := from + random.IntN(len(in)-from-9)
	end := min(at+1+random.IntN(200), len(in)-9)
	bad = bytes.Clone(in)
	switch random.IntN(6) {
	case 0:
		bad[at] ^= 1 << random.IntN(8)
		return bad, "a bit flipped"
	case 1:
		clear(bad[at:end])
		return bad, "a run of zeros"
	case 2:
		return append(bad[:at], in[end:]...), "bytes cut out"
	case 3:
		bad[at] = 0xff
		return bad, "an early end mark"
	case 4:
		// The keys of a run become the value of one.
		k := newRDB("").key(0, "swallowed").str(string(in[from:end])).b
		return append(append(bytes.Clone(in[:from]), k...), in[end:]...), "keys in a string"
	}
	return append(append(bytes.Clone(in[:from]), 0xff), make([]byte, 8)...), "all keys cut off"
}
