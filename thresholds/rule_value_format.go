package thresholds

import (
	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/format"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// noteOfElement is a flag in the note of a finding of value-format, which has the format:
// an element of a collection has it.
const noteOfElement = 0x80

func init() {
	register(Rule{
		Name:     "value-format",
		Section:  SectionSize,
		Title:    "value in a format that the team does not allow",
		Optional: true,
		Types:    []parser.Type{parser.String, parser.List, parser.Set, parser.ZSet, parser.Hash, parser.Stream},
		Lists:    &Lists{Entry: "a format", Example: "{forbidden: [java, php]}", Named: true, Known: format.Names()},
		details:  parser.DetailFormats,
		check: func(c *compiler) {
			for i := range c.Lists {
				l := &c.Lists[i]
				flagged := l.flaggedFormats()
				c.whenSevere(always, -1, 0, l.Severity, func(k *parser.Key, _ *naming.Facts, found *Finding) bool {
					f := (k.Formats & flagged).First()
					if found.note = uint8(f); k.Type != parser.String {
						found.note |= noteOfElement
					}
					return f != format.None
				})
			}
		},
		text: func(x *explainer) message.Message {
			f := format.Format(x.note &^ noteOfElement)
			l := x.listOf(func(l *List) bool { return l.flaggedFormats().Has(f) })
			word := message.Text("format", f.String())
			switch {
			case l == nil || l.Forbidden && x.note&noteOfElement != 0:
				return x.found("an element in format {format}, which is forbidden", word)
			case l.Forbidden:
				return x.found("format {format} is forbidden", word)
			case x.note&noteOfElement != 0:
				return x.found("an element in format {format}, allowed: {entries}", word, l.entries())
			}
			return x.found("format {format}, allowed: {entries}", word, l.entries())
		},
		advise: func(x *explainer) {
			x.advise(adviseEncoding, nil,
				"Write the values in a format that the team allows, and read both formats until the old keys have expired.")
			x.inspect()
		},
		Doc: Doc{
			What: "A string, or one of the first eight elements of a collection (of a hash the values, of a stream the values " +
				"of its first entry), in a format that a list forbids, or in none of those that a list allows. A value has one " +
				"format, the first that fits: json, java, php (serialize, igbinary), pickle (protocols 2 to 5), msgpack, gzip, " +
				"zlib, zstd, lz4 and snappy (frames), protobuf (a guess), image, text, number, and binary for what is in no " +
				"other. A number is allowed where json or text is, and JSON where text is. JSON of up to 64 KB is checked whole, " +
				"all else by its first bytes. Empty values have no format. Off until the team sets a list.",
			Why: "A format that only one language reads ties all readers to it; reading Java's, PHP's or Python's " +
				"serialized objects from a store that others can write to runs their code.",
			Fix:     "Write JSON, MessagePack or Protocol Buffers; compress large values explicitly.",
			Example: "session:1, a string of Java's serialization, where value-format has error: {forbidden: [java, php]}.",
		},
	})
}

// flaggedFormats are the formats that a list forbids, or does not allow.
func (l *List) flaggedFormats() (set format.Set) {
	for f := format.None + 1; f <= format.Binary; f++ {
		listed := false
		for _, word := range l.words {
			of := format.Parse(word)
			listed = listed || of == f || !l.Forbidden && of.Includes(f)
		}
		if listed == l.Forbidden {
			set.Add(f)
		}
	}
	return set
}
