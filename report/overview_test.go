package report

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rdblens/rdblens/parser/memory"
	"github.com/rdblens/rdblens/report/language"
	"github.com/rdblens/rdblens/report/text"
	"github.com/rdblens/rdblens/thresholds/config"
)

// extremeReport returns a report with far more of everything than an overview can
// show, and long names.
func extremeReport() *Report {
	r := ordinaryReport()
	r.Complete = false
	long := strings.Repeat("very:long:name:", 60)
	for i := range 200 {
		in := r.Inputs[0]
		in.Name = Name(fmt.Sprintf("%s%d.rdb", long, i))
		in.Complete, in.Ended = false, i%3 == 0
		in.Warnings = []string{strings.Repeat("something is odd ", 50)}
		in.Error = &Damage{Offset: Figure(i%2*100 - 1), Reason: strings.Repeat("the reason is long ", 40)}
		r.Inputs = append(r.Inputs, in)
	}
	r.Config.Warnings = r.Inputs[1].Warnings
	r.Filter = &Filter{Match: slices.Repeat([]string{long}, 20), Dropped: 1}
	for i := range 60 {
		f := r.Rules[i%3]
		f.Rule = []string{"big-collection", "big-string", "no-ttl", "cold-key", "key-charset"}[i%5]
		f.Examples = slices.Clone(f.Examples)
		k := *r.Rules[0].Examples[0].KeyRow
		k.Key = Name(fmt.Sprintf("%s%d", long, i))
		f.Examples[0].KeyRow = &k
		f.Examples[0].Text = strings.Repeat("is over every limit ", 30)
		f.Groups = []FindingGroup{{Group: k.Key, Count: 1000, ValueBytes: 10_000, MemoryBytes: 1_000_000, SavedBytes: 500_000}}
		r.Rules = append(r.Rules, f)
		r.Groups = append(r.Groups, Group{Group: k.Key, Type: "string", Keys: 1_000_000, ValueBytes: 1_000_000, MemoryBytes: 100_000_000, NameBytes: 900_000_000,
			WithoutTTL: 1_000_000, MemoryWithoutTTL: 100_000_000, Owner: long, LargestKey: &k})
		r.Top[ByMemory] = append(r.Top[ByMemory], k)
	}
	return r
}

// TestScreen checks that the report has at most 60 lines on a terminal of 80 columns
// and more, none of them wider, whatever the snapshot.
func TestScreen(t *testing.T) {
	reports := append(cannedReports(), cannedReport{"extreme", extremeReport()})
	policy, err := config.Load(config.Options{})
	if err != nil {
		t.Fatal(err)
	}
	snapshots := 0
	filepath.WalkDir("../testdata", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if strings.HasSuffix(path, ".rdb") || strings.HasSuffix(path, ".rdb.gz") {
			r, _ := Scan(context.Background(), []Source{FileSource(path)}, policy, Options{Top: 20})
			reports = append(reports, cannedReport{path, r})
			snapshots++
		}
		return nil
	})
	if snapshots < 20 {
		t.Errorf("%d snapshots found", snapshots)
	}
	for _, c := range reports {
		for _, width := range []int{80, 100, 160, 0, -80, -100} { // below 0 in Chinese
			o := WriteOptions{Width: width, Now: time.Unix(1772330000, 0)}
			if width < 0 {
				width, o.Width, o.Language = -width, -width, language.Chinese
			}
			var b bytes.Buffer
			if err := Write("table", &b, c.report, o); err != nil {
				t.Fatal(err)
			}
			out := b.String()
			if n := strings.Count(out, "\n"); n > screenLines {
				t.Errorf("%s: %d lines in %d columns:\n%s", c.name, n, width, out)
			}
			for line := range strings.Lines(out) {
				if line = strings.TrimSuffix(line, "\n"); width > 0 && text.Width(line) > width && c.name != "hostile" {
					t.Errorf("%s: %d columns in %d: %s", c.name, text.Width(line), width, line)
				}
			}
		}
		if n := bytes.Count(render(t, "summary", c.report, 0), []byte("\n")); n > summaryLines {
			t.Errorf("%s: %d lines of summary", c.name, n)
		}
	}
}

// TestScreenSaysWhatIsWrong checks that damage comes before everything else.
func TestScreenSaysWhatIsWrong(t *testing.T) {
	for _, format := range []string{"table", "details", "summary", "markdown"} {
		out := strings.TrimLeft(string(render(t, format, fleetReport(), 100)), "\n> *")
		if !strings.HasPrefix(out, "INCOMPLETE: ") {
			t.Errorf("%s begins with %.80q", format, out)
		}
	}
}

