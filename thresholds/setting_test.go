package thresholds

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
)

// TestLayersReplace compares layers of limits, in random order, with a table that has one
// for each type, side and severity: what a layer has for a type and a side replaces what the
// layers below have for it, and what it has for all types what they have for any.
func TestLayersReplace(t *testing.T) {
	rule, _ := Lookup("key-length") // which has limits on both sides
	type cell struct {
		t        parser.Type
		under    bool
		severity Severity
	}
	types := []parser.Type{AnyType, parser.String, parser.List, parser.Hash}
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 1))
		p := &Policy{Settings: make([]Setting, len(Rules()))}
		for i := range p.Settings {
			p.Settings[i] = DefaultSetting(Rules()[i])
		}
		s := &p.Settings[rule.ID]
		s.On = true
		table := map[cell]Limit{}
		for range 1 + r.IntN(4) {
			var layer []Edit
			for range 1 + r.IntN(5) {
				l := Limit{Type: types[r.IntN(len(types))], Under: r.IntN(3) == 0, Severity: Severity(1 + r.IntN(3)), Value: 1 + r.Int64N(5), None: r.IntN(5) == 0}
				layer = append(layer, Edit{Rule: rule.ID, Kind: EditLimit, Limit: l})
			}
			slices.SortStableFunc(layer, func(a, b Edit) int { // as package config does
				return cmp.Compare((a.Limit.Type+1)%(AnyType+1), (b.Limit.Type+1)%(AnyType+1))
			})
			for i, e := range layer {
				first := !slices.ContainsFunc(layer[:i], func(o Edit) bool { return o.Limit.Type == e.Limit.Type && o.Limit.Under == e.Limit.Under })
				for c, l := range table {
					if first && c.under == e.Limit.Under && (e.Limit.Type == AnyType || c.t == e.Limit.Type && !l.None) {
						delete(table, c)
					}
				}
				table[cell{e.Limit.Type, e.Limit.Under, e.Limit.Severity}] = e.Limit
			}
			p.Apply(layer)
		}
		for _, typ := range types {
			for _, under := range []bool{false, true} {
				least, severest := int64(-1), int64(0)
				for severity := Info; severity <= Error; severity++ {
					want, ok := table[cell{typ, under, severity}]
					if !ok {
						want, ok = table[cell{AnyType, under, severity}]
					}
					ok = ok && !want.None
					if got, set := s.Limit(typ, under, severity); set != ok || ok && got != want.Value {
						t.Fatalf("seed %d: type %d, under %t, %s: %d, %t, want %d, %t", seed, typ, under, severity, got, set, want.Value, ok)
					}
					if ok {
						severest = want.Value
						if least < 0 || under && want.Value > least || !under && want.Value < least {
							least = want.Value
						}
					}
				}
				if got, ok := s.first(typ, under); ok != (least >= 0) || ok && got != least {
					t.Fatalf("seed %d: type %d, under %t: the first is %d, %t, want %d", seed, typ, under, got, ok, least)
				}
				if got, ok := s.severest(typ); !under && (ok != (least >= 0) || ok && got != severest) {
					t.Fatalf("seed %d: the severest of type %d is %d, want %d", seed, typ, got, severest)
				}
				// One severity for all: the limit that is exceeded first.
				one := s.clone()
				one.setSeverity(Error, Origin{})
				got, ok := one.Limit(typ, under, Error)
				_, mild := one.Limit(typ, under, Info)
				_, middle := one.Limit(typ, under, Warning)
				if ok != (least >= 0) || ok && got != least || mild || middle {
					t.Fatalf("seed %d: with one severity %d, %t, want %d", seed, got, ok, least)
				}
			}
		}
	}
}

