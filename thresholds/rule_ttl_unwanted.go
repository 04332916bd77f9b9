package thresholds

import "github.com/rdblens/rdblens/parser/message"

func init() {
	register(Rule{
		Name:     "ttl-unwanted",
		Section:  SectionExpiry,
		Title:    "key with an expiry that must have none",
		Harm:     Names,
		Optional: true,
		check:    func(c *compiler) { c.when(withExpiry, -1, 0, nil) },
		text:     func(x *explainer) message.Message { return x.found("has an expiry") },
		advise: func(x *explainer) {
			x.advise(adviseTTL, nil, "Write it without a TTL.")
			if x.key.HasExpire {
				x.change(adviseTTL, message.New("if it must stay"), x.command("PERSIST {key}"), "Remove the expiry.")
			}
		},
		Doc: Doc{
			What: "A key with an expiry, of the whole key or of fields of a hash. Meant for overrides: for the keys of a " +
				"pattern that must stay. Off until the team sets a severity, such as ttl-unwanted: error.",
			Why:     "Configuration, balances and counters that nothing writes again are lost when they expire.",
			Fix:     "Write the key without a TTL (SET without EX), and PERSIST those that have one.",
			Example: "prd:config:limits, which has an expiry, where an override for prd:config:* has ttl-unwanted: error.",
		},
	})
}
