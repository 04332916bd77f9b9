package thresholds

import (
	"math"
	"strconv"

	"github.com/dustin/go-humanize"

	"github.com/rdblens/rdblens/parser"
)

// cardBytes is what a 1 Gbit/s card sends in a second, by the documents' sum.
const cardBytes = 128 << 20

// sizeQPS is Baidu's table of requests a second by the size of a value, within
// 10 ms.
var sizeQPS = []struct{ size, qps int64 }{
	{100, 97_000}, {1 << 10, 78_000}, {10 << 10, 73_000}, {50 << 10, 68_000}, {100 << 10, 42_000}, {500 << 10, 6_400}}

// fieldQPS is Baidu's table of HGETALL by the number of fields of 10 bytes.
var fieldQPS = []struct {
	fields int64
	ms     string
	qps    int64
}{{10, "0.4", 48_000}, {100, "0.7", 10_000}, {500, "2.7", 2_500}, {1000, "5", 870}, {3000, "11", 250}, {5000, "25", 120}}

// fieldBytes is how long fields and values may be on average for fieldQPS to say
// anything: beyond that the bytes weigh more than the number.
const fieldBytes = 100

// cost says what one whole read of the value takes.
func (a *advisor) cost() {
	if a.s.ValueBytes <= 0 {
		return
	}
	key, reads := "cost", cardBytes/a.s.ValueBytes
	if reads <= 1 {
		key = "cost.one"
	}
	text := a.texts.say(key, "bytes", measuredText(Bytes, a.s.ValueBytes), "reads", humanize.Comma(reads))
	if a.s.Type == parser.Hash && a.s.ValueBytes <= a.s.Elements*fieldBytes {
		text += " " + a.fieldCost(a.s.Elements)
	} else {
		text += " " + a.sizeCost(a.s.ValueBytes)
	}
	a.list = append(a.list, Advice{Kind: adviseCost, Text: text})
}

// sizeCost gives the rows of Baidu's table on either side of a size.
func (a *advisor) sizeCost(size int64) string {
	i := 0
	for i < len(sizeQPS) && sizeQPS[i].size < size {
		i++
	}
	row := func(i int) (qps, size string) {
		return humanize.Comma(sizeQPS[i].qps), Bytes.Format(sizeQPS[i].size)
	}
	if i > 0 && i < len(sizeQPS) && sizeQPS[i].size != size {
		q1, s1 := row(i - 1)
		q2, s2 := row(i)
		return a.texts.say("cost.between", "qps", q1, "size", s1, "qps2", q2, "size2", s2)
	}
	q, s := row(min(i, len(sizeQPS)-1))
	return a.texts.say("cost.size", "qps", q, "size", s)
}

// fieldCost gives the rows of Baidu's table on either side of a number of fields.
func (a *advisor) fieldCost(fields int64) string {
	i := 0
	for i < len(fieldQPS) && fieldQPS[i].fields < fields {
		i++
	}
	if i > 0 && i < len(fieldQPS) && fieldQPS[i].fields != fields {
		low, high := fieldQPS[i-1], fieldQPS[i]
		return a.texts.say("cost.fields2", "fields", humanize.Comma(low.fields), "qps", humanize.Comma(low.qps), "ms", low.ms,
			"fields2", humanize.Comma(high.fields), "qps2", humanize.Comma(high.qps), "ms2", high.ms)
	}
	row := fieldQPS[min(i, len(fieldQPS)-1)]
	return a.texts.say("cost.fields", "fields", humanize.Comma(row.fields), "qps", humanize.Comma(row.qps), "ms", row.ms)
}

// split says into how many parts a key must go to be under the limit that it has
// passed, and to be under the milder ones of the rule.
func (a *advisor) split() {
	if a.f.Limit <= 0 {
		return
	}
	whole := a.f.Rule.Name() == "big-value" // no element can be split
	if whole && a.s.Largest > a.f.Limit {
		a.say(adviseSplit, nil, "split.element", "largest", measuredText(Bytes, a.s.Largest), "limit", limitText(Bytes, a.f.Limit))
		return
	}
	key, words := a.parts(a.f.Limit)
	text := a.texts.say(key, words...)
	for severity := a.f.Severity - 1; severity >= Info; severity-- {
		limit, ok := a.setting.Limit(a.s.Type, false, severity)
		if !ok || limit <= 0 || limit >= a.f.Limit || whole && a.s.Largest > limit {
			continue
		}
		key, words := a.parts(limit)
		text += " " + a.texts.say(key+".milder", append(words, "severity", severity.String())...)
	}
	a.list = append(a.list, Advice{Kind: adviseSplit, Text: text})
	if key == "split.buckets" {
		a.say(adviseSplit, nil, "split.date")
	}
}

