package thresholds

import (
	"cmp"

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
			id: "Write {which} with a TTL, if it may be lost after some time: {memory} is never freed without one."},
		check: func(c *compiler) { c.when(withoutExpiry, -1, 0, nil) },
		text:  func(x *explainer) message.Message { return x.found("never expires") },
		advise: func(x *explainer) {
			write := "EXPIRE key SECONDS"
			if x.key.Type == parser.String { // SET can write value and expiry together
				write = "SET key value EX SECONDS"
			}
			args := []message.Arg{message.Code("write", write), message.Duration("ttl", x.key.GroupTTL)}
			if x.key.GroupTTL > 0 {
				x.advise(adviseExpire, nil, "Only if it may be lost after that time, set an expiry when it is written: {write}. "+
					"Other keys of its group have TTLs of up to {ttl}. Add random seconds, drawn again for each key, so that keys "+
					"written together do not expire together.", args...)
			} else {
				x.advise(adviseExpire, nil, "Only if it may be lost after some time, set an expiry when it is written: {write}, "+
					"where SECONDS is how long it must live at least. Add random seconds, drawn again for each key, so that keys "+
					"written together do not expire together.", args...)
			}
			x.expire(cmp.Or(x.key.GroupTTL, day))
			x.inspect()
			x.delete()
		},
		Doc: Doc{
			What: "A key without an expiry. A hash whose fields all have an expiry counts as having one.",
			Why: "Keys that nobody deletes remain for ever and fill the memory until the server evicts keys, refuses writes " +
				"or crashes. The volatile eviction policies never evict them.",
			Fix: "If the data may be lost after some time, set the expiry when the key is written (SET key value EX " +
				"SECONDS), with a random part if many keys are written at once. For data that must remain, add an ignore " +
				"entry with the reason.",
			Example: "session:8f3a, a string without an expiry.",
		},
	})
}
