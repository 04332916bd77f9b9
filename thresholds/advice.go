package thresholds

import (
	"slices"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
)

// The kinds of advice.
const (
	adviseLook     = "look"
	adviseCost     = "cost"
	adviseSplit    = "split"
	adviseEncoding = "encoding"
	adviseTTL      = "ttl"
	adviseName     = "name"
	adviseDelete   = "delete"
	adviseQueue    = "queue"
	adviseInstance = "instance"
)

// lengthCommands return the length of a value in constant time.
var lengthCommands = map[parser.Type]string{parser.String: "STRLEN %s", parser.List: "LLEN %s", parser.Set: "SCARD %s", parser.ZSet: "ZCARD %s",
	parser.Hash: "HLEN %s", parser.Stream: "XLEN %s"}

// inspect adds commands that show the key without blocking, however big it is. Where
// the server tracks accesses they do not count as one, as a command for the length
// would: it sets the idle time to 0.
func (x *explainer) inspect() {
	if x.arg == "" {
		return
	}
	list := []string{"TYPE %s"}
	switch c, ok := lengthCommands[x.key.Type]; {
	case x.key.Idle >= 0:
		list = append(list, "OBJECT IDLETIME %s")
	case x.key.Freq >= 0:
		list = append(list, "OBJECT FREQ %s")
	case ok:
		list = append(list, c)
	}
	list = append(list, "OBJECT ENCODING %s", "PTTL %s")
	if x.server.memoryUsage() {
		list = append(list, "MEMORY USAGE %s")
	}
	x.advise(adviseLook, x.commands(list...), "Inspect it on the server.")
}

const renameSentence = "Change the name where it is written, in all programs at once, and let the old keys expire; or rename the existing keys."

// rename adds how to change a name, after what is wrong with it.
func (x *explainer) rename() { x.advise(adviseName, nil, renameSentence) }

// adviseCharacters is the advice on names with characters that they must not have.
func adviseCharacters(x *explainer) {
	x.advise(adviseName, nil, "Build names from letters, digits and separators; encode user input (hexadecimal, base32) before it becomes part of a name.")
	x.rename()
}

const day = 24 * 60 * 60

// expire adds the command that gives the key an expiry of at least the given
// seconds and a part that differs from key to key, at most a tenth of it, so that
// keys which get one together do not expire together. The sum is within the
// limits of ttl-too-long. There is no command for keys that serve as queues, and
// for those that would block the server when they expire.
func (x *explainer) expire(seconds int64) {
	rule, _ := Lookup("ttl-too-long")
	if s := x.settingOf(rule.Name); s.On || x.Rule == rule.ID {
		if limit, ok := s.mildest(x.key.Type, false); ok {
			seconds = min(seconds, limit-limit/10)
		}
	}
	limit, limited := x.bigCollection()
	switch {
	case x.key.Type == parser.List || x.key.Type == parser.Stream:
		x.advise(adviseTTL, nil, "A list or stream may be a queue, which must not expire: limit its length on writing (LTRIM, XADD with MAXLEN), or add an ignore entry with the reason.")
	case limited && x.key.Elements > limit:
		x.advise(adviseTTL, nil, "First bring it under {limit} elements: all of them would be deleted at once when it expires.", "limit", comma(limit))
	case seconds > 0 && x.arg != "":
		span := "a day"
		if seconds != day {
			span = message.FormatDuration(seconds)
		}
		own := seconds + int64(hashBytes(x.shown(x.key.Name))%uint64(seconds/10+1))
		x.change(adviseTTL, x.fill("if it may be lost after {span}", "span", span), x.commands("EXPIRE %s "+decimal(own)), "Let it expire.")
	}
}

// settingOf returns the setting of a rule for the key.
func (x *explainer) settingOf(rule string) *Setting {
	r, _ := Lookup(rule)
	return &x.settingsOf(x.key.Name)[r.ID]
}

// bigCollection returns the number of elements from which big-key-expiry flags the
// key, if there is such a number for its type.
func (x *explainer) bigCollection() (limit int64, ok bool) {
	return x.settingOf("big-collection").severest(x.key.Type)
}

// Changes returns the advice on findings of a rule about keys that has commands
// which change data, with KEY in place of the key, for the server that wrote the
// snapshot.
func (e *Engine) Changes(r *Rule) []Advice {
	setting := &e.base.settings[r.ID]
	if r.Instance || !setting.On {
		return nil
	}
	var list []Advice
	for t := range parser.NumTypes {
		if !r.AppliesTo(t) {
			continue
		}
		limit, _ := setting.severest(t)
		s := SubjectOf(&parser.Key{Name: []byte("KEY"), NameLen: 3, Type: t, Longest: -1, Memory: -1, CompactMemory: -1, Idle: -1, Freq: -1})
		if r.Unit == message.Count {
			s.Elements = 2 * limit
		}
		for _, a := range e.Advise(Finding{Rule: r.ID, Severity: Warning, Measured: 2 * limit, Limit: limit}, &s) {
			if a.ChangesData && !slices.ContainsFunc(list, func(b Advice) bool { return a.Condition == b.Condition && a.Kind == b.Kind }) {
				list = append(list, a)
			}
		}
	}
	return list
}
