package thresholds

import "github.com/rdblens/rdblens/parser/message"

func init() {
	register(Rule{
		Name:     "mixed-ttl",
		Section:  SectionExpiry,
		Title:    "group in which a few keys have no TTL although most have one, or the reverse",
		Harm:     UsesMemory,
		Instance: true,
		fix:      &fix{action: adviseTTL, id: "Find the code that writes {key} with and without a TTL: {text}."},
		ofGroup:  mixedTTL,
		text: func(x *explainer) message.Message {
			args := []message.Arg{message.Int("few", x.instance.Keys), message.Int("all", x.instance.Of)}
			if x.note == noteFewWith {
				return message.New("{few} of {all} keys have a TTL, the others have none", args...)
			}
			return message.New("{few} of {all} keys have no TTL, the others have one", args...)
		},
		advise: func(x *explainer) {
			if x.note == noteFewWith {
				x.advise(adviseTTL, nil, "Find out which code sets a TTL here. Either all of these keys may be lost when it "+
					"ends, or none.")
				return
			}
			x.advise(adviseTTL, nil, "Find the code that writes the key without a TTL: a SET without EX or KEEPTTL removes "+
				"the one that was there, and an INCR or HSET on a key that just expired makes one without. Pass the TTL each "+
				"time (SET key value EX SECONDS), or keep the one that is there (SET key value KEEPTTL, Redis 6.0 and later).")
			if x.instance.TTL > 0 {
				x.advise(adviseTTL, nil, "Then list the keys without one ({list}), and give each a TTL, only if it may be lost "+
					"after that time: {expire}. The others have TTLs of up to {ttl}.",
					message.Code("list", "rdblens keys --group PATTERN --no-ttl FILE"), message.Code("expire", "EXPIRE key "+decimal(x.instance.TTL)),
					message.Duration("ttl", x.instance.TTL))
			}
		},
		Doc: Doc{
			What: "A group of at least 100 keys of which between 0.1 % and 30 % have no expiry although the others have one; " +
				"or the reverse. Not where a library writes both on purpose, and not a group that stands for keys of any name.",
			Why: "One of several code paths forgot the expiry, or removed it: SET without EX or KEEPTTL does so. These keys " +
				"stay for ever, and nobody notices, because most keys of that name go away.",
			Fix: "Set the expiry in one place, together with the value (SET key value EX seconds, or a script). Then give " +
				"the keys that are there one.",
			Example: "cart:*: 1,204 of 60,000 keys have no TTL, the others have one.",
		},
	})
}

// noteFewWith is the note of a group in which a few keys have a TTL.
const noteFewWith = 1

// The sizes of groups that are compared, and the part of their keys that is few: from one
// in mostOfFew to leastOfFew in 100.
const (
	leastMixed = 100
	fewPercent = 30
	rareOne    = 1000
)

func mixedTTL(s *Setting, g *GroupSums) (InstanceFinding, bool) {
	found := InstanceFinding{Finding: Finding{Severity: s.Severity}, Keys: g.WithoutTTL, Of: g.Keys,
		Bytes: max(g.MemoryWithoutTTL, 0), TTL: g.LongestTTL}
	if 2*g.WithoutTTL > g.Keys {
		found.note, found.Keys, found.Bytes = noteFewWith, g.Keys-g.WithoutTTL, max(g.Memory-g.MemoryWithoutTTL, 0)
	}
	few := g.Keys >= leastMixed && found.Keys*rareOne >= g.Keys && found.Keys*100 <= g.Keys*fewPercent
	return found, few
}
