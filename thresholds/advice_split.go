package thresholds

import (
	"math"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/thresholds/units"
)

// How a key may be split.
const (
	anyPart       = false
	wholeElements = true // an element must stay in one piece
)

// split adds into how many parts the key must be split to be under the limit that
// it exceeds, and under the lower limits of the rule.
func (x *explainer) split(whole bool) {
	if x.Limit <= 0 {
		return
	}
	if whole && x.key.Largest > x.Limit {
		x.moveElementOut(x.key.Largest)
		return
	}
	p := x.parts(x.Limit)
	text := p.sentence
	for severity := x.Severity - 1; severity >= Info; severity-- {
		limit, ok := x.setting.Limit(x.key.Type, false, severity)
		if !ok || limit <= 0 || limit >= x.Limit || whole && x.key.Largest > limit {
			continue
		}
		lower := x.parts(limit)
		text += " " + x.fill("For the {severity} limit of {limit}: {parts}.", "severity", severity.String(), "limit", limitText(x.Unit(), limit), "parts", lower.short)
	}
	x.advice = append(x.advice, Advice{Kind: adviseSplit, Text: text})
	if p.hashed {
		x.advise(adviseSplit, nil, "If it grows over time, add the date: key:202601, key:202602, each with an expiry.")
	}
}

// moveElementOut adds what to do about an element so large that no split of the
// key helps.
func (x *explainer) moveElementOut(largest int64) {
	x.advise(adviseSplit, nil, "One element alone has {largest}: no split of the key brings it under {limit}. Store that element's value under a key of its own, and that key's name in its place.",
		"largest", measuredText(units.Bytes, largest), "limit", limitText(units.Bytes, x.Limit))
}

// parts is a way to split a key.
type parts struct {
	sentence string
	short    string // the same without explanation
	hashed   bool   // into buckets by a hash
}

// parts returns how to split the key so that no part is over a limit.
func (x *explainer) parts(limit int64) parts {
	s, u, total := x.key, x.Unit(), x.Measured
	if s.Type == parser.String {
		n, chunk := comma((total+limit-1)/limit), decimal(limit)
		return parts{
			sentence: x.fill("Split it over {n} keys of at most {limit} each, newKey = key:(offset / {chunk}); or store it as a hash of single properties, read with HGET and HMGET.",
				"n", n, "limit", limitText(u, limit), "chunk", chunk),
			short: x.fill("{n} keys, key:(offset / {chunk})", "n", n, "chunk", chunk),
		}
	}
	largest := int64(1)
	if u == units.Bytes {
		largest = max(s.Largest, 1)
	}
	n, chunk := buckets(total, limit, largest), limit
	if s.Type == parser.List || s.Type == parser.Stream {
		if u == units.Bytes { // parts with the same number of elements
			chunk = max((s.Elements+n-1)/n, 1)
		}
		n = max((s.Elements+chunk-1)/chunk, 2)
		chunk = max((s.Elements+n-1)/n, 1) // all parts of equal length
	}
	each := sizeText(total / n)
	if u == units.Count {
		each = x.fill("{n} elements", "n", comma(total/n))
		if total/n == 1 {
			each = x.fill("1 element")
		}
	}
	switch s.Type {
	case parser.List:
		return parts{
			sentence: x.fill("Split it into {n} lists, newKey = key:(index / {chunk}): about {each} each. If it grows over time, add the date instead: key:202601, key:202602.",
				"n", comma(n), "chunk", decimal(chunk), "each", each),
			short: x.fill("{n} lists, key:(index / {chunk})", "n", comma(n), "chunk", decimal(chunk)),
		}
	case parser.Stream:
		return parts{
			sentence: x.fill("Split it into {n} streams, newKey = key:(number of the entry / {chunk}): about {each} each. If it grows over time, add the date instead: key:202601, key:202602.",
				"n", comma(n), "chunk", decimal(chunk), "each", each),
			short: x.fill("{n} streams, key:(number of the entry / {chunk})", "n", comma(n), "chunk", decimal(chunk)),
		}
	}
	field := "member"
	switch s.Type {
	case parser.Hash:
		field = "field"
	case parser.Array:
		field = "index"
	}
	return parts{
		hashed: true,
		sentence: x.fill("Split it into {n} buckets, newKey = key:(hash({field}) % {modulus}): about {each} each, so that no bucket is likely to be over {limit}.",
			"n", comma(n), "field", field, "modulus", decimal(n), "each", each, "limit", limitText(u, limit)),
		short: x.fill("{n} buckets, key:(hash({field}) % {modulus})", "n", comma(n), "field", field, "modulus", decimal(n)),
	}
}

// buckets returns the number of buckets over which a hash must distribute a total
// so that, with rare exceptions, none is over the limit: the mean of a bucket plus
// four standard deviations is within the limit. The total consists of elements of
// a size of at most largest. If even one element and its deviation do not fit,
// every element gets a bucket of its own.
func buckets(total, limit, largest int64) int64 {
	if total <= limit || limit <= 0 {
		return 1
	}
	// With a mean of m the standard deviation is sqrt(m * g): m + 4*sqrt(m*g) = limit.
	g := float64(max(largest, 1))
	root := math.Sqrt(float64(limit)+4*g) - 2*math.Sqrt(g)
	mean := root * root
	if mean < 1 {
		mean = 1
	}
	n := int64(math.Ceil(float64(total) / mean))
	return max(2, min(n, total))
}
