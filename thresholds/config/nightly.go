package config

import (
	"regexp"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// changePattern is a percentage, or a size with its unit, of more than 0.
const changePattern = `^\s*(0*[1-9][0-9]{0,5}(\.[0-9]{1,3})?|0+\.([1-9][0-9]{0,2}|0[1-9][0-9]?|00[1-9]))\s*(%|[KMGTkmgt](i?[Bb])?)\s*$`

var matchesChange = regexp.MustCompile(changePattern).MatchString

// nightlyShape are the settings of nightly runs.
func nightlyShape() shape[thresholds.Nightly] {
	type settings = thresholds.Nightly
	limit := func(name, ruleName, description string) field[settings] {
		rule, _ := thresholds.Lookup(ruleName)
		return to(name, number(rule, name, rule.Unit, description), func(s *settings, v figure) {
			s.Edits = append(s.Edits, thresholds.Edit{Rule: rule.ID, Kind: thresholds.EditLimit, Origin: v.Origin,
				Limit: thresholds.Limit{Type: thresholds.AnyType, Severity: thresholds.Error, Value: v.Number,
					None: v.off, Origin: v.Origin}})
		})
	}
	notify := listOf("notify", someText("notify", "mail=ADDRESS, slack=FILE, teams=FILE, feishu=FILE, dingtalk=FILE, wecom=FILE or a command"))
	notify.schema = notify.schema.orNull()
	s := record[settings]{what: "nightly", fields: []field[settings]{
		to("shrink", changesShape("shrink", "losses that are reported"),
			func(s *settings, v []thresholds.ChangeLimit) { s.Shrink = v }),
		to("grow", changesShape("grow", "growth that is reported"), func(s *settings, v []thresholds.ChangeLimit) { s.Grow = v }),
		limit("max_age", "max-age", "a snapshot older than this is an error"),
		limit("min_keys", "min-keys", "a snapshot with fewer keys is an error"),
		to("notify", notify.with("description", "where the message goes"),
			func(s *settings, v []thresholds.Text) { s.Notify = v }),
		to("metrics", someText("metrics", "file for node_exporter's textfile collector"),
			func(s *settings, v thresholds.Text) { s.Metrics = v }),
		to("keep", days(plainCount().with("description", "days for which reports are kept")),
			func(s *settings, v *thresholds.Days) { s.Keep = v }),
		to("remind", as(number(&thresholds.Rule{Name: "remind"}, "remind", message.Seconds,
			"how often to tell again what goes on"),
			func(_ *reader, _ ast.Node, v figure) (*thresholds.Days, bool) {
				if v.off {
					v.Number = -1
				}
				return &thresholds.Days{Number: v.Number, Origin: v.Origin}, true
			}), func(s *settings, v *thresholds.Days) { s.Remind = v }),
	}}.shape()
	s.schema = s.schema.orNull().with("description", "settings of rdblens nightly; its flags take precedence")
	return s
}

// days adds the origin to a number.
func days(s shape[int64]) shape[*thresholds.Days] {
	return as(s, func(r *reader, n ast.Node, v int64) (*thresholds.Days, bool) {
		return &thresholds.Days{Number: v, Origin: r.origin(n)}, true
	})
}

// someText is a text that is not blank.
func someText(name, description string) shape[thresholds.Text] {
	return as(text(name, description).with("pattern", `\S`),
		func(r *reader, n ast.Node, v string) (thresholds.Text, bool) {
			return thresholds.Text{Value: v, Origin: r.origin(n)}, notBlank(v) || r.refuse(n, noHint,
				"{what} must not be blank", message.Word("what", name))
		})
}

func notBlank(s string) bool { return strings.TrimSpace(s) != "" }

// changesShape is one limit, for all keys of each snapshot, or a mapping of groups to
// limits.
func changesShape(name, description string) shape[[]thresholds.ChangeLimit] {
	change := func() object {
		return object{"type": "string", "pattern": changePattern, "examples": []string{"5%", "1 GB"}}
	}
	read := func(r *reader, n ast.Node) (l thresholds.ChangeLimit, ok bool) {
		word, ok := r.scalar(n, name)
		if !ok {
			return l, false
		}
		l, err := thresholds.ParseChange(word)
		l.Origin = r.origin(n)
		return l, err == nil && matchesChange(word) || r.refuse(n, message.New("write 5% or 1 GB"),
			"{what}: {word} is neither a percentage nor a size with its unit",
			message.Word("what", name), message.Element("word", word))
	}
	return shape[[]thresholds.ChangeLimit]{func() object {
		return object{"description": description + ": of all keys of a snapshot, or by group, with " + thresholds.ChangeOfInput + " for all keys of each and " +
			thresholds.ChangeOfFleet + " for those of all together", "anyOf": []any{change(),
			object{"type": "object", "maxProperties": thresholds.MaxChangeLimits,
				"propertyNames": object{"pattern": `\S`}, "additionalProperties": change()},
			object{"type": "null"}}}
	}, func(r *reader, n ast.Node) (all []thresholds.ChangeLimit, ok bool) {
		if _, isNull := plain(n).(*ast.NullNode); !isMapping(n) && !isNull {
			l, ok := read(r, n)
			return []thresholds.ChangeLimit{l}, ok
		}
		for _, entry := range atMost(r, name, thresholds.MaxChangeLimits, r.mapping(n, name)) {
			group, ok1 := r.scalar(entry.Key, "a name")
			l, ok2 := read(r, entry.Value)
			if !ok1 || !ok2 {
				continue
			}
			if _, err := naming.ParseGlob(group); err != nil || !notBlank(group) {
				r.refuse(entry.Key, message.New(`write "*" for every group`),
					"{what} needs the pattern of a group", message.Word("what", name))
				continue
			}
			if err := l.Of(group); err == nil {
				all = append(all, l)
			}
		}
		return all, true
	}}
}
