package naming

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/rdblens/rdblens/testdata/watchdog"
)

func TestPattern(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"", ""},
		{"user", "user"},
		{"user:1", "user:*"},
		{"user123", "user*"},
		{"user123:x9y", "user*:x*y"},
		{"feed:cafe", "feed:cafe"},
		{"deadbeef", "deadbeef"},
		{"dead1eef", "*"},
		{"DEAD1EEF", "*"},
		{"abc1def", "abc*def"},
		{"sess:0123456789abcdef", "sess:*"},
		{"token_abcdef01:x", "token_*:x"},
		{"k:550e8400-e29b-41d4-a716-446655440000:v", "k:*:v"},
		{"k:aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee", "k:*"},
		{"00000000-0000-0000-0000-000000000000", "*"},
		{"id550e8400-e29b-41d4-a716-446655440000", "i*"},
		{"stat:2024-01-31:hits", "stat:*:hits"},
		{"stat.2024.01.31", "stat.*"},
		{"stat/2024/01/31/x", "stat/*/x"},
		{"stat_2024_01", "stat_*"},
		{"stat:1000-01-01", "stat:*"}, {"stat:2999-12-31", "stat:*"}, {"stat:0999-01-01", "stat:*-*-*"}, {"stat:3000-01-01", "stat:*-*-*"},
		{"stat:2024-00-10", "stat:*-*-*"}, {"stat:2024-01-00", "stat:*-*"}, {"stat:2024-01/31", "stat:*/*"}, {"stat:2024-011", "stat:*-*"},
		{"stat:2024-1-31", "stat:*-*-*"}, {"stat:2024-01-311", "stat:*-*"}, {"stat:2024:01:31", "stat:*:*:*"}, {"2024-01", "*"}, {"2024-0", "*-*"},
		{"stat:2024-13-31", "stat:*-*-*"},
		{"stat:2024-12-32", "stat:*-*"},
		{"stat:20240131", "stat:*"},
		{"12024-01-31", "*-*-*"},
		{"2024-01-31abcdef01", "*"},
		{"v1.2.3", "v*.*.*"},
		{"{user1000}.following", "{user*}.following"}, {"{user:1000}:cart", "{user:*}:cart"}, {"{bull:email}:7", "{bull:email}:*"}, {"{7}", "{*}"},
		{"foo{}{bar}", "foo{}{bar}"},
		{"foo{{bar}}zap", "foo{{bar}}zap"},
		{"a{b", "a{b"},
		{"a*1", "a*"},
		{strings.Repeat("x", MaxPattern), strings.Repeat("x", MaxPattern)},
		{strings.Repeat("x", MaxPattern+1), strings.Repeat("x", MaxPattern) + "*"},
		{strings.Repeat("x", MaxPattern-1) + "12", strings.Repeat("x", MaxPattern-1) + "*"},
	} {
		n := NewNamer(":")
		if got := string(n.AppendPattern(nil, []byte(c.name))); got != c.want {
			t.Errorf("pattern of %q is %q, want %q", c.name, got, c.want)
		}
		var f Facts
		n.Facts([]byte(c.name), &f)
		if f.Group != HashPattern([]byte(c.want)) {
			t.Errorf("hash of %q is not that of %q", c.name, c.want)
		}
	}
}

// slowFacts is what Facts promises, written in the plainest way.
func slowFacts(separators string, name []byte) Facts {
	var f Facts
	for _, b := range name {
		f.Class |= ClassOf(b)
	}
	parts := splitBytes(string(name), separators)
	f.Segments = len(parts)
	for _, p := range parts {
		if p == "" {
			f.EmptySegment = true
		}
	}
	f.FirstEnd = len(parts[0])
	f.LastStart = len(name) - len(parts[len(parts)-1])
	if len(name) > 0 {
		f.First = name[0]
	}
	if i := bytes.IndexByte(name, '{'); i >= 0 {
		if j := bytes.IndexByte(name[i:], '}'); j > 1 {
			f.TagStart, f.TagEnd = i+1, i+j
		}
	}
	f.Group = HashPattern([]byte(slowPattern(string(name))))
	return f
}

func splitBytes(s, separators string) []string {
	var parts []string
	start := 0
	for i := range len(s) {
		if strings.IndexByte(separators, s[i]) >= 0 {
			parts = append(parts, s[start:i])
			start = i + 1
		}
	}
	return append(parts, s[start:])
}

var (
	hexRun = regexp.MustCompile(`[0-9a-fA-F]{8,}`)
)

