package thresholds

import (
	"bytes"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds/naming"
)

func init() {
	register(Rule{
		Name:    "big-string",
		Section: SectionSize,
		Title:   "string longer than the limit",
		Harm:    Blocks,
		fix: &fix{action: adviseCompress,
			id: "Split or compress {key}: each read sends all {measured}, and a 1 Gbit/s network card sends {reads} a second.",
			otherwise: &fix{action: adviseSplit,
				id: "Split {key}: each read sends all {measured}, and a 1 Gbit/s network card sends {reads} a second."}},
		Unit:    message.Bytes,
		PerType: true,
		Types:   []parser.Type{parser.String},
		Params:  []Param{countInfo},
		check: func(c *compiler) {
			c.over(valueBytes, func(k *parser.Key, f *naming.Facts, found *Finding) bool {
				found.note = textKind(k.Head)
				return !isHyperLogLog(k.Head, k.ValueBytes)
			})
		},
		text: func(x *explainer) message.Message { return x.found("{measured} long, over {limit}") },
		advise: func(x *explainer) {
			x.readCost()
			x.split(anyPart)
			x.inspect()
			x.delete()
		},
		Doc: Doc{
			What: "A string whose length (STRLEN) is over the limit. A HyperLogLog is exempt: a string that begins with HYLL " +
				"and a valid encoding byte, and is 12304 bytes long if dense, or at most that if sparse.",
			Why: "Every read transfers the whole value: a thousand reads a second of 128 KB fill a 1 Gbit/s network card. " +
				"While one big value is read or written, all other clients wait.",
			Fix: "Store only what is read together, compress text, split the value over several keys, or store it as a hash " +
				"and read single fields with HGET and HMGET.",
			Example: "album:372:videos, a JSON text of 6 MB: 6291456 bytes, over 10 KB.",
		},
	})
}

// A HyperLogLog is a string that begins with a header of 16 bytes: HYLL, the
// encoding, and more. A dense one has 16384 registers of 6 bits after it
// (hyperloglog.c).
var hyperLogLog = []byte("HYLL")

const (
	denseHyperLogLog  = 0 // encoding
	sparseHyperLogLog = 1
	denseLength       = 16 + 16384*6/8
)

// isHyperLogLog reports whether a string with these first bytes and this length
// can be a HyperLogLog. All dense ones have the same length; the server converts a
// sparse one to dense before it becomes longer.
func isHyperLogLog(head []byte, length int64) bool {
	if len(head) <= len(hyperLogLog) || !bytes.HasPrefix(head, hyperLogLog) {
		return false
	}
	switch head[len(hyperLogLog)] {
	case denseHyperLogLog:
		return length == denseLength
	case sparseHyperLogLog:
		return length <= denseLength
	}
	return false
}
