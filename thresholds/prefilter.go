package thresholds

import (
	"math"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// Most keys of a snapshot are flagged by no rule, or only for having no expiry.
// Running all gates of such a key costs 11 % of the time of a scan, so a prefilter
// finds most of them with fewer comparisons: it has one range for each figure of a
// key, the intersection of what the gates of all rules let through. Gates that
// depend on the name only are run once for all names that share their facts; the
// result is kept in the facts (Checked, Passed).
//
// A key inside all ranges has the findings that the prefilter lists. Any other key
// may or may not be flagged, and goes through the gates. Both ways yield the same
// findings, which a test checks. Only keys without overrides and policies without
// ignore entries take the short way.

type prefilter struct {
	nameGates []gate // those that depend on the name only

	minElements, maxElements int64
	maxValueBytes            int64
	maxLargest               int64
	maxPending               int64
	maxExpiringElements      int64
	// A full encoding with more elements than maxFullElements goes to the
	// confirmations of fullChecks. Unlike other checks they rarely confirm.
	maxFullElements       int64
	fullChecks            []*check
	minLeft, maxLeft      int64 // ms, of keys with an expiry
	maxIdleTime           int64
	findingsWithoutExpiry []Finding
}

func newPrefilter(t *table) prefilter {
	p := prefilter{minElements: math.MinInt64, maxElements: math.MaxInt64, maxValueBytes: math.MaxInt64,
		maxLargest: math.MaxInt64, maxPending: math.MaxInt64, maxFullElements: math.MaxInt64,
		maxExpiringElements: math.MaxInt64, minLeft: math.MinInt64, maxLeft: math.MaxInt64, maxIdleTime: math.MaxInt64}
	never := false // there is a gate that no range can express
	for i, g := range t.gates {
		switch g.measure {
		case always, nameLength, shortName, fewSegments, emptySegments, classes:
			p.nameGates = append(p.nameGates, g)
			continue
		}
		if g.mask != -1 {
			never = true
		}
		switch g.measure {
		case elements:
			p.maxElements = min(p.maxElements, g.limit)
		case fewElements: // -elements > limit
			p.minElements = max(p.minElements, -g.limit)
		case valueBytes:
			p.maxValueBytes = min(p.maxValueBytes, g.limit)
		case largest:
			p.maxLargest = min(p.maxLargest, g.limit)
		case pending:
			p.maxPending = min(p.maxPending, g.limit)
		case fullElements:
			p.maxFullElements = min(p.maxFullElements, g.limit)
			x := &t.checks[i]
			if x.confirm == nil {
				never = true
			}
			p.fullChecks = append(p.fullChecks, x)
		case expiringElements:
			p.maxExpiringElements = min(p.maxExpiringElements, g.limit)
		case timeLeft:
			p.maxLeft = min(p.maxLeft, g.limit)
		case timeExpired: // -timeLeft > limit
			p.minLeft = max(p.minLeft, -g.limit)
		case withExpiry:
			p.minLeft, p.maxLeft = math.MaxInt64, math.MinInt64 // no key with an expiry
		case idleTime:
			p.maxIdleTime = min(p.maxIdleTime, g.limit)
		case withoutExpiry:
			x := &t.checks[i]
			if g.limit >= 1 {
				continue
			}
			if !x.plain || x.second || x.counted {
				never = true
			}
			p.findingsWithoutExpiry = append(p.findingsWithoutExpiry, x.found)
		default:
			never = true
		}
	}
	if never {
		p.maxElements = math.MinInt64
	}
	return p
}

// passes returns the findings about a key, and whether the prefilter can tell. For
// a full encoding with more than maxFullElements, passesFull decides.
func (t *table) passes(k *parser.Key, f *naming.Facts, created int64) ([]Finding, bool) {
	bit := uint32(1) << (k.Type & 31)
	if f.Passed&bit == 0 && (f.Checked&bit != 0 || !t.checkName(k, f, bit)) {
		return nil, false
	}
	p := &t.prefilter
	if k.Elements < p.minElements || k.Elements > p.maxElements || k.ValueBytes > p.maxValueBytes ||
		k.Largest > p.maxLargest || k.Pending > p.maxPending {
		return nil, false
	}
	if k.Elements > p.maxExpiringElements && k.HasExpire && isFull(k) {
		return nil, false
	}
	if k.HasExpire {
		left := max(k.ExpireAt, -1) - created // cannot overflow, unless no rule wants it
		return nil, left >= p.minLeft && left <= p.maxLeft
	}
	if k.Idle > p.maxIdleTime || k.Freq == 0 || k.FieldsWithTTL != 0 {
		return nil, false
	}
	return p.findingsWithoutExpiry, true
}

// checkName reports whether a name passes no gate. f keeps the answer for other
// names with the same facts.
func (t *table) checkName(k *parser.Key, f *naming.Facts, bit uint32) bool {
	f.Checked |= bit
	var m measures
	fillNameMeasures(&m, k, f)
	for i := range t.prefilter.nameGates {
		g := &t.prefilter.nameGates[i]
		if m[g.measure%numMeasures]&g.mask > g.limit {
			return false
		}
	}
	f.Passed |= bit
	return true
}

// passesFull reports whether no check of full encodings confirms its finding. It
// uses the free capacity of dst, so that nothing is allocated.
func (p *prefilter) passesFull(dst []Finding, k *parser.Key, f *naming.Facts) bool {
	n := len(dst)
	for _, x := range p.fullChecks {
		dst = append(dst[:n], x.found)
		if x.confirm(k, f, &dst[n]) {
			return false
		}
	}
	return true
}
