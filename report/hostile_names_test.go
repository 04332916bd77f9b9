package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"html"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report/language"
	"github.com/rdblens/rdblens/report/text"
)

// sentences returns 300 sentences of the catalogue that a screen shows whole.
func sentences(t *testing.T) []string {
	t.Helper()
	data, err := os.ReadFile("language/zh.json")
	if err != nil {
		t.Fatal(err)
	}
	var entries map[string]string
	if err := json.Unmarshal(data, &entries); err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, s := range slices.Sorted(maps.Keys(entries)) {
		if len(s) <= 50 && !strings.ContainsAny(s, "\n") {
			list = append(list, s)
		}
	}
	if len(list) < 300 {
		t.Fatalf("%d sentences", len(list))
	}
	for i := range 300 {
		list[i] = list[i*len(list)/300]
	}
	return list[:300]
}

// TestNamesAreNoSentences checks that names which are sentences of the catalogue, alone and
// in sentences, stay as they are in both languages and every format: whole, not translated,
// and without marks of their own.
func TestNamesAreNoSentences(t *testing.T) {
	names := sentences(t)
	r := &Report{Complete: true, By: ByMemory, Config: Config{Profile: "default", Separators: ":"}, Totals: Totals{Keys: 600, MemoryBytes: 6000, ValueBytes: 10},
		Types: []TypeRow{{Type: "string", Keys: 600, MemoryBytes: 6000}}, Top: map[string][]KeyRow{},
		Inputs: []Input{{Name: Name(names[0]), Format: "REDIS", RDBVersion: 9, Created: Unknown, UsedMem: Unknown, Complete: true, Ended: true}}}
	f := Finding{Rule: "no-ttl", Severity: "warning", Count: 300, MemoryBytes: 5}
	for i, name := range names {
		k := KeyRow{Key: Name(name), Type: "string", Memory: Figure(1000 - i), ValueBytes: 5, Offset: int64(i), LargestElement: new(Name(name)), Group: Name(name), Owner: name}
		r.Top[ByMemory] = append(r.Top[ByMemory], k)
		r.Groups = append(r.Groups, Group{Group: Name(name), Keys: 2, MemoryBytes: 20, LargestKey: &k, Owner: name})
		m := message.New("{key}: {n} elements", message.Name("key", name), message.Int("n", 5))
		f.Examples = append(f.Examples, Example{KeyRow: &k, Measured: 5, Limit: 4, Text: m.String(), Message: m})
	}
	r.Rules = []Finding{f}
	for _, l := range []language.Language{language.English, language.Chinese} {
		write := func(format string) string {
			var b bytes.Buffer
			if err := Write(format, &b, r, WriteOptions{Language: l, LimitBytes: 10 << 20, Sections: []string{"keys", "groups", "findings"}}); err != nil {
				t.Fatal(err)
			}
			return b.String()
		}
		// Each key is in a table alone, and as it is.
		details, ticket, page := write("details"), write("markdown"), write("html")
		for _, name := range names {
			shown := text.Display([]byte(name))
			for format, has := range map[string]bool{
				"details":  strings.Contains(details, "  "+shown),
				"markdown": strings.Contains(ticket, "| "+text.MarkdownCode(shown)+" |"),
				"html":     strings.Contains(page, `<td class="name" dir="auto">`+escapedHTML(shown)+"</td>"),
			} {
				if !has {
					t.Errorf("%s, %s: no whole %q", l, format, name)
				}
			}
		}
		// In a sentence it is marked, and nothing of it is a part of the sentence.
		c := l.Catalogue()
		elements := map[language.Language]string{language.English: " elements", language.Chinese: " 个元素"}[l]
		htmlStyle := newHTMLStyle(WriteOptions{}).languages[0]
		if l == language.Chinese {
			htmlStyle = newHTMLStyle(WriteOptions{}).languages[1]
		}
		for _, name := range names {
			shown := text.Display([]byte(name))
			quoted := shown
			if strings.Contains(shown, " ") {
				quoted = `"` + strings.ReplaceAll(shown, `"`, `\x22`) + `"`
			}
			m := message.New("{key}: {elements}", message.Name("key", name), message.Number("elements", 5, "1 element", "{n} elements"))
			colon := map[language.Language]string{language.English: ": ", language.Chinese: "："}[l]
			if _, known := language.Chinese.Catalogue().Lookup(m.ID); !known {
				colon = ": "
			}
			for got, want := range map[string]string{
				textStyle(c).line(m):         quoted + colon + "5" + elements,
				markdownStyle(c).sentence(m): text.MarkdownCode(shown) + colon + "5" + elements,
				htmlStyle.sentence(m):        `<code class="name">` + strings.ReplaceAll(escapedHTML(shown), "&#43;", "+") + `</code>` + colon + "5" + elements,
			} {
				if strings.ReplaceAll(got, "&#43;", "+") != want {
					t.Errorf("%s: %q, want %q", l, got, want)
				}
			}
		}
	}
	// Formats for programs have the bytes.
	var b bytes.Buffer
	if err := Write("json", &b, r, WriteOptions{Language: language.Chinese}); err != nil {
		t.Fatal(err)
	}
	back, err := Read(&b)
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range names {
		if e := back.Rules[0].Examples[i]; string(back.Top[ByMemory][i].Key) != name || e.Message.Args[0].Text != name || string(back.Groups[i].Group) != name {
			t.Errorf("%q came back as %q", name, e.Message)
		}
	}
	for format, column := range map[string]int{"csv": 3, "groups.csv": 0, "findings.csv": 9} {
		b.Reset()
		if err := Write(format, &b, r, WriteOptions{Language: language.Chinese}); err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(&b).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for i, name := range names {
			if cell, err := text.Unescape([]byte(rows[i+1][column])); err != nil || string(cell) != name {
				t.Errorf("%s: %q is %q", format, name, rows[i+1][column])
			}
		}
	}
}

