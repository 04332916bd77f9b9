package config

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/format"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// What a suggestion has at most.
const (
	maxSpaces    = 100 // namespaces; of more none is listed
	maxSuggested = 40  // overrides, and budgets
	leastKeys    = 20  // keys of a namespace with an override of its own
	maxSegments  = 6   // segments that a pattern of names tells apart
	maxSpaceName = 64  // bytes of a namespace
)

// Keyspace is what the keys of snapshots have in common, from which Suggest makes a
// configuration. It is of bounded size and does not depend on the order of the keys.
type Keyspace struct {
	separators string
	all        observed
	spaces     map[string]*observed // by first segment, nil: there are too many
	unnamed    bool                 // a first segment is none that a configuration can list
}

// NewKeyspace returns a Keyspace without keys, whose names have these separators.
func NewKeyspace(separators string) *Keyspace {
	return &Keyspace{separators: separators, spaces: map[string]*observed{}}
}

// observed are figures of some keys.
type observed struct {
	keys, memory              int64
	withoutTTL, withTTL       int64 // as rules no-ttl and ttl-unwanted see them
	longestTTL                int64 // seconds, -1 unknown
	types                     uint32
	formats                   format.Set
	name, text, field         int64 // bytes of the longest name, string and field name
	elements                  int64 // of the largest collection
	segments                  int   // of every name, 0 different ones
	chars                     charset
	at                        [maxSegments]segment
	sameSegments, hasSegments bool
}

// segment is what the segments at one place of names are.
type segment struct {
	value  string
	varies bool
	empty  bool
	chars  charset
}

// charset is a set of bytes.
type charset [4]uint64

func (c *charset) add(text []byte) {
	for _, b := range text {
		c[b>>6] |= 1 << (b & 63)
	}
}

func (c *charset) merge(o *charset) {
	for i := range c {
		c[i] |= o[i]
	}
}

func (c *charset) has(b byte) bool { return c[b>>6]>>(b&63)&1 != 0 }

// within reports whether all bytes are among some.
func (c *charset) within(allowed func(b byte) bool) bool {
	for b := range 256 {
		if c.has(byte(b)) && !allowed(byte(b)) {
			return false
		}
	}
	return true
}

// Add adds a key of a snapshot that was taken at created, in seconds since the epoch, -1
// unknown. The key must have all details.
func (s *Keyspace) Add(k *parser.Key, created int64) {
	s.all.add(k, created, s.separators)
	if s.spaces == nil {
		return
	}
	end := bytes.IndexAny(k.Name[:min(len(k.Name), maxSpaceName+1)], s.separators)
	if end < 0 {
		end = len(k.Name)
	}
	name := k.Name[:end]
	if !isListable(name) {
		s.unnamed = true
		return
	}
	o := s.spaces[string(name)]
	if o == nil {
		if len(s.spaces) >= maxSpaces {
			s.spaces = nil
			return
		}
		o = &observed{longestTTL: -1}
		s.spaces[string(name)] = o
	}
	o.add(k, created, s.separators)
}

// isListable reports whether a configuration can list a first segment without quoting it. One
// with four digits or more has an identifier, or a date.
func isListable(name []byte) bool {
	digits := 0
	for _, c := range name {
		if !isWordByte(c) {
			return false
		}
		if c >= '0' && c <= '9' {
			digits++
		}
	}
	return digits < 4 && len(name) > 0 && len(name) <= maxSpaceName && matchesNamespace(string(name))
}

func isWordByte(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c == '-' || c == '.'
}

// Merge adds the keys of another Keyspace of the same separators.
func (s *Keyspace) Merge(o *Keyspace) {
	s.all.merge(&o.all)
	s.unnamed = s.unnamed || o.unnamed
	if o.spaces == nil {
		s.spaces = nil
	}
	for name, more := range o.spaces {
		if s.spaces == nil {
			return
		}
		if known := s.spaces[name]; known != nil {
			known.merge(more)
			continue
		}
		if s.spaces[name] = more; len(s.spaces) > maxSpaces {
			s.spaces = nil
		}
	}
}