// slowPattern is the pattern by marking bytes, one rule after the other.
func slowPattern(name string) string {
	cut := len(name) > MaxPattern
	if cut {
		name = name[:MaxPattern]
	}
	mark := make([]bool, len(name)+1)
	set := func(from, to int) {
		for i := from; i < to; i++ {
			mark[i] = true
		}
	}
	digit := func(i int) bool { return i >= 0 && i < len(name) && name[i] >= '0' && name[i] <= '9' }
	number := func(i, width int) int { // a run of exactly width digits at i
		v := 0
		for j := i; j < i+width; j++ {
			if !digit(j) {
				return -1
			}
			v = v*10 + int(name[j]-'0')
		}
		if digit(i-1) || digit(i+width) {
			return -1
		}
		return v
	}
	for i := range len(name) {
		if digit(i) || name[i] == '*' {
			set(i, i+1)
		}
		for _, sep := range "-/._" {
			y, m, d := number(i, 4), number(i+5, 2), number(i+8, 2)
			if y < 1000 || y > 2999 || m < 1 || m > 12 || name[i+4] != byte(sep) {
				continue
			}
			set(i, i+7)
			if d >= 1 && d <= 31 && name[i+7] == byte(sep) {
				set(i, i+10)
			}
		}
	}
	for _, m := range hexRun.FindAllStringIndex(name, -1) {
		if strings.ContainsAny(name[m[0]:m[1]], "0123456789") {
			set(m[0], m[1])
		}
	}
	uuid := regexp.MustCompile(`^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}`)
	for i := range len(name) {
		if uuid.MatchString(name[i:]) {
			set(i, i+36)
		}
	}
	var out []byte
	for i := range len(name) {
		if !mark[i] {
			out = append(out, name[i])
		} else if i == 0 || !mark[i-1] {
			out = append(out, '*')
		}
	}
	if cut && !mark[len(name)-1] {
		out = append(out, '*')
	}
	return string(out)
}

// aName draws a name made of the pieces that the rules look for.
func aName(t *rapid.T) []byte {
	piece := rapid.OneOf(
		rapid.SampledFrom([]string{":", "::", "-", "_", ".", "/", "#", "{", "}", "{}", "*", "user", "feed", "cafe", "2024", "1999", "01", "12", "31", "32", "é", "\x00", "\xff"}),
		rapid.StringMatching(`[0-9]{1,12}`),
		rapid.StringMatching(`[0-9a-f]{1,13}`),
		rapid.StringMatching(`[0-9A-Fa-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`),
		rapid.StringMatching(`[a-f]{8}-[a-f]{4}-[0-9]{4}-[a-f]{4}-[0-9]{12}`),
		rapid.StringMatching(`[12][0-9]{3}[-/._][01][0-9][-/._][0-3][0-9]`),
		rapid.StringMatching(`[a-z]{1,9}`),
		rapid.StringN(0, 3, 8),
	)
	most := rapid.SampledFrom([]int{2, 5, 9, 40}).Draw(t, "most")
	return []byte(strings.Join(rapid.SliceOfN(piece, 0, most).Draw(t, "pieces"), ""))
}

func TestFactsAgreeWithPlainOnes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		separators := rapid.SampledFrom([]string{":", "", ":#_", ":#_-./"}).Draw(t, "separators")
		name := aName(t)
		n := NewNamer(separators)
		var got Facts
		n.Facts(name, &got)
		if want := slowFacts(separators, name); got != want {
			t.Fatalf("facts of %q\n got %+v\nwant %+v\npattern %q, plain %q", name, got, want, n.AppendPattern(nil, name), slowPattern(string(name)))
		}
	})
}

// TestHashIsThatOfTheText checks what groups depend on: names have equal hashes if
// and only if their texts are equal.
func TestHashIsThatOfTheText(t *testing.T) {
	n := NewNamer(":")
	texts := map[uint64]string{}
	rapid.Check(t, func(t *rapid.T) {
		name := aName(t)
		var f Facts
		n.Facts(name, &f)
		text := string(n.AppendPattern(nil, name))
		if f.Group != HashPattern([]byte(text)) {
			t.Fatalf("name %q: hash is not that of its pattern %q", name, text)
		}
		if other, ok := texts[f.Group]; ok && other != text {
			t.Fatalf("patterns %q and %q have one hash", text, other)
		}
		texts[f.Group] = text
		if again := string(n.AppendPattern(nil, []byte(text))); again != text {
			t.Fatalf("pattern of %q is %q, and of that %q", name, text, again)
		}
	})
}

