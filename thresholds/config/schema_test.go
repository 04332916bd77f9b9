package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/goccy/go-yaml"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds"
)

// validator checks values against a JSON Schema, as far as Schema uses one: a
// keyword that it does not know is an error.
type validator struct {
	t     *testing.T
	root  map[string]any
	forms map[string]*regexp.Regexp
}

func newValidator(t *testing.T) *validator {
	v := &validator{t: t, forms: map[string]*regexp.Regexp{}}
	if err := json.Unmarshal(Schema(), &v.root); err != nil {
		t.Fatal(err)
	}
	return v
}

func (v *validator) accepts(schema, value any) bool {
	s, ok := schema.(map[string]any)
	if !ok {
		return schema.(bool)
	}
	for keyword, want := range s {
		if !v.keyword(s, keyword, want, value) {
			return false
		}
	}
	return true
}

func (v *validator) keyword(s map[string]any, keyword string, want, value any) bool {
	list, isList := value.([]any)
	fields, isObject := value.(map[string]any)
	text, isText := value.(string)
	number, isNumber := value.(json.Number)
	all := func(schemas any, match func(any) bool) bool {
		return !slices.ContainsFunc(schemas.([]any), func(x any) bool { return !match(x) })
	}
	switch keyword {
	case "$schema", "$defs", "title", "description", "default", "examples", "errorMessage", "then", "else":
		return true
	case "if":
		if v.accepts(want, value) {
			return s["then"] == nil || v.accepts(s["then"], value)
		}
		return s["else"] == nil || v.accepts(s["else"], value)
	case "$ref":
		at := any(v.root)
		for step := range strings.SplitSeq(strings.TrimPrefix(want.(string), "#/"), "/") {
			at = at.(map[string]any)[step]
		}
		return v.accepts(at, value)
	case "type":
		if types, ok := want.([]any); ok {
			return slices.ContainsFunc(types, func(x any) bool { return hasType(x.(string), value) })
		}
		return hasType(want.(string), value)
	case "enum":
		return slices.Contains(want.([]any), any(value))
	case "not":
		return !v.accepts(want, value)
	case "anyOf":
		return slices.ContainsFunc(want.([]any), func(x any) bool { return v.accepts(x, value) })
	case "pattern":
		if v.forms[want.(string)] == nil {
			v.forms[want.(string)] = regexp.MustCompile(want.(string))
		}
		return !isText || v.forms[want.(string)].MatchString(text)
	case "minLength":
		return !isText || float64(utf8.RuneCountInString(text)) >= want.(float64)
	case "minimum":
		return !isNumber || rational(string(number)).Cmp(rational(fmt.Sprint(want))) >= 0
	case "maximum":
		return !isNumber || rational(string(number)).Cmp(rational(fmt.Sprintf("%.0f", want))) <= 0
	case "minItems":
		return !isList || float64(len(list)) >= want.(float64)
	case "maxItems":
		return !isList || float64(len(list)) <= want.(float64)
	case "minProperties":
		return !isObject || float64(len(fields)) >= want.(float64)
	case "maxProperties":
		return !isObject || float64(len(fields)) <= want.(float64)
	case "items":
		return !isList || all(list, func(x any) bool { return v.accepts(want, x) })
	case "required":
		return !isObject || all(want, func(name any) bool { _, ok := fields[name.(string)]; return ok })
	case "properties":
		for name, x := range fields {
			if of, ok := want.(map[string]any)[name]; ok && !v.accepts(of, x) {
				return false
			}
		}
		return true
	case "additionalProperties":
		known, _ := s["properties"].(map[string]any)
		for name, x := range fields {
			if _, ok := known[name]; !ok && !v.accepts(want, x) {
				return false
			}
		}
		return true
	case "propertyNames":
		for name := range fields {
			if !v.accepts(want, name) {
				return false
			}
		}
		return true
	}
	v.t.Fatalf("keyword %s is not known here", keyword)
	return false
}

func rational(s string) *big.Rat {
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		panic(s)
	}
	return r
}

