package codebase

import "strings"

// An ignoreList has the patterns of the .gitignore files from the root of a
// checkout to one of its directories.
type ignoreList []ignorePattern

type ignorePattern struct {
	segments  []string
	base      int  // segments of the path of the directory that has the file
	anchored  bool // it is about paths from there, not about any name below
	directory bool
	negated   bool
}

// maxIgnore bounds the patterns that are compared with each path.
const maxIgnore = 2000

// with returns a list with the patterns of one more file, of a directory that is so
// many segments below the root.
func (l ignoreList) with(text string, base int) ignoreList {
	l = l[:len(l):len(l)]
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimRight(line, " \t\r")
		if line == "" || line[0] == '#' || len(line) > 1000 || len(l) >= maxIgnore {
			continue
		}
		p := ignorePattern{base: base}
		if line, p.negated = strings.CutPrefix(line, "!"); line == "" {
			continue
		}
		line = strings.TrimPrefix(line, `\`)
		line, p.directory = strings.CutSuffix(line, "/")
		p.anchored = strings.Contains(line, "/")
		if line = strings.TrimPrefix(line, "/"); line == "" {
			continue
		}
		p.segments = strings.Split(line, "/")
		l = append(l, p)
	}
	return l
}

// ignores reports whether the last pattern that matches a path leaves it out.
func (l ignoreList) ignores(path string, directory bool) bool {
	segments := strings.Split(path, "/")
	for i := len(l) - 1; i >= 0; i-- {
		p := &l[i]
		if p.directory && !directory {
			continue
		}
		list := segments[p.base:]
		if !p.anchored {
			list = list[len(list)-1:]
		}
		if matchSegments(p.segments, list) {
			return !p.negated
		}
	}
	return false
}

// matchSegments matches a path with a pattern in which ** is any number of segments.
// It goes back to the last ** only: that is enough, and takes no more than the product
// of the lengths.
func matchSegments(pattern, path []string) bool {
	p, back, at := 0, -1, 0
	for i := 0; i < len(path); {
		switch {
		case p < len(pattern) && pattern[p] == "**":
			back, at = p, i
			p++
		case p < len(pattern) && matchName(pattern[p], path[i]):
			p++
			i++
		case back >= 0:
			at++
			p, i = back+1, at
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == "**" {
		p++
	}
	return p == len(pattern)
}

// matchName matches a name with a pattern of *, ? and [classes].
func matchName(pattern, name string) bool {
	p, back, at := 0, -1, 0
	for i := 0; i < len(name); {
		if p < len(pattern) {
			switch c := pattern[p]; c {
			case '*':
				back, at = p, i
				p++
				continue
			case '?':
				p++
				i++
				continue
			case '[':
				if n, ok := matchClass(pattern[p:], name[i]); n > 0 {
					if ok {
						p += n
						i++
						continue
					}
					break
				}
				fallthrough
			default:
				if c == '\\' && p+1 < len(pattern) {
					c = pattern[p+1]
					if c == name[i] {
						p++
					}
				}
				if c == name[i] {
					p++
					i++
					continue
				}
			}
		}
		if back < 0 {
			return false
		}
		at++
		p, i = back+1, at
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}

// matchClass matches a character with a class such as [a-z], and returns the length
// of the class, 0 if it has no end.
func matchClass(pattern string, c byte) (int, bool) {
	end := strings.IndexByte(pattern[1:], ']')
	if end < 1 {
		return 0, false
	}
	class := pattern[1 : end+1]
	not := class[0] == '!' || class[0] == '^'
	if not {
		class = class[1:]
	}
	in := false
	for i := 0; i < len(class); i++ {
		if i+2 < len(class) && class[i+1] == '-' {
			in = in || class[i] <= c && c <= class[i+2]
			i += 2
			continue
		}
		in = in || class[i] == c
	}
	return end + 2, in != not
}