// TestNamesInFiles checks that a file has names of 1,024 bytes uncut, as the last
// cell of their line.
func TestNamesInFiles(t *testing.T) {
	r := ordinaryReport()
	name := strings.Repeat("k", 1024)
	r.Top[ByMemory][0].Key = Name(name)
	for _, format := range []string{"table", "details"} {
		if out := string(render(t, format, r, 0)); !strings.Contains(out, " "+name+"\n") {
			t.Errorf("%s: the name is cut, or not last", format)
		}
	}
}

// TestColor checks that severities are coloured, and nothing else moves.
func TestColor(t *testing.T) {
	var colored, bare bytes.Buffer
	for _, w := range []*bytes.Buffer{&colored, &bare} {
		if err := Write("table", w, fleetReport(), WriteOptions{Width: 100, Color: w == &colored}); err != nil {
			t.Fatal(err)
		}
	}
	out := colored.String()
	for _, want := range []string{red + "INCOMPLETE: ", red + "error" + plain, yellow + "warning" + plain} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q", want)
		}
	}
	if got := regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(out, ""); got != bare.String() {
		t.Errorf("without colours it differs:\n%s", got)
	}
}

// TestTicketLimit checks that a ticket has at most the bytes that it may have, and
// says what it leaves out.
func TestTicketLimit(t *testing.T) {
	combining := ordinaryReport()
	for i := range combining.Top[ByMemory] {
		combining.Top[ByMemory][i].Key = Name("e" + strings.Repeat("\u0301", 30_000))
	}
	for _, c := range append(cannedReports(), cannedReport{"extreme", extremeReport()}, cannedReport{"combining", combining}) {
		for _, limit := range []int{MinLimitBytes, 6000, 10_000, 32_767, 60_000} {
			var b bytes.Buffer
			if err := Write("markdown", &b, c.report, WriteOptions{LimitBytes: limit, Command: "rdblens scan " + strings.Repeat("x", 10_000)}); err != nil {
				t.Fatal(err)
			}
			if b.Len() > limit {
				t.Errorf("%s: %d bytes, limit %d", c.name, b.Len(), limit)
			}
			if c.name == "extreme" && !strings.Contains(b.String(), "Left out to stay within ") {
				t.Errorf("%s, limit %d: does not say what is left out:\n%s", c.name, limit, b.String())
			}
		}
	}
}

// markdownNames are names that would be something else in Markdown.
var markdownNames = []string{"a|b", `a\|b`, `a\\|b`, "`x`", "``", "```", "a`|`b", "@octocat", "mail@example.com", "</details>", "<summary>", "<!--", "<img src=x>", "</code>",
	"[x](http://evil.example)", "http://evil.example", "https://evil.example/a", "www.evil.example", "ftp://evil.example", "![x](y)", "[[x]]", "#1", "GH-1", "group/project!1", "o/r#1",
	"~label", "**b**", "__b__", "~~s~~", "$`a^2`$", "$a$", ":tada:", "&lt;b&gt;", "&#64;octocat", "---", "| --- |", "1. x", "- x", "+ x", "# x", "> x", "\\", "a\nb", "a\r\n| b |", " x ", "%1", "&1",
	"0123456789abcdef0123456789abcdef01234567", "x -->", "{{x}}", "用户@名"}

