package config

import (
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// changePattern is a percentage, or a size with its unit, of more than 0.
const changePattern = `^\s*(0*[1-9][0-9]{0,5}(\.[0-9]{1,3})?|0+\.([1-9][0-9]{0,2}|0[1-9][0-9]?|00[1-9]))\s*(%|[KMGTkmgt](i?[Bb])?)\s*$`

var matchesChange = matching(changePattern)

func nightlyShape() shape[thresholds.Nightly] {
	type settings = thresholds.Nightly
	notify := listOf("notify", someText("notify", "mail=ADDRESS, slack=FILE, teams=FILE, feishu=FILE, dingtalk=FILE, wecom=FILE or a command"))
	notify.schema = notify.schema.orNull()
	fields := nightlyLimits(func(s *settings) *thresholds.NightlyLimits { return &s.NightlyLimits })
	s := record[settings]{what: "nightly", fields: append(fields,
		to("inputs", inputsShape(), func(s *settings, v []thresholds.NightlyInput) { s.Inputs = v }),
		to("notify", notify.with("description", "where the message goes"),
			func(s *settings, v []thresholds.Text) { s.Notify = v }),
		to("metrics", someText("metrics", "file for node_exporter's textfile collector"),
			func(s *settings, v thresholds.Text) { s.Metrics = v }),
		to("keep", amount("keep", message.Count, "days for which reports are kept"), func(s *settings, v *thresholds.Amount) { s.Keep = v }),
		to("remind", amount("remind", message.Seconds, "how often to tell again what goes on"),
			func(s *settings, v *thresholds.Amount) { s.Remind = v }),
	)}.shape()
	s.schema = s.schema.orNull().with("description", "settings of rdblens nightly; its flags take precedence")
	return s
}

// nightlyLimits are the limits of all snapshots, or of some.
func nightlyLimits[S any](of func(*S) *thresholds.NightlyLimits) []field[S] {
	return []field[S]{
		to("shrink", changesShape("shrink", "losses that are reported"),
			func(s *S, v []thresholds.ChangeLimit) { of(s).Shrink = v }),
		to("grow", changesShape("grow", "growth that is reported"),
			func(s *S, v []thresholds.ChangeLimit) { of(s).Grow = v }),
		to("max_age", amount("max_age", message.Seconds, "a snapshot older than this is an error"),
			func(s *S, v *thresholds.Amount) { of(s).MaxAge = v }),
		to("min_keys", amount("min_keys", message.Count, "a snapshot with fewer keys is an error"),
			func(s *S, v *thresholds.Amount) { of(s).MinKeys = v }),
	}
}

func someText(name, description string) shape[thresholds.Text] {
	return as(text(name, description).with("pattern", `\S`),
		func(r *reader, n ast.Node, v string) (thresholds.Text, bool) {
			return thresholds.Text{Value: v, Origin: r.origin(n)}, notBlank(v) || r.refuse(n, noHint,
				"{what} must not be blank", message.Word("what", name))
		})
}

func amount(name string, unit message.Unit, description string) shape[*thresholds.Amount] {
	return as(number(&thresholds.Rule{Name: name}, name, unit, description),
		func(_ *reader, _ ast.Node, v figure) (*thresholds.Amount, bool) {
			if v.off {
				v.Number = -1
			}
			return &thresholds.Amount{Number: v.Number, Origin: v.Origin}, true
		})
}

// inputsShape is a mapping of names of snapshots to their limits.
func inputsShape() shape[[]thresholds.NightlyInput] {
	limits := record[thresholds.NightlyInput]{what: "inputs", fields: nightlyLimits(
		func(in *thresholds.NightlyInput) *thresholds.NightlyLimits { return &in.NightlyLimits })}.shape()
	limits.schema = limits.schema.orNull()
	s := byGlob("inputs", limits, func(in *thresholds.NightlyInput, name string) (err error) {
		in.Name, err = naming.ParseGlob(name)
		return err
	})
	s.schema = s.schema.orNull().with("description", "limits of the snapshots whose names match a glob, in place of those of all; "+
		"of several that match, the last one that sets a limit decides it")
	return s
}

// byGlob is a mapping of globs to values, which set gives their glob.
func byGlob[T any](name string, of shape[T], set func(v *T, glob string) error) shape[[]T] {
	return shape[[]T]{func() object {
		return object{"type": "object", "maxProperties": thresholds.MaxChangeLimits,
			"propertyNames": object{"pattern": `\S`}, "additionalProperties": of.schema()}
	}, func(r *reader, n ast.Node) (all []T, ok bool) {
		for _, entry := range atMost(r, name, thresholds.MaxChangeLimits, r.mapping(n, name, message.New("write {example}", message.Code("example", `"shop:*": ...`)))) {
			glob, ok1 := r.scalar(entry.Key, "a name")
			v, ok2 := of.read(r, entry.Value)
			switch {
			case !ok1 || !ok2:
			case !notBlank(glob) || set(&v, glob) != nil:
				r.refuse(entry.Key, message.New(`write "*" for all`), "{what} needs a pattern", message.Word("what", name))
			default:
				all = append(all, v)
			}
		}
		return all, true
	}}
}

func notBlank(s string) bool { return strings.TrimSpace(s) != "" }

// changesShape is one limit, for all keys of each snapshot, or a mapping of groups to
// limits. One limit that is off is for all keys and groups.
func changesShape(name, description string) shape[[]thresholds.ChangeLimit] {
	change := shape[thresholds.ChangeLimit]{func() object {
		return object{"type": []string{"string", "boolean"}, "pattern": changePattern + "|" + words(wordsOff)["pattern"].(string),
			"not": object{"enum": []bool{true}}, "examples": []string{"5%", "1 GB"}, "errorMessage": "write 5%, 1 GB, or off"}
	}, func(r *reader, n ast.Node) (l thresholds.ChangeLimit, ok bool) {
		word, ok := r.scalar(n, name)
		if !ok {
			return l, false
		}
		if isOff(word) {
			word = "off"
		}
		l, err := thresholds.ParseChange(word)
		l.Origin = r.origin(n)
		return l, err == nil && (word == "off" || matchesChange(word)) || r.refuse(n, message.New("write 5% or 1 GB"),
			"{what}: {word} is neither a percentage nor a size with its unit",
			message.Word("what", name), message.Element("word", word))
	}}
	groups := byGlob(name, change, (*thresholds.ChangeLimit).Of)
	return shape[[]thresholds.ChangeLimit]{func() object {
		return with(byType("null", object{}, byType("object", groups.schema(), change.schema())), "description", description+
			": of all keys of a snapshot, or by group, with "+thresholds.ChangeOfInput+" for all keys of each and "+
			thresholds.ChangeOfFleet+" for those of all together")
	}, func(r *reader, n ast.Node) (all []thresholds.ChangeLimit, ok bool) {
		if _, isNull := plain(n).(*ast.NullNode); isMapping(n) || isNull {
			return groups.read(r, n)
		}
		l, ok := change.read(r, n)
		all = []thresholds.ChangeLimit{l}
		if l.Text == "off" {
			l.Of("*") // a valid glob
			all = append(all, l)
		}
		return all, ok
	}}
}
