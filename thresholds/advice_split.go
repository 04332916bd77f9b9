package thresholds

import (
	"bytes"
	"math"
	"strings"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
)

// How a key may be split.
const (
	anyPart       = false
	wholeElements = true // an element must stay in one piece
)

// Bounds of parts that are worth it.
const (
	leastPart         = 1 << 10 // bytes
	leastPartElements = 8       // fewer, and some parts of a split by a hash have one
)

// split adds into how many parts the key must be split to be under the limit that
// it exceeds, and under the lower limits of the rule. The parts are under the other
// limits of the profile, too. There is none for an info, and none into parts so small
// that they would be findings themselves.
func (x *explainer) split(whole bool) {
	if x.Limit <= 0 || x.Severity <= Info {
		return
	}
	if whole && x.key.Largest > x.Limit {
		x.moveElementOut(x.key.Largest)
		return
	}
	switch {
	case x.key.Identity.is(RoleGeoSet):
		x.advise(adviseSplit, nil, "Split it by what is searched at once, such as a city: newKey = {rule}. "+
			"GEOSEARCH near a border reads the neighbours, too. ZSCORE of a member is its position: ZADD it to the new key. "+
			"Never trim it by rank or score: both are places.", message.Code("rule", x.part("(region)")))
		return
	case x.key.Type == parser.ZSet:
		x.trimRanks()
	case x.key.Type == parser.Stream:
		x.newStreams()
		return
	}
	text, _ := x.parts(x.Limit, x.Severity)
	if text.IsZero() {
		return
	}
	sentences := []message.Message{text}
	for severity := x.Severity - 1; severity >= Warning; severity-- {
		limit, ok := x.setting.Limit(x.key.Type, false, severity)
		if !ok || limit <= 0 || limit >= x.Limit || whole && x.key.Largest > limit {
			continue
		}
		if _, short := x.parts(limit, severity); !short.IsZero() {
			sentences = append(sentences,
				message.New("For the {severity} limit of {limit}: {parts}.", message.Text("severity", severity.String()),
					message.Limit("limit", x.Unit(), limit), message.Phrase("parts", short)))
		}
	}
	x.advise(adviseSplit, nil, "{sentences}", message.List("sentences", " ", sentences))
	if _, ok := x.allows(adviseSplit, x.thing()); !ok {
		return
	}
	switch x.key.Type {
	case parser.List:
		x.eachPeriod("If its newest items are read, start a new list for each period: {a}, {b}. A read takes the " +
			"newest, and the one before it for what it lacks. Let a list expire only if its items may be lost.")
	case parser.Hash, parser.Set, parser.Array:
		x.eachPeriod("If it grows over time and its old elements may be lost, " +
			"start a new one for each period: {a}, {b}, each with an expiry.")
	}
}

// eachPeriod adds a sentence about keys of which there is one for each period, {a} and {b}.
func (x *explainer) eachPeriod(id string) {
	x.advise(adviseSplit, nil, id, message.Code("a", x.part("202601")), message.Code("b", x.part("202602")))
}

// newStreams adds how streams of periods replace one that grows.
func (x *explainer) newStreams() {
	x.eachPeriod("Start a new stream for each period: {a}, {b}. XRANGE takes the streams of its times. Make each " +
		"consumer group in the new one with XGROUP CREATE from ID 0; a consumer reads the old one to its end first. Delete " +
		"or trim that only when all groups have acknowledged it.")
}

// trimRanks adds how to bound a sorted set that is read by rank.
func (x *explainer) trimRanks() {
	keep := x.Limit
	if x.Unit() == message.Bytes {
		keep = x.Limit / max(x.key.Largest, 1)
	}
	x.change(adviseTrim, message.New("if it is read by rank, and lower ranks may be lost"), nil,
		"Keep only the ranks that are read: after each ZADD, {trim} keeps the {n} highest; remove what is there now "+
			"in steps. A ranking of a period can have a key of its own, {a}, {b}, with an expiry.",
		message.Code("trim", "ZREMRANGEBYRANK key 0 "+decimal(-keep-1)), message.Int("n", keep),
		message.Code("a", x.part("202601")), message.Code("b", x.part("202602")))
}