// TestTicketNames checks that names in a ticket are code or plain words: they cannot
// break a table, mention anybody, open or close a tag, or make a link.
func TestTicketNames(t *testing.T) {
	code := regexp.MustCompile("`[^`\n]*`")
	ours := regexp.MustCompile(`</?details>|<summary>[A-Za-z, ]*</summary>|&[lg]t;[0-9.%]*`)
	harmful := regexp.MustCompile("[@<\\[\\]`~$&|\\\\]|://|(?i)www\\.|gh-|#[0-9]|![0-9]|\\b[0-9a-f]{40}\\b|:tada:|__|\\{\\{")
	for _, name := range markdownNames {
		r := ordinaryReport()
		for i := range r.Top[ByMemory] {
			r.Top[ByMemory][i].Key, r.Top[ByMemory][i].LargestElement = Name(name), np(name)
		}
		for i := range r.Groups {
			r.Groups[i].Group, r.Groups[i].Owner = Name(name), text.Sanitize(name)
		}
		for i := range r.Rules {
			f := &r.Rules[i]
			for j := range f.Groups {
				f.Groups[j].Group = Name(name)
			}
			for j := range f.Examples {
				f.Examples[j].Text = "element " + Name(name).Display() + " of " + text.Sanitize(name) + ", over 1"
				f.Examples[j].Advice = []Advice{{Kind: "look", Text: "Look at " + Name(name).Display() + "."}}
				f.Examples[j].Subject = Name(name)
				if f.Examples[j].KeyRow != nil {
					k := *f.Examples[j].KeyRow
					k.Key = Name(name)
					f.Examples[j].KeyRow = &k
				}
			}
		}
		for i := range r.CanGo {
			g := &r.CanGo[i]
			g.Group, g.Prefix, g.Owner, g.List = Name(name), Name(name), text.Sanitize(name), []string{"rdblens", "keys", "--group", name}
		}
		for i := range r.ExpiresNext {
			for j := range r.ExpiresNext[i].Prefixes {
				r.ExpiresNext[i].Prefixes[j].Prefix = Name(name)
			}
		}
		in := &r.Inputs[0]
		in.Name, in.Warnings, in.Frames = Name(name), []string{"about " + Name(name).Display()}, []string{text.Sanitize(name)}
		in.Error = &Damage{Offset: 5, Reason: "length of " + Name(name).Display(), Key: np(name), LastKey: np(name)}
		var b bytes.Buffer
		if err := Write("markdown", &b, r, WriteOptions{Command: "rdblens scan " + name}); err != nil {
			t.Fatal(err)
		}
		pipes, inTable, block := 0, false, false
		for line := range strings.Lines(b.String()) {
			line = strings.TrimSuffix(line, "\n")
			if block = block != (line == "```"); block || line == "```" {
				if line != "```" && !strings.HasPrefix(line, "rdblens keys ") {
					t.Errorf("%q: in a block of commands: %s", name, line)
				}
				continue
			}
			bare := ours.ReplaceAllString(code.ReplaceAllString(line, "C"), "T")
			if table := strings.HasPrefix(line, "| "); table {
				if n := strings.Count(bare, "|"); inTable && n != pipes {
					t.Errorf("%q: %d cells, the title has %d: %s", name, n, pipes, line)
				} else {
					pipes = n
				}
				if strings.Contains(code.FindString(line), "|") {
					t.Errorf("%q: a bar in code splits the cell: %s", name, line)
				}
				bare = strings.ReplaceAll(bare, "|", "")
				inTable = true
			} else {
				inTable = false
				bare = strings.TrimPrefix(bare, "> **")
			}
			if found := harmful.FindString(bare); found != "" {
				t.Errorf("%q: %q in %s", name, found, line)
			}
		}
		if n := strings.Count(b.String(), "<details>"); n == 0 || n != strings.Count(b.String(), "\n</details>\n") {
			t.Errorf("%q: %d details are open", name, n)
		}
	}
}

// TestWhatIf checks predictions against scans with --server, and that
// the allocator that a server had is found: redis-server of Debian wrote the file.
func TestWhatIf(t *testing.T) {
	policy, err := config.Load(config.Options{})
	if err != nil {
		t.Fatal(err)
	}
	sources := []Source{FileSource("../testdata/shop.rdb")}
	r, err := Scan(context.Background(), sources, policy, Options{WhatIf: NewestServers()})
	if err != nil {
		t.Fatal(err)
	}
	list := r.Inputs[0].Memory.WhatIf
	if len(list) != 6 {
		t.Errorf("%d predictions, want three allocators, a restart and two servers: %+v", len(list), list)
	}
	for _, w := range list {
		direct, err := Scan(context.Background(), sources, policy, Options{Memory: memory.Options{Server: w.Model, Allocator: w.Allocator, State: w.State}})
		if err != nil {
			t.Fatal(err)
		}
		// The memory of the 12 expired keys is that of the first model.
		if m := direct.Inputs[0].Memory; max(m.Predicted-w.Predicted, w.Predicted-m.Predicted) > 12*64 {
			t.Errorf("%+v, a scan for it says %d", w, m.Predicted)
		}
	}
	if m := r.Inputs[0].Memory; m.Allocator != "jemalloc-system" { // found without what-if
		t.Error(m.Allocator)
	}
}

