package report

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report/internal/redact"
)

// TestNoNameIsLeft puts a name into every field and every message of a report, a comparison
// and a trend: it must be in none afterwards, while figures, types and what is ours stay.
// The document itself does not change.
func TestNoNameIsLeft(t *testing.T) {
	text := func(v any) string {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	by := redact.New("salt", 0)
	r := new(Report)
	fillNames(reflect.ValueOf(r).Elem(), 6)
	before := text(r)
	if n := strings.Count(before, "secret"); n < 100 {
		t.Fatalf("only %d names", n)
	}
	after := text(r.Redacted(by))
	if i := strings.Index(after, "secret"); i >= 0 {
		t.Errorf("the report has ...%s", after[max(0, i-200):min(len(after), i+50)])
	}
	if text(r) != before {
		t.Error("the report was changed")
	}
	d := new(Diff)
	fillNames(reflect.ValueOf(d).Elem(), 6)
	if after := text(d.Redacted(by)); strings.Contains(after, "secret") {
		t.Errorf("the comparison has %s", after)
	}
	trend := &Trend{Reports: []TrendReport{{Report: "secret.json", Time: 5}}, Series: []TrendSeries{{Kind: "group", Name: "secret:*"}, {Kind: "owner", Name: "secret"},
		{Kind: "owner", Name: noOwner}, {Kind: "type", Name: "hash"}, {Kind: "total", Name: "keys"}}}
	got := trend.Redacted(by)
	if s := text(got); strings.Contains(s, "secret") || got.Series[2].Name != noOwner || got.Series[3].Name != "hash" || got.Series[4].Name != "keys" || got.Reports[0].Time != 5 {
		t.Error(s)
	}
	if trend.Series[0].Name != "secret:*" {
		t.Error("the trend was changed")
	}
}

// fillNames sets what can hold a name of somebody else to one that contains "secret", in
// lists and maps with an element each, and everything else that "redact" has no tag for to
// what is ours.
func fillNames(v reflect.Value, depth int) {
	switch t := v.Type(); {
	case t == reflect.TypeFor[message.Message]():
		v.Set(reflect.ValueOf(message.New("{a} {b} {c} {d} {e}", message.Name("a", "secret"), message.Element("b", "secret"), message.Path("c", "secret"),
			message.Foreign("d", "secret"), message.Phrase("e", message.New("GET {key}", message.Name("key", "secret"))))))
	case t == reflect.TypeFor[Name]():
		v.SetString("a:secret")
	case t.Kind() == reflect.Pointer && depth > 0:
		v.Set(reflect.New(t.Elem()))
		fillNames(v.Elem(), depth-1)
	case t.Kind() == reflect.Slice && depth > 0:
		v.Set(reflect.MakeSlice(t, 1, 1))
		fillNames(v.Index(0), depth-1)
	case t.Kind() == reflect.Map && depth > 0:
		element := reflect.New(t.Elem()).Elem()
		fillNames(element, depth-1)
		v.Set(reflect.MakeMap(t))
		v.SetMapIndex(reflect.ValueOf("memory_bytes"), element)
	case t.Kind() == reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			if !f.IsExported() || f.Type.Kind() == reflect.Func || f.Type == reflect.TypeFor[*Redaction]() {
				continue
			}
			fillNames(v.Field(i), depth)
			list := v.Field(i).Kind() == reflect.Slice && v.Field(i).Len() > 0 && v.Field(i).Index(0).Kind() == reflect.String
			if rule := f.Tag.Get("redact"); rule != "" && (list || v.Field(i).Kind() == reflect.String) {
				to := v.Field(i)
				if list {
					to = to.Index(0)
				}
				to.SetString("the secret")
			}
		}
	}
}

// TestRedactedFields checks what redaction leaves: figures, types, known modules, the digits
// of versions, standard input, and hashes that agree between fields and sentences.
func TestRedactedFields(t *testing.T) {
	by := redact.New("salt", 100)
	key := KeyRow{Key: "user:1", Type: "hash", Owner: "team", LargestElement: np("field"), Memory: 7}
	text := message.New("{key} is {n} bytes long", message.Name("key", "user:1"), message.Int("n", 5))
	r := &Report{Config: Config{Profile: "aliyun", Separators: ":"}, Groups: []Group{{Group: "user:*", Keys: 100}, {Group: "order:*", Keys: 99}},
		Inputs: []Input{{Name: "-", ServerVersion: "7.0.1-x", Modules: []Module{{Name: "mine"}, {Name: "ReJSON-RL"}, {Name: "(other)"}}, LoadableBy: Loadable{Modules: []Name{"mine"}}}},
		Rules: []Finding{{Rule: "no-ttl", Title: "title", Examples: []Example{{KeyRow: &key, Text: text.String(), Message: text, Advice: []Advice{{Text: "x",
			Commands: []string{`TYPE "user:1"`}, CommandMessages: []message.Message{message.New("TYPE {key}", message.Name("key", "user:1"))}}}}}}}}
	got := r.Redacted(by)
	e := &got.Rules[0].Examples[0]
	hash := string(e.Key)[len("user:"):]
	if len(hash) != 13 || e.Text != "user:"+hash+" is 5 bytes long" || e.Advice[0].Commands[0] != `TYPE "user:`+hash+`"` || got.Groups[0].Group != "user:*" || got.Groups[1].Group == "order:*" {
		t.Errorf("%+v", e)
	}
	in := &got.Inputs[0]
	if in.Name != "-" || !strings.HasPrefix(string(in.ServerVersion), "7.0.1-h") || in.Modules[0].Name == "mine" || in.Modules[0].Name != in.LoadableBy.Modules[0] ||
		in.Modules[1].Name != "ReJSON-RL" || in.Modules[2].Name != "(other)" || e.Owner == "team" || e.Memory != 7 || *e.LargestElement == "field" || got.Config.Profile != "aliyun" {
		t.Errorf("%+v", in)
	}
	if r := got.Redaction; fmt.Sprint(r.Words) != "[user]" || r.MinKeys != 100 || r.Salt == "" {
		t.Errorf("%+v", r)
	}
	// A sentence of an older report has no message: it is replaced as a whole.
	old := &Report{Inputs: []Input{{Warnings: []string{"a sentence"}}}}
	if w := old.Redacted(by).Inputs[0].Warnings[0]; len(w) != 13 {
		t.Error(w)
	}
}
