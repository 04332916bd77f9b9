package main

import (
	"encoding/csv"
	"errors"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report"
	"github.com/rdblens/rdblens/report/text"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// filter selects the keys that count, for everything that follows: totals, rules
// and the exit code. Conditions of different kinds must all hold; of several
// names, globs or expressions, one.
type filter struct {
	report.Filter // as the report shows it

	types       uint32   // bit set of parser.Type, 0 is all
	bounded     bool     // one of the conditions of within was given; set by ready
	prefixes    []string // Under without escapes
	globs       []*naming.Glob
	expressions []*regexp.Regexp
}

// ready prepares the filter when all flags were read. An error is a range that is empty.
func (f *filter) ready() error {
	f.bounded = f.MaxSize != nil || f.MaxElements != nil || f.MinMemory != nil || f.MaxMemory != nil ||
		f.ExpireAfter != nil || f.ExpireBefore != nil || f.ExpireAfterTaken != nil || f.ExpireBeforeTaken != nil ||
		f.NoTTL || f.TTLUnder != nil || f.TTLOver != nil || f.IdleOver != nil
	over := func(low, high *int64) bool { return low != nil && high != nil && *low > *high }
	for _, r := range []struct {
		low, high string
		empty     bool
	}{
		{"min-size", "max-size", over(&f.MinSize, f.MaxSize)},
		{"min-elements", "max-elements", over(&f.MinElements, f.MaxElements)},
		{"min-memory", "max-memory", over(f.MinMemory, f.MaxMemory)},
		{"ttl-over", "ttl-under", over(f.TTLOver, f.TTLUnder)},
		{"expire-after", "expire-before", over(f.ExpireAfter, f.ExpireBefore)},
	} {
		if r.empty {
			return usageError("no key is within --{low} and --{high}", message.Text("low", r.low), message.Text("high", r.high))
		}
	}
	return nil
}

// active reports whether the filter can drop a key.
func (f *filter) active() bool {
	return f.types != 0 || f.Databases != nil || f.globs != nil || f.expressions != nil || f.Under != nil ||
		f.MinSize > 0 || f.MinElements > 0 || f.bounded || f.Owners != nil || f.Over != nil
}

// keep reports whether a key counts, except for its owner: see keepOwner. created is
// when the snapshot was taken, in seconds since the epoch, -1 unknown.
func (f *filter) keep(k *parser.Key, created int64) bool {
	if k.ValueBytes < f.MinSize && f.MinSize > 0 || k.Elements < f.MinElements && f.MinElements > 0 {
		return false // an unknown size (-1, modules) meets no minimum
	}
	return (!f.bounded || f.within(k, created)) && f.keepNamed(k)
}

// keepNamed is keep without what needs the value of a key.
func (f *filter) keepNamed(k *parser.Key) bool {
	return (f.types == 0 || f.types&(1<<k.Type) != 0) && (f.Databases == nil || slices.Contains(f.Databases, k.DB)) &&
		f.keepName(k.Name)
}

// within reports whether a key meets the conditions on its TTL and idle time and
// the upper bounds. An unknown figure meets none.
func (f *filter) within(k *parser.Key, created int64) bool {
	under := func(n int64, most *int64) bool { return most == nil || n >= 0 && n <= *most }
	ttl, timed := report.TTL(k, created)
	return under(k.ValueBytes, f.MaxSize) && under(k.Elements, f.MaxElements) &&
		(f.MinMemory == nil || k.Memory >= *f.MinMemory) && under(k.Memory, f.MaxMemory) &&
		(f.ExpireAfter == nil || k.HasExpire && k.ExpireAt >= *f.ExpireAfter*1000) &&
		(f.ExpireBefore == nil || k.HasExpire && k.ExpireAt < *f.ExpireBefore*1000) &&
		(f.ExpireAfterTaken == nil || created >= 0 && k.HasExpire && k.ExpireAt >= afterTaken(*f.ExpireAfterTaken, created)) &&
		(f.ExpireBeforeTaken == nil || created >= 0 && k.HasExpire && k.ExpireAt < afterTaken(*f.ExpireBeforeTaken, created)) &&
		!(f.NoTTL && k.HasExpire) &&
		(f.TTLUnder == nil || timed && ttl < *f.TTLUnder) && (f.TTLOver == nil || timed && ttl > *f.TTLOver) &&
		(f.IdleOver == nil || k.Idle > *f.IdleOver)
}

// afterTaken returns the time so many seconds after the snapshot was taken, in milliseconds since
// the epoch.
func afterTaken(seconds, created int64) int64 {
	const day = 24 * 60 * 60
	if seconds == report.UntilMidnight {
		seconds = day - created%day
	}
	return (created + seconds) * 1000
}

func (f *filter) keepOwner(owner string) bool {
	return f.Owners == nil || slices.Contains(f.Owners, owner)
}

func (f *filter) keepName(name []byte) bool {
	return (f.Under == nil || slices.ContainsFunc(f.prefixes,
		func(p string) bool { return len(name) >= len(p) && string(name[:len(p)]) == p })) &&
		(f.globs == nil || slices.ContainsFunc(f.globs, func(g *naming.Glob) bool { return g.Match(name) })) &&
		(f.expressions == nil || slices.ContainsFunc(f.expressions, func(e *regexp.Regexp) bool { return e.Match(name) }))
}

func (f *filter) register(cmd *cobra.Command) {
	option{name: "type", arg: "TYPE,...",
		usage: "only keys of these types: string, list, set, zset, hash, stream, module, ...",
		words: typeNames(), hint: "types: {names}", set: eachWord(func(word string) error {
			t, ok := parser.ParseType(word)
			if !ok {
				return message.Errorf("unknown type {name}", message.Element("name", word))
			}
			for other := range parser.NumTypes {
				if other == t || t == parser.Module && other.OfModule() {
					f.types |= 1 << other
				}
			}
			f.Types = append(f.Types, word)
			return nil
		})}.add(cmd)
	option{name: "db", arg: "N,...", usage: "only keys of these databases",
		hint: "databases count from 0; without --db all are read", set: eachWord(func(word string) error {
			var db int
			err := wholeNumber(&db, 0, math.MaxInt)(word)
			f.Databases = append(f.Databases, db)
			return err
		})}.add(cmd)
	option{name: "match", arg: "GLOB", usage: "only keys whose name matches the glob, as KEYS takes it; can be repeated",
		hint: `a glob as KEYS and SCAN take it: user:*, h?llo, h[ae]llo, \* for a star`, set: func(arg string) error {
			g, err := naming.ParseGlob(arg)
			f.globs = append(f.globs, g)
			f.Match = append(f.Match, arg)
			return err
		}}.add(cmd)
	option{name: "under", arg: "PREFIX",
		usage: "only keys whose name begins with this, as the tree of names has it: order:2026:; can be repeated",
		set: func(arg string) error {
			if arg == "" {
				return errors.New("empty prefix")
			}
			prefix := arg
			if name, err := text.Unescape([]byte(arg)); err == nil {
				prefix = string(name)
			}
			f.prefixes = append(f.prefixes, prefix)
			f.Under = append(f.Under, arg)
			return nil
		}}.add(cmd)
	option{name: "regex", arg: "EXPR", usage: "only keys whose name matches the regular expression; can be repeated",
		hint: "the syntax is that of Go's package regexp (RE2)", set: func(arg string) error {
			if arg == "" {
				return errors.New("empty expression")
			}
			re, err := regexp.Compile(arg)
			f.expressions, f.Regex = append(f.expressions, re), append(f.Regex, arg)
			return err
		}}.add(cmd)
	const sizes = "a size is 100, 100B, 10KB, 5MB or 1GB; KB is 1024 bytes"
	option{name: "min-size", arg: "SIZE", usage: "only keys whose value has at least this many bytes: 10KB, 1MB",
		hint: sizes, set: sizeOf(&f.MinSize, 0)}.add(cmd)
	option{name: "max-size", arg: "SIZE", usage: "only keys whose value has at most this many bytes",
		hint: sizes, set: optional(&f.MaxSize, func(n *int64) func(string) error { return sizeOf(n, 0) })}.add(cmd)
	option{name: "min-memory", arg: "SIZE", usage: "only keys that take at least this many bytes of memory: 10KB, 1MB",
		hint: sizes, set: optional(&f.MinMemory, func(n *int64) func(string) error { return sizeOf(n, 0) })}.add(cmd)
	option{name: "max-memory", arg: "SIZE",
		usage: "only keys that take at most this many bytes of memory (for the server's limit see --maxmemory)",
		hint:  sizes, set: optional(&f.MaxMemory, func(n *int64) func(string) error { return sizeOf(n, 0) })}.add(cmd)
	option{name: "min-elements", arg: "N", usage: "only keys with at least this many elements",
		set: wholeNumber(&f.MinElements, 0, math.MaxInt)}.add(cmd)
	option{name: "max-elements", arg: "N", usage: "only keys with at most this many elements",
		set: optional(&f.MaxElements, func(n *int64) func(string) error { return wholeNumber(n, 0, math.MaxInt) })}.add(cmd)
	cmd.Flags().BoolVar(&f.NoTTL, "no-ttl", false, "only keys without a TTL")
	const times = "a duration is 30d, 12h, 90m or 1w 2d"
	option{name: "ttl-under", arg: "TIME",
		usage: "only keys that had less than this TTL left when the snapshot was taken, expired ones included: 1h",
		hint:  times, set: optional(&f.TTLUnder, durationOf)}.add(cmd)
	option{name: "ttl-over", arg: "TIME",
		usage: "only keys that had more than this TTL left when the snapshot was taken: 30d",
		hint:  times, set: optional(&f.TTLOver, durationOf)}.add(cmd)
	const dates = "a time is 2026-12-01, 2026-12-01T18:00 or 2026-12-01T18:00:00+01:00, in UTC unless it says so; " +
		"24h is 24 hours after the snapshot was taken, midnight the next one (UTC)"
	option{name: "expire-after", arg: "TIME",
		usage: "only keys that expire at this time or later: 2026-12-01, 2026-12-01T18:00, or 1h after the snapshot",
		hint:  dates, set: expiryTime(&f.ExpireAfter, &f.ExpireAfterTaken)}.add(cmd)
	option{name: "expire-before", arg: "TIME",
		usage: "only keys that expire before this time, or sooner than 24h after the snapshot, or before midnight (UTC)",
		hint:  dates, set: expiryTime(&f.ExpireBefore, &f.ExpireBeforeTaken)}.add(cmd)
	option{name: "idle-over", arg: "TIME",
		usage: "only keys that had not been used for longer than this (snapshots of servers with an LRU policy): 30d",
		hint:  times, set: optional(&f.IdleOver, durationOf)}.add(cmd)
	exclusive(cmd, "no-ttl", "ttl-under", "a key without a TTL has none that is under or over a limit")
	exclusive(cmd, "no-ttl", "expire-after", "a key without a TTL does not expire")
	exclusive(cmd, "no-ttl", "expire-before", "a key without a TTL does not expire")
	exclusive(cmd, "no-ttl", "ttl-over", "a key without a TTL has none that is under or over a limit")
	option{name: "owner", arg: "NAME,...", usage: "only keys of groups that the configuration assigns to these owners",
		set: func(arg string) error { // the configuration decides later which owners exist
			names, err := csv.NewReader(strings.NewReader(arg)).Read()
			if errors.Is(err, io.EOF) {
				names, err = []string{""}, nil
			}
			f.Owners = append(f.Owners, names...)
			return err
		}}.add(cmd)
}

// expiryTime accepts times, and what counts from the time of the snapshot: durations, and midnight.
func expiryTime(at, taken **int64) func(string) error {
	return func(arg string) error {
		*at, *taken = nil, nil
		seconds := int64(report.UntilMidnight)
		if arg == "midnight" || durationOf(&seconds)(arg) == nil {
			*taken = &seconds
			return nil
		}
		return optional(at, timeOf)(arg)
	}
}

func typeNames() []string {
	names := make([]string, parser.NumTypes)
	for t := range parser.NumTypes {
		names[t] = t.String()
	}
	return names
}