func hasType(name string, value any) bool {
	switch x := value.(type) {
	case nil:
		return name == "null"
	case bool:
		return name == "boolean"
	case string:
		return name == "string"
	case json.Number:
		return name == "number" || name == "integer" && rational(string(x)).IsInt()
	case []any:
		return name == "array"
	}
	return name == "object"
}

// accepted returns the verdicts of the schema and of Load; ok is false where JSON
// has no such value.
func (v *validator) accepted(text string) (schema bool, err error, ok bool) {
	v.t.Helper()
	var value any
	if err := yaml.Unmarshal([]byte(text), &value); err != nil {
		return false, nil, false
	}
	encoded, err := json.Marshal(value)
	if err != nil {
		return false, nil, false
	}
	d := json.NewDecoder(bytes.NewReader(encoded))
	d.UseNumber()
	if err := d.Decode(&value); err != nil {
		v.t.Fatalf("%s: %v", text, err)
	}
	_, err = LoadText(Options{Config: "rdblens.yaml"}, []byte(text))
	return v.accepts(v.root, value), err, true
}

// configFields are the fields of a configuration.
var configFields = []string{"extends", "rules", "ignore", "overrides", "budgets", "namespaces", "abbreviations", "identities", "separators", "hashtags", "cluster", "nightly", "source", "source_url", "max_download"}

// fieldsOf returns the fields that the mapping of a rule may have.
func fieldsOf(r *thresholds.Rule) []string {
	names := []string{"severity", "reason", "source"}
	if r.Unit != message.None || r.Lists != nil {
		names = append(names, severities...)
	}
	if r.Bound == thresholds.Both {
		names = append(names, "under")
	}
	if r.PerType {
		names = append(names, "types")
	}
	for _, p := range r.Params {
		names = append(names, p.Name)
	}
	return names
}

