package naming

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/rdblens/rdblens/testdata/watchdog"
)

func TestGlob(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"*", "", true}, {"*", "anything\x00\n", true}, {"feed:*", "feed:1", true}, {"feed:*", "feed:", true}, {"feed:*", "feed", false},
		{"?", "", false}, {"?", "a", true}, {"?", "ab", false}, {"h[ae]llo", "hallo", true}, {"h[ae]llo", "hillo", false},
		{"h[^e]llo", "hallo", true}, {"h[^e]llo", "hello", false}, {"h[a-c]llo", "hbllo", true}, {"h[c-a]llo", "hbllo", true}, {"h[a-c]llo", "hdllo", false},
		{`a\*b`, "a*b", true}, {`a\*b`, "axb", false}, {`[\]]`, "]", true}, {"a*b*c", "axxbyyc", true}, {"a*b*c", "axxbyy", false}, {"*.log", "x.log", true}, {"*.log", "x.log2", false},
		{"a**b", "ab", true}, {"[", "[", false}, {"[abc", "a", true}, {`x\`, `x\`, true}, {"*:*:string", "user:1:string", true}, {"*:*:string", "user:string", false},
		{"用户:*", "用户:1", true}, {"?", "用", false}, {"[a-", "a", true}, {"[^]x", "x", false},
	} {
		g, err := ParseGlob(c.pattern)
		if err != nil {
			t.Fatal(err)
		}
		if got := g.Match([]byte(c.name)); got != c.want {
			t.Errorf("%q on %q: %v", c.pattern, c.name, got)
		}
		if got := serverMatch(c.pattern, c.name); got != c.want {
			t.Errorf("%q on %q: a server says %v", c.pattern, c.name, got)
		}
	}
	if _, err := ParseGlob(""); err == nil {
		t.Error("the empty pattern was taken")
	}
}

// serverMatch is stringmatchlen of the server's util.c.
func serverMatch(p, s string) bool {
	for len(p) > 0 && (len(s) > 0 || p[0] == '*') {
		switch p[0] {
		case '*':
			for len(p) > 1 && p[1] == '*' {
				p = p[1:]
			}
			if len(p) == 1 {
				return true
			}
			for {
				if serverMatch(p[1:], s) {
					return true
				}
				if len(s) == 0 {
					return false
				}
				s = s[1:]
			}
		case '?':
			s = s[1:]
		case '[':
			p = p[1:]
			not := len(p) > 0 && p[0] == '^'
			if not {
				p = p[1:]
			}
			match := false
			for {
				if len(p) >= 2 && p[0] == '\\' {
					p = p[1:]
					match = match || p[0] == s[0]
				} else if len(p) == 0 || p[0] == ']' {
					break
				} else if len(p) >= 3 && p[1] == '-' {
					from, to := min(p[0], p[2]), max(p[0], p[2])
					p = p[2:]
					match = match || s[0] >= from && s[0] <= to
				} else {
					match = match || p[0] == s[0]
				}
				p = p[1:]
			}
			if match == not {
				return false
			}
			s = s[1:]
			if len(p) == 0 {
				return len(s) == 0
			}
		default:
			if p[0] == '\\' && len(p) >= 2 {
				p = p[1:]
			}
			if p[0] != s[0] {
				return false
			}
			s = s[1:]
		}
		p = p[1:]
		if len(s) == 0 {
			for len(p) > 0 && p[0] == '*' {
				p = p[1:]
			}
			break
		}
	}
	return len(p) == 0 && len(s) == 0
}

func TestGlobAgreesWithTheServer(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	pick := func(alphabet string, n int) string {
		var b strings.Builder
		for range n {
			b.WriteByte(alphabet[r.IntN(len(alphabet))])
		}
		return b.String()
	}
	for range 50_000 {
		p, s := pick(`ab*?[]^-\c`, 1+r.IntN(8)), pick("abc]-", r.IntN(8))
		g, err := ParseGlob(p)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := g.Match([]byte(s)), serverMatch(p, s); got != want {
			t.Fatalf("%q on %q: %v, a server says %v", p, s, got, want)
		}
	}
}

func TestGlobTakesNoExponentialTime(t *testing.T) {
	g, err := ParseGlob(strings.Repeat("*a", 50) + "b")
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	if g.Match([]byte(strings.Repeat("a", 20_000))) {
		t.Error("it matched")
	}
	if d := time.Since(start); d > 5*time.Second {
		t.Errorf("%v", d)
	}
}

// FuzzGlob compares patterns with the server's own function.
func FuzzGlob(f *testing.F) {
	f.Add("h[^a-c]*\\?", "hello?")
	f.Fuzz(func(t *testing.T, pattern, name string) {
		defer watchdog.Start(t)()
		if len(pattern) > 12 || len(name) > 24 {
			return // the server's function may take exponential time
		}
		g, err := ParseGlob(pattern)
		if err != nil {
			return
		}
		if got, want := g.Match([]byte(name)), serverMatch(pattern, name); got != want {
			t.Errorf("%q on %q: %v, a server says %v", pattern, name, got, want)
		}
	})
}

// TestGroupsOverlap checks overlaps against all short names.
func TestGroupsOverlap(t *testing.T) {
	n := NewNamer(":")
	var names [][]byte
	for l := range 6 {
		for i := range 1 << (2 * l) {
			name := make([]byte, l)
			for k := range name {
				name[k] = "ab:*"[i>>(2*k)&3]
			}
			names = append(names, name)
		}
	}
	patterns := []string{"", "*", "a*", "*a", "a*b", "*b*", "a:*", "*:*", "*:b", "?b", "ab", "a*:b*", "*a:*b", "b"}
	for _, a := range patterns {
		for _, b := range patterns {
			first, second := n.ParseGroup(a), n.ParseGroup(b)
			want := false
			for _, name := range names {
				want = want || first.Match(name) && second.Match(name)
			}
			if got := first.Overlaps(second); got != want {
				t.Errorf("%q and %q: %v", a, b, got)
			}
		}
	}
}
