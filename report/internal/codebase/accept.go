package codebase

import "strings"

// acceptable reports whether parts can be the name of a key: they must have a word, and
// where no command of the server is certain, the form that names of keys have.
func acceptable(c *site, parts []Part) bool {
	letters, holes, colon, joint, inner := 0, 0, false, false, false
	for i, p := range parts {
		if p.Text == "" {
			holes++
			continue
		}
		for n := 0; n < len(p.Text); n++ {
			switch b := p.Text[n]; {
			case b < ' ' || b == 0x7f:
				return false
			case b == ' ' || b == '<' || b == '>' || b == '=' || b == ';' || b == '(' || b == ')' || b == '"' || b == '\'' || b == '?' || b == ',':
				if c.sure < Certain {
					return false
				}
			case b == ':':
				colon = true
			case strings.IndexByte("_-./|#", b) >= 0:
				joint = joint || n == 0 && i > 0 || n == len(p.Text)-1 && i < len(parts)-1
				inner = true
			case isWord(b):
				letters++
			}
		}
	}
	text := ""
	if len(parts) > 0 {
		text = parts[0].Text
	}
	lower := strings.ToLower(text)
	switch {
	case letters < 2 || len(Join(parts)) > maxText:
		return false
	case strings.Contains(lower, "://"), strings.HasPrefix(lower, "http"), strings.HasPrefix(lower, "data:"), strings.HasPrefix(lower, "application/"),
		strings.HasPrefix(lower, "bearer"), strings.HasPrefix(lower, "urn:"):
		return false
	case c.sure == Certain:
		return true
	case c.command != nil && (c.command.unusual || c.command == cacheableCommand):
		return true
	case c.command != nil:
		return colon || inner || holes > 0 && joint
	}
	return colon && !strings.HasPrefix(text, ":") && (c.source.redis || holes > 0) || c.source.redis && holes > 0 && joint
}