func TestFactsOfEveryLength(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const letters = "abcdefgxyz0123456789:_-{}.A \xc3\xa9"
	for length := range 300 {
		for range 20 {
			name := make([]byte, length)
			for i := range name {
				name[i] = letters[r.IntN(len(letters))]
			}
			n := NewNamer(":_")
			var got Facts
			n.Facts(name, &got)
			if want := slowFacts(":_", name); got != want {
				t.Fatalf("facts of %q\n got %+v\nwant %+v", name, got, want)
			}
		}
	}
}

func TestFactsAllocateNothing(t *testing.T) {
	n := NewNamer(":")
	var f Facts
	for _, name := range benchNames {
		b := []byte(fmt.Sprintf(name, 12345))
		if a := testing.AllocsPerRun(100, func() { n.Facts(b, &f) }); a != 0 {
			t.Errorf("name %q: %v allocations", b, a)
		}
	}
	long := bytes.Repeat([]byte("user:1"), 1000)
	if a := testing.AllocsPerRun(100, func() { n.Facts(long, &f) }); a != 0 {
		t.Errorf("long name: %v allocations", a)
	}
}

// TestSlot compares slots with CLUSTER KEYSLOT of Redis 7.0.
func TestSlot(t *testing.T) {
	for name, want := range map[string]int{"": 0, "foo": 12182, "bar": 5061, "{user1000}.following": 3443, "user1000": 3443,
		"foo{}{bar}": 8363, "foo{{bar}}zap": 4015, "{bar": 4015, "foo{bar}{zap}": 5061, "123456789": 12739,
		"user:basic.info:1001:string": 2750, "a": 15495, "ab": 13567, "abc": 7638, "abcde": 16097} {
		if got := Slot([]byte(name)); got != want {
			t.Errorf("slot of %q is %d, want %d", name, got, want)
		}
	}
}

func FuzzFacts(f *testing.F) {
	for _, s := range []string{"user:123", "{a}:b", "550e8400-e29b-41d4-a716-446655440000", "2024-01-31", strings.Repeat("a1", 40)} {
		f.Add([]byte(s))
	}
	n := NewNamer(":#")
	f.Fuzz(func(t *testing.T, name []byte) {
		defer watchdog.Start(t)()
		var got Facts
		n.Facts(name, &got)
		if want := slowFacts(":#", name); got != want {
			t.Fatalf("facts of %q\n got %+v\nwant %+v", name, got, want)
		}
	})
}

// benchNames are shapes of names for benchmarks.
var benchNames = []string{
	"user:%08d:profile", "k:%08d", "shop.order:item.detail:%d:hash", "tok:XyZab%dcdQrStUvWxYz",
	"sess:0123456789abcdef%08x", "req:550e8400-e29b-41d4-a716-4466%08x", "stat:2024-01-31:%d", "{user%d}.following",
	"a.rather.long.name.of.a.module:and.another.long.segment.of.words:%d:with.more.to.come:string",
}

func BenchmarkFacts(b *testing.B) {
	for _, shape := range benchNames {
		b.Run(strings.ReplaceAll(shape, "/", "|"), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 2))
			names := make([][]byte, 4096)
			size := 0
			for i := range names {
				names[i] = fmt.Appendf(nil, shape, r.IntN(100_000_000))
				size += len(names[i])
			}
			n := NewNamer(":")
			var f Facts
			b.SetBytes(int64(size / len(names)))
			i := 0
			for b.Loop() {
				n.Facts(names[i&4095], &f)
				i++
			}
		})
	}
	b.Run("mixed", func(b *testing.B) {
		r := rand.New(rand.NewPCG(1, 2))
		names := make([][]byte, 4096)
		size := 0
		for i := range names {
			names[i] = fmt.Appendf(nil, benchNames[r.IntN(4)], r.IntN(100_000_000))
			size += len(names[i])
		}
		n := NewNamer(":")
		var f Facts
		b.SetBytes(int64(size / len(names)))
		i := 0
		for b.Loop() {
			n.Facts(names[i&4095], &f)
			i++
		}
	})
}

// TestSeparatorsOfANamer checks which characters separate: each once, in their order,
// and no letter, digit or byte beyond ASCII.
func TestSeparatorsOfANamer(t *testing.T) {
	for given, want := range map[string]string{":": ":", ":#:": ":#", "a:1#Z": ":#", "é:": ":", "\x00:": ":", "": "", "ab": "", "_-.": "_-."} {
		n := NewNamer(given)
		if n.Separators() != want {
			t.Errorf("separators of %q are %q, want %q", given, n.Separators(), want)
		}
		for b := range 256 {
			if got := n.IsSeparator(byte(b)); got != strings.Contains(want, string(rune(b))) {
				t.Errorf("%q: 0x%02x is a separator: %v", given, b, got)
			}
		}
	}
}