// TestSchemaAndLoaderAgree puts every kind of value into every place.
func TestSchemaAndLoaderAgree(t *testing.T) {
	v := newValidator(t)
	scalars := []string{`''`, `' '`, "a", "A", "'a*'", "a b", "订单", "':'", "':#'", "'{'", "'user:'", "a1", "é",
		"true", "FALSE", "'true'", "on", "OFF", "'No'", "yes", "Yes", "of", "info", "WARNING", "error", "'off '",
		"0", "1", "5", "30", "100", "101", "-1", "+5", "010", "0x10", "1_000", "'1_000'", "'1__0'", "_", "'5_'", "1e3", "10.0", "10.5", "2.5", "10.255", "-0.5",
		"999999999999999", "1000000000000000", "99999999999999999999",
		"10KB", "10 kb", "1.5MB", "1.5", "1.5B", "10Ki", "'1,024'", "10XB", "KB", "8EB", "999999999T", "9999999999T",
		"30d", "1w2d", "2d1w", "90m", "d", "' 30d'", "99999999999d",
		"10x", "2.5x", "2.55×", "1.234x", "1.234", "x", "1%", "0.5%", "100%", "100.0%", "100.5%", "101%", "'50 %'", "%", "1 GB", "0.5K", "0.0%", "0GB", "0.001T", "1234567%", "1e3%", "+5%", "-5%",
		"default", "aliyun", "nosuch", "no-ttl", "all", "key-*", "'*'", "ttl-stampede", "2027-01-31", "2028-02-29", "2027-13-01", "27-1-1"}
	others := []string{"", "null", "~", "[]", "{}", "[a]", "[a, b]", "['']", "[null]", "[[a]]", "[1, true]", "[no-ttl, 'key-*']", "[no-ttl, nosuch]", "['user:', order]", "['a*']", "[30d]",
		"{a: b}", "{a: }", "{'': b}", "{1: b}", "{'a b': c}", "{owner: b}", "{a: {owner: b}}", "{a: {team: b}}", "{a: [b]}", "{':': b}",
		"{key: a, owner: b}", "{key: a}", "{key: a, owner: ''}", "{key: a, rules: {}}", "{key: a, rules: {no-ttl: off}}", "{key: a, rules: {no-ttl: {}}}", "{key: [], owner: b}", "{owner: b}", "[{key: a, owner: b}]",
		"{rule: no-ttl, reason: b}", "{rule: no-ttl}", "{rule: no-ttl, reason: b, key: }", "[{rule: [no-ttl], reason: 5, key: [a, b], until: 2027-01-31}]", "{rule: [], reason: b}",
		"{info: 5}", "{info: 10KB, error: off}", "{warning: 30d}", "{severity: info}", "{severity: Off}", "{severity: true}", "{no-ttl: off}", "{ttl-stampede: off}", "{hash: off}", "{hash: {error: 5}}", "{hash: }",
		"{under: {info: 5}}", "{types: }", "{types: {}}", "{types: {hash: off}}", "{string: off}", "{zset: [a, b], hash: c}", "{zset: }"}
	places := []string{"%s", "ignore: [%s]", "overrides: [%s]",
		"ignore: [{reason: x, rule: %s}]", "ignore: [{rule: no-ttl, reason: x, key: %s}]", "ignore: [{rule: no-ttl, reason: %s}]", "ignore: [{rule: no-ttl, reason: x, until: %s}]",
		"ignore: [{rule: no-ttl, reason: x, group: %s}]", "ignore: [{rule: no-ttl, reason: x, database: %s}]", "ignore: [{rule: no-ttl, reason: x, findings: %s}]", "ignore: [{rule: no-ttl, reason: x, by: %s}]",
		"budgets: [%s]", "budgets: [{group: %s}]", "budgets: [{owner: %s}]", "budgets: [{database: %s}]", "budgets: [{keys: %s}]", "budgets: [{keys: {error: %s}}]", "budgets: [{memory: {info: %s}}]",
		"budgets: [{without_ttl: {warning: %s}}]", "budgets: [{growth: {warning: %s}, reason: %s}]",
		"overrides: [{owner: x, key: %s}]", "overrides: [{key: x, owner: %s}]", "overrides: [{key: x, rules: %s}]", "overrides: [{key: x, owner: y, rules: %s}]",
		"namespaces: [%s]", "namespaces: {a: %s}", "namespaces: {a: {owner: %s}}", "abbreviations: {a: %s}", "nosuch: %s",
		"nightly: {shrink: %s}", "nightly: {grow: {'a:*': %s}}", "nightly: {max_age: %s}", "nightly: {inputs: %s}", "nightly: {inputs: {'a*': %s}}", "nightly: {inputs: {b: {shrink: %s}}}", "nightly: {inputs: {b: {shrink: {'*': %s}, min_keys: %s}}}", "nightly: {min_keys: %s}", "nightly: {notify: %s}", "nightly: {notify: [%s]}", "nightly: {metrics: %s}", "nightly: {keep: %s}", "nightly: {remind: %s}"}
	for _, name := range configFields {
		places = append(places, name+": %s")
	}
	seen := map[string]bool{}
	for _, r := range thresholds.Rules() {
		places = append(places, "rules: {"+r.Name+": %s}", "overrides: [{key: x, rules: {"+r.Name+": %s}}]", "rules: {"+r.Name+": {nosuch: %s}}")
		for _, field := range fieldsOf(r) {
			kind := fmt.Sprint(r.Unit, r.Bound, r.Lists, field) // of the severities, types and so on
			for _, p := range r.Params {
				if p.Name == field {
					kind = fmt.Sprint("parameter", p.Kind, p.Unit)
				}
			}
			if !seen[kind] {
				places = append(places, "rules: {"+r.Name+": {"+field+": %s}}")
			}
			seen[kind] = true
		}
		if r.Bound == thresholds.Both {
			places = append(places, "rules: {"+r.Name+": {under: {info: %s}}}")
		}
		types := []string{"nosuch"}
		for typ := range parser.NumTypes {
			if r.AppliesTo(typ) && len(types) < 2 {
				types = append(types, typ.String())
			}
		}
		for _, typ := range types {
			if r.PerType {
				places = append(places, "rules: {"+r.Name+": {types: {"+typ+": %s}}}", "rules: {"+r.Name+": {types: {"+typ+": {warning: %s}}}}")
			}
			if slices.ContainsFunc(r.Params, func(p thresholds.Param) bool { return p.Kind == thresholds.AliasesParam }) {
				places = append(places, "rules: {"+r.Name+": {aliases: {"+typ+": %s}}}")
			}
		}
	}
	counts := map[bool]int{}
	check := func(text string) {
		schema, err, ok := v.accepted(text)
		if err != nil && strings.Contains(err.Error(), " is empty") || err != nil && strings.Contains(err.Error(), " is not a regular expression") {
			return // a range of characters, or an expression, see TestWhatNoSchemaCanSay
		}
		if ok && schema != (err == nil) {
			t.Errorf("%s\nthe schema takes it: %v, Load says %v", text, schema, err)
		}
		counts[schema]++
	}
	for _, place := range places {
		for _, value := range slices.Concat(scalars, others) {
			check(strings.ReplaceAll(place, "%s", value))
		}
	}
	for _, name := range scalars {
		check("namespaces: {" + name + ": x}")
		check("abbreviations: {" + name + ": x}")
		check("nightly: {shrink: {" + name + ": 5%}}")
		check("nightly: {inputs: {" + name + ": {}}}")
	}
	team, err := os.ReadFile("testdata/team.yaml")
	if err != nil {
		t.Fatal(err)
	}
	check(string(team))
	if counts[true] < 1000 || counts[false] < 10000 {
		t.Errorf("only %d were taken and %d refused", counts[true], counts[false])
	}
}

