package main

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/report"
	"github.com/rdblens/rdblens/thresholds/naming"
	"github.com/rdblens/rdblens/thresholds/units"
)

// filter says which keys count. It cuts everything that follows: totals, rules
// and the exit code alike. Conditions of different kinds must all hold; of
// several names, globs or expressions, one.
type filter struct {
	text report.Filter // as the report shows it

	types       uint32 // bit set of parser.Type, 0 all
	dbs         []int
	globs       []*naming.Glob
	expressions []expression
	minSize     int64
	minElements int64
	owners      []string
}

// expression is a regular expression behind the literal text that every match
// begins with: a search for that is far cheaper.
type expression struct {
	prefix []byte
	re     *regexp.Regexp
}

func (x *expression) match(name []byte) bool {
	return (len(x.prefix) == 0 || bytes.Contains(name, x.prefix)) && x.re.Match(name)
}

// active reports whether the filter can drop a key.
func (f *filter) active() bool {
	return f.types != 0 || f.dbs != nil || f.globs != nil || f.expressions != nil ||
		f.minSize > 0 || f.minElements > 0 || f.owners != nil
}

// keep reports whether a key counts, as far as the key alone tells: owners are
// looked at by keepOwner.
func (f *filter) keep(k *parser.Key) bool {
	if f.types != 0 && f.types&(1<<k.Type) == 0 {
		return false
	}
	if f.dbs != nil && !slices.Contains(f.dbs, k.DB) {
		return false
	}
	if k.ValueBytes < f.minSize && f.minSize > 0 || k.Elements < f.minElements && f.minElements > 0 {
		return false // a size that is not known (-1, modules) meets no minimum
	}
	return f.keepName(k.Name)
}

// keepOwner reports whether keys of an owner count.
func (f *filter) keepOwner(owner string) bool {
	return f.owners == nil || slices.Contains(f.owners, owner)
}

func (f *filter) keepName(name []byte) bool {
	ok := f.globs == nil
	for _, g := range f.globs {
		if ok = g.Match(name); ok {
			break
		}
	}
	if !ok {
		return false
	}
	for i := range f.expressions {
		if ok = f.expressions[i].match(name); ok {
			break
		}
	}
	return ok
}

// filterFlags are the flags behind a filter, as given.
type filterFlags struct {
	types       []string
	dbs         []int
	match       []string
	regex       []string
	minSize     string
	minElements int64
	owners      []string
}

// compile makes the filter of the flags.
func (ff *filterFlags) compile() (*filter, error) {
	f := &filter{minElements: ff.minElements, owners: listed(ff.owners)}
	for _, name := range listed(ff.types) {
		t, ok := parser.ParseType(name)
		if !ok {
			return nil, usageError(fmt.Sprintf("--type: unknown type %q", name), "types: "+strings.Join(typeNames(), ", "))
		}
		f.types |= 1 << t
	}
	for _, db := range ff.dbs {
		if db < 0 {
			return nil, usageError(fmt.Sprintf("--db: %d is no database number", db), "")
		}
	}
	f.dbs = ff.dbs
	for _, pattern := range ff.match {
		g, err := naming.ParseGlob(pattern)
		if err != nil {
			return nil, usageError(fmt.Sprintf("--match: %v", err), "a glob as KEYS and SCAN take it: user:*, h?llo, h[ae]llo, \\* for a star")
		}
		f.globs = append(f.globs, g)
	}
	for _, pattern := range ff.regex {
		re, err := regexp.Compile(pattern)
		if pattern == "" {
			err = errors.New("empty expression")
		}
		if err != nil {
			return nil, usageError(fmt.Sprintf("--regex: %v", err), "the syntax is that of Go's package regexp (RE2)")
		}
		prefix, _ := re.LiteralPrefix()
		f.expressions = append(f.expressions, expression{[]byte(prefix), re})
	}
	if ff.minSize != "" {
		n, err := units.ParseBytes(ff.minSize)
		if err != nil {
			return nil, usageError(fmt.Sprintf("--min-size: %v", err), "a size is 100, 10KB, 5MB or 1GB; a KB is 1024 bytes")
		}
		f.minSize = n
	}
	if ff.minElements < 0 {
		return nil, usageError(fmt.Sprintf("--min-elements: %d is negative", ff.minElements), "")
	}
	f.text = report.Filter{
		Types: ff.types, Databases: ff.dbs, Match: ff.match, Regex: ff.regex,
		MinSize: f.minSize, MinElements: f.minElements, Owners: ff.owners,
	}
	return f, nil
}

// listed gives the names that a flag lists. One that was given without any names
// the empty one, which nothing has; nil stays nil: not given.
func listed(names []string) []string {
	if names != nil && len(names) == 0 {
		return []string{""}
	}
	return names
}

// typeNames gives the words for types that --type takes.
func typeNames() []string {
	names := make([]string, parser.NumTypes)
	for t := range parser.NumTypes {
		names[t] = t.String()
	}
	return names
}