// TestProblems checks that the findings of each severity of a rule have a row of their own, and that
// those which the team raised come first.
func TestProblems(t *testing.T) {
	r := &Report{Complete: true, Config: Config{Profile: "default"}, Totals: Totals{Keys: 100, MemoryBytes: 1 << 20}, Passed: []string{"no-ttl"}}
	finding := func(rule, severity string, count int64, raised bool) Finding {
		return Finding{Rule: rule, Severity: severity, Count: count, ValueBytes: 10, MemoryBytes: 300, Raised: raised,
			Examples: []Example{{KeyRow: &KeyRow{Key: Name("the " + severity)}, Measured: 20, Limit: 10, Text: "over"}}}
	}
	r.Rules = []Finding{finding("big-collection", "error", 1, false), finding("big-string", "error", 2, false), finding("key-length", "error", 3, true), finding("big-string", "warning", 8, true), finding("budget", "info", 1, true)}
	v := newOverview(r, WriteOptions{})
	var got []string
	for _, p := range v.problems {
		got = append(got, fmt.Sprintf("%s %s %d", p.Severity, p.Rule, p.keyCount()))
	}
	if want := []string{"error key-length 3", "error big-collection 1", "error big-string 2", "warning big-string 8", "info budget 1"}; !slices.Equal(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
	if got := english(r.judgedText()); got != "profile default: 1 of 5 rules found nothing" {
		t.Error(got)
	}
	if page := string(render(t, "html", r, 0)); !strings.Contains(page, "the error") || !strings.Contains(page, "the warning") {
		t.Error("the page lacks one of the findings")
	}
}

// TestUselessIgnores checks that the screen names ignores which can be removed.
func TestUselessIgnores(t *testing.T) {
	r := &Report{Complete: true, Ignored: []Ignored{{Rule: "no-ttl", Pattern: "a:*", Count: 3}}}
	screen := func() string { return string(render(t, "table", r, 200)) }
	if strings.Contains(screen(), "Ignores") {
		t.Error("an ignore in use is named")
	}
	for i := range 5 {
		r.Ignored = append(r.Ignored, Ignored{Rule: "no-ttl", Pattern: fmt.Sprintf("unused%d:*", i), Unused: i > 0, Expired: i == 0})
	}
	if s := screen(); !strings.Contains(s, "Ignores that have ended or matched nothing: no-ttl unused0:*, no-ttl unused1:*, no-ttl unused2:* and 2 more\n") {
		t.Error(s)
	}
}

func TestDirectory(t *testing.T) {
	for _, c := range []struct {
		want   string
		inputs []string
	}{
		{"", nil}, {"", []string{"/a/b.rdb"}}, {"/a/", []string{"/a/b.rdb", "/a/c.rdb"}}, {"/a/", []string{"/a/b/c.rdb", "/a/bb/c.rdb", "/a/b.rdb"}},
		{"", []string{"a.rdb", "ab.rdb"}}, {"/", []string{"/a.rdb", "/b/c.rdb"}}, {"", []string{"-", "/a.rdb"}}, {"a/", []string{"a/", "a/b"}}, {"", []string{"a/b", "a"}},
	} {
		r := new(Report)
		for _, name := range c.inputs {
			r.Inputs = append(r.Inputs, Input{Name: Name(name)})
		}
		if got := r.directory(); got != c.want {
			t.Errorf("%q are in %q, want %q", c.inputs, got, c.want)
		}
	}
}

// TestRoughDuration checks the largest unit at the bounds of units.
func TestRoughDuration(t *testing.T) {
	for seconds, want := range map[int64]string{-1: "expired", -86400: "expired", 0: "0s", 1: "1s", 59: "59s", 60: "1m", 61: "1m", 3599: "59m",
		3600: "1h", 7199: "1h", 86399: "23h", 86400: "1d", 86401: "1d", 2*86400 - 1: "1d", 2 * 86400: "2d"} {
		if got := english(RoughDuration(seconds)); got != want {
			t.Errorf("%d s are %s, want %s", seconds, got, want)
		}
	}
}

// TestGroupOfPlace checks that a row has the group of its own name, and otherwise the one with most of its name.
func TestGroupOfPlace(t *testing.T) {
	groups := []Group{{Group: "crawl:*"}, {Group: "crawl:*:*"}, {Group: "crawl:*:done"}}
	for name, want := range map[Name]Name{"crawl:*:done": "crawl:*:done", "crawl:*": "crawl:*", "crawl:7:jobs": "crawl:*:*"} {
		if g := groupOfPlace(groups, name, false, 0); g == nil || g.Group != want {
			t.Errorf("%s: %v, want %s", name, g, want)
		}
	}
}
