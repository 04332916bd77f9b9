package thresholds

import (
	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
)

func init() {
	register(Rule{
		Name:    "no-ttl",
		Section: SectionExpiry,
		Title:   "key that never expires",
		Harm:    UsesMemory,
		fix: &fix{action: adviseExpire, ofGroup: true,
			id: "Write {which} with a TTL: {memory} is never freed without one."},
		check: func(c *compiler) { c.when(withoutExpiry, -1, 0, nil) },
		text:  func(x *explainer) message.Message { return x.found("never expires") },
		advise: func(x *explainer) {
			write := "EXPIRE key (86400 + random(0..8640))"
			if x.key.Type == parser.String { // SET can write value and expiry together
				write = "SET key value EX (86400 + random(0..8640))"
			}
			x.advise(adviseExpire, nil, "Set an expiry when it is written: {write}. The application draws the random seconds again for each key, so that "+
				"keys written together do not expire together.",
				message.Code("write", write))
			x.expire(day)
			x.inspect()
			x.delete()
		},
		Doc: Doc{
			What: "A key without an expiry. A hash whose fields all have an expiry counts as having one.",
			Why: "Keys that nobody deletes remain for ever and fill the memory until the server evicts keys, refuses writes " +
				"or crashes. The volatile eviction policies never evict them.",
			Fix: "Set the expiry when the key is written (SET key value EX 86400), with a random part if many keys are " +
				"written at once. For data that must remain, add an ignore entry with the reason.",
			Example: "session:8f3a, a string without an expiry.",
		},
	})
}
