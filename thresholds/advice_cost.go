package thresholds

import (
	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
)

// CardBytes is what a 1 Gbit/s network card transfers in a second, in bytes, as the
// documents compute it.
const CardBytes = 128 << 20

// costRow is a row of Baidu's measurements: requests a second for values of a size
// or number of fields.
type costRow struct{ of, qps int64 }

// sizeQPS is Baidu's table by the size of a value in bytes, at a latency of at most
// 10 ms.
var sizeQPS = []costRow{{100, 97_000}, {1 << 10, 78_000}, {10 << 10, 73_000}, {50 << 10, 68_000}, {100 << 10, 42_000},
	{500 << 10, 6_400}}

// fieldQPS is Baidu's table of HGETALL by the number of fields of 10 bytes. It has no figures for other
// collections. The latencies beside them are of several clients at once, and are left out.
var fieldQPS = []costRow{{10, 48_000}, {100, 10_000}, {500, 2_500}, {1000, 870}, {3000, 250}, {5000, 120}}

// readCost adds what one read of the whole value costs: the bytes, and what the
// document behind baidu measured for values of that size, or of that number of elements.
func (x *explainer) readCost() {
	bytes := x.key.ValueBytes
	if bytes <= 0 {
		return
	}
	sentence := "One read of the whole value transfers {bytes}: {reads} reads a second fill a 1 Gbit/s network card " +
		"(128 MB/s)."
	if CardBytes/bytes <= 1 {
		sentence = "One read of the whole value transfers {bytes}: a single read a second fills a 1 Gbit/s network card " +
			"(128 MB/s)."
	}
	x.advise(adviseCost, nil, sentence, message.ExactSize("bytes", bytes), message.Int("reads", CardBytes/bytes))
	if x.key.Type == parser.String {
		x.measuredCost(sizeQPS, bytes, message.Bytes,
			"Baidu measured {qps} requests a second for values of {low}, and {qps2} for {high} (at most 10 ms each).",
			"Baidu measured {qps2} requests a second for values of {high} (at most 10 ms each).",
			"Baidu measured {qps2} requests a second for values of {high} (at most 10 ms each), the largest in its table.")
	} else if x.key.Type == parser.Hash && x.key.Elements > 0 {
		x.measuredCost(fieldQPS, x.key.Elements, message.Count,
			"HGETALL of {low} fields of 10 bytes: Baidu measured {qps} a second; of {high} fields {qps2}.",
			"HGETALL of {high} fields of 10 bytes: Baidu measured {qps2} a second.",
			"HGETALL of {high} fields of 10 bytes: Baidu measured {qps2} a second. Its table ends there: more fields, or "+
				"longer ones, take longer.")
	}
}

// measuredCost adds the rows of a table below and above a figure. The sentences are
// for a figure between two rows, on a row or below the first, and above the last.
func (x *explainer) measuredCost(table []costRow, figure int64, u message.Unit, between, on, above string) {
	i := 0
	for i < len(table)-1 && table[i].of < figure {
		i++
	}
	low, high := table[max(i-1, 0)], table[i]
	sentence := between
	switch {
	case figure > high.of:
		sentence = above
	case figure == high.of || i == 0:
		sentence = on
	}
	x.advise(adviseCost, nil, sentence, message.Limit("low", u, low.of), message.Int("qps", low.qps),
		message.Limit("high", u, high.of), message.Int("qps2", high.qps))
}