// parts gives the sentence on the parts that are under a limit, and its words.
func (a *advisor) parts(limit int64) (key string, words []string) {
	s, u, total := a.s, a.f.Unit(), a.f.Measured
	grain := int64(1)
	if u == Bytes {
		grain = max(s.Largest, 1)
	}
	field := ""
	n, chunk := Buckets(total, limit, grain), limit
	switch s.Type {
	case parser.String:
		key, n = "split.string", (total+limit-1)/limit
	case parser.List, parser.Stream:
		key = "split." + s.Type.String()
		if u == Bytes { // parts of as many elements
			chunk = max((s.Elements+n-1)/n, 1)
		}
		n = max((s.Elements+chunk-1)/chunk, 2)
		chunk = max((s.Elements+n-1)/n, 1) // all parts alike
	case parser.Hash:
		key, field = "split.buckets", "field"
	case parser.Array:
		key, field = "split.buckets", "index"
	default:
		key, field = "split.buckets", "member"
	}
	each := sizeText(total / n)
	if u == Count {
		each = a.texts.say("split.each", "n", humanize.Comma(total/n))
		if total/n == 1 {
			each = a.texts.say("split.each.one")
		}
	}
	return key, []string{"n", humanize.Comma(n), "modulus", strconv.FormatInt(n, 10), "chunk", strconv.FormatInt(chunk, 10), "each", each, "field", field, "limit", limitText(u, limit)}
}

// Buckets gives how many buckets a total must be spread over by a hash for none
// to be over the limit, but for rare chance: so many that the mean and four
// standard deviations of it are within the limit. The total is made of parts of
// a size at most grain; where even one part and its spread do not fit, every
// part gets a bucket of its own.
func Buckets(total, limit, grain int64) int64 {
	if total <= limit || limit <= 0 {
		return 1
	}
	// With a mean of m the spread is sqrt(m * grain): m + 4*sqrt(m*g) = limit.
	g := float64(max(grain, 1))
	root := math.Sqrt(float64(limit)+4*g) - 2*math.Sqrt(g)
	mean := root * root
	if mean < 1 {
		mean = 1
	}
	n := int64(math.Ceil(float64(total) / mean))
	return max(2, min(n, total))
}

// compactSettings are the names that servers have for the limits of compact
// encodings, until Redis 6.2 and from 7.0 on.
var compactSettings = map[parser.Type][2]string{
	parser.Hash: {"hash-max-ziplist-", "hash-max-listpack-"},
	parser.ZSet: {"zset-max-ziplist-", "zset-max-listpack-"},
	parser.List: {"list-max-ziplist-", "list-max-listpack-"},
	parser.Set:  {"set-max-intset-", "set-max-listpack-"},
}

// compact advises on a collection that misses the compact encoding.
func (a *advisor) compact() {
	s, form := a.s, a.compactForm(a.s)
	names := compactSettings[s.Type]
	setting := names[1]
	if s.Type == parser.Set && s.Integers || s.Type != parser.Set && a.server.family != "valkey" && !a.server.AtLeast(7, 0) {
		setting = names[0]
	}
	if a.f.Note&notePassedCount != 0 {
		n := Buckets(s.Elements, form.count, 1)
		a.say(adviseEncoding, nil, "encoding.count", "limit", humanize.Comma(form.count), "n", humanize.Comma(n), "setting", setting+"entries")
	}
	if a.f.Note&notePassedBytes != 0 {
		a.say(adviseEncoding, nil, "encoding.bytes", "limit", limitText(Bytes, form.bytes), "setting", setting+"value")
	}
	if a.f.Note == notePassedNone {
		a.say(adviseEncoding, nil, "encoding.reload")
	}
	if s.Memory >= 0 && s.CompactMemory >= 0 && s.CompactMemory < s.Memory {
		a.say(adviseEncoding, nil, "encoding.saving", "memory", measuredText(Bytes, s.Memory), "compact", measuredText(Bytes, s.CompactMemory),
			"saved", measuredText(Bytes, s.Memory-s.CompactMemory))
	}
}
