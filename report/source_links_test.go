package report

import (
	"strings"
	"testing"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report/internal/redact"
)

// TestSourceLinks checks that the line of a group's source is a link in tickets and on the
// page, that no address ends the link or a cell of a table, and that redaction drops it.
func TestSourceLinks(t *testing.T) {
	for _, c := range []struct{ url, markdown, html string }{
		{"https://git.example/a/b.go#L7", "[`a b`](https://git.example/a/b.go#L7)", `<a href="https://git.example/a/b.go#L7"><code class="name">a b</code></a>`},
		{"https://x/) [y](z|\"><b>", "[`a b`](https://x/%29%20%5By%5D%28z%7C%22%3E%3Cb%3E)", `<a href="https://x/) [y](z|&#34;&gt;&lt;b&gt;"><code class="name">a b</code></a>`},
		{"javascript:alert(1)", "`a b`", `<code class="name">a b</code>`},
		{"", "`a b`", `<code class="name">a b</code>`},
	} {
		m := message.New("{place}", message.Link("place", "a b", c.url))
		if got := markdownStyle(nil).sentence(m); got != c.markdown {
			t.Errorf("%q in a ticket is %s, want %s", c.url, got, c.markdown)
		}
		if got := newHTMLStyle(WriteOptions{}).languages[0].sentence(m); got != c.html {
			t.Errorf("%q on the page is %s, want %s", c.url, got, c.html)
		}
		if got := markdownStyle(nil).sentence(redact.New("salt", 0).Message(m)); c.url != "" && strings.Contains(got, c.url) || strings.Contains(got, "](") {
			t.Errorf("%q is redacted as %s", c.url, got)
		}
	}
}

// TestSourceOfSteps checks that a step about keys without a TTL says whether the line sets one, as the
// steps that a real report has are called.
func TestSourceOfSteps(t *testing.T) {
	for kind, want := range map[string]string{
		"expire": "Write it. Written at a.go:7 (writes without an expiry).", "ttl": "Write it. Written at a.go:7 (writes without an expiry).",
		"split": "Write it. Written at a.go:7.",
	} {
		r := &Report{Groups: []Group{{Group: "cart:*", Source: []SourceLine{{File: "a.go", Line: 7, Expiry: "none"}}}}}
		s := &Step{Advice: Advice{Kind: kind, Text: "Write it."}, Group: "cart:*"}
		if got := r.withSource(s).String(); got != want {
			t.Errorf("%s: %q, want %q", kind, got, want)
		}
	}
}