func (o *observed) add(k *parser.Key, created int64, separators string) {
	more := observed{keys: 1, memory: max(k.Memory, k.ValueBytes, 0), longestTTL: -1, types: 1 << k.Type, formats: k.Formats, name: k.NameLen, field: k.LongestField}
	if !k.HasExpire && (k.FieldsWithTTL == 0 || k.FieldsWithTTL < k.Elements) {
		more.withoutTTL = 1
	}
	if k.HasExpire || k.FieldsWithTTL > 0 {
		more.withTTL = 1
	}
	if k.HasExpire && created >= 0 {
		more.longestTTL = max(0, k.ExpireAt/1000-created)
	}
	if k.Type == parser.String {
		more.text = k.ValueBytes
	} else {
		more.elements = k.Elements
	}
	more.chars.add(k.Name)
	for rest, isLast := k.Name, false; !isLast; more.segments++ {
		end := bytes.IndexAny(rest, separators)
		if isLast = end < 0; isLast {
			end = len(rest)
		}
		if more.segments < maxSegments {
			at := &more.at[more.segments]
			at.value, at.empty = string(rest[:min(end, maxSpaceName)]), end == 0
			at.varies = end > maxSpaceName
			at.chars.add(rest[:end])
		}
		rest = rest[min(end+1, len(rest)):]
	}
	more.hasSegments, more.sameSegments = true, true
	o.merge(&more)
}

func (o *observed) merge(m *observed) {
	if !m.hasSegments {
		return
	}
	if !o.hasSegments {
		*o = *m
		return
	}
	o.keys, o.memory = o.keys+m.keys, o.memory+m.memory
	o.withoutTTL, o.withTTL, o.longestTTL = o.withoutTTL+m.withoutTTL, o.withTTL+m.withTTL, max(o.longestTTL, m.longestTTL)
	o.types, o.formats = o.types|m.types, o.formats|m.formats
	o.name, o.text, o.field, o.elements = max(o.name, m.name), max(o.text, m.text), max(o.field, m.field), max(o.elements, m.elements)
	o.sameSegments = o.sameSegments && m.sameSegments && o.segments == m.segments
	o.chars.merge(&m.chars)
	for i := range o.at {
		a, b := &o.at[i], &m.at[i]
		a.varies = a.varies || b.varies || a.value != b.value
		a.empty = a.empty || b.empty
		a.chars.merge(&b.chars)
	}
}

// A Suggestion is a configuration that a Keyspace passes.
type Suggestion struct {
	keyspace *Keyspace
	profile  string
	source   string
	off      map[string]int64 // keys that break a rule of the profile
	dropped  map[string]bool  // rules that are in no override
}

// Suggest returns a configuration that extends a profile, from what a Keyspace is. source
// names the snapshots for a comment.
func (s *Keyspace) Suggest(profile, source string) *Suggestion {
	return &Suggestion{keyspace: s, profile: profile, source: source, off: map[string]int64{}, dropped: map[string]bool{}}
}

// Off takes back a rule that the keyspace breaks so many times: first from the overrides,
// and where it is in none, for all keys.
func (s *Suggestion) Off(rule string, count int64) {
	if _, again := s.off[rule]; again {
		s.dropped[rule] = true
	}
	s.off[rule] = count
}

// YAML returns the text of the configuration.
func (s *Suggestion) YAML() []byte {
	var b strings.Builder
	k := s.keyspace
	fmt.Fprintf(&b, "# Suggested from %s: %s keys. Every setting says what the keyspace is today, so that\n"+
		"# it passes: read it, remove what is accidental, tighten what you mean. Limits have a\n# margin of a half.\n#\n"+
		"#   rdblens config check     what is wrong, and what this file changes\n#   rdblens rules explain    what a rule flags, and why\n\nextends: %s\n", strings.ReplaceAll(printable(s.source), "\n", " "), message.FormatCount(k.all.keys), s.profile)
	if k.separators != ":" {
		fmt.Fprintf(&b, "separators: %s\n", strconv.Quote(k.separators))
	}
	b.WriteString("\nrules:\n")
	if s.wants("key-length") {
		fmt.Fprintf(&b, "  key-length: {error: %d} # the longest name has %d bytes\n", max(32, margin(k.all.name)), k.all.name)
	}
	if chars := k.all.chars.text(k.separators); chars != "" && s.wants("key-charset") {
		fmt.Fprintf(&b, "  key-charset: {severity: error, allowed: %s}\n", strconv.Quote(chars))
	}
	for _, rule := range slices.Sorted(maps.Keys(s.off)) {
		fmt.Fprintf(&b, "  %s: off # %s today\n", rule, message.FormatCountOf(s.off[rule], "finding", "findings"))
	}
	if s.wants("key-namespace") {
		s.namespaces(&b)
	}
	s.overrides(&b)
	s.budgets(&b)
	return []byte(b.String())
}