// TestSummaries checks a setting in words.
func TestSummaries(t *testing.T) {
	length, _ := Lookup("key-length")
	hash, _ := Lookup("big-collection")
	for _, c := range []struct {
		rule   *Rule
		limits []Limit
		want   string
	}{
		{length, []Limit{{Type: AnyType, Severity: Warning, Value: 128}, {Type: AnyType, Under: true, Severity: Info, Value: 3}}, "warning over 128 B, info under 3 B"},
		{hash, []Limit{{Type: AnyType, Severity: Error, Value: 5000}, {Type: parser.Hash, Severity: Warning, Value: 100}}, "error 5,000; hash: warning 100"},
		{hash, []Limit{{Type: AnyType, Severity: Error, None: true}, {Type: parser.Hash, Severity: Error, None: true}}, "hash: off"},
		{hash, []Limit{{Type: AnyType, Severity: Error, Value: 1}, {Type: parser.Hash, Severity: Error, None: true}}, "error 1; hash: off"},
		{hash, []Limit{{Type: AnyType, Severity: Warning, Value: 1}, {Type: AnyType, Severity: Error, Value: 2}, {Type: parser.Hash, Severity: Error, None: true}}, "warning 1, error 2; hash: error off"},
		{hash, nil, "off"},
	} {
		s := Setting{Rule: c.rule, On: true, Limits: c.limits}
		if got := s.Summary(); got != c.want {
			t.Errorf("%+v: %q, want %q", c.limits, got, c.want)
		}
		if s.On = false; s.Summary() != "off" {
			t.Errorf("a rule that is off: %q", s.Summary())
		}
	}
	file := Origin{Kind: FromFile}
	number, flag, chars, aliases := Param{Kind: NumberParam}, Param{Kind: FlagParam}, Param{Kind: CharsParam}, Param{Kind: AliasesParam}
	for _, c := range []struct {
		p    Param
		v    Value
		want string
	}{{number, Value{}, ""}, {number, Value{Origin: file}, "off"}, {number, Value{Number: 3}, "3"}, {flag, Value{}, ""}, {flag, Value{Origin: file}, "false"}, {flag, Value{Number: 1}, "true"}, {chars, Value{Text: "a-z"}, "a-z"}, {aliases, Value{}, ""},
		{aliases, Value{Aliases: map[string][]string{"zset": {"rank", "geo"}, "hash": {"h"}, "set": nil}}, "{zset: [rank, geo], hash: [h]}"}} {
		got := c.v.Format(c.p)
		if got != c.want && !(c.p.Kind == AliasesParam && len(got) == len(c.want)) {
			t.Errorf("%+v of kind %d: %q, want %q", c.v, c.p.Kind, got, c.want)
		}
	}
}

// TestSelectors checks which rules a selector names.
func TestSelectors(t *testing.T) {
	all := AllRules()
	if all.Len() != len(Rules()) || !all.Has(0) || !all.Has(RuleID(len(Rules())-1)) || all.Has(RuleID(len(Rules()))) {
		t.Errorf("%d rules", all.Len())
	}
	for _, c := range []struct {
		selector string
		has, not []string
		n        int
		wrong    string
	}{
		{"all", []string{"no-ttl"}, nil, all.Len(), ""}, {"no-ttl", []string{"no-ttl"}, nil, 1, ""}, {"-no-ttl", []string{"big-string"}, []string{"no-ttl"}, all.Len() - 1, ""}, {" no-ttl , big-string ,", []string{"no-ttl", "big-string"}, nil, 2, ""},
		{"all,-no-ttl,no-ttl", []string{"no-ttl"}, nil, all.Len(), ""}, {"no-ttl,-no-ttl", nil, []string{"no-ttl"}, 0, ""}, {"big-string,-no-ttl", []string{"big-string"}, []string{"no-ttl"}, 1, ""}, {"*-skew", []string{"slot-skew", "node-skew", "hashtag-skew"}, []string{"no-ttl"}, 3, ""},
		{"", nil, nil, 0, ""}, {" ,", nil, nil, 0, " ,"}, {"no-tll", nil, nil, 0, "no-tll"}, {"all,-x*", nil, nil, 0, "x*"},
	} {
		set, err := Select(c.selector)
		if c.n == 0 && len(c.not) == 0 {
			var e *message.Error
			if e, _ = err.(*message.Error); e == nil || e.Message.Args[0].Text != c.wrong {
				t.Errorf("%q: %v", c.selector, err)
			}
			continue
		}
		if err != nil || set.Len() != c.n {
			t.Errorf("%q: %d rules, %v", c.selector, set.Len(), err)
		}
		for i, list := range [][]string{c.has, c.not} {
			for _, name := range list {
				if set.Has(ruleID(t, name)) != (i == 0) {
					t.Errorf("%q: %s", c.selector, name)
				}
			}
		}
	}
	_, named, err := parseSelector("all,-big-string,no-ttl,*-skew,big-string,-big-string")
	if err != nil || named != 1<<ruleID(t, "no-ttl") {
		t.Errorf("%b, %v", named, err)
	}
}
