package thresholds

import (
	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
)

func init() {
	register(Rule{
		Name:    "big-key-expiry",
		Section: SectionExpiry,
		Title:   "big collection that blocks the server when it expires",
		Harm:    Blocks,
		fix: &fix{action: adviseLazyFree,
			id: "Set lazyfree-lazy-expire to yes: without it the server stops for {key} when it expires, to delete {elements}.",
			otherwise: &fix{action: adviseSplit,
				id: "Split {key}: the server stops for it when it expires, to delete {elements}."}},
		Unit:  message.None,
		Types: collections,
		unit:  func(uint8) message.Unit { return message.Count },
		check: func(c *compiler) {
			severity := c.Severity
			switch s := c.engine.server; {
			case s.lazyExpire():
				severity = Info
			case !s.unlinks() && s.Version != (parser.Version{}):
				severity = min(severity+1, Error)
			}
			// The limit is that of big-collection, whether or not that rule is on.
			big, _ := Lookup("big-collection")
			s := &c.settings[big.ID]
			if limit, ok := s.severest(c.typ); ok {
				c.add(expiringElements, -1, false, []level{{limit, severity}}, nil)
			}
		},
		text: func(x *explainer) message.Message {
			return x.counted("1 element to delete when it expires, over {limit}",
				"{measured} elements to delete when it expires, over {limit}")
		},
		advise: func(x *explainer) {
			switch {
			case x.server.lazyExpire():
				x.advise(adviseTTL, literal("CONFIG GET lazyfree-lazy-expire"),
					"This server frees expired keys in the background by default. Check that lazyfree-lazy-expire is still yes.")
			default:
				x.change(adviseLazyFree, message.New("if the server may free expired keys in a background thread"),
					literal("CONFIG SET lazyfree-lazy-expire yes"),
					"Let the server free expired keys in the background. A restart undoes it unless the configuration file has the "+
						"setting, too.")
			}
			x.split(anyPart)
			x.delete()
		},
		Doc: Doc{
			What: "A hash, list, set or sorted set that has an expiry and more elements than the error limit of " +
				"big-collection (or its highest limit, if it has no error limit). Compact encodings are not checked, because " +
				"they are a single block of memory. An info on Valkey 8.0 and later, where lazyfree-lazy-expire is on by " +
				"default; an error instead of a warning before Redis 4.0, which cannot free memory in the background.",
			Why: "When the key expires, the server deletes it in its main thread. A sorted set of 2 million members blocks " +
				"for a second or more. The slow log does not show a deletion by the server itself; where a client's access to " +
				"the key triggers it, the slow log has that client's harmless command.",
			Fix: "Set lazyfree-lazy-expire yes (Redis 4.0 and later), split the key, or delete it in steps before " +
				"it expires.",
			Example: "rank:daily:20260301, a sorted set of 2,000,000 members with an expiry: over 5,000.",
		},
	})
}
