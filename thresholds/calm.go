package thresholds

import (
	"math"

	"github.com/rdblens/rdblens/parser"
)

// calm holds, per type, ranges within which no rule fires except those about a
// missing expiry. Most keys fall inside; testing them costs a third of running
// every gate. Gates that look at the name alone are run once for all names with
// the same facts, see naming.Facts.Passed.
type calm struct {
	names []gate // those that look at the name alone

	fewest, most     int64 // elements
	valueBytes       int64
	largest          int64
	pending          int64
	expiring         int64 // elements in a full encoding
	full             int64 // as many must be in one for the checks in fulls to be asked
	fulls            []*check
	earliest, latest int64 // expiry
	idleness         int64
	eternal          []Finding // of keys without any expiry
}

func calmOf(t *table) calm {
	c := calm{fewest: math.MinInt64, most: math.MaxInt64, valueBytes: math.MaxInt64, largest: math.MaxInt64, pending: math.MaxInt64,
		full: math.MaxInt64, expiring: math.MaxInt64, earliest: math.MinInt64, latest: math.MaxInt64, idleness: math.MaxInt64}
	never := false // the gates are such that nothing is known without them
	for i, g := range t.gates {
		switch g.measure {
		case always, nameLength, shortness, unsegmented, classes:
			c.names = append(c.names, g)
			continue
		}
		if g.mask != -1 {
			never = true
		}
		switch g.measure {
		case elements:
			c.most = min(c.most, g.limit)
		case lacking: // -elements > limit
			c.fewest = max(c.fewest, -g.limit)
		case valueBytes:
			c.valueBytes = min(c.valueBytes, g.limit)
		case largest:
			c.largest = min(c.largest, g.limit)
		case pending:
			c.pending = min(c.pending, g.limit)
		case full:
			c.full = min(c.full, g.limit)
			x := &t.checks[i]
			if x.confirm == nil {
				never = true
			}
			c.fulls = append(c.fulls, x)
		case expiring:
			c.expiring = min(c.expiring, g.limit)
		case expiry:
			c.latest = min(c.latest, g.limit)
		case overdue: // ^expiry > limit
			c.earliest = max(c.earliest, ^g.limit)
		case idleness:
			c.idleness = min(c.idleness, g.limit)
		case eternal:
			x := &t.checks[i]
			if g.limit >= 1 {
				continue
			}
			if !x.plain || x.second || x.counted {
				never = true
			}
			c.eternal = append(c.eternal, x.found)
		default:
			never = true
		}
	}
	if never {
		c.most = math.MinInt64
	}
	return c
}

// calmName reports whether a key of this type passes no gate for its name.
func (t *table) calmName(k *parser.Key, f *Facts) bool {
	bit := uint16(1) << (k.Type & 15)
	if f.Passed&bit != 0 {
		return true
	}
	return f.Checked&bit == 0 && t.lookAtName(k, f, bit)
}

func (t *table) lookAtName(k *parser.Key, f *Facts, bit uint16) bool {
	f.Checked |= bit
	var m measures
	fillNameMeasures(&m, k, f)
	for i := range t.calm.names {
		g := &t.calm.names[i]
		if m[g.measure%numMeasures]&g.mask > g.limit {
			return false
		}
	}
	f.Passed |= bit
	return true
}

// noneFull reports whether no check of keys in a full encoding confirms its
// finding, for which it borrows room behind dst.
func (c *calm) noneFull(dst []Finding, k *parser.Key, f *Facts) bool {
	n := len(dst)
	for _, x := range c.fulls {
		dst = append(dst[:n], x.found)
		if x.confirm(k, f, &dst[n]) {
			return false
		}
	}
	return true
}

// of gives what is found about a key whose name is calm, if that can be told:
// of one in a full encoding, with more than full elements, noneFull must hold.
func (c *calm) of(k *parser.Key) ([]Finding, bool) {
	if k.Elements < c.fewest || k.Elements > c.most || k.ValueBytes > c.valueBytes || k.Largest > c.largest || k.Pending > c.pending {
		return nil, false
	}
	if k.Elements > c.expiring && k.HasExpire && fullEncodings>>k.Encoding&1 != 0 {
		return nil, false
	}
	if k.HasExpire {
		return nil, k.ExpireAt >= c.earliest && k.ExpireAt <= c.latest
	}
	if k.Idle > c.idleness || k.Freq == 0 || k.FieldsWithTTL != 0 {
		return nil, false
	}
	return c.eternal, true
}