// moveElementOut adds what to do about an element so large that no split of the
// key helps.
func (x *explainer) moveElementOut(largest int64) {
	x.advise(adviseMove, nil, "One element alone has {largest}: no split of the key brings it under {limit}. Store that "+
		"element's value {how}, and the name in its place.",
		message.ExactSize("largest", largest), message.Limit("limit", message.Bytes, x.Limit),
		message.Phrase("how", x.outside(largest)))
}

// outside says how an element of a size is stored outside its key: as a string it must not be over the
// limit of big-string.
func (x *explainer) outside(size int64) message.Message {
	s := x.settingOf("big-string")
	if limit, ok := s.first(parser.String, false); ok && s.On && size > limit {
		return message.New("compressed or in parts under keys of its own, since {size} is over the limit of a string, "+
			"{limit}", message.Size("size", size), message.Limit("limit", message.Bytes, limit))
	}
	return message.New("under a key of its own")
}

// largestElement names the largest element: by its field, if it is the value of a field that is known.
func (x *explainer) largestElement() message.Message {
	name := x.key.LargestName
	if x.key.Type == parser.Hash && x.namesLongest() && x.key.LargestNameLen == int64(len(name)) {
		return message.New("the value of field {name}", message.Element("name", name))
	}
	return message.New("the largest element")
}

// part returns the name of a part of the key, where key is the key's name, but
// without the type at its end if the profile demands that names end in one.
func (x *explainer) part(number string) string {
	separators := x.policy.Separators.Value
	separator := separators[:1]
	if i := bytes.IndexAny(x.key.Name, separators); i >= 0 {
		separator = string(x.key.Name[i])
	}
	name := "key" + separator + number
	if s := x.settingOf("key-type-suffix"); s.On && s.Rule.AppliesTo(x.key.Type) {
		name += separator + x.key.Type.String()
	}
	return name
}

// parts returns how to split the key so that no part is over a limit of a severity, as a
// sentence and without explanation; zero if the parts would be too small.
func (x *explainer) parts(limit int64, severity Severity) (sentence, short message.Message) {
	s, u, total := x.key, x.Unit(), x.Measured
	if u == message.Bytes && limit < leastPart {
		return sentence, short
	}
	if s.Type == parser.String {
		return x.stringParts(limit)
	}
	largest := int64(1)
	if u == message.Bytes {
		largest = max(s.Largest, 1)
	}
	n := max(x.partsUnder(total, limit, largest), x.partsFor("big-collection", s.Elements, 1, severity),
		x.partsFor("big-stream", s.Elements, 1, severity),
		x.partsFor("big-value", s.ValueBytes, max(s.Largest, 1), severity))
	chunk := max((s.Elements+max(n, 2)-1)/max(n, 2), 1) // all parts of what has an order have as many elements
	inOrder := max((s.Elements+chunk-1)/chunk, 2)
	what, rule, by := "buckets", "", readBy[s.Type]
	id := "If it is read by {by}: split it into {n} {what}, newKey = {rule}: about {each} each, so that no bucket is " +
		"likely to be over {limit}."
	switch s.Type {
	case parser.List:
		n, what, rule = inOrder, "lists", x.part("(index / "+decimal(chunk)+")")
		id = "If it is read by index, and only grows at its tail: split it into {n} {what}, newKey = {rule}: about " +
			"{each} each."
	case parser.ZSet:
		n, what, rule = inOrder, "ranges of scores", x.part("(range)")
		id = "If it is read by score: split it into {n} {what} (periods, if scores are times), newKey = {rule}: about " +
			"{each} each. {boundary} shows where the second range begins. A read takes the keys of its range; a rank is that " +
			"in its key, and ZCARD of all keys below. What moves to another range needs ZREM from its old key, in one MULTI " +
			"if a node has both."
	default:
		field, _, _ := strings.Cut(by, " ")
		rule = x.part("(hash(" + field + ") % " + decimal(n) + ")")
	}
	if single := x.settingOf("single-element"); s.Elements/n < leastPartElements && single.On &&
		single.Rule.AppliesTo(s.Type) {
		return sentence, short
	}
	each := message.Figure("each", total/n, message.FormSize)
	if u == message.Count {
		each = message.Number("each", total/n, "1 element", "{n} elements")
	}
	args := []message.Arg{message.Int("n", n), message.Word("what", what), message.Code("rule", rule), each,
		message.Word("by", by), message.Limit("limit", u, limit),
		message.Code("boundary", "ZRANGE key "+decimal(chunk)+" "+decimal(chunk)+" WITHSCORES")}
	return message.New(id, args...), message.New("{n} {what}, {rule}", args...)
}

