package thresholds

import (
	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/thresholds/units"
)

// cardBytes is what a 1 Gbit/s network card transfers in a second, as the documents
// compute it.
const cardBytes = 128 << 20

// sizeQPS is Baidu's table of requests a second by the size of a value in bytes,
// at a latency of at most 10 ms.
var sizeQPS = []struct{ size, qps int64 }{
	{100, 97_000}, {1 << 10, 78_000}, {10 << 10, 73_000}, {50 << 10, 68_000}, {100 << 10, 42_000}, {500 << 10, 6_400}}

// fieldQPS is Baidu's table of HGETALL by the number of fields of 10 bytes.
var fieldQPS = []struct {
	fields int64
	ms     string
	qps    int64
}{{10, "0.4", 48_000}, {100, "0.7", 10_000}, {500, "2.7", 2_500}, {1000, "5", 870}, {3000, "11", 250}, {5000, "25", 120}}

// fieldBytes is the average length of field and value up to which fieldQPS
// applies. Above it, the bytes matter more than the number of fields.
const fieldBytes = 100

// readCost adds what one read of the whole value costs.
func (x *explainer) readCost() {
	bytes := x.key.ValueBytes
	if bytes <= 0 {
		return
	}
	text := x.fill("One read of the whole value transfers {bytes}: {reads} reads a second fill a 1 Gbit/s network card (128 MB/s).",
		"bytes", measuredText(units.Bytes, bytes), "reads", comma(cardBytes/bytes))
	if cardBytes/bytes <= 1 {
		text = x.fill("One read of the whole value transfers {bytes}: a single read a second fills a 1 Gbit/s network card (128 MB/s).", "bytes", measuredText(units.Bytes, bytes))
	}
	if x.key.Type == parser.Hash && bytes <= x.key.Elements*fieldBytes {
		text += " " + x.fieldCost(x.key.Elements)
	} else {
		text += " " + x.sizeCost(bytes)
	}
	x.advice = append(x.advice, Advice{Kind: adviseCost, Text: text})
}

// sizeCost returns the rows of sizeQPS below and above a size.
func (x *explainer) sizeCost(size int64) string {
	i := 0
	for i < len(sizeQPS) && sizeQPS[i].size < size {
		i++
	}
	if i > 0 && i < len(sizeQPS) && sizeQPS[i].size != size {
		low, high := sizeQPS[i-1], sizeQPS[i]
		return x.fill("Baidu measured {qps} requests a second for values of {size}, and {qps2} for {size2} (at most 10 ms each).",
			"qps", comma(low.qps), "size", units.Bytes.Format(low.size), "qps2", comma(high.qps), "size2", units.Bytes.Format(high.size))
	}
	row := sizeQPS[min(i, len(sizeQPS)-1)]
	return x.fill("Baidu measured {qps} requests a second for values of {size} (at most 10 ms each).", "qps", comma(row.qps), "size", units.Bytes.Format(row.size))
}

// fieldCost returns the rows of fieldQPS below and above a number of fields.
func (x *explainer) fieldCost(fields int64) string {
	i := 0
	for i < len(fieldQPS) && fieldQPS[i].fields < fields {
		i++
	}
	if i > 0 && i < len(fieldQPS) && fieldQPS[i].fields != fields {
		low, high := fieldQPS[i-1], fieldQPS[i]
		return x.fill("HGETALL of {fields} fields of 10 bytes: Baidu measured {qps} a second, {ms} ms each; of {fields2} fields {qps2}, {ms2} ms.",
			"fields", comma(low.fields), "qps", comma(low.qps), "ms", low.ms, "fields2", comma(high.fields), "qps2", comma(high.qps), "ms2", high.ms)
	}
	row := fieldQPS[min(i, len(fieldQPS)-1)]
	return x.fill("HGETALL of {fields} fields of 10 bytes: Baidu measured {qps} a second, {ms} ms each.", "fields", comma(row.fields), "qps", comma(row.qps), "ms", row.ms)
}
