package thresholds

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/format"
	"github.com/rdblens/rdblens/parser/message"
)

// formats returns what sets the formats of a key.
func formats(list ...format.Format) func(*parser.Key) {
	return func(k *parser.Key) {
		k.Formats = 0
		for _, f := range list {
			k.Formats.Add(f)
		}
	}
}

func init() {
	const forbidden = "rules: {value-format: {error: {forbidden: [java, php]}}}"
	const json = "rules: {value-format: {warning: {allowed: json}}}"
	const text = "overrides: [{key: 'a:*', rules: {value-format: {info: {allowed: [text]}}}}]"
	hash := collection(parser.Hash, parser.EncListpack, 2)
	ruleCases["value-format"] = []ruleCase{
		{key: key("a:1", formats(format.Java)), want: "-----"},
		{key: key("a:1", formats(format.Java)), want: "eeeee", config: forbidden}, {key: key("a:1", formats(format.Text)), want: "-----", config: forbidden},
		{key: key("a:1", with(hash, formats(format.Text, format.PHP))), want: "eeeee", config: forbidden}, {key: key("a:1", formats()), want: "-----", config: forbidden},
		{key: key("a:1", formats(format.JSON)), want: "-----", config: json}, {key: key("a:1", formats(format.Number)), want: "-----", config: json},
		{key: key("a:1", formats(format.Text)), want: "wwwww", config: json}, {key: key("a:1", formats()), want: "-----", config: json},
		{key: key("a:1", formats(format.JSON, format.Number, format.Text)), want: "-----", config: text}, {key: key("a:1", formats(format.Pickle)), want: "iiiii", config: text},
		{key: key("b:1", formats(format.Pickle)), want: "-----", config: text},
		{key: key("a:1", formats(format.Protobuf)), want: "wwwww", config: "rules: {value-format: {warning: {allowed: [json]}, error: {forbidden: java}}}"},
		{key: key("a:1", formats(format.Java)), want: "eeeee", config: "rules: {value-format: {warning: {allowed: [json]}, error: {forbidden: java}}}"},
	}
	longest := func(n int64) func(*parser.Key) {
		return with(hash, func(k *parser.Key) { k.LongestField = n })
	}
	const limits = "rules: {field-name-length: {warning: 24, error: 40B}}"
	ruleCases["field-name-length"] = []ruleCase{
		{key: key("a:1", longest(500)), want: "-----"},
		{key: key("a:1", longest(24)), want: "-----", config: limits}, {key: key("a:1", longest(25)), want: "wwwww", config: limits},
		{key: key("a:1", longest(40)), want: "wwwww", config: limits}, {key: key("a:1", longest(41)), want: "eeeee", config: limits},
		{key: key("a:1", func(k *parser.Key) { k.LongestField = -1 }), want: "-----", config: "rules: {field-name-length: {error: 0}}"},
	}
}

// TestValuesOfServers judges values and field names that a server saved, which the names
// of their keys state.
func TestValuesOfServers(t *testing.T) {
	file, err := os.Open("../testdata/rules/values.rdb.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	p := mustLoad(t, LoadOptions{Config: writeConfig(t, "rules: {value-format: {error: {forbidden: ["+strings.Join(format.Names(), ", ")+"]}}, field-name-length: {error: 40B}}")})
	e := p.Compile(testEnv())
	src, err := parser.Wrap(file)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	check := func(k *parser.Key) {
		words := strings.Split(string(k.Name), ":")
		subject := SubjectOf(k)
		text := ""
		for _, f := range e.Check(k, facts(e, k), nil) {
			if name := f.Rule.Name(); name == "value-format" || name == "field-name-length" {
				text += e.Text(f, &subject).String()
			}
		}
		seen[words[0]+" "+words[len(words)-1]]++
		want := "format " + words[1] + " is forbidden"
		switch n, _ := strconv.Atoi(words[2]); {
		case words[0] == "field":
			if want = "an element in format text, which is forbidden"; n > 40 {
				want = "a field name of " + message.FormatCount(int64(n)) + " bytes, over 40 B" + want
			}
		case k.Type != parser.String:
			want = "an element in format " + words[1] + ", which is forbidden"
		case words[2] == "long": // spaces behind it
			if !slices.Contains([]string{"json", "java", "php", "gzip", "zlib", "zstd", "lz4", "snappy", "pickle", "image", "text"}, words[1]) {
				return
			}
		}
		if text != want {
			t.Errorf("%s: %q, not %q", k.Name, text, want)
		}
	}
	if _, err := parser.Run(t.Context(), src, parser.Options{Details: p.Details(), Jobs: 1}, func() parser.Sink { return checkSink(check) }); err != nil {
		t.Fatal(err)
	}
	if seen["format string"] != 31 || seen["format stream"] != 15 || seen["field 41"] != 3 {
		t.Error(seen)
	}
}

type checkSink func(k *parser.Key)

func (s checkSink) Key(k *parser.Key) { s(k) }
func (checkSink) Size() int           { return 0 }
func (checkSink) Flush(bool) error    { return nil }
