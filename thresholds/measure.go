package thresholds

import (
	"math"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// measure is a figure of a key that a gate compares with its limit. A rule that
// flags small figures uses the negated figure, so that every comparison is "more
// than".
type measure uint8

// The measures. If a key does not have one, its value is so low that it passes no
// gate.
const (
	always           measure = iota // 1
	elements                        // -1 unknown
	fewElements                     // negated elements
	valueBytes                      // -1 unknown
	largest                         // bytes of the largest element, of a hash those of the longest value; -1 unknown
	nameLength                      // bytes
	shortName                       // negated bytes of the name
	fewSegments                     // negated number of segments
	emptySegments                   // 1 for a name with an empty segment
	classes                         // kinds of bytes in the name, a bit set
	withoutExpiry                   // 1 for a key that does not expire
	withExpiry                      // 1 for a key that expires, or has fields that do
	timeLeft                        // ms from when the snapshot was taken to the expiry
	timeExpired                     // negated timeLeft
	idleTime                        // seconds, of a key without an expiry; MaxInt64 for an LFU counter of 0
	pending                         // pending entries of a stream's groups
	fullElements                    // elements of a full encoding, -1 for other encodings
	expiringElements                // the same of a key with an expiry
	filters                         // of a Bloom or cuckoo filter
	behind                          // entries that the worst consumer group of a stream has not read
	idleConsumers                   // of that group
	fieldName                       // bytes of the longest field name, -1 unknown
	numMeasures
)

type measures = [numMeasures]int64

// scale is the unit of a measure: so many of it are one of the unit that limits have.
type scale struct {
	unit message.Unit
	per  int64
}

// scales has the units of the measures that limits of a configuration are compared with.
// A rule whose limits have another unit does not compile.
var scales = map[measure]scale{
	elements: {message.Count, 1}, valueBytes: {message.Bytes, 1}, largest: {message.Bytes, 1},
	nameLength: {message.Bytes, 1}, shortName: {message.Bytes, 1},
	fewSegments: {message.Count, 1}, timeLeft: {message.Seconds, 1000}, timeExpired: {message.Seconds, 1000},
	idleTime: {message.Seconds, 1}, pending: {message.Count, 1}, filters: {message.Count, 1},
	fieldName: {message.Bytes, 1},
	behind:    {message.Count, 1},
}

// fillMeasures computes all measures of a key of a snapshot that was taken at created, in
// ms since the epoch, -1 unknown.
func fillMeasures(m *measures, k *parser.Key, f *naming.Facts, created int64) {
	fillNameMeasures(m, k, f)
	m[elements] = k.Elements
	m[fewElements] = -k.Elements
	m[valueBytes] = k.ValueBytes
	m[largest] = k.Largest
	if k.Type == parser.Hash {
		m[largest] = longestValue(k)
	}
	m[pending], m[fieldName] = k.Pending, k.LongestField
	if k.Module != nil {
		m[filters] = k.Module.Filters
	}
	if k.Behind != nil {
		m[behind], m[idleConsumers] = k.Behind.Lag, k.Behind.Idle
	}
	m[fullElements], m[expiringElements] = -1, -1
	if isFull(k) {
		m[fullElements] = k.Elements
		if k.HasExpire {
			m[expiringElements] = k.Elements
		}
	}
	m[timeLeft], m[timeExpired] = math.MinInt64, math.MinInt64
	if k.HasExpire || k.FieldsWithTTL > 0 {
		m[withExpiry] = 1
	}
	if k.HasExpire {
		m[idleTime] = -1
		if created >= 0 {
			m[timeLeft] = max(k.ExpireAt, created-math.MaxInt64) - created // -MaxInt64 at least
			m[timeExpired] = -m[timeLeft]
		}
		return
	}
	if k.FieldsWithTTL > 0 && k.FieldsWithTTL >= k.Elements {
		m[idleTime] = -1
		return
	}
	m[withoutExpiry] = 1
	m[idleTime] = k.Idle
	if k.Freq == 0 {
		m[idleTime] = math.MaxInt64
	}
}

// fillNameMeasures computes the measures that depend on the name only.
func fillNameMeasures(m *measures, k *parser.Key, f *naming.Facts) {
	m[always] = 1
	m[nameLength] = k.NameLen
	m[shortName] = -k.NameLen
	m[fewSegments] = -int64(f.Segments)
	m[emptySegments] = 0
	if f.EmptySegment {
		m[emptySegments] = 1
	}
	m[classes] = int64(f.Class)
}

// longestValue returns the bytes of a hash's longest value. The parser knows it if
// an element has 1 KB; if none has, it is that of the longest field or value.
func longestValue(k *parser.Key) int64 {
	if k.Largest < 1<<10 {
		return k.Longest
	}
	return k.LongestValue
}

// isFull reports whether a collection has a full encoding: one with a structure in
// memory for each element, or a chain of nodes.
func isFull(k *parser.Key) bool {
	const full = 1<<parser.EncHashtable | 1<<parser.EncSkiplist | 1<<parser.EncQuicklist | 1<<parser.EncLinkedlist | 1<<parser.EncTemplateListpack | 1<<parser.EncTemplateArray | 1<<parser.EncBTree | 1<<parser.EncPathHash
	return full>>k.Encoding&1 != 0
}
