package thresholds

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
)

// TestLimitsInAnyOrder compares limits that are set one after the other with a table that
// has one for each type, side and severity: a general limit is one of all types, and a
// type that is switched off has none until the next.
func TestLimitsInAnyOrder(t *testing.T) {
	rule, _ := Lookup("key-length") // which has limits on both sides
	type cell struct {
		t        parser.Type
		under    bool
		severity Severity
	}
	types := []parser.Type{parser.String, parser.List, parser.Hash}
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		s := Setting{Rule: rule, On: true}
		want := map[cell]int64{}
		var log []string
		for range 1 + r.IntN(9) {
			n := Limit{Type: AnyType, Under: r.IntN(3) == 0, Severity: Severity(1 + r.IntN(3)), Value: 1 + r.Int64N(5), None: r.IntN(6) == 0}
			if r.IntN(2) == 0 {
				n.Type = types[r.IntN(len(types))]
				if r.IntN(3) == 0 {
					n = Limit{Type: n.Type, Severity: Off}
				}
			}
			log = append(log, fmt.Sprintf("%d %t %s %d %t", n.Type, n.Under, n.Severity, n.Value, n.None))
			s.setLimit(n)
			for _, typ := range types {
				if n.Type != typ && n.Type != AnyType {
					continue
				}
				if n.Severity == Off {
					for c := range want {
						if c.t == typ {
							delete(want, c)
						}
					}
				} else if c := (cell{typ, n.Under, n.Severity}); n.None {
					delete(want, c)
				} else {
					want[c] = n.Value
				}
			}
			for _, typ := range types {
				var all [2][]int64
				severest := int64(0)
				for _, under := range []bool{false, true} {
					for severity := Info; severity <= Error; severity++ {
						w, ok := want[cell{typ, under, severity}]
						if got, set := s.Limit(typ, under, severity); set != ok || ok && got != w {
							t.Fatalf("seed %d, %q: type %d, under %t, %s: %d, %t, want %d, %t", seed, log, typ, under, severity, got, set, w, ok)
						}
						if ok && under {
							all[1] = append(all[1], w)
						} else if ok {
							all[0], severest = append(all[0], w), w
						}
					}
				}
				for side, under := range []bool{false, true} {
					value, ok := s.first(typ, under)
					if ok != (all[side] != nil) {
						t.Fatalf("seed %d, %q: type %d, under %t: %d, %t", seed, log, typ, under, value, ok)
					}
					for _, w := range all[side] {
						if under && w > value || !under && w < value {
							t.Fatalf("seed %d, %q: the mildest of %v is %d", seed, log, all[side], value)
						}
					}
				}
				if got, ok := s.severest(typ); ok != (all[0] != nil) || ok && got != severest {
					t.Fatalf("seed %d, %q: the severest of type %d is %d, want %d", seed, log, typ, got, severest)
				}
			}
		}
		// The limits as they take effect say the same, and none says that a type is off
		// which has limits.
		effective := Setting{Rule: rule, Limits: s.Effective()}
		for _, typ := range types {
			for _, under := range []bool{false, true} {
				for severity := Info; severity <= Error; severity++ {
					a, x := s.Limit(typ, under, severity)
					b, y := effective.Limit(typ, under, severity)
					if x != y || x && a != b {
						t.Fatalf("seed %d, %q: in effect %d, %t, want %d, %t: %+v", seed, log, b, y, a, x, effective.Limits)
					}
				}
			}
		}
		if lacks := s.lacksLimits(); lacks && len(want) > 0 {
			t.Fatalf("seed %d, %q: no limits, but %v", seed, log, want)
		}
		// One severity for all: the limit that is exceeded first.
		one := s.clone()
		one.setSeverity(Error, Origin{})
		for _, typ := range types {
			for _, under := range []bool{false, true} {
				a, x := s.first(typ, under)
				b, y := one.Limit(typ, under, Error)
				_, mild := one.Limit(typ, under, Info)
				_, middle := one.Limit(typ, under, Warning)
				if x != y || x && a != b || mild || middle {
					t.Fatalf("seed %d, %q: with one severity %d, %t, want %d, %t", seed, log, b, y, a, x)
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
		{hash, []Limit{{Type: AnyType, Severity: Error, None: true}, {Type: parser.Hash, Severity: Off}}, "hash: off"},
		{hash, []Limit{{Type: AnyType, Severity: Error, Value: 1}, {Type: parser.Hash, Severity: Error, None: true}}, "error 1; hash: error off"},
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
