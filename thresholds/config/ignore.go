package config

import (
	"errors"
	"fmt"
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

func budgetsShape() shape[[]thresholds.Budget] {
	list := entries("budgets", budgets()).with("description",
		"limits for keys together: of a group, an owner, a database or the whole snapshot")
	return as(list, func(r *reader, n ast.Node, all []thresholds.Budget) ([]thresholds.Budget, bool) {
		return all, len(all) <= thresholds.MaxBudgets || r.refuse(n, message.New("list several patterns in one entry"),
			"more than {n} budgets", message.Int("n", thresholds.MaxBudgets))
	})
}

func budgetShape() shape[thresholds.Budget] {
	type entry = thresholds.Budget
	rule, _ := thresholds.Lookup("budget")
	fields := []field[entry]{
		to("group", keysShape("the keys whose names match a glob, as KEYS takes it, or several"),
			func(e *entry, v []*naming.Glob) { e.Keys = append(e.Keys, v...) }),
		to("prefix", prefixShape(), func(e *entry, v string) { e.Keys = append(e.Keys, naming.PrefixGlob(v)) }),
		to("owner", ownerShape("the keys of this owner"), func(e *entry, v string) { e.Owner = v }),
		to("database", plainCount().with("description", "the keys of this database"),
			func(e *entry, v int64) { e.Database = new(int(v)) }),
		to("reason", text("reason", "where the budget comes from"), func(e *entry, v string) { e.Reason = v }),
		to("source", sourceShape(), func(e *entry, v thresholds.Text) { e.Source = v.Value }),
	}
	for m, doc := range [thresholds.NumBudgetMeasures]string{"number of keys", "their memory",
		"share of them without a TTL", "their growth a day, which diff sees"} {
		measure := thresholds.BudgetMeasure(m)
		limits := record[[]thresholds.BudgetLimit]{what: measure.String()}
		for i, name := range severities {
			limits.fields = append(limits.fields, to(name, number(rule, "a limit", measure.Unit(), name+" over this"),
				func(into *[]thresholds.BudgetLimit, v figure) {
					if !v.off {
						*into = append(*into, thresholds.BudgetLimit{Measure: measure, Severity: thresholds.Info + thresholds.Severity(i),
							Value: v.Number})
					}
				}))
		}
		shape := limits.shape()
		shape.schema = shape.schema.orNull().with("description", doc)
		fields = append(fields, to(measure.String(), shape,
			func(e *entry, v []thresholds.BudgetLimit) { e.Limits = append(e.Limits, v...) }))
	}
	s := record[entry]{what: "an entry of budgets", fields: fields}.shape()
	s.schema = s.schema.orNull()
	return as(s, func(r *reader, n ast.Node, b entry) (entry, bool) {
		at := firstKey(n)
		b.Origin = r.origin(at)
		scopes := 0
		for _, set := range []bool{len(b.Keys) > 0, b.Owner != "", b.Database != nil} {
			if set {
				scopes++
			}
		}
		return b, scopes <= 1 || r.refuse(at, message.New("write an entry for each"),
			"a budget is of a group, an owner or a database")
	})
}

func prefixShape() shape[string] {
	return as(text("prefix", "the keys whose names begin with this, as the tree of names has it: "+
		"order:2026:").with("minLength", 1), func(r *reader, n ast.Node, prefix string) (string, bool) {
		return prefix, prefix != "" || r.refuse(n, message.New("omit prefix"), "prefix must not be empty")
	})
}

// showBudget returns the limits of a budget: "keys error 1,000; memory warning 1 GB".
func showBudget(b *thresholds.Budget) string {
	var parts []string
	for _, l := range b.Limits {
		parts = append(parts, fmt.Sprintf("%s %s %s", l.Measure, l.Severity, l.Measure.Unit().Format(l.Value)))
	}
	s := strings.Join(parts, "; ")
	if b.Reason != "" {
		s += ", reason: " + b.Reason
	}
	if b.Source != "" {
		s += ", source: " + b.Source
	}
	return s
}

// noIdentity is the role of keys that are not what they look like.
const noIdentity = "none"

func identityShape() shape[thresholds.IdentityEntry] {
	type entry = thresholds.IdentityEntry
	words := append(thresholds.RoleNames(), noIdentity)
	role := as(text("role", ""), func(r *reader, n ast.Node, word string) (string, bool) {
		known := thresholds.IsRole(word) || word == noIdentity
		return word, known || r.refuse(n, thresholds.Suggest(word, words), "{word} is not a role",
			message.Element("word", word))
	})
	role.schema = func() object {
		return object{"description": "what the keys are for; none: they are not what they look like", "enum": words}
	}
	deletion := as(text("delete", ""), func(r *reader, n ast.Node, word string) (string, bool) {
		switch on, ok := parseSwitch(word); {
		case ok && on:
			word = "yes"
		case ok:
			word = "no"
		}
		return word, word == "yes" || word == "no" || strings.HasPrefix(word, "with ") ||
			r.refuse(n, message.New("write yes, no, or with what: with Mailer.purge()"),
				"{word} does not say whether keys may be deleted", message.Element("word", word))
	})
	deletion.schema = func() object {
		return object{"description": "yes: at the cost of what is in them alone; no: work or data is lost; with X: X " +
			"deletes them",
			"type":    []string{"string", "boolean"},
			"pattern": "^([Yy][Ee][Ss]|[Nn][Oo]|[Oo][Nn]|[Oo][Ff][Ff]|[Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee]|with .*)$"}
	}
	s := record[entry]{what: "an entry of identities", fields: []field[entry]{
		to("key", keysShape("the groups whose patterns, or the names of whose largest keys, match a glob, or several"),
			func(e *entry, v []*naming.Glob) { e.Keys = v }),
		to("library", text("library", "the library or program that writes the keys"),
			func(e *entry, v string) { e.Library = v }),
		to("role", role, func(e *entry, v string) {
			if v != noIdentity {
				e.Role = thresholds.Role(v)
			}
			e.None = v == noIdentity
		}),
		to("no_ttl", flag("no_ttl", "true: the keys have no TTL by design"),
			func(e *entry, v thresholds.Switch) { e.ByDesign = v.Value }),
		to("setting", text("setting", "the setting that bounds the keys"), func(e *entry, v string) { e.Setting = v }),
		to("delete", deletion, func(e *entry, v string) { e.Deletion = v }),
	}}.shape().with("required", []string{"key", "role"})
	return as(s, func(r *reader, n ast.Node, e entry) (entry, bool) {
		at := firstKey(n)
		e.Origin = r.origin(at)
		ok := len(e.Keys) > 0 || r.refuse(at, message.New(`write key: "mail:*"`),
			"an entry of identities needs a key pattern")
		if e.Role == "" && !e.None {
			ok = r.refuse(at, message.New("write role: waiting jobs"), "an entry of identities needs a role")
		}
		return e, ok
	})
}

// showIdentity returns what an entry says: "waiting jobs of mailer, no TTL".
func showIdentity(e *thresholds.IdentityEntry) string {
	s := string(e.Role)
	if e.None {
		s = noIdentity
	}
	if e.Library != "" {
		s += " of " + e.Library
	}
	if e.ByDesign {
		s += ", no TTL"
	}
	if e.Setting != "" {
		s += ", setting: " + e.Setting
	}
	if e.Deletion != "" {
		s += ", delete: " + e.Deletion
	}
	return s
}
