package config

import (
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/naming"
)

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

// prefixShape is a prefix of names, as it is.
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
