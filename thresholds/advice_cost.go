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

// fieldQPS is Baidu's table of HGETALL by the number of fields of 10 bytes. It is the
// nearest there is for the other collections, too.
var fieldQPS = []struct {
	fields int64
	ms     string
	qps    int64
}{{10, "0.4", 48_000}, {100, "0.7", 10_000}, {500, "2.7", 2_500}, {1000, "5", 870}, {3000, "11", 250}, {5000, "25", 120}}

// readCost adds what one read of the whole value costs: the bytes, and what the
// document behind baidu measured for values of that size, or of that number of elements.
func (x *explainer) readCost() {
	bytes := x.key.ValueBytes
	if bytes <= 0 {
		return
	}
	sentence := "One read of the whole value transfers {bytes}: {reads} reads a second fill a 1 Gbit/s network card (128 MB/s)."
	if cardBytes/bytes <= 1 {
		sentence = "One read of the whole value transfers {bytes}: a single read a second fills a 1 Gbit/s network card (128 MB/s)."
	}
	x.advise(adviseCost, nil, sentence, "bytes", measuredText(units.Bytes, bytes), "reads", comma(cardBytes/bytes))
	if x.key.Type == parser.String {
		x.sizeCost(bytes)
	} else if x.key.Elements > 0 {
		x.fieldCost(x.key.Elements)
	}
}

// sizeCost adds the rows of sizeQPS below and above a size.
func (x *explainer) sizeCost(size int64) {
	i := 0
	for i < len(sizeQPS)-1 && sizeQPS[i].size < size {
		i++
	}
	low, high := sizeQPS[max(i-1, 0)], sizeQPS[i]
	sentence := "Baidu measured {qps} requests a second for values of {size}, and {qps2} for {size2} (at most 10 ms each)."
	switch {
	case size > high.size:
		sentence = "Baidu measured {qps2} requests a second for values of {size2} (at most 10 ms each), the largest in its table."
	case size == high.size || i == 0:
		sentence = "Baidu measured {qps2} requests a second for values of {size2} (at most 10 ms each)."
	}
	x.advise(adviseCost, nil, sentence, "qps", comma(low.qps), "size", units.Bytes.Format(low.size), "qps2", comma(high.qps), "size2", units.Bytes.Format(high.size))
}

// fieldCost adds the rows of fieldQPS below and above a number of elements.
func (x *explainer) fieldCost(elements int64) {
	i := 0
	for i < len(fieldQPS)-1 && fieldQPS[i].fields < elements {
		i++
	}
	low, high := fieldQPS[max(i-1, 0)], fieldQPS[i]
	sentence := "HGETALL of {fields} fields of 10 bytes: Baidu measured {qps} a second, {ms} ms each; of {fields2} fields {qps2}, {ms2} ms."
	switch {
	case elements > high.fields:
		sentence = "HGETALL of {fields2} fields of 10 bytes: Baidu measured {qps2} a second, {ms2} ms each. Its table ends there: more elements, or longer ones, take longer."
	case elements == high.fields || i == 0:
		sentence = "HGETALL of {fields2} fields of 10 bytes: Baidu measured {qps2} a second, {ms2} ms each."
	}
	x.advise(adviseCost, nil, sentence, "fields", comma(low.fields), "qps", comma(low.qps), "ms", low.ms, "fields2", comma(high.fields), "qps2", comma(high.qps), "ms2", high.ms)
}
