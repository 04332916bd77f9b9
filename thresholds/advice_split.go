package thresholds

import (
	"bytes"
	"math"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
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
	text, _ := x.parts(x.Limit)
	for severity := x.Severity - 1; severity >= Info; severity-- {
		limit, ok := x.setting.Limit(x.key.Type, false, severity)
		if !ok || limit <= 0 || limit >= x.Limit || whole && x.key.Largest > limit {
			continue
		}
		_, short := x.parts(limit)
		text += " " + x.fill("For the {severity} limit of {limit}: {parts}.", "severity", severity.String(), "limit", limitText(x.Unit(), limit), "parts", short)
	}
	x.advice = append(x.advice, Advice{Kind: adviseSplit, Text: text})
	if x.key.Type != parser.String {
		x.advise(adviseSplit, nil, "If it grows over time, start a new one for each period: {a}, {b}, each with an expiry.", "a", x.part("202601"), "b", x.part("202602"))
	}
}

// moveElementOut adds what to do about an element so large that no split of the
// key helps.
func (x *explainer) moveElementOut(largest int64) {
	x.advise(adviseSplit, nil, "One element alone has {largest}: no split of the key brings it under {limit}. Store that element's value under a key of its own, and that key's name in its place.",
		"largest", measuredText(message.Bytes, largest), "limit", limitText(message.Bytes, x.Limit))
}

// part returns the name of a part of the key, where key is the key's name, but
// without the type at its end if the profile demands that names end in one.
func (x *explainer) part(number string) string {
	separators := x.policy.Separators.Value
	separator := separators[:1]
	if i := bytes.IndexAny(x.key.Name, separators); i >= 0 {
		separator = string(x.key.Name[i])
	}
	name := "key" + separator + number
	if s := x.settingOf("key-type-suffix"); s.On && s.Rule.AppliesTo(x.key.Type) {
		name += separator + x.key.Type.String()
	}
	return name
}

// parts returns how to split the key so that no part is over a limit, as a
// sentence and without explanation.
func (x *explainer) parts(limit int64) (sentence, short string) {
	s, u, total := x.key, x.Unit(), x.Measured
	largest := int64(1)
	if u == message.Bytes {
		largest = max(s.Largest, 1)
	}
	n, chunk := buckets(total, limit, largest), limit
	what, rule := "", ""
	sentence = "Split it into {n} {what}, newKey = {rule}: about {each} each."
	switch s.Type {
	case parser.String:
		n = (total + limit - 1) / limit
		sentence = "Split it over {n} keys of at most {limit} each, newKey = {rule}."
		switch x.note {
		case noteJSON, noteXML:
			sentence = "Split it over {n} keys of at most {limit} each, newKey = {rule}; or store it as a hash of its properties, read with HGET and HMGET."
		case 0:
			sentence = "Split it over {n} keys of at most {limit} each, newKey = {rule}; of a bitmap, {bits}."
		}
		rule = x.part("(offset / " + decimal(limit) + ")")
		return x.fill(sentence, "n", comma(n), "limit", limitText(u, limit), "rule", rule, "bits", x.part("(bit / "+decimal(8*limit)+")")),
			x.fill("{n} keys, {rule}", "n", comma(n), "rule", rule)
	case parser.ZSet: // a split by a hash of the member would break ranks
		keep := limit / largest
		return x.fill("If it is read by rank, no split by a hash of the members fits: keep only the ranks that are read. After each ZADD, ZREMRANGEBYRANK key 0 {last} keeps the {n} highest; remove what is there now in steps.",
			"last", decimal(-keep-1), "n", comma(keep)), x.fill("the {n} highest", "n", comma(keep))
	case parser.List, parser.Stream:
		if u == message.Bytes { // parts with the same number of elements
			chunk = max((s.Elements+n-1)/n, 1)
		}
		n = max((s.Elements+chunk-1)/chunk, 2)
		chunk = max((s.Elements+n-1)/n, 1) // all parts of equal length
		what, rule = "lists", x.part("(index / "+decimal(chunk)+")")
		if s.Type == parser.Stream {
			what, rule = "streams", x.part("(number of the entry / "+decimal(chunk)+")")
		}
	default:
		field := map[parser.Type]string{parser.Hash: "field", parser.Array: "index"}[s.Type]
		if field == "" {
			field = "member"
		}
		what, rule = "buckets", x.part("(hash("+field+") % "+decimal(n)+")")
		sentence = "Split it into {n} {what}, newKey = {rule}: about {each} each, so that no bucket is likely to be over {limit}."
	}
	each := sizeText(total / n)
	if u == message.Count {
		each = message.FormatCountOf(total/n, "element", "elements")
	}
	return x.fill(sentence, "n", comma(n), "what", what, "rule", rule, "each", each, "limit", limitText(u, limit)),
		x.fill("{n} {what}, {rule}", "n", comma(n), "what", what, "rule", rule)
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
