package codebase

import (
	"path"
	"strings"
)

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
func (l ignoreList) ignores(file string, directory bool) bool {
	segments := strings.Split(file, "/")
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
func matchSegments(pattern, segments []string) bool {
	p, back, at := 0, -1, 0
	for i := 0; i < len(segments); {
		switch {
		case p < len(pattern) && pattern[p] == "**":
			back, at = p, i
			p++
		case p < len(pattern) && matchName(pattern[p], segments[i]):
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

// matchName matches a name with a pattern of *, ? and [classes]. One that is not well formed
// matches itself.
func matchName(pattern, name string) bool {
	ok, err := path.Match(strings.ReplaceAll(pattern, "[!", "[^"), name)
	return ok || err != nil && pattern == name
}