// readBy says how elements are read of which a hash tells the key, and by which command.
var readBy = map[parser.Type]string{parser.Hash: "field (HGET)", parser.Set: "member (SISMEMBER)",
	parser.Array: "index (ARGET)", parser.JSON: "member (JSON.GET)"}

// partsUnder returns the number of parts whose sums are under a limit. Parts of a list
// or a sorted set have equally many elements, which may be of different sizes.
func (x *explainer) partsUnder(total, limit, largest int64) int64 {
	if largest == 1 && (x.key.Type == parser.List || x.key.Type == parser.ZSet) {
		return (total + limit - 1) / limit
	}
	return buckets(total, limit, largest)
}

// partsFor returns the number of parts that are under the limit that another rule has of a
// severity, or of the next one that it has, 0 for any number.
func (x *explainer) partsFor(rule string, total, largest int64, severity Severity) int64 {
	s := x.settingOf(rule)
	if !s.On || !s.Rule.AppliesTo(x.key.Type) {
		return 0
	}
	for _, severity := range []Severity{severity, min(severity+1, Error), Error, Warning} {
		if limit, ok := s.Limit(x.key.Type, false, severity); ok && limit > 0 && limit >= largest {
			return x.partsUnder(total, limit, largest)
		}
	}
	return 0
}

func (x *explainer) stringParts(limit int64) (sentence, short message.Message) {
	n := (x.Measured + limit - 1) / limit
	id := "Split it over {n} keys of at most {limit} each, newKey = {rule}."
	switch {
	case x.note == noteJSON || x.note == noteXML:
		id = "Split it over {n} keys of at most {limit} each, newKey = {rule}; or store it as a hash of its properties, " +
			"read with HGET and HMGET."
	case x.thing().content&ContentBitmap != 0 || x.key.Identity.is(RoleBitmap):
		id = "Split it over {n} keys of at most {limit} each, newKey = {bits}."
	case x.note == 0 && x.thing().content == 0:
		id = "Split it over {n} keys of at most {limit} each, newKey = {rule}; of a bitmap, {bits}."
	}
	args := []message.Arg{message.Int("n", n), message.Limit("limit", x.Unit(), limit),
		message.Code("rule", x.part("(offset / "+decimal(limit)+")")),
		message.Code("bits", x.part("(bit / "+decimal(8*limit)+")"))}
	return message.New(id, args...), message.New("{n} keys, {rule}", args...)
}

// buckets returns the number of buckets over which a hash must distribute a total
// so that, with rare exceptions, none is over the limit: the mean of a bucket plus
// four standard deviations is within the limit. The total consists of elements of
// a size of at most largest. If even one element and its deviation do not fit,
// every element gets a bucket of its own.
func buckets(total, limit, largest int64) int64 {
	if total <= limit || limit <= 0 {
		return 1
	}
	// With a mean of m the standard deviation is sqrt(m * g): m + 4*sqrt(m*g) = limit.
	g := float64(max(largest, 1))
	root := math.Sqrt(float64(limit)+4*g) - 2*math.Sqrt(g)
	mean := root * root
	if mean < 1 {
		mean = 1
	}
	n := int64(math.Ceil(float64(total) / mean))
	return max(2, min(n, total))
}
