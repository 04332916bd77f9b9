package thresholds

import (
	"slices"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
)

// add adds a piece of advice, or what is said instead.
func (x *explainer) add(a action, advice Advice) {
	if instead, ok := x.allows(a, x.thing()); !ok {
		given := func(b Advice) bool { return b.Text.ID == instead.ID }
		if instead.IsZero() || slices.ContainsFunc(x.advice, given) {
			return
		}
		advice = Advice{Text: instead}
	}
	x.append(a, advice)
}

// append adds a piece of advice whatever is excluded.
func (x *explainer) append(a action, advice Advice) {
	advice.Kind = actions[a].kind
	x.advice = append(x.advice, advice)
}

func (x *explainer) advise(a action, commands []message.Message, id string, args ...message.Arg) {
	x.add(a, Advice{Text: message.New(id, args...), Commands: commands})
}

func (x *explainer) change(a action, condition message.Message, commands []message.Message, id string,
	args ...message.Arg) {
	x.add(a, Advice{Text: message.New(id, args...), Commands: commands, ChangesData: true, Condition: condition})
}

// thing returns the key as what advice is about.
func (x *explainer) thing() *thing {
	t := &thing{settings: x.settings(), typ: x.key.Type, content: x.key.Content | ContentOf(&x.key.Key),
		identity: x.key.Identity, elements: x.key.Elements, isCold: x.isCold()}
	if x.instance != nil {
		t.typ, t.elements = parser.NumTypes, -1
	}
	return t
}

// isCold reports whether the rule cold-key flags the key.
func (x *explainer) isCold() bool {
	limit, ok := settingIn(x.settings(), "cold-key").severest(x.key.Type)
	return ok && !x.key.HasExpire && (x.key.Idle > limit || x.key.Freq == 0)
}

func (x *explainer) settings() []Setting { return x.settingsOf(x.key.Name) }

func (x *explainer) settingOf(rule string) *Setting { return settingIn(x.settings(), rule) }

// lengthCommands return the length of a value in constant time.
var lengthCommands = map[parser.Type]string{parser.String: "STRLEN {key}", parser.List: "LLEN {key}",
	parser.Set: "SCARD {key}", parser.ZSet: "ZCARD {key}", parser.Hash: "HLEN {key}", parser.Stream: "XLEN {key}"}

// inspect adds commands that show the key without blocking, however big it is. Where
// the server tracks accesses they do not count as one, as a command for the length
// would: it sets the idle time to 0.
func (x *explainer) inspect() {
	if x.isCut {
		return
	}
	list := []string{"TYPE {key}"}
	switch c, ok := lengthCommands[x.key.Type]; {
	case x.key.Idle >= 0:
		list = append(list, "OBJECT IDLETIME {key}")
	case x.key.Freq >= 0:
		list = append(list, "OBJECT FREQ {key}")
	case ok:
		list = append(list, c)
	}
	list = append(list, "OBJECT ENCODING {key}", "PTTL {key}")
	if x.server.memoryUsage() {
		list = append(list, "MEMORY USAGE {key}")
	}
	x.advise(adviseLook, x.commands(list...), "Inspect it on the server.")
}

// rename adds how to change a name, after what is wrong with it.
func (x *explainer) rename() {
	x.advise(adviseName, nil,
		"Change the name where it is written, in all programs at once; then rename the existing keys, where no key "+
			"has the new name yet.")
}

// characters are what the documents behind the profiles want names to be made of.
var characters = map[string]string{
	"default": "Build names from letters, digits and separators; encode what users type before it becomes part of a name.",
	"aliyun":  "Build names from letters, digits and :; encode what users type before it becomes part of a name.",
	"baidu": "Build names from letters and digits, with :, # or _ between them; encode what users type before it " +
		"becomes part of a name.",
	"typed": "Build names from small letters and digits, with : between parts and . between words; encode what users " +
		"type before it becomes part of a name.",
	"upper": "Build names from capital letters and digits, with : between parts; encode what users type before it " +
		"becomes part of a name.",
}

// adviseCharacters is the advice on names with characters that they must not have.
func adviseCharacters(x *explainer) {
	if allowed := x.settingOf("key-charset").Param("allowed"); allowed.Origin.Kind >= FromFile && allowed.Text != "" {
		x.advise(adviseName, nil, "Build names from {allowed}; encode what users type before it becomes part of a name.",
			message.Code("allowed", allowed.Text))
	} else if id, ok := characters[x.policy.Profile.Value]; ok {
		x.advise(adviseName, nil, id)
	}
	x.rename()
}

const day = 24 * 60 * 60

// expire adds the command that gives the key an expiry of at least the given
// seconds and a part that differs from key to key, at most a tenth of it, so that
// keys which get one together do not expire together. The sum is within the
// limits of ttl-too-long.
func (x *explainer) expire(seconds int64) {
	rule, _ := Lookup("ttl-too-long")
	if s := x.settingOf(rule.Name); s.On || x.Rule == rule.ID {
		if limit, ok := s.first(x.key.Type, false); ok {
			seconds = min(seconds, limit-limit/10)
		}
	}
	_, allowed := x.allows(adviseExpire, x.thing())
	if allowed && (seconds <= 0 || x.isCut) {
		return
	}
	condition := message.New("if it may be lost after a day")
	if seconds != day {
		condition = message.New("if it may be lost after {span}", message.Duration("span", seconds))
	}
	// The offset differs from key to key, and tells nothing about a name.
	own := seconds + int64(uint64(x.key.Offset)*0x9e3779b97f4a7c15>>32%uint64(max(seconds, 0)/10+1))
	x.change(adviseExpire, condition, x.command("EXPIRE {key} {seconds}", plainNumber("seconds", own)), "Let it expire.")
}

// Changes returns the advice on findings of a rule about keys that changes data, with
// KEY in place of the key, for the server that wrote the snapshot.
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
		s := SubjectOf(&parser.Key{Name: []byte("KEY"), NameLen: 3, Type: t, Longest: -1, Memory: -1, CompactMemory: -1,
			Idle: -1, Freq: -1})
		if r.Unit == message.Count {
			s.Elements = 2 * limit
		}
		for _, a := range e.Advise(Finding{Rule: r.ID, Severity: Warning, Measured: 2 * limit, Limit: limit}, &s) {
			same := func(b Advice) bool { return a.Condition.ID == b.Condition.ID && a.Kind == b.Kind }
			if a.ChangesData && len(a.Commands) > 0 && !slices.ContainsFunc(list, same) {
				list = append(list, a)
			}
		}
	}
	return list
}
