package thresholds

import "github.com/rdblens/rdblens/parser"

func init() {
	register(Rule{
		Name:    "large-text",
		Section: SectionInstance,
		Title:   "large JSON, XML or plain text that is kept uncompressed",
		Unit:    Bytes,
		Types:   []parser.Type{parser.String, parser.List, parser.Set, parser.ZSet, parser.Hash},
		Params:  []Param{{Name: "element", Unit: Bytes, Doc: "limit for the largest element of a collection (0 or off: they are not looked at)"}},
		compile: func(c *compiler) {
			if c.typ == parser.String {
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
		Doc: Doc{
			What: "A string over the limit that begins like JSON, XML or plain text, and so is not compressed; where element is set, also a collection whose largest element is " +
				"such a text. Advice names the ratio that the snapshot's own compression (LZF) reached on it.",
			Why:     "Texts shrink to a third or less. Uncompressed they cost memory, network and the time to read them, each time.",
			Fix:     "Compress before storing (Snappy, gzip, zstd), or use a binary form such as Protobuf in the place of JSON and XML; keep a large text out of hashes.",
			Example: "novel:17:chapter:3, 148,202 bytes of plain text: over 100KB; LZF made 61% of it.",
			Sources: []Source{
				{[]string{"default", "baidu"}, Baidu, "", "将小说文章压缩后存储。", "Store novels and articles compressed."},
				{[]string{"default", "baidu"}, Baidu, "", "JSON 和 XML 换成轻量级的 Protobuf；", "Use the light Protobuf in the place of JSON and XML."},
				{onlyBaidu, Baidu, "", "那么假如所有学校的信息本身是超过 4KB 的 JSON，此时不建议 Hash 类型 Value 存储 JSON，可以存 JSON 的 Key 名字",
					"Where the data itself is JSON of more than 4 KB, a hash should not hold it as a value; let the hash hold the name of the key that has the JSON."},
			},
			Notes: []Note{
				{onlyBaidu, "the 10 KB for strings are the document's last limit for a string, the 4 KB for elements its own word; a hint, so an info"},
				{onlyDefault, "ours: only what is far beyond every limit, 100 KB"},
			},
		},
	})
}
