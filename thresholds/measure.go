package thresholds

import (
	"math"

	"github.com/rdblens/rdblens/parser"
)

// measure is a figure of a key that a gate compares. What is small is flagged
// by the negated figure, so that every comparison is "more than".
type measure uint8

// The measures. What a key does not have is a number that no gate lets pass.
const (
	always      measure = iota // 1
	elements                   // -1 unknown
	lacking                    // negated elements
	valueBytes                 // -1 unknown
	largest                    // bytes of the largest element, -1 unknown
	nameLength                 // bytes
	shortness                  // negated bytes of the name
	unsegmented                // negated number of segments, 0 with an empty one
	classes                    // kinds of bytes in the name
	eternal                    // 1 without any expiry
	expiry                     // ms since the epoch
	overdue                    // complement of expiry: the earlier, the more
	idleness                   // seconds, of a key without any expiry; the most there is for a counter of 0
	pending                    // entries pending in a stream's groups
	full                       // elements in a full encoding, else -1
	expiring                   // elements in a full encoding that expire at once, else -1
	numMeasures
)

type measures = [numMeasures]int64

// fillMeasures takes a key's measures.
func fillMeasures(m *measures, k *parser.Key, f *Facts) {
	fillNameMeasures(m, k, f)
	m[elements] = k.Elements
	m[lacking] = -k.Elements
	m[valueBytes] = k.ValueBytes
	m[largest] = k.Largest
	m[pending] = k.Pending
	m[full], m[expiring] = -1, -1
	if fullEncodings>>k.Encoding&1 != 0 {
		m[full] = k.Elements
		if k.HasExpire {
			m[expiring] = k.Elements
		}
	}
	if k.HasExpire {
		m[expiry], m[overdue], m[idleness] = k.ExpireAt, ^k.ExpireAt, -1
		return
	}
	m[expiry], m[overdue] = math.MinInt64, math.MinInt64
	if fieldsExpire(k) {
		m[idleness] = -1
		return
	}
	m[eternal] = 1
	m[idleness] = k.Idle
	if k.Freq == 0 {
		m[idleness] = math.MaxInt64
	}
}

// fillNameMeasures takes those that the name alone decides.
func fillNameMeasures(m *measures, k *parser.Key, f *Facts) {
	m[always] = 1
	m[nameLength] = k.NameLen
	m[shortness] = -k.NameLen
	m[unsegmented] = -int64(f.Segments)
	if f.EmptySegment {
		m[unsegmented] = 0
	}
	m[classes] = int64(f.Class)
}

// fieldsExpire reports whether every field of a hash has an expiry of its own.
func fieldsExpire(k *parser.Key) bool {
	return k.FieldsWithTTL > 0 && k.FieldsWithTTL >= k.Elements
}

// fullEncodings are those of collections that have a structure in memory for
// each element, or a chain of nodes.
const fullEncodings = 1<<parser.EncHashtable | 1<<parser.EncSkiplist | 1<<parser.EncQuicklist | 1<<parser.EncLinkedlist | 1<<parser.EncTemplate
