package naming

import (
	"bytes"
	"strings"
	"testing"
)

// TestEveryOffset puts what is replaced, and what nearly is, at every place of names of up
// to 255 bytes and more: the pattern is the same everywhere, also across words of 64 bytes.
func TestEveryOffset(t *testing.T) {
	const id = "550e8400-e29b-41d4-a716-446655440000"
	namers := []*Namer{NewNamer(":"), NewNamer(":#"), NewNamer("#:")}
	var dst []byte
	for piece, want := range map[string]string{
		":1:": ":*:", ":17x8:": ":*x*:", ":*y:": ":*y:", ":a**b:": ":a*b:", ":1*2:": ":*:", "::": "::", ":::": ":::", ":y:": ":y:",
		":2024-01-31:": ":*:", ":2024-01:": ":*:", ":2024.12.01:": ":*:", ":1999/12:": ":*:", ":2024_01_31:": ":*:", ":2024-00-31:": ":*-*-*:", ":2024-13-31:": ":*-*-*:", ":2024-01-32:": ":*-*:", ":2024-01-00:": ":*-*:", ":2024/01-31:": ":*-*:", ":2024-01-311:": ":*-*:", ":3024-01-31:": ":*-*-*:",
		":0999-01-31:": ":*-*-*:", ":2024-012:": ":*-*:", ":12024-01:": ":*-*:", ":2024-1-31:": ":*-*-*:", ":2024-01x:": ":*x:", ":2024:01:": ":*:*:",
		":0fee1dea:": ":*:", ":feedcafe:": ":feedcafe:", ":feedcafe1:": ":*:", ":feedca1:": ":feedca*:", ":FEEDCAF0:": ":*:", ":gfeedcaf0:": ":g*:", ":feedcaf0g:": ":*g:", ":feedcaf0feedcafe:": ":*:",
		":" + id + ":": ":*:", ":x" + id + "x:": ":x*x:", ":abcdefab-abcd-abcd-abcd-abcdefabcdef:": ":*:", ":abcdefab-abcd-abcd-abcd-abcdefabcde:": ":abcdefab-abcd-abcd-abcd-abcdefabcde:", ":abcdefab-abcd-abcd_abcd-abcdefabcdef:": ":abcdefab-abcd-abcd_abcd-abcdefabcdef:",
		":abcdefab-abc-abcde-abcd-abcdefabcdef:": ":abcdefab-abc-abcde-abcd-abcdefabcdef:", ":gbcdefab-abcd-abcd-abcd-abcdefabcdef:": ":gbcdefab-abcd-abcd-abcd-abcdefabcdef:", ":12345678-1234-1234-1234-123456789012:": ":*:", ":" + id + "-" + id + ":": ":*-*:",
		"{tag}": "{tag}", "{x1y}": "{x*y}", "{}1": "{}*", "{y": "{y", "{y{7}": "{y{*}", "}{1}": "}{*}", "{1}{z}": "{*}{z}", "{2024-01}": "{*}",
	} {
		for before := 0; before+len(piece) <= MaxPattern+3; before++ {
			if before > 12 && before+len(piece) < 56 || before > 72 && before+len(piece) < 120 || before > 136 && before+len(piece) < 184 || before > 200 && before+len(piece) < 248 {
				continue // amid a word, as at its beginning
			}
			for _, after := range []int{0, 1, 9} {
				name := []byte(strings.Repeat("x", before) + piece + strings.Repeat("y", after))
				pattern := strings.Repeat("x", before) + want + strings.Repeat("y", after)
				if len(name) > MaxPattern {
					if before+len(piece) > MaxPattern {
						continue // cut in it
					}
					pattern = pattern[:len(pattern)-(len(name)-MaxPattern)] + "*"
					if strings.HasSuffix(pattern, "**") {
						pattern = pattern[:len(pattern)-1]
					}
				}
				for i, n := range namers {
					if dst = n.AppendPattern(dst[:0], name); string(dst) != pattern {
						t.Fatalf("%q at %d, %d behind it: %q, want %q", piece, before, after, dst, pattern)
					}
					var f Facts
					n.Facts(name, &f)
					if f.Group != HashPattern([]byte(pattern)) {
						t.Fatalf("%q at %d, %d behind it: the hash of another pattern", piece, before, after)
					}
					if i == 0 { // the others split at the same places
						segments := bytes.Split(name, []byte(":"))
						last := len(name) - len(segments[len(segments)-1])
						empty := false
						for _, s := range segments {
							empty = empty || len(s) == 0
						}
						if f.Segments != len(segments) || f.FirstEnd != len(segments[0]) || f.LastStart != last || f.EmptySegment != empty || f.First != name[0] {
							t.Fatalf("%q: %+v", name, f)
						}
						start, end := 0, 0
						if at := bytes.IndexByte(name, '{'); at >= 0 {
							if to := bytes.IndexByte(name[at:], '}'); to > 1 {
								start, end = at+1, at+to
							}
						}
						if f.TagStart != start || f.TagEnd != end {
							t.Fatalf("%q: tag from %d to %d, want %d, %d", name, f.TagStart, f.TagEnd, start, end)
						}
					} else if f.Segments != bytes.Count(name, []byte(":"))+1 {
						t.Fatalf("%q: %+v", name, f)
					}
				}
			}
		}
	}
}

