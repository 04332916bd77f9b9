package thresholds

import (
	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds/naming"
)

func init() {
	register(Rule{
		Name:    "series-retention",
		Section: SectionExpiry,
		Title:   "time series whose samples are stored for ever",
		Harm:    UsesMemory,
		Unit:    message.Count,
		Types:   []parser.Type{parser.TimeSeries},
		check: func(c *compiler) {
			c.over(elements, func(k *parser.Key, f *naming.Facts, found *Finding) bool {
				return k.Module != nil && k.Module.Retention == 0 && !k.HasExpire
			})
		},
		text: func(x *explainer) message.Message {
			return x.counted("1 sample without a retention", "{measured} samples without a retention, over {limit}")
		},
		advise: func(x *explainer) {
			x.change(adviseTTL, message.New("if older samples are no longer needed"),
				x.commands("TS.ALTER {key} RETENTION 7776000000"),
				"Give it a retention, such as 90 days in milliseconds, and compaction rules (TS.CREATERULE) for what is read of "+
					"older samples.")
			x.inspect()
		},
		Doc: Doc{
			What: "A time series (RedisTimeSeries) with more samples than the limit that has no retention and no expiry.",
			Why: "A series without a retention grows with every sample. A key's expiry removes the whole series, the eviction " +
				"policy too: a retention is the only way to release old samples alone.",
			Fix: "Set a retention (TS.ALTER key RETENTION milliseconds, or the option ts-retention-policy), and " +
				"compaction rules for what is read of older samples.",
			Example: "sensor:17:temperature, 2,600,000 samples without a retention: over 100,000.",
		},
	})
}
