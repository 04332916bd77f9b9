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

// split says into how many parts a key must go to be under the limit.
func (a *advisor) split() {
	s, limit := a.s, a.f.Limit
	if limit <= 0 {
		return
	}
	field := map[parser.Type]string{parser.Hash: "field", parser.Set: "member", parser.ZSet: "member", parser.Array: "index"}[s.Type]
	if a.f.Rule.Name() == "big-value" {
		switch {
		case s.Largest > limit:
			a.say(adviseSplit, nil, "split.element", "largest", measuredText(Bytes, s.Largest), "limit", limitText(Bytes, limit))
		case s.Type == parser.Stream || s.Type == parser.List:
			a.say(adviseSplit, nil, "split.date")
		default:
			n := Buckets(s.ValueBytes, limit, max(s.Largest, 1))
			a.say(adviseSplit, nil, "split.bytes", "n", humanize.Comma(n), "field", field, "each", sizeText(s.ValueBytes/n), "limit", limitText(Bytes, limit))
		}
		return
	}
	switch s.Type {
	case parser.String:
		parts := (a.f.Measured + limit - 1) / limit
		a.say(adviseSplit, nil, "split.string", "n", humanize.Comma(parts), "limit", limitText(Bytes, limit), "chunk", strconv.FormatInt(limit, 10))
	case parser.List:
		parts := (a.f.Measured + limit - 1) / limit
		a.say(adviseSplit, nil, "split.list", "n", humanize.Comma(parts), "chunk", strconv.FormatInt(limit, 10))
	default:
		n := Buckets(a.f.Measured, limit, 1)
		a.say(adviseSplit, nil, "split.buckets", "n", strconv.FormatInt(n, 10), "field", field, "each", humanize.Comma(a.f.Measured/n), "limit", limitText(Count, limit))
		a.say(adviseSplit, nil, "split.date")
	}
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
	if s.Type == parser.Set && s.Integers || s.Type != parser.Set && a.server.family != "valkey" && !a.server.atLeast(7, 0) {
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
