package thresholds

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/rdblens/rdblens/parser"
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

// advisor writes the advice on one finding.
type advisor struct {
	*Engine
	s       *Subject
	f       Finding
	key     string // as redis-cli takes it, "" where the name was cut
	setting *Setting
	list    []Advice
}

// Advise gives what to do about a finding, for the server that wrote the
// snapshot: how to look at the key, what reading it costs, how to split it, what
// expiry or encoding it should have, and how to delete it without blocking.
func (e *Engine) Advise(f Finding, s *Subject) []Advice {
	a := &advisor{Engine: e, s: s, f: f, setting: &e.settingsOf(s.Name)[f.Rule]}
	if s.NameLen <= int64(len(s.Name)) {
		a.key = QuoteKey(s.Name)
	}
	switch name := f.Rule.Name(); name {
	case "big-string", "big-value", "big-collection":
		a.cost()
		a.split()
		a.look()
		a.delete()
	case "big-stream":
		a.cost()
		a.say(adviseSplit, nil, "split.trim", "limit", strconv.FormatInt(f.Limit, 10))
		a.look()
		a.delete()
	case "big-element":
		a.element()
		a.cost()
		a.look()
	case "large-text":
		a.compress()
		a.cost()
		a.look()
	case "compact-encoding":
		a.compact()
		a.look()
	case "single-element":
		a.say(adviseEncoding, nil, "encoding.string", "type", s.Type.String())
		a.look()
	case "no-ttl":
		a.expire()
		a.look()
		a.delete()
	case "cold-key":
		a.say(adviseTTL, a.commands("EXPIRE %s 86400"), "ttl.cold")
		a.look()
		a.delete()
	case "ttl-too-long":
		a.say(adviseTTL, a.commands("EXPIRE %s 86400"), "ttl.shorter")
	case "already-expired":
		a.say(adviseTTL, nil, "ttl.expired")
	case "big-key-expiry":
		a.lazyExpiry()
		a.split()
		a.delete()
	case "queue-backlog":
		a.queue()
		a.look()
	default:
		a.rename(name)
	}
	return a.list
}

func (a *advisor) say(kind string, commands []string, key string, pairs ...string) {
	a.list = append(a.list, Advice{Kind: kind, Text: a.texts.say(key, pairs...), Commands: commands})
}

// commands puts the key into the place of %s of each command, behind a SELECT
// where another database than the key's may be the current one. There are none
// where the name was cut.
func (a *advisor) commands(list ...string) []string {
	if a.key == "" || len(list) == 0 {
		return nil
	}
	var out []string
	if a.s.DB != 0 || a.s.SelectDB {
		out = append(out, "SELECT "+strconv.Itoa(a.s.DB))
	}
	for _, c := range list {
		out = append(out, strings.Replace(c, "%s", a.key, 1))
	}
	return out
}

// lengths are the commands that give a value's length in constant time.
var lengths = map[parser.Type]string{parser.String: "STRLEN %s", parser.List: "LLEN %s", parser.Set: "SCARD %s", parser.ZSet: "ZCARD %s",
	parser.Hash: "HLEN %s", parser.Stream: "XLEN %s"}

// look gives commands that do not block, however big the key is.
func (a *advisor) look() {
	list := []string{"TYPE %s"}
	if c, ok := lengths[a.s.Type]; ok {
		list = append(list, c)
	}
	list = append(list, "OBJECT ENCODING %s", "PTTL %s")
	switch {
	case a.s.Idle >= 0:
		list = append(list, "OBJECT IDLETIME %s")
	case a.s.Freq >= 0:
		list = append(list, "OBJECT FREQ %s")
	}
	if a.server.memoryUsage() {
		list = append(list, "MEMORY USAGE %s")
	}
	if a.key != "" {
		a.say(adviseLook, a.commands(list...), "look")
	}
}

// element advises on an element that is too large.
func (a *advisor) element() {
	name := a.s.LargestName
	if len(name) == 0 || a.s.LargestNameLen > int64(len(name)) {
		a.say(adviseSplit, nil, "split.element", "largest", measuredText(Bytes, a.f.Measured), "limit", limitText(Bytes, a.f.Limit))
		return
	}
	var list []string
	if a.s.Type == parser.Hash && a.server.AtLeast(3, 2) {
		list = a.commands("HSTRLEN %s " + QuoteKey(name))
	}
	a.say(adviseSplit, list, "split.out", "element", quoted(name))
}

// expire advises an expiry for a key that has none.
func (a *advisor) expire() {
	text := "ttl.set"
	if a.s.Type == parser.String {
		text = "ttl.set.write" // SET can write value and expiry in one command
	}
	a.say(adviseTTL, a.commands("EXPIRE %s 86400"), text)
}

// lazyExpiry advises on a big key that expires.
func (a *advisor) lazyExpiry() {
	switch {
	case a.server.lazyExpire():
		a.say(adviseTTL, []string{"CONFIG GET lazyfree-lazy-expire"}, "ttl.lazy.on")
	case a.server.unlinks():
		a.say(adviseTTL, []string{"CONFIG SET lazyfree-lazy-expire yes"}, "ttl.lazy")
	default:
		a.say(adviseTTL, a.commands("PERSIST %s"), "ttl.lazy.old")
	}
}

