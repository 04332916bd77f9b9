package thresholds

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds/naming"
)

func init() {
	register(Rule{
		Name:       "mixed-business",
		Section:    SectionInstance,
		Title:      "more businesses on one instance than the limit",
		Instance:   true,
		Unit:       message.Count,
		bySnapshot: unlessCluster,
		accumulate: func(e *Engine, s *Setting) func() accumulator {
			levels := s.levels(AnyType)
			return func() accumulator { return &firstSegments{rule: s.Rule.ID, levels: levels} }
		},
		text: func(x *explainer) message.Message {
			if x.note == noteAtLeast {
				return x.found("at least {measured} first segments, over {limit}")
			}
			return x.found("{measured} first segments, over {limit}")
		},
		advise: func(x *explainer) {
			x.advise(adviseInstance, nil,
				"Move unrelated businesses to instances of their own, and provide shared data as a service.")
		},
		Doc: Doc{
			What: "More different first segments of names than the limit. Numbers, hexadecimal of at least eight digits and " +
				"UUIDs do not count as businesses, and names without a separator have no first segment. The first 4096 are " +
				"counted. One finding for the snapshot; the shards of a cluster are one instance, with one finding.",
			Why:     "Unrelated businesses affect each other: the big key or the full memory of one is an outage for all.",
			Fix:     "Move unrelated businesses to instances of their own, and provide shared data as a service.",
			Example: "14 first segments, over 10: user, order, cart, ...",
		},
	})
}

const (
	maxBusinesses = 4096 // first segments that are counted
	maxSegment    = 64   // bytes that are compared: longer segments with the same beginning are one
)

// firstSegments counts keys by the first segment of their name, for the first
// maxBusinesses segments in the file.
type firstSegments struct {
	rule     RuleID
	levels   []level
	segments counters
	last     int    // index of the last key's segment
	total    totals // of all keys with a first segment
	more     bool   // there are segments beyond maxBusinesses
}

func (s *firstSegments) add(k *parser.Key, f *naming.Facts, size int64) {
	if f.FirstEnd < len(k.Name) && !isID(k.Name[:f.FirstEnd]) {
		s.count(k.Name[:min(f.FirstEnd, maxSegment)], 1, size)
	}
}

func (s *firstSegments) count(segment []byte, keys, size int64) {
	s.total.keys += keys
	s.total.bytes += size
	i := s.last
	if i >= len(s.segments.list) || !bytes.Equal(s.segments.part(&s.segments.list[i]), segment) {
		hash := hashBytes(segment)
		if i = s.segments.find(hash, segment, len(segment)); i < 0 {
			if len(s.segments.list) == maxBusinesses {
				s.more = true
				return
			}
			i = s.segments.insert(hash, segment, len(segment))
		}
		s.last = i
	}
	s.segments.list[i].keys += keys
	s.segments.list[i].bytes += size
}

func (s *firstSegments) merge(next accumulator) { next.counts(s.put) }

func (s *firstSegments) counts(do func(*Count)) {
	rest := s.total // that no counter has
	var c Count
	for i := range s.segments.list {
		n := &s.segments.list[i]
		c = Count{Part: s.segments.part(n), Keys: n.keys, Bytes: n.bytes}
		do(&c)
		rest.keys -= n.keys
		rest.bytes -= n.bytes
	}
	if s.more {
		do(&Count{List: 1, Keys: rest.keys, Bytes: rest.bytes})
	}
}

func (s *firstSegments) put(c *Count) {
	if c.List == 0 {
		s.count(c.Part[:min(len(c.Part), maxSegment)], c.Keys, c.Bytes)
		return
	}
	s.more = true
	s.total.add(totals{c.Keys, c.Bytes})
}

func (s *firstSegments) findings(totals, []NodeSums) []InstanceFinding {
	n := int64(len(s.segments.list))
	l, found := severest(s.levels, func(limit int64) bool { return n > limit })
	if !found {
		return nil
	}
	f := InstanceFinding{Finding: Finding{Rule: s.rule, Severity: l.severity, Measured: n, Limit: l.limit,
		note: noteIf(s.more)}, Subject: message.New("first segments"), Keys: s.total.keys, Bytes: s.total.bytes}
	list := slices.Clone(s.segments.list)
	slices.SortFunc(list, func(a, b counter) int {
		return cmp.Or(cmp.Compare(b.keys, a.keys), bytes.Compare(s.segments.part(&a), s.segments.part(&b)))
	})
	for i := range list[:min(20, n)] {
		f.Groups = append(f.Groups, string(s.segments.part(&list[i])))
	}
	return []InstanceFinding{f}
}

func (s *firstSegments) reset() {
	s.segments.reset()
	s.last, s.total, s.more = 0, totals{}, false
}

func (s *firstSegments) size() int64 { return s.segments.size() }

// isID reports whether a segment is a number, or hexadecimal of at least eight
// digits (including UUIDs), with or without braces around it.
func isID(s []byte) bool {
	if len(s) > 2 && s[0] == '{' && s[len(s)-1] == '}' {
		s = s[1 : len(s)-1]
	}
	digits, letters := 0, 0
	for _, c := range s {
		switch {
		case c >= '0' && c <= '9':
			digits++
		case c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' || c == '-':
			letters++
		default:
			return false
		}
	}
	return digits > 0 && (letters == 0 || len(s) >= 8)
}