func escapedHTML(s string) string {
	return strings.NewReplacer("&#34;", "&#34;", "&#39;", "&#39;").Replace(html.EscapeString(s))
}

// TestFiltersInChinese checks each combination of two and three conditions of a filter: each
// condition is there, said as it is alone, and no word of it is English.
func TestFiltersInChinese(t *testing.T) {
	n := func(v int64) *int64 { return &v }
	conditions := []struct {
		set  func(f *Filter)
		want string
	}{
		{func(f *Filter) { f.Types = []string{"string"} }, "string 类型"},
		{func(f *Filter) { f.Databases = []int{0, 15} }, "DB 0 或 15 中"},
		{func(f *Filter) { f.Match = []string{"user:*"} }, "匹配 user:*"},
		{func(f *Filter) { f.Regex = []string{"^a"} }, "匹配正则表达式 ^a"},
		{func(f *Filter) { f.Owners = []string{"checkout"} }, "负责人为 checkout"},
		{func(f *Filter) { f.MinSize = 1024 }, "value 不小于 1,024 字节"},
		{func(f *Filter) { f.MaxSize = n(1) }, "value 不大于 1 字节"},
		{func(f *Filter) { f.MinElements = 5 }, "不少于 5 个元素"},
		{func(f *Filter) { f.MaxElements = n(1) }, "不多于 1 个元素"},
		{func(f *Filter) { f.NoTTL = true }, "未设过期时间"},
		{func(f *Filter) { f.TTLUnder = n(3600) }, "剩余过期时间短于 1 小时"},
		{func(f *Filter) { f.TTLOver = n(86400) }, "剩余过期时间长于 1 天"},
		{func(f *Filter) { f.IdleOver = n(60) }, "空闲超过 1 分钟"},
	}
	glossary := []string{"string", "DB", "user", "checkout", "value", "key", "a"}
	style := textStyle(language.Chinese.Catalogue())
	combinations := 0
	check := func(numbers ...int) {
		f := &Filter{Dropped: 183630}
		var want []string
		for _, i := range numbers {
			conditions[i].set(f)
			want = append(want, conditions[i].want)
		}
		got := style.line(filterAlert(f))
		list := strings.Join(want, "、")
		if list[len(list)-1] < 0x80 {
			list += " " // between a Latin letter or mark and a Chinese character
		}
		if expected := "已过滤：仅统计 " + list + "的 key，其余 183,630 个 key 不计入以下结果。"; strings.Replace(got, "仅统计 ", "仅统计", 1) != strings.Replace(expected, "仅统计 ", "仅统计", 1) {
			t.Errorf("%q, want %q", got, expected)
		}
		for _, word := range strings.FieldsFunc(got, func(r rune) bool { return r >= 0x80 || !unicode.IsLetter(r) }) {
			if !slices.Contains(glossary, word) {
				t.Errorf("%q has the English word %q", got, word)
			}
		}
		combinations++
	}
	for i := range conditions {
		for j := i + 1; j < len(conditions); j++ {
			check(i, j)
			for k := j + 1; k < len(conditions); k++ {
				check(i, j, k)
			}
		}
	}
	if combinations != 78+286 {
		t.Errorf("%d combinations", combinations)
	}
	if got := style.line(filterAlert(&Filter{Types: []string{"string"}, NoTTL: true, Dropped: 183630})); got != "已过滤：仅统计 string 类型、未设过期时间的 key，其余 183,630 个 key 不计入以下结果。" {
		t.Error(got)
	}
}