// TestWhatNoSchemaCanSay are the texts on which schema and Load differ.
func TestWhatNoSchemaCanSay(t *testing.T) {
	v := newValidator(t)
	for _, text := range []string{
		"ignore: [{rule: no-ttl, reason: x, until: 2027-02-29}]",
		"ignore: [{rule: 'xyz-*', reason: x}]",
		"ignore: [{rule: big-string, reason: x, accepted: 3d}]",
		"ignore: [{rule: [big-string, no-ttl], reason: x, accepted: 3}]",
		"ignore: [{rule: no-ttl, reason: x, key: a, group: a}]",
		"budgets: [{group: a, owner: b}]",
		"budgets:\n" + strings.Repeat("  - {group: x}\n", thresholds.MaxBudgets+1),
		"rules: {key-charset: {allowed: z-a}}",
		"rules: {key-pattern: {error: '('}}", "rules: {key-words: {error: [a, '/(/']}}",
		"overrides:\n" + strings.Repeat("  - {key: x, rules: {no-ttl: off}}\n", thresholds.MaxOverrides+1),
	} {
		if schema, err, _ := v.accepted(text); !schema || err == nil {
			t.Errorf("%.80s: the schema takes it: %v, Load says %v", text, schema, err)
		}
	}
}

// TestSchema checks that every field of a configuration that Load accepts is in the
// schema.
func TestSchema(t *testing.T) {
	v := newValidator(t)
	fields := func(s any) []string {
		var names []string
		for name := range s.(map[string]any)["properties"].(map[string]any) {
			names = append(names, name)
		}
		slices.Sort(names)
		return names
	}
	same := func(what string, got, want []string) {
		if want = slices.Sorted(slices.Values(want)); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	same("the configuration", fields(v.root), configFields)
	rules := v.root["properties"].(map[string]any)["rules"]
	for _, r := range thresholds.Rules() {
		own := rules.(map[string]any)["properties"].(map[string]any)[r.Name].(map[string]any)["then"]
		same(r.Name, fields(own), fieldsOf(r))
	}
	if !bytes.Equal(Schema(), Schema()) {
		t.Error("not the same each time")
	}
	for u := message.Bytes; u <= message.Percent; u++ {
		if _, err := u.Parse(u.Example()); err != nil {
			t.Error(err)
		}
	}
}