// TestGroupPatterns checks which patterns belong to a group: a * stays in its segment, and
// the last of twelve segments has the rest.
func TestGroupPatterns(t *testing.T) {
	long := "a:b:c:d:e:f:g:h:i:j:k:"
	for _, c := range []struct {
		separators, group, pattern string
		want                       bool
	}{{":", "a:*", "a:b", true}, {":", "a:*", "a:b:c", false}, {":", "a:*", "a:", true}, {":", "a:*", "a", false}, {":", "a", "a:b", false}, {":", "*", "a", true}, {":", "*", "a:b", false}, {":", "*:*", "a:b", true}, {":", "a:?", "a:b", true},
		{":", "a:?", "a:bc", false}, {":", "a::b", "a::b", true}, {":", "a::b", "a:x:b", false}, {":#", "a:b#c", "a:b#c", true}, {":#", "a:b#c", "a:b:c", false}, {":#", "a#*", "a:b", false}, {":", "a:[b]", "a:[b]", true}, {":", "a:[b]", "a:b", false},
		{":", `a:\x`, `a:\x`, true}, {":", long + "*", long + "l:m:n", true}, {":", long + "l", long + "l:m", false}, {":", long + "*", long + "l", true}, {":", long[:20] + "*", long[:20] + "k", true}, {":", long[:20] + "*", long + "l", false}, {"", "a:*", "a:b:c", true}} {
		n := NewNamer(c.separators)
		g := n.ParseGroup(c.group)
		if got := g.Match([]byte(c.pattern)); got != c.want {
			t.Errorf("%q (separators %q) has %q: %t", c.group, c.separators, c.pattern, got)
		}
		segments, first := n.Segments([]byte(c.pattern))
		ofGroup, begins := g.Index()
		if c.want && (segments != ofGroup || begins != "*" && begins != string(first)) {
			t.Errorf("%q is indexed by %d and %q, %q by %d and %q", c.group, ofGroup, begins, c.pattern, segments, first)
		}
	}
	for _, c := range []struct {
		group, name string
		want        bool
	}{
		{"v2:user:*", "v2:user:17", true}, {"v2:user:*", "v3:user:17", false}, {"v*:user:*", "v2:user:17", true}, {"v2:user", "v2:user", true},
		{"v2:{*:*}:*", "v2:{a:b}:1", true}, {"v2:{*:*}:*", "v3:{a:b}:1", false}, {"v2:{*}:*", "v2:{a:b}:1", false}, {"v2:*:x", "v2:{a}:x", true}, {"v2:*", "v2:a:b", false},
		{"v2:", "v2:", true}, {"v2:", "v2:x", false}, {"i18n", "i18n", true}, {"i18n", "i17n", false},
	} {
		n := NewNamer(":")
		if got := n.ParseGroup(c.group).Has([]byte(c.name), n.AppendPattern(nil, []byte(c.name))); got != c.want {
			t.Errorf("%q has %q: %t", c.group, c.name, got)
		}
	}
	for pattern, want := range map[string]int{"": 1, "a": 1, "a:": 2, "a:b": 2, long: 12, long + "l": 12, long + "l:m": 12, long[:20]: 11, "::": 3} {
		if got, _ := NewNamer(":").Segments([]byte(pattern)); got != want {
			t.Errorf("%q has %d segments, want %d", pattern, got, want)
		}
	}
}

// TestSlotsOfTags checks slots by CRC-16/XMODEM, bit by bit, of names of every length.
func TestSlotsOfTags(t *testing.T) {
	plain := func(name []byte) int {
		crc := uint16(0)
		for _, b := range name {
			crc ^= uint16(b) << 8
			for range 8 {
				if crc&0x8000 != 0 {
					crc = crc<<1 ^ 0x1021
				} else {
					crc <<= 1
				}
			}
		}
		return int(crc % 16384)
	}
	for n := range 70 {
		name := make([]byte, n)
		for i := range name {
			name[i] = byte(i*37 + n*11 + 1)
		}
		name = bytes.ReplaceAll(name, []byte("{"), []byte("x"))
		if got := SlotIgnoringTag(name); got != plain(name) || Slot(name) != got {
			t.Errorf("%q: %d, want %d", name, got, plain(name))
		}
		tagged := append(append([]byte("ab{"), name...), "}cd"...)
		if got := SlotIgnoringTag(tagged); got != plain(tagged) {
			t.Errorf("%q: %d", tagged, got)
		}
		if want := plain(name); n > 0 && bytes.IndexByte(name, '}') < 0 && Slot(tagged) != want {
			t.Errorf("%q: %d, want %d", tagged, Slot(tagged), want)
		}
	}
}