// TestRepeatedSeparators checks segments and empty ones, also beyond the first 64
// bytes.
func TestRepeatedSeparators(t *testing.T) {
	for _, c := range []struct {
		name     string
		segments int
		empty    bool
	}{{"a", 1, false}, {"", 1, true}, {":", 2, true}, {"::", 3, true}, {":a", 2, true}, {"a:", 2, true}, {"a::b", 3, true}, {"a:#b", 3, true}, {"a:b#c", 3, false}, {"a:b:", 3, true}} {
		for _, before := range []int{0, 61, 62, 63, 64, 65, 127, 128, 200} {
			name, segments, empty := c.name, c.segments, c.empty
			if before > 0 {
				name = strings.Repeat("x", before) + ":" + name
				segments++
			}
			var f Facts
			NewNamer(":#").Facts([]byte(name), &f)
			if f.Segments != segments || f.EmptySegment != empty {
				t.Errorf("%q: %d segments, an empty one: %v, want %d, %v", name, f.Segments, f.EmptySegment, segments, empty)
			}
		}
	}
}

// TestLongNamesWithIDs has UUIDs, dates and hexadecimal numbers at every place of names
// that are longer than 64 bytes, with nothing but digits and with nothing but letters.
func TestLongNamesWithIDs(t *testing.T) {
	n := NewNamer(":")
	for _, id := range []string{"12345678-1234-1234-1234-123456789012", "abcdefab-abcd-abcd-abcd-abcdefabcdef", "2024-12-31", "2024-01", "abcdef01", "0abcdefabcdef", "{ab}"} {
		for before := range 256 {
			for _, after := range []string{"", "x", ":yz", strings.Repeat("w", 70)} {
				name := []byte(strings.Repeat("x", before) + id + after)
				var got Facts
				n.Facts(name, &got)
				if want := slowFacts(":", name); got != want {
					t.Fatalf("facts of %q\n got %+v\nwant %+v\npattern %q", name, got, want, n.AppendPattern(nil, name))
				}
			}
		}
	}
}

// TestAlmostUUIDs changes each character of a UUID: what is none is no single value.
func TestAlmostUUIDs(t *testing.T) {
	n := NewNamer(":")
	for _, uuid := range []string{"550e8400-e29b-41d4-a716-446655440000", "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee", "abcdefab-cdef-abcd-efab-cdefabcdefab"} {
		for _, end := range []string{"", "a", ":x"} {
			name := "k:" + uuid + end
			for i := 2; i < 2+len(uuid); i++ {
				for _, c := range "g-a*" {
					changed := name[:i] + string(c) + name[i+1:]
					if got, want := string(n.AppendPattern(nil, []byte(changed))), slowPattern(changed); got != want {
						t.Errorf("%q: pattern %q, want %q", changed, got, want)
					}
				}
			}
		}
	}
}

// TestClasses checks the kinds of each byte, as the documents' character sets and C's
// isspace and iscntrl have them.
func TestClasses(t *testing.T) {
	for i := range 256 {
		b := byte(i)
		var want Class
		switch {
		case b >= 'a' && b <= 'z':
			want = ClassLower
		case b >= 'A' && b <= 'Z':
			want = ClassUpper
		case b >= '0' && b <= '9':
			want = ClassDigit
		case b == '.':
			want = ClassDot
		case b == ':':
			want = ClassColon
		case b == '_':
			want = ClassUnderscore
		case b == '#':
			want = ClassHash
		case b == '-' || b == '+' || b == '=':
			want = ClassOperator
		case b == '{' || b == '}':
			want = ClassBrace
		case b == ' ':
			want = ClassSpace
		case b >= '\t' && b <= '\r':
			want = ClassSpace | ClassControl
		case b == '\'' || b == '"' || b == '`':
			want = ClassQuote
		case b == '\\':
			want = ClassBackslash
		case b < ' ' || b == 0x7f:
			want = ClassControl
		case b >= 0x80:
			want = ClassHigh
		default:
			want = ClassOther
		}
		if got := ClassOf(b); got != want {
			t.Errorf("%q: %b, want %b", b, got, want)
		}
		for _, n := range []int{1, 8, 9, 64, 65, 300} { // by every way to compute facts
			var f Facts
			name := bytes.Repeat([]byte{b}, n)
			NewNamer(":").Facts(name, &f)
			if f.Class != want {
				t.Errorf("%d of %q: %b, want %b", n, b, f.Class, want)
			}
		}
	}
}
