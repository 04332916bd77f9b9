package thresholds

import (
	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds/naming"
)

func init() {
	register(Rule{
		Name:    "vector-links",
		Section: SectionSize,
		Title:   "vector set whose links take more memory than its vectors",
		Harm:    UsesMemory,
		Types:   []parser.Type{parser.VectorSet},
		unit:    func(uint8) message.Unit { return message.Bytes },
		check: func(c *compiler) {
			c.when(elements, -1, fewVectors, func(k *parser.Key, f *naming.Facts, found *Finding) bool {
				if k.Module == nil || k.Module.LinkBytes <= k.Module.VectorBytes {
					return false
				}
				found.Measured, found.Limit = k.Module.LinkBytes, k.Module.VectorBytes
				return true
			})
		},
		text: func(x *explainer) message.Message { return x.found("links of {measured} for vectors of {limit}") },
		advise: func(x *explainer) {
			x.advise(adviseEncoding, nil, "Add the elements to a new vector set with fewer links (VADD key ... M 8), if "+
				"searches in it still find what they must: "+
				"the number of links of a vector set cannot be changed.")
			x.inspect()
		},
		Doc: Doc{
			What: "A vector set of more than 1,000 elements in which the links between elements take more memory than the " +
				"vectors themselves. Not checked without a memory model.",
			Why: "Each element has room for 32 links in the lowest layer by default, 256 bytes. Beside short or quantized " +
				"vectors they are most of what the vector set takes, and fewer links are often enough there.",
			Fix:     "Make the vector set with a smaller M, and compare the recall of searches (VSIM with and without TRUTH).",
			Example: "products:embeddings, 200,000 elements of 64 dimensions in 8 bits: links of 56 MB for vectors of 12.8 MB.",
		},
	})
}

// fewVectors is the size up to which a vector set is not checked.
const fewVectors = 1000
