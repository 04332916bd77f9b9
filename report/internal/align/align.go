// Package align finds out which groups of names of two reports are the same keys.
//
// A report folds rare values of a segment into *, and which are rare depends on all
// names: one report may have a:b:c and a:x:c where the other has a:*:c. Such groups
// can only be compared as a:*:c. The same holds for a:v1:c and a:v2:c where the other
// report has so many of them that it has a:v*:c. That the pattern covers a name does not
// mean that it counts its keys, which may be gone: the sums decide.
package align

import (
	"cmp"
	"slices"
	"strings"
)

// Group is a group of one report.
type Group struct {
	Pattern string
	Keys    int64
	Folds   bool // set by Merge: Pattern was replaced by a wider one
}

// maxPairs bounds the pairs of patterns that are compared.
const maxPairs = 50_000_000

// Merge replaces the patterns of groups that the other side does not distinguish by the
// wider pattern under which it counts them. Only a side that folded values has a star for
// a whole segment. It returns the number of patterns that were replaced.
func Merge(old, new []Group, separators string, oldFolded, newFolded bool) int {
	before, after := byPattern(old), byPattern(new)
	return merge(old, before, after, separators, newFolded) + merge(new, after, before, separators, oldFolded)
}

func byPattern(list []Group) map[string]int64 {
	m := make(map[string]int64, len(list))
	for _, g := range list {
		m[g.Pattern] += g.Keys
	}
	return m
}

// merge replaces patterns of list, whose keys are here, that are not there.
func merge(list []Group, here, there map[string]int64, separators string, folded bool) int {
	// The patterns of the other side with a star, by their number of segments.
	wide := map[int][][]string{}
	count := 0
	for pattern := range there {
		if parts := segments(pattern, separators); strings.Contains(pattern, "*") {
			wide[len(parts)] = append(wide[len(parts)], parts)
			count++
		}
	}
	for _, of := range wide { // the narrowest first, and of these the one with the longest prefix
		slices.SortFunc(of, func(a, b []string) int {
			return cmp.Or(cmp.Compare(stars(a), stars(b)), cmp.Compare(slices.IndexFunc(b, isStar), slices.IndexFunc(a, isStar)),
				slices.Compare(a, b))
		})
	}
	if count*len(list) > maxPairs {
		return 0
	}
	covered := map[string][]int{} // by pattern of the other side: positions in list
	for i, g := range list {
		if _, same := there[g.Pattern]; same {
			continue
		}
		parts := segments(g.Pattern, separators)
		for _, w := range wide[len(parts)] {
			if covers(w, parts, folded) {
				pattern := strings.Join(w, "")
				covered[pattern] = append(covered[pattern], i)
				break
			}
		}
	}
	n := 0
	for pattern, positions := range covered {
		sum := int64(0)
		for _, i := range positions {
			sum += list[i].Keys
		}
		if distance(there[pattern], here[pattern]+sum) >= distance(there[pattern], here[pattern]) {
			continue // they are gone, or new
		}
		for _, i := range positions {
			list[i].Pattern, list[i].Folds = pattern, true
			n++
		}
	}
	return n
}

func distance(a, b int64) int64 { return max(a-b, b-a) }

func segments(pattern, separators string) []string {
	var parts []string
	for {
		i := strings.IndexAny(pattern, separators)
		if i < 0 || len(parts) == 63 {
			return append(parts, pattern)
		}
		parts = append(parts, pattern[:i+1])
		pattern = pattern[i+1:]
	}
}

func isStar(part string) bool { return part == "*" || len(part) == 2 && part[0] == '*' }

func stars(parts []string) (n int) {
	for _, p := range parts {
		if isStar(p) {
			n++
		}
	}
	return n
}

// Alike returns how many segments two patterns have in common, at the same distance
// from the start or from the end.
func Alike(a, b, separators string) int {
	x, y := segments(a, separators), segments(b, separators)
	count := func(at func(parts []string, i int) string) (n int) {
		for i := range min(len(x), len(y)) {
			if at(x, i) == at(y, i) {
				n++
			}
		}
		return n
	}
	return max(count(func(p []string, i int) string { return p[i] }),
		count(func(p []string, i int) string { return p[len(p)-1-i] }))
}

// covers reports whether a pattern is another one with stars in place of numbers, and if
// values were folded, of segments.
func covers(wide, parts []string, folded bool) bool {
	for i, w := range wide {
		p := parts[i]
		switch {
		case w == p, !isStar(w) && strings.Contains(w, "*") && w == withoutNumber(p):
		case folded && isStar(w) && strings.TrimPrefix(w, "*") == end(p, len(parts) == i+1):
		default:
			return false
		}
	}
	return true
}

// withoutNumber returns a segment with a star in place of its first number.
func withoutNumber(part string) string {
	i := strings.IndexAny(part, "0123456789")
	if i < 0 {
		return part
	}
	return part[:i] + "*" + strings.TrimLeft(part[i:], "0123456789")
}

// end returns the separator at the end of a segment, "" in the last one.
func end(part string, last bool) string {
	if last {
		return ""
	}
	return part[len(part)-1:]
}
