package config

import (
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds"
)

// SourceURL is an example of the address of a line of source code.
const SourceURL = "https://git.example/shop/blob/main/{path}#L{line}"

// CheckSourceURL returns the problem with the address of a line of source code, nil if it has
// none.
func CheckSourceURL(url string) error {
	if !strings.HasPrefix(url, "https://") && !strings.HasPrefix(url, "http://") || !strings.Contains(url, "{path}") {
		return message.Errorf("{url} is no address with {hole}", message.Element("url", url), message.Code("hole", "{path}"))
	}
	return nil
}

func codeDirsShape() shape[[]thresholds.Text] {
	s := listOf("source", someText("source", "directory with the source code of an application"))
	s.schema = s.schema.orNull().with("description",
		"source code whose lines are named beside the keys that they write; --source takes precedence")
	return s
}

func sourceURLShape() shape[thresholds.Text] {
	return as(text("source_url", "address of a line of source code, with {path} and {line}").with("pattern",
		`^https?://.*\{path\}`,
		"type", "string", "examples", []string{SourceURL}), func(r *reader, n ast.Node, v string) (thresholds.Text, bool) {
		return thresholds.Text{Value: v, Origin: r.origin(n)},
			CheckSourceURL(v) == nil || r.refuse(n, message.New("write {code}", message.Code("code", SourceURL)),
				"{url} is no address with {hole}", message.Element("url", v), message.Code("hole", "{path}"))
	})
}
