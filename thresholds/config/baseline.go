package config

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds"
)

// MaxAccepted is the largest number of entries of a baseline.
const MaxAccepted = maxEntries

// LoadBaseline reads a file of accepted findings: entries like those under ignore in
// a configuration. If it is wrong, the error is of type Errors.
func LoadBaseline(path string) ([]thresholds.Ignore, error) {
	text, err := readFile(path, maxBaseline)
	if err != nil {
		return nil, err
	}
	return readBaseline(path, text)
}

func readBaseline(path string, text []byte) ([]thresholds.Ignore, error) {
	r := &reader{path: path, text: text, limit: maxBaseline, kind: thresholds.FromFile}
	f := r.read(baselineForm())
	for i := range f.ignores {
		f.ignores[i].Baseline = true
	}
	slices.SortStableFunc(f.ignores,
		func(a, b thresholds.Ignore) int { return cmp.Compare(specificity(&b), specificity(&a)) })
	return f.ignores, r.problems()
}

// specificity orders the entries of a baseline: the first that matches counts a finding,
// and patterns of groups overlap. A group matches its own pattern with the most bytes
// that are no wildcards, and of those with the fewest wildcards.
func specificity(in *thresholds.Ignore) int {
	if len(in.Groups) != 1 {
		if len(in.Keys) == 1 {
			return math.MaxInt // accepted by name
		}
		return -1
	}
	wild := strings.Count(in.Groups[0], "*") + strings.Count(in.Groups[0], "?")
	return (len(in.Groups[0])-wild)<<16 - wild
}

const baselineHead = `# Findings that are accepted: rdblens scan --baseline reports only others, and these
# once they are twice as bad as accepted, or twice as many. One entry a line, sorted.
# rdblens baseline update adds what is new, and prune removes what matches nothing.
ignore:
`

// WriteBaseline returns the text of a baseline: sorted, with one entry a line.
func WriteBaseline(list []thresholds.Ignore) []byte {
	lines := make([]string, len(list))
	for i := range list {
		lines[i] = baselineLine(&list[i])
	}
	slices.Sort(lines)
	var b bytes.Buffer
	b.WriteString(baselineHead)
	for _, line := range slices.Compact(lines) {
		b.WriteString(line + "\n")
	}
	return b.Bytes()
}

func baselineLine(in *thresholds.Ignore) string {
	var fields []string
	add := func(name string, words ...string) {
		if len(words) > 1 {
			fields = append(fields, name+": ["+strings.Join(words, ", ")+"]")
		} else if len(words) == 1 {
			fields = append(fields, name+": "+words[0])
		}
	}
	quoted := func(words []string) []string {
		list := make([]string, len(words))
		for i, w := range words {
			list[i] = quoteYAML(w)
		}
		return list
	}
	rules := make([]string, len(in.Names))
	for i, name := range in.Names {
		rules[i] = name
		if _, ok := thresholds.Lookup(name); !ok {
			rules[i] = quoteYAML(name)
		}
	}
	add("rule", rules...)
	if in.Database != nil {
		add("database", strconv.Itoa(*in.Database))
	}
	add("group", quoted(in.Groups)...)
	var keys []string
	for _, g := range in.Keys {
		keys = append(keys, g.String())
	}
	add("key", quoted(keys)...)
	if in.Accepted > 0 {
		add("accepted", strings.ReplaceAll(acceptedFigure(in), ",", ""))
	}
	if in.Findings > 0 {
		add("findings", strconv.FormatInt(in.Findings, 10))
	}
	if in.By != "" {
		add("by", quoteYAML(in.By))
	}
	if day := in.LastDay(); day != "" {
		add("until", day)
	}
	add("reason", quoteYAML(in.Reason))
	return "  - {" + strings.Join(fields, ", ") + "}"
}

// AcceptedText returns the figures that an entry accepts: "12 findings, worst 14 KB".
func AcceptedText(in *thresholds.Ignore) string {
	var parts []string
	if in.Findings > 0 {
		parts = append(parts, message.FormatCountOf(in.Findings, "finding", "findings"))
	}
	if in.Accepted > 0 {
		parts = append(parts, "worst "+acceptedFigure(in))
	}
	return strings.Join(parts, ", ")
}

func acceptedFigure(in *thresholds.Ignore) string {
	return acceptedUnit(in.Rules).Format(in.Accepted)
}

// quoteYAML returns a text in double quotes, with the escapes of YAML for what is not
// printable. Bytes that are not UTF-8 are replaced by ?, which matches any in
// patterns.
func quoteYAML(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i, r := range s {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], "\ufffd"):
			b.WriteByte('?')
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case strconv.IsPrint(r):
			b.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
