package thresholds

import (
	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
)

func init() {
	register(Rule{
		Name:     "outlier",
		Section:  SectionSize,
		Title:    "key many times as large as the other keys of its group",
		Harm:     Blocks,
		Instance: true,
		Unit:     message.Bytes,
		fix:      &fix{action: adviseLook, id: "Find out why {key} has one key so much larger than the others: {text}."},
		ofGroup:  outlier,
		text: func(x *explainer) message.Message {
			k := x.instance.Key
			args := []message.Arg{message.Name("key", k.Name), message.Figure("size", x.Measured, message.FormSize),
				message.Figure("others", x.instance.Others, message.FormSize), message.Phrase("why", why(k))}
			return message.New("{key} takes {size}, the others {others} on average: {why}", args...)
		},
		advise: func(x *explainer) {
			k := x.instance.Key
			if k.Type == parser.String && x.key.Content&ContentBitmap != 0 {
				x.advise(adviseLook, nil, "Check the offsets that are set: one SETBIT or SETRANGE far from the others makes the "+
					"string as long as its offset.")
				return
			}
			x.advise(adviseLook, nil, "Check whose key it is, such as a test account, a bot or a missing identifier, and "+
				"bound what one of them can have.")
		},
		Doc: Doc{
			What: "The largest key of a group if it takes at least 50 times the median of its group of at least 10 keys, and " +
				"more than the limit. The median is not known exactly: at most half of the keys are larger than twice the mean " +
				"of those that are not large, and that is what the rule compares with. A group that stands for keys of any name " +
				"is not checked.",
			Why: "The code that writes such keys was made for their usual size. One account, one bot or one wrong offset of " +
				"SETBIT makes one of them so large that reading or deleting it stops the server.",
			Fix:     "Find out whose key it is, and bound what it can have: trim it, split it by period, check offsets.",
			Example: "cart:*: cart:0 takes 41 MB, the others 1.2 KB on average: 210,000 elements.",
		},
	})
}

// LeastLarge is the memory of the smallest key that rule outlier may be about, in bytes.
const LeastLarge = 64 << 10

// Bounds of outliers.
const (
	leastOfOutlier = 10
	timesMedian    = 50
)

// outlier compares the large keys that are known of a group with the others. Of r keys with
// the mean m, fewer than r*m/x are as large as x; so the median of n keys, of which n-r are
// larger, is at most m*2r/(2r-n) (Markov's inequality).
func outlier(s *Setting, g *GroupSums) (found InstanceFinding, ok bool) {
	levels := s.levels(AnyType)
	if len(g.Large) == 0 || len(levels) == 0 || g.Keys < leastOfOutlier || g.Memory < 0 {
		return found, false
	}
	rest, memory := g.Keys, g.Memory
	for i := range g.Large {
		rest--
		memory -= max(g.Large[i].Memory, 0)
	}
	largest := &g.Large[0]
	l, over := severest(levels, func(limit int64) bool { return largest.Memory > limit })
	if !over || 2*rest <= g.Keys || memory < 0 || more(memory*2, timesMedian, largest.Memory, 2*rest-g.Keys) {
		return found, false
	}
	return InstanceFinding{Finding: Finding{Severity: l.severity, Measured: largest.Memory, Limit: l.limit}, Keys: 1,
		Of: g.Keys, Bytes: largest.Memory, Key: largest, Others: memory / rest}, true
}

func why(k *Subject) message.Message {
	args := []message.Arg{message.Int("n", k.Elements), message.Figure("largest", k.Largest, message.FormSize),
		message.Figure("length", k.ValueBytes, message.FormSize)}
	switch {
	case k.Type == parser.String && (k.Content|ContentOf(&k.Key))&ContentBitmap != 0:
		return message.New("a bitmap of {length}", args...)
	case k.Type == parser.String:
		return message.New("a string of {length}", args...)
	case k.Largest*2 > k.ValueBytes && k.Elements > 1:
		return message.New("one of its {n} elements has {largest}", args...)
	}
	return message.Plural(k.Elements, "1 element", "{n} elements")
}
