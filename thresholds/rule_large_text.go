package thresholds

import (
	"bytes"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/format"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds/naming"
)

func init() {
	register(Rule{
		Name:    "large-text",
		Section: SectionInstance,
		Title:   "large JSON, XML or plain text that is stored uncompressed",
		Harm:    UsesMemory,
		Unit:    message.Bytes,
		Types:   []parser.Type{parser.String, parser.List, parser.Set, parser.ZSet, parser.Hash, parser.JSON},
		Params: []Param{{Name: "element", Unit: message.Bytes,
			Doc: "limit for the largest element of a collection (0 or off: collections are not checked)"}},
		check: func(c *compiler) {
			if c.typ == parser.String || c.typ == parser.JSON {
				c.over(valueBytes, confirmText(0))
				return
			}
			element := c.Param("element").Number
			for s := Info; s <= Error && element > 0; s++ { // the mildest that has a limit
				if _, ok := c.Limit(c.typ, false, s); ok {
					c.add(largest, -1, false, []level{{element, s}}, confirmText(noteElement))
					return
				}
			}
		},
		text: func(x *explainer) message.Message {
			switch x.note {
			case noteJSON:
				return x.found("JSON of {measured}, over {limit}")
			case noteXML:
				return x.found("XML of {measured}, over {limit}")
			case noteJSON | noteElement:
				return x.found("JSON of {measured} in the largest element, over {limit}")
			case noteXML | noteElement:
				return x.found("XML of {measured} in the largest element, over {limit}")
			case noteText | noteElement:
				return x.found("text of {measured} in the largest element, over {limit}")
			}
			return x.found("text of {measured}, over {limit}")
		},
		advise: func(x *explainer) {
			if x.key.Type == parser.JSON {
				x.advise(adviseEncoding, nil,
					"Store the parts of the document that are not queried as strings of their own, compressed (Snappy, gzip, zstd).")
			} else if x.key.LZFIn > 0 && x.key.LZFOut > 0 {
				x.advise(adviseCompress, nil,
					"Compress it before storing it (Snappy, gzip, zstd), or use a binary format such as Protobuf, once all readers "+
						"know it. "+
						"In this snapshot LZF reduced it to {ratio}; better compressors reduce it further.",
					message.Limit("ratio", message.Percent, share(x.key.LZFIn, 100, x.key.LZFOut)*100))
			} else {
				x.advise(adviseCompress, nil,
					"Compress it before storing it (Snappy, gzip, zstd), or use a binary format such as Protobuf, once all readers "+
						"know it.")
			}
			x.readCost()
			x.inspect()
		},
		Doc: Doc{
			What: "A string or a JSON document over the limit that begins like JSON, XML or plain text, and so is not " +
				"compressed. If element is set, also a collection whose largest element is such a text. The advice gives the " +
				"ratio that the compression of the snapshot (LZF) reached on it.",
			Why: "Compression reduces text to about half, JSON and XML often to a fifth. Uncompressed it takes memory, " +
				"network bandwidth and time to read.",
			Fix: "Compress before storing (Snappy, gzip, zstd), or use a binary format such as Protobuf instead of JSON " +
				"and XML. Keep large texts out of hashes.",
			Example: "novel:17:chapter:3, 148,202 bytes of plain text: over 100 KB; LZF reduced it to 61%.",
		},
	})
}

// The notes: the kind of text, and where it is.
const (
	noteJSON    = 1
	noteXML     = 2
	noteText    = 3
	noteElement = 4 // flag: in the largest element of a collection
)

// confirmText confirms a key whose first bytes are uncompressed text.
func confirmText(where uint8) confirmation {
	return func(k *parser.Key, f *naming.Facts, found *Finding) bool {
		kind := textKind(k.Head)
		found.note = kind | where
		return kind != 0
	}
}

// textKind returns the kind of text that begins with head, one of the notes, or 0
// if it is not text. Compressed and binary formats have control characters or
// bytes that are not UTF-8 among the first few.
func textKind(head []byte) uint8 {
	if len(head) == 0 || !format.IsText(head) {
		return 0
	}
	trimmed := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), " \t\r\n")
	if len(trimmed) == 0 {
		return noteText
	}
	next := byte(0)
	if rest := bytes.TrimLeft(trimmed[1:], " \t\r\n"); len(rest) > 0 {
		next = rest[0]
	}
	switch trimmed[0] {
	case '{':
		if next == '"' || next == '}' || next == 0 {
			return noteJSON
		}
	case '[':
		if next == 0 || bytes.IndexByte([]byte(`{["-0123456789tfn]`), next) >= 0 {
			return noteJSON
		}
	case '<':
		if next == '?' || next == '!' || next|0x20 >= 'a' && next|0x20 <= 'z' {
			return noteXML
		}
	}
	return noteText
}
