package parser

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
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
	most := 64 << 10
	if os.Getenv("RDBLENS_NIGHTLY") != "" {
		most = 1 << 20
	}
	for name, in := range allFixtures(t) {
		if len(in) > most || !bytes.HasPrefix(in, []byte("REDIS")) && !bytes.HasPrefix(in, []byte("VALKEY")) {
			continue
		}
		whole := scanned(bytes.NewReader(in), Options{}, smallBlock)
		if whole.err != nil || whole.info.AnnouncedKeys != whole.info.Keys || whole.info.Keys < 2 || whole.info.Checksum != ChecksumOK {
			continue
		}
		in = bytes.Clone(in[:whole.info.Bytes])
		clear(in[len(in)-8:])
		for _, how := range slices.Sorted(maps.Keys(damages)) {
			damage := damages[how]
			bad := damage(newDamage(random, in))
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

// damage is what damages a snapshot: from at to end is a part behind the header, and keys are
// where keys begin, the type byte included; the last one is the end mark.
type damage struct {
	*rand.Rand
	in           []byte
	keys         []int
	at, end, key int // key is an index of keys
}

func newDamage(random *rand.Rand, in []byte) *damage {
	d := &damage{Rand: random, in: in}
	for s := NewScanner(bytes.NewReader(in), Options{}); s.Scan(); {
		d.keys = append(d.keys, int(s.Key().Offset))
	}
	d.at = d.keys[0] + random.IntN(len(in)-d.keys[0]-9)
	d.end = min(d.at+1+random.IntN(200), len(in)-9)
	d.key = random.IntN(len(d.keys))
	d.keys = append(d.keys, len(in)-9)
	return d
}

// replace returns the snapshot with a part replaced.
func (d *damage) replace(from, to int, with ...byte) []byte {
	return slices.Concat(d.in[:from], with, d.in[to:])
}

func (d *damage) random(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(d.IntN(256))
	}
	return b
}

var offEnd = append([]byte{0xff}, make([]byte, 8)...)

// damages are the ways in which snapshots are damaged.
var damages = map[string]func(d *damage) []byte{
	"a bit flipped":          func(d *damage) []byte { return d.replace(d.at, d.at+1, d.in[d.at]^1<<d.IntN(8)) },
	"a byte changed":         func(d *damage) []byte { return d.replace(d.at, d.at+1, d.random(1)...) },
	"a byte one more":        func(d *damage) []byte { return d.replace(d.at, d.at+1, d.in[d.at]+1) },
	"a byte one less":        func(d *damage) []byte { return d.replace(d.at, d.at+1, d.in[d.at]-1) },
	"a run of zeros":         func(d *damage) []byte { return d.replace(d.at, d.end, make([]byte, d.end-d.at)...) },
	"a run of 255":           func(d *damage) []byte { return d.replace(d.at, d.end, bytes.Repeat([]byte{255}, d.end-d.at)...) },
	"a run of anything":      func(d *damage) []byte { return d.replace(d.at, d.end, d.random(d.end-d.at)...) },
	"a run of text":          func(d *damage) []byte { return d.replace(d.at, d.end, bytes.Repeat([]byte("<br>"), d.end-d.at)...) },
	"a byte cut out":         func(d *damage) []byte { return d.replace(d.at, d.at+1) },
	"bytes cut out":          func(d *damage) []byte { return d.replace(d.at, d.end) },
	"all to the end cut out": func(d *damage) []byte { return d.replace(d.at, len(d.in)-9) },
	"a byte put in":          func(d *damage) []byte { return d.replace(d.at, d.at, d.random(1)...) },
	"zeros put in":           func(d *damage) []byte { return d.replace(d.at, d.at, make([]byte, 1+d.IntN(64))...) },
	"bytes put in":           func(d *damage) []byte { return d.replace(d.at, d.at, d.random(1+d.IntN(64))...) },
	"bytes repeated":         func(d *damage) []byte { return d.replace(d.at, d.at, d.in[d.at:d.end]...) },
	"bytes turned round": func(d *damage) []byte {
		b := slices.Clone(d.in[d.at:d.end])
		slices.Reverse(b)
		return d.replace(d.at, d.end, b...)
	},
	"an early end mark":       func(d *damage) []byte { return d.replace(d.at, d.at+1, 0xff) },
	"an early end":            func(d *damage) []byte { return d.replace(d.at, len(d.in), offEnd...) },
	"cut off":                 func(d *damage) []byte { return d.in[:d.at] },
	"cut off before a key":    func(d *damage) []byte { return d.in[:d.keys[d.key]] },
	"ended before a key":      func(d *damage) []byte { return d.replace(d.keys[d.key], len(d.in), offEnd...) },
	"all keys cut off":        func(d *damage) []byte { return d.replace(d.keys[0], len(d.in), offEnd...) },
	"the end mark cut off":    func(d *damage) []byte { return d.in[:len(d.in)-9] },
	"a key left out":          func(d *damage) []byte { return d.replace(d.keys[d.key], d.keys[d.key+1]) },
	"all keys from one on":    func(d *damage) []byte { return d.replace(d.keys[d.key], d.keys[len(d.keys)-1]) },
	"the first keys left out": func(d *damage) []byte { return d.replace(d.keys[0], d.keys[d.key+1]) },
	"another type":            func(d *damage) []byte { return d.replace(d.keys[d.key], d.keys[d.key]+1, byte(d.IntN(24))) },
	"a longer name":           func(d *damage) []byte { return d.replace(d.keys[d.key]+1, d.keys[d.key]+2, byte(d.IntN(64))) },
	"a name of 32 bits":       func(d *damage) []byte { return d.replace(d.keys[d.key]+1, d.keys[d.key]+2, 0x80, 0, 0, 1, 0) },
	"no key but an expiry":    func(d *damage) []byte { return d.replace(d.keys[d.key], d.keys[d.key+1], 0xfc, 1, 2, 3, 4, 5, 6, 7, 8) },
	"another database":        func(d *damage) []byte { return d.replace(d.keys[d.key], d.keys[d.key], 0xfe, 7, 0xfb, 0, 0) },
	"a key becomes a field":   func(d *damage) []byte { return d.replace(d.keys[d.key], d.keys[d.key+1], 0xfa, 1, 'a', 1, 'b') },
	"the keys of a run a string": func(d *damage) []byte {
		k := newRDB("").key(0, "swallowed").str(string(d.in[d.keys[0]:d.keys[d.key+1]])).b
		return d.replace(d.keys[0], d.keys[d.key+1], k...)
	},
}
