package naming

import (
	"bytes"
	"errors"
	"strings"
)

// Glob is a compiled pattern in the syntax of KEYS and SCAN MATCH: * matches any
// bytes, ? one byte, [a-z] and [^a-z] one byte of a set, and \ takes the next
// byte literally. It is immutable. Match takes at most as many steps as the
// product of the lengths of pattern and name.
type Glob struct {
	pattern string
	prefix  []byte // literal bytes that every matching name begins with
	rest    []globOp
	kind    globKind
}

type globKind uint8

const (
	globOps    globKind = iota
	globExact           // only a prefix
	globPrefix          // a prefix and *
	globAny             // only *
)

type globOp struct {
	kind    globOpKind
	literal byte
	set     *[256]bool
}

type globOpKind uint8

const (
	opLiteral globOpKind = iota
	opOne                // ?
	opSet
	opStar
)

// ParseGlob compiles a pattern. Malformed patterns, such as [ without ], are read as
// a server reads them. Only the empty pattern is an error.
func ParseGlob(pattern string) (*Glob, error) {
	if pattern == "" {
		return nil, errors.New("empty pattern")
	}
	var ops []globOp
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '*':
			if len(ops) == 0 || ops[len(ops)-1].kind != opStar {
				ops = append(ops, globOp{kind: opStar})
			}
		case c == '?':
			ops = append(ops, globOp{kind: opOne})
		case c == '[':
			set, end := parseGlobSet(pattern, i+1)
			ops = append(ops, globOp{kind: opSet, set: set})
			i = end
		default:
			if c == '\\' && i+1 < len(pattern) {
				i++
				c = pattern[i]
			}
			ops = append(ops, globOp{kind: opLiteral, literal: c})
		}
	}
	g := &Glob{pattern: pattern}
	for len(ops) > 0 && ops[0].kind == opLiteral {
		g.prefix = append(g.prefix, ops[0].literal)
		ops = ops[1:]
	}
	g.rest = ops
	switch {
	case len(ops) == 0:
		g.kind = globExact
	case len(ops) == 1 && ops[0].kind == opStar && len(g.prefix) == 0:
		g.kind = globAny
	case len(ops) == 1 && ops[0].kind == opStar:
		g.kind = globPrefix
	}
	return g, nil
}

// parseGlobSet parses the set that begins after a [ and returns it with the index
// of its ], or of the last byte of the pattern if there is none (stringmatchlen in
// the server's util.c).
func parseGlobSet(p string, i int) (*[256]bool, int) {
	set := new([256]bool)
	not := i < len(p) && p[i] == '^'
	if not {
		i++
	}
	for ; i < len(p) && p[i] != ']'; i++ {
		switch {
		case p[i] == '\\' && i+1 < len(p):
			i++
			set[p[i]] = true
		case i+2 < len(p) && p[i+1] == '-':
			from, to := min(p[i], p[i+2]), max(p[i], p[i+2])
			for c := int(from); c <= int(to); c++ {
				set[c] = true
			}
			i += 2
		default:
			set[p[i]] = true
		}
	}
	if not {
		for c := range set {
			set[c] = !set[c]
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
	switch g.kind {
	case globPrefix, globAny:
		return true
	case globExact:
		return len(name) == len(g.prefix)
	}
	return matchGlob(g.rest, name[len(g.prefix):])
}

// matchGlob backtracks to the last star only: whatever an earlier star could
// match, the last one can match as well.
func matchGlob(ops []globOp, name []byte) bool {
	op, star, from := 0, -1, 0
	for i := 0; i < len(name); {
		if op < len(ops) {
			switch o := &ops[op]; o.kind {
			case opStar:
				star, from = op, i
				op++
				continue
			case opOne:
				i, op = i+1, op+1
				continue
			case opSet:
				if o.set[name[i]] {
					i, op = i+1, op+1
					continue
				}
			default:
				if o.literal == name[i] {
					i, op = i+1, op+1
					continue
				}
			}
		}
		if star < 0 {
			return false
		}
		from++
		i, op = from, star+1
	}
	for op < len(ops) && ops[op].kind == opStar {
		op++
	}
	return op == len(ops)
}

// IsGlob reports whether s contains a special character of patterns.
func IsGlob(s string) bool { return strings.ContainsAny(s, `*?[\`) }
