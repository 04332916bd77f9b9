package config

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// plainCount is a number without a unit.
func plainCount() shape[int64] {
	return shape[int64]{func() object {
		return object{"type": []string{"integer", "string"}, "minimum": 0, "maximum": math.MaxInt32,
			"pattern": "^[0-9]{1,9}$"}
	},
		func(r *reader, n ast.Node) (int64, bool) {
			word, ok := r.number(n, "a number")
			v, err := strconv.ParseInt(word, 10, 32)
			return v, ok && (err == nil && v >= 0 && len(word) < 11 || r.refuse(n,
				message.New("write a number of at most nine digits"), "{word} is not a number", message.Element("word", word)))
		}}
}

func ignoreShape() shape[thresholds.Ignore] {
	type entry struct {
		thresholds.Ignore
		accepted ast.Node // its unit is that of the rule
	}
	rule := as(text("a rule", ""), func(r *reader, n ast.Node, name string) (string, bool) {
		_, err := thresholds.MatchRules(name)
		var unknown *message.Error
		return name, !errors.As(err, &unknown) || r.refuse(n, unknown.Hint, unknown.Message.ID, unknown.Message.Args...)
	})
	rules := listOf("rule", rule)
	rules.schema = listSchema(func() object {
		return object{"type": "string", "if": object{"not": object{"pattern": `[*?\[\\]`}},
			"then": object{"enum": append([]string{"all"}, thresholds.RuleNames()...)}}
	}, "minItems", 1).with("description", "rule, or glob over rules, or several")
	until := as(text("until", ""), func(r *reader, n ast.Node, date string) (time.Time, bool) {
		day, err := time.Parse(time.DateOnly, date)
		return day, err == nil || r.refuse(n, message.New("write 2027-01-31: the last day on which the entry applies"),
			"{word} is not a date", message.Element("word", date))
	})
	until.schema = func() object {
		return object{"description": "last day on which the entry applies", "type": "string",
			"pattern":      `^[0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|[12][0-9]))$`,
			"errorMessage": "write 2027-01-31: the last day on which the entry applies"}
	}
	group := text("a group", `group, "" for the key whose name is empty`)
	groups := listOf("group", group)
	groups.schema = listSchema(group.schema, "minItems", 1).with("description",
		"group of keys as reports show it, such as user:*:cart, where * is within a segment, or several")
	groups = as(groups, func(r *reader, n ast.Node, all []string) ([]string, bool) {
		return all, len(list(n)) > 0 || r.refuse(n, message.New(`write "user:*"`), "group needs a pattern")
	})
	s := record[entry]{what: "an entry of ignore", fields: []field[entry]{
		to("rule", rules, func(e *entry, names []string) {
			e.Names = names
			for _, name := range names {
				set, _ := thresholds.MatchRules(name)
				e.Rules |= set
			}
		}),
		to("key", keysShape("glob, as KEYS takes it, or several; without it any key, and the instance"),
			func(e *entry, v []*naming.Glob) { e.Keys = v }),
		to("group", groups, func(e *entry, v []string) { e.Groups = v }),
		to("database", plainCount().with("description", "only keys of this database"),
			func(e *entry, v int64) { e.Database = new(int(v)) }),
		to("findings", plainCount().with("description", "number of findings that were accepted: if there are at least "+
			"twice as many, they are reported again"), func(e *entry, v int64) { e.Findings = v }),
		to("accepted", shape[ast.Node]{text("accepted",
			"worst figure that was accepted, in the unit of the rule: what is at least twice as bad is reported again").schema,
			func(r *reader, n ast.Node) (ast.Node, bool) { return n, true }}, func(e *entry, n ast.Node) { e.accepted = n }),
		to("by", text("by", "who accepted these findings"), func(e *entry, v string) { e.By = v }),
		to("reason", text("reason", "why these findings are acceptable").with("pattern", `\S`),
			func(e *entry, v string) { e.Reason = v }),
		to("source", sourceShape(), func(e *entry, v thresholds.Text) { e.Source = v.Value }),
		to("until", until, func(e *entry, day time.Time) { e.Until = day.AddDate(0, 0, 1) }),
	}}.shape().with("required", []string{"rule", "reason"})
	return as(s, func(r *reader, n ast.Node, e entry) (thresholds.Ignore, bool) {
		at := firstKey(n)
		e.Origin = r.origin(at)
		ok := e.Rules != 0 || r.refuse(at, message.New(`write rule: "*" for all rules`), "an entry of ignore needs a rule")
		if strings.TrimSpace(e.Reason) == "" {
			ok = r.refuse(at, message.New("write reason: why these findings are acceptable"),
				"an entry of ignore needs a reason")
		}
		if e.Groups != nil && e.Keys != nil {
			ok = r.refuse(at, message.New("write two entries"), "an entry of ignore has either key or group")
		}
		if e.accepted != nil {
			ok = readAccepted(r, e.accepted, &e.Ignore) && ok
		}
		return e.Ignore, ok
	})
}

// readAccepted reads the figure that was accepted of the findings of one rule.
func readAccepted(r *reader, n ast.Node, e *thresholds.Ignore) bool {
	word, ok := r.number(n, "accepted")
	if !ok || e.Rules.Len() != 1 {
		return ok && r.refuse(n, message.New("name one rule"), "accepted is a figure of one rule")
	}
	var err error
	e.Accepted, err = acceptedUnit(e.Rules).Parse(word)
	return err == nil || r.refuse(n, noHint, "accepted: {reason}", message.Reason("reason", err))
}

// acceptedUnit returns the unit of the accepted figure of a rule. Findings of a rule
// without limits are counts, or plain figures.
func acceptedUnit(set thresholds.RuleSet) message.Unit {
	for id, rule := range thresholds.Rules() {
		if set.Has(thresholds.RuleID(id)) && rule.Unit != message.None {
			return rule.Unit
		}
	}
	return message.Count
}