// queue advises on a queue that nobody empties.
func (a *advisor) queue() {
	if a.s.Type == parser.Stream {
		a.say(adviseQueue, a.commands("XINFO GROUPS %s", "XINFO STREAM %s"), "queue.stream")
		return
	}
	a.say(adviseQueue, a.commands("LLEN %s"), "queue.list")
	a.trim("queue.trim.rpush", fmt.Sprintf("LTRIM %%s %d -1", -a.f.Limit))
	a.trim("queue.trim.lpush", fmt.Sprintf("LTRIM %%s 0 %d", a.f.Limit-1))
}

// trim says what a command discards that cuts a queue to the limit. No LTRIM of
// this form leaves none.
func (a *advisor) trim(key, command string) {
	if a.key == "" || a.f.Limit <= 0 {
		return
	}
	a.say(adviseDelete, a.commands(command), key, "lost", humanize.Comma(a.f.Measured-a.f.Limit), "all", humanize.Comma(a.f.Measured), "keep", humanize.Comma(a.f.Limit))
}

// compress advises on a text, with what LZF made of it.
func (a *advisor) compress() {
	if a.s.LZFIn > 0 && a.s.LZFOut > 0 {
		a.say(adviseEncoding, nil, "encoding.text.lzf", "ratio", strconv.FormatInt(share(a.s.LZFIn, 100, a.s.LZFOut), 10)+"%")
		return
	}
	a.say(adviseEncoding, nil, "encoding.text")
}

// rename advises on a name.
func (a *advisor) rename(rule string) {
	f := a.facts(a.s)
	switch rule {
	case "key-special-char", "key-charset":
		a.say(adviseName, nil, "name.chars")
	case "key-length":
		if a.f.Measured < a.f.Limit {
			a.say(adviseName, nil, "name.longer")
			break
		}
		a.say(adviseName, nil, "name.shorter", "saved", measuredText(Bytes, a.f.Measured-a.f.Limit))
	case "key-structure":
		a.segments()
	case "key-type-suffix":
		a.say(adviseName, a.commands("RENAMENX %s "+QuoteKey(a.suffixed())), "name.rename")
		return
	case "key-namespace":
		a.say(adviseName, nil, "name.namespace", "first", quoted(a.s.Name[:f.FirstEnd]))
	case "key-hashtag":
		a.say(adviseName, nil, "name.hashtag")
		if a.env.Cluster {
			a.say(adviseInstance, a.commands("CLUSTER KEYSLOT %s"), "name.tag.used")
		}
	case "key-abbreviation":
		if entry, at := a.words.Find(a.s.Name); at >= 0 {
			w := a.policy.Abbreviations[entry]
			a.say(adviseName, nil, "name.short", "long", w.Long, "short", w.Short)
		}
	}
	a.say(adviseName, nil, "name.rename")
}

// namePatterns show names as the profiles want them.
var namePatterns = map[string]string{"default": "business:table:id", "aliyun": "business:table:id", "baidu": "business:meaning",
	"typed": "module:logic.words:other:type", "upper": "PROJECT:TABLE:FIELD:ID"}

// segments advises on a name of too few segments: by the profile's pattern where
// that has as many as the limit, which may be the team's own, demands.
func (a *advisor) segments() {
	pattern, separators := namePatterns[a.policy.Profile.Value], a.policy.Separators.Value
	if strings.Contains(separators, ":") && int64(strings.Count(pattern, ":")) >= a.f.Limit-1 {
		a.say(adviseName, nil, "name.segments", "pattern", pattern)
		return
	}
	a.say(adviseName, nil, "name.segments.count", "n", humanize.Comma(a.f.Limit), "separators", strings.Join(strings.Split(separators, ""), " or "))
}

// suffixed gives the name with the type at its end: in the place of a last segment
// that is the word for a type itself, or behind it.
func (a *advisor) suffixed() []byte {
	name, want, last := a.s.Name, a.s.Type.String(), a.facts(a.s).LastStart
	replace := last > 0 && last == len(name) // user:1: has an empty one
	if last > 0 {
		for _, t := range a.setting.Rule.Types {
			for _, word := range append([]string{t.String()}, a.setting.Param("aliases").Aliases[t.String()]...) {
				replace = replace || strings.EqualFold(word, string(name[last:]))
			}
		}
	}
	if replace {
		return append(append([]byte(nil), name[:last]...), want...)
	}
	return append(append(append([]byte(nil), name...), a.policy.Separators.Value[0]), want...)
}

// AdviseInstance gives what to do about a finding over the whole instance.
func (e *Engine) AdviseInstance(f InstanceFinding) []Advice {
	a := &advisor{Engine: e}
	switch f.Rule.Name() {
	case "ttl-stampede":
		minutes := f.Keys / max(f.Limit, 1)
		if f.Keys%max(f.Limit, 1) > 0 {
			minutes++
		}
		a.say(adviseTTL, nil, "ttl.jitter", "minutes", humanize.Comma(minutes), "seconds", strconv.FormatInt(minutes*60, 10))
		a.say(adviseCost, nil, "cost.instance")
	case "multiple-databases":
		a.say(adviseInstance, []string{"INFO keyspace"}, "instance.databases")
	case "mixed-business":
		a.say(adviseInstance, nil, "instance.business")
	case "slot-skew":
		slot := strings.TrimPrefix(f.Subject, "slot ")
		a.say(adviseInstance, []string{"CLUSTER COUNTKEYSINSLOT " + slot, "CLUSTER GETKEYSINSLOT " + slot + " 100"}, "instance.slot")
	case "hashtag-skew":
		a.say(adviseInstance, []string{"CLUSTER KEYSLOT " + QuoteKey([]byte(f.Subject))}, "instance.tag")
	}
	return a.list
}