func (s *Suggestion) wants(rule string) bool {
	_, off := s.off[rule]
	return !off
}

// namespaces lists the first segments, if a list can have them all.
func (s *Suggestion) namespaces(b *strings.Builder) {
	k := s.keyspace
	switch {
	case k.spaces == nil:
		fmt.Fprintf(b, "\n# Names begin with more than %d different segments: none is listed.\n", maxSpaces)
		return
	case k.unnamed:
		b.WriteString("\n# Some names begin with what no list can have (other characters, nothing, or too\n# much): namespaces may have further ones.\n")
		return
	case len(k.spaces) == 0:
		return
	}
	b.WriteString("\n# The first segments of names. A mapping gives them owners: order: {owner: orders}, with\n# rules: {key-namespace: {closed: true}}.\nnamespaces:\n")
	for _, name := range slices.Sorted(maps.Keys(k.spaces)) {
		fmt.Fprintf(b, "  - %s # %s keys\n", strconv.Quote(name), message.FormatCount(k.spaces[name].keys))
	}
}

// largest returns the namespaces with most keys, of leastKeys at least.
func (s *Suggestion) largest() (names []string) {
	spaces := s.keyspace.spaces
	for name, o := range spaces {
		if o.keys >= leastKeys {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		if spaces[a].keys != spaces[b].keys {
			return int(min(max(spaces[b].keys-spaces[a].keys, -1), 1))
		}
		return strings.Compare(a, b)
	})
	names = names[:min(len(names), maxSuggested)]
	slices.Sort(names)
	return names
}

// overrides says what the keys of each namespace are.
func (s *Suggestion) overrides(b *strings.Builder) {
	separator := s.keyspace.separators[:1]
	title := "\n# What the keys of each namespace are.\noverrides:\n"
	for _, name := range s.largest() {
		o := s.keyspace.spaces[name]
		var lines []string
		set := func(rule, format string, args ...any) {
			if !s.dropped[rule] {
				lines = append(lines, "      "+rule+": "+fmt.Sprintf(format, args...)+"\n")
			}
		}
		if o.segments > 1 && o.sameSegments {
			if pattern := o.pattern(name, separator); pattern != "" {
				set("key-pattern", "{error: '%s'}", pattern)
			}
		}
		set("key-type", "{error: {allowed: [%s]}}", strings.Join(typeWords(o.types), ", "))
		switch {
		case o.withoutTTL == 0:
			set("no-ttl", "error")
			if o.longestTTL >= 0 {
				set("ttl-too-long", "{error: %s} # the longest is %s", ttlLimit(o.longestTTL), message.FormatDuration(o.longestTTL))
			}
		case o.withTTL == 0:
			set("no-ttl", "off")
			set("ttl-unwanted", "error")
		default:
			set("no-ttl", "off # %s of %s keys have no expiry", message.FormatCount(o.withoutTTL), message.FormatCount(o.keys))
		}
		if o.text > 0 {
			set("big-string", "{error: %d} # the longest has %s", max(64, margin(o.text)), message.FormatExactBytes(o.text))
		}
		if o.elements > 0 {
			set("big-collection", "{error: %d} # the largest has %s elements", max(16, margin(o.elements)), message.FormatCount(o.elements))
		}
		if o.field > 0 {
			set("field-name-length", "{error: %d}", max(16, margin(o.field)))
		}
		if words := o.formatWords(); words != "" {
			set("value-format", "{error: {allowed: [%s]}}", words)
		}
		fmt.Fprintf(b, "%s  - key: %s # %s keys\n    rules:\n%s", title, strconv.Quote(name+separator+"*"), message.FormatCount(o.keys), strings.Join(lines, ""))
		title = ""
	}
}

// budgets limits each namespace, and all keys, to today's size and a half.
func (s *Suggestion) budgets(b *strings.Builder) {
	if !s.wants("budget") || s.keyspace.all.keys == 0 {
		return
	}
	b.WriteString("\n# Keys together, at today's size and a half.\nbudgets:\n")
	budget := func(of string, o *observed) {
		fmt.Fprintf(b, "  - {%skeys: {error: %d}, memory: {error: %s}, reason: \"today %s, %s\"}\n", of, margin(o.keys), sizeLimit(o.memory), message.FormatCountOf(o.keys, "key", "keys"), message.FormatBytes(o.memory))
	}
	budget("", &s.keyspace.all)
	for _, name := range s.largest() {
		budget("group: "+strconv.Quote(name+s.keyspace.separators[:1]+"*")+", ", s.keyspace.spaces[name])
	}
}

