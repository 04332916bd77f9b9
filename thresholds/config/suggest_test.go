package config

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/format"
	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/naming"
)

const taken = 1_700_000_000

func keyOf(name string, change func(*parser.Key)) *parser.Key {
	k := &parser.Key{Name: []byte(name), NameLen: int64(len(name)), Type: parser.String, Encoding: parser.EncEmbstr, HasExpire: true, ExpireAt: (taken + 3000) * 1000,
		Idle: -1, Freq: -1, Elements: 1, ValueBytes: 40, Largest: 40, Longest: 40, Memory: 120, MemoryUsage: 120, CompactMemory: -1, LongestField: -1}
	k.Formats.Add(format.JSON)
	if change != nil {
		change(k)
	}
	return k
}

func hash(fields, longest int64) func(*parser.Key) {
	return func(k *parser.Key) {
		k.Type, k.Encoding, k.HasExpire, k.ExpireAt, k.Elements, k.LongestField, k.Formats = parser.Hash, parser.EncListpack, false, 0, fields, longest, 0
		k.Formats.Add(format.Text)
		k.Formats.Add(format.Number)
	}
}

// TestSuggest checks that keys pass what is suggested from them, in whatever order and in
// however many parts they were seen, and that a deviation of each kind is found.
func TestSuggest(t *testing.T) {
	var keys []*parser.Key
	for i := range 300 {
		keys = append(keys, keyOf(fmt.Sprintf("session:%d", 1000+i), nil))
		keys = append(keys, keyOf(fmt.Sprintf("user:%d:profile", i), hash(int64(5+i%10), 12)))
	}
	keys = append(keys, keyOf("leader", hash(1, 2)))
	whole, left, right := NewKeyspace(":"), NewKeyspace(":"), NewKeyspace(":")
	for i, k := range keys {
		whole.Add(k, taken)
		if i%3 == 0 {
			left.Add(k, taken)
		} else {
			right.Add(k, taken)
		}
	}
	right.Merge(left)
	text := string(whole.Suggest("default", "a\nb.rdb").YAML())
	if other := string(right.Suggest("default", "a\nb.rdb").YAML()); other != text {
		t.Errorf("it depends on the order:\n%s\n%s", text, other)
	}
	p, err := LoadText(Options{Config: "suggested.yaml"}, []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if len(p.Warnings) > 0 {
		t.Error(p.Warnings)
	}
	e := p.Compile(thresholds.Env{Server: "redis", Version: "7.0.15", Created: taken, Memory: true})
	found := func(k *parser.Key) (rules []string) {
		var f naming.Facts
		e.Namer().Facts(k.Name, &f)
		for _, found := range e.Check(k, &f, nil) {
			if found.Severity == thresholds.Error {
				rules = append(rules, found.Rule.Name())
			}
		}
		return rules
	}
	for _, k := range keys {
		if rules := found(k); rules != nil {
			t.Fatalf("%s breaks %q\n%s", k.Name, rules, text)
		}
	}
	for _, c := range []struct {
		rule string
		key  *parser.Key
	}{
		{"key-namespace", keyOf("sesion:1", nil)}, {"key-pattern", keyOf("session:abc", nil)}, {"key-pattern", keyOf("user:7:profil", hash(5, 12))},
		{"key-type", keyOf("session:1", hash(5, 12))}, {"no-ttl", keyOf("session:1", func(k *parser.Key) { k.HasExpire, k.ExpireAt = false, 0 })},
		{"ttl-unwanted", keyOf("user:7:profile", func(k *parser.Key) { hash(5, 12)(k); k.HasExpire, k.ExpireAt = true, (taken+60)*1000 })},
		{"ttl-too-long", keyOf("session:1", func(k *parser.Key) { k.ExpireAt = (taken + 86400) * 1000 })},
		{"big-string", keyOf("session:1", func(k *parser.Key) { k.ValueBytes, k.Largest, k.Longest = 400, 400, 400 })},
		{"big-collection", keyOf("user:7:profile", hash(40, 12))}, {"field-name-length", keyOf("user:7:profile", hash(5, 40))},
		{"value-format", keyOf("session:1", func(k *parser.Key) { k.Formats = 0; k.Formats.Add(format.Java) })},
		{"key-charset", keyOf("user:7é:profile", hash(5, 12))}, {"key-length", keyOf("user:"+strings.Repeat("7", 60)+":profile", hash(5, 12))},
	} {
		if rules := found(c.key); !strings.Contains(" "+strings.Join(rules, " ")+" ", " "+c.rule+" ") {
			t.Errorf("%s: %q, and not %s\n%s", c.key.Name, rules, c.rule, text)
		}
	}
	// Twice the keys are over the budgets.
	x := e.NewInstance()
	for range 2 {
		for _, k := range keys {
			var f naming.Facts
			e.Namer().Facts(k.Name, &f)
			x.Add(k, &f)
		}
	}
	kept, _ := x.Findings()
	budgets := 0
	for i := range kept {
		if kept[i].Rule.Name() == "budget" {
			budgets++
		}
	}
	if budgets != 6 { // keys and memory, of all and of two namespaces
		t.Errorf("%d budgets are exceeded: %+v", budgets, kept)
	}
}

// TestSuggestHostile checks names that no configuration can list, and more namespaces than
// it should.
func TestSuggestHostile(t *testing.T) {
	odd, many := NewKeyspace(":"), NewKeyspace(":")
	for _, name := range []string{"", ":", "a b:1", "'x: y:1", "\xff:1", strings.Repeat("n", 100) + ":1", "{tag}:1", "*:1", "#:1", "a\n:1"} {
		odd.Add(keyOf(name, nil), -1)
	}
	for i := range 1000 {
		many.Add(keyOf(fmt.Sprintf("%x", i*7919), nil), -1)
	}
	for what, s := range map[string]*Keyspace{"odd": odd, "many": many, "none": NewKeyspace(":#")} {
		text := s.Suggest("typed", "x").YAML()
		if _, err := LoadText(Options{Config: "suggested.yaml"}, text); err != nil {
			t.Errorf("%s: %v\n%s", what, err, text)
		}
		if strings.Contains(string(text), "namespaces:\n") {
			t.Errorf("%s: namespaces are listed:\n%s", what, text)
		}
	}
}

func TestMargin(t *testing.T) {
	for n, want := range map[int64]int64{0: 0, 1: 2, 10: 15, 66: 99, 67: 110, 1000: 1500, 1204: 1900} {
		if got := margin(n); got != want {
			t.Errorf("%d: %d, not %d", n, got, want)
		}
	}
}
