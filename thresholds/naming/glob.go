package naming

import (
	"bytes"
	"strings"

	"github.com/rdblens/rdblens/parser/message"
)

// Glob is a compiled pattern in the syntax of KEYS and SCAN MATCH: * matches any
// bytes, ? one byte, [a-z] and [^a-z] one byte of a set, and \ takes the next
// byte literally. It is immutable. Match takes at most as many steps as the
// product of the lengths of pattern and name.
type Glob struct {
	pattern string
	prefix  []byte // literal bytes that every matching name begins with
	rest    []globOp
}

// globOp matches one byte of a set, or any bytes.
type globOp struct {
	star bool
	set  byteSet
}

type byteSet [4]uint64

func (s *byteSet) has(b byte) bool { return s[b>>6]>>(b&63)&1 != 0 }

func (s *byteSet) add(from, to byte) {
	for c := int(from); c <= int(to); c++ {
		s[c>>6] |= 1 << (c & 63)
	}
}

// PrefixGlob returns the pattern of all names that begin with a text.
func PrefixGlob(prefix string) *Glob {
	var b strings.Builder
	for i := range len(prefix) {
		if strings.IndexByte(`*?[\`, prefix[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(prefix[i])
	}
	g, _ := ParseGlob(b.String() + "*") // only the empty pattern is an error
	return g
}

// ParseGlob compiles a pattern. Malformed patterns, such as [ without ], are read as
// a server reads them. Only the empty pattern is an error.
func ParseGlob(pattern string) (*Glob, error) {
	if pattern == "" {
		return nil, message.Errorf("empty pattern")
	}
	g := &Glob{pattern: pattern}
	for i := 0; i < len(pattern); i++ {
		var op globOp
		switch c := pattern[i]; c {
		case '*':
			op.star = true
			if n := len(g.rest); n > 0 && g.rest[n-1].star {
				continue
			}
		case '?':
			op.set.add(0, 255)
		case '[':
			op.set, i = parseGlobSet(pattern, i+1)
		default:
			if c == '\\' && i+1 < len(pattern) {
				i++
				c = pattern[i]
			}
			if g.rest == nil {
				g.prefix = append(g.prefix, c)
				continue
			}
			op.set.add(c, c)
		}
		g.rest = append(g.rest, op)
	}
	return g, nil
}

// Prefix returns the bytes that every matching name begins with: all of the name if
// only one matches.
func (g *Glob) Prefix() []byte { return g.prefix }

// EscapeGlob returns the pattern that only a name matches. The escapes are those of
// path/filepath.Match as well.
func EscapeGlob(name string) string { return globEscapes.Replace(name) }

var globEscapes = strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`, `\`, `\\`)

// parseGlobSet parses the set that begins after a [ and returns it with the index
// of its ], or of the last byte of the pattern if there is none (stringmatchlen in
// the server's util.c).
func parseGlobSet(p string, i int) (set byteSet, end int) {
	not := i < len(p) && p[i] == '^'
	if not {
		i++
	}
	for ; i < len(p) && p[i] != ']'; i++ {
		switch {
		case p[i] == '\\' && i+1 < len(p):
			i++
			set.add(p[i], p[i])
		case i+2 < len(p) && p[i+1] == '-':
			set.add(min(p[i], p[i+2]), max(p[i], p[i+2]))
			i += 2
		default:
			set.add(p[i], p[i])
		}
	}
	if not {
		for n := range set {
			set[n] = ^set[n]
		}
	}
	return set, min(i, len(p)-1)
}

// String returns the pattern as it was written.
func (g *Glob) String() string { return g.pattern }

// Match reports whether the whole name matches.
func (g *Glob) Match(name []byte) bool {
	if !bytes.HasPrefix(name, g.prefix) {
		return false
	}
	if len(g.rest) == 1 && g.rest[0].star {
		return true
	}
	return matchGlob(g.rest, name[len(g.prefix):])
}

// matchGlob backtracks to the last star only: whatever an earlier star could
// match, the last one can match as well.
func matchGlob(ops []globOp, name []byte) bool {
	op, star, from := 0, -1, 0
	for i := 0; i < len(name); {
		switch {
		case op < len(ops) && ops[op].star:
			star, from = op, i
			op++
		case op < len(ops) && ops[op].set.has(name[i]):
			i, op = i+1, op+1
		case star < 0:
			return false
		default:
			from++
			i, op = from, star+1
		}
	}
	return op == len(ops) || op == len(ops)-1 && ops[op].star
}

// IsGlob reports whether s contains a special character of patterns.
func IsGlob(s string) bool { return strings.ContainsAny(s, `*?[\`) }