// pattern returns a regular expression that matches the names, "" if their segments have
// other characters than words do.
func (o *observed) pattern(name, separator string) string {
	if o.segments > maxSegments {
		return ""
	}
	parts := []string{strings.ReplaceAll(name, ".", `\.`)}
	for i := 1; i < o.segments; i++ {
		at := &o.at[i]
		times := "+"
		if at.empty {
			times = "*"
		}
		switch {
		case !at.chars.within(isWordByte):
			return ""
		case !at.varies && !at.empty:
			parts = append(parts, strings.ReplaceAll(at.value, ".", `\.`))
		default:
			parts = append(parts, at.chars.class()+times)
		}
	}
	if strings.ContainsAny(separator, `.+*?()|[]{}^$\`) {
		separator = `\` + separator
	}
	return "^" + strings.Join(parts, separator) + "$"
}

// class returns the narrowest class of a regular expression that has all bytes of words.
func (c *charset) class() string {
	for _, class := range []string{"0-9", "a-z", "0-9a-f", "a-z0-9"} {
		if set, _ := naming.ParseSet(class); c.within(func(b byte) bool { return set[b] }) {
			return "[" + class + "]"
		}
	}
	return "[A-Za-z0-9_.-]"
}

// text returns the bytes as key-charset takes them, "" if it takes them not.
func (c *charset) text(separators string) string {
	var text strings.Builder
	for _, r := range []struct{ from, to byte }{{'a', 'z'}, {'A', 'Z'}, {'0', '9'}} {
		for b := r.from; b <= r.to; b++ {
			if c.has(b) {
				text.WriteString(string(r.from) + "-" + string(r.to))
				break
			}
		}
	}
	const others = ":_.#/@,|=+-" // - is last
	if !c.within(func(b byte) bool { return isWordByte(b) || strings.IndexByte(others, b) >= 0 }) {
		return ""
	}
	for _, b := range []byte(others) {
		if c.has(b) || strings.IndexByte(separators, b) >= 0 {
			text.WriteString(string(b))
		}
	}
	return text.String()
}

func typeWords(types uint32) (words []string) {
	for t := range parser.NumTypes {
		if types>>t&1 != 0 {
			words = append(words, t.String())
		}
	}
	return words
}

// formatWords lists the formats, without those that another one of them includes.
func (o *observed) formatWords() string {
	var words []string
	for f := format.None + 1; f <= format.Binary; f++ {
		included := false
		for other := format.None + 1; other <= format.Binary; other++ {
			included = included || other != f && o.formats.Has(other) && other.Includes(f)
		}
		if o.formats.Has(f) && !included {
			words = append(words, f.String())
		}
	}
	return strings.Join(words, ", ")
}

// margin returns a figure and a half of it, rounded up to two digits.
func margin(n int64) int64 {
	if n > math.MaxInt64/4 {
		return n
	}
	n += (n + 1) / 2
	unit := int64(1)
	for n/unit >= 100 {
		unit *= 10
	}
	return (n + unit - 1) / unit * unit
}

// sizeLimit returns bytes and a half as a configuration writes them.
func sizeLimit(n int64) string {
	n = margin(max(n, 1))
	switch {
	case n >= 100<<20:
		return fmt.Sprintf("%d MB", (n+1<<20-1)>>20)
	case n >= 10<<10:
		return fmt.Sprintf("%d KB", (n+1<<10-1)>>10)
	}
	return fmt.Sprintf("%d B", n)
}

// ttlLimits are the usual TTLs in seconds.
var ttlLimits = []int64{60, 300, 600, 1800, 3600, 7200, 6 * 3600, 12 * 3600, 86400, 2 * 86400, 3 * 86400, 7 * 86400, 14 * 86400, 30 * 86400, 60 * 86400, 90 * 86400,
	180 * 86400, 365 * 86400, 2 * 365 * 86400, 5 * 365 * 86400}

// ttlLimit returns the next usual TTL: what is left of one says that it is at least as
// long.
func ttlLimit(longest int64) string {
	for _, n := range ttlLimits {
		if n > longest {
			return message.Seconds.Format(n)
		}
	}
	return strconv.FormatInt(margin(longest)/86400+1, 10) + "d"
}
