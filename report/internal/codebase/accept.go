package codebase

import (
	"slices"
	"strings"
)

// acceptable reports whether parts can be the name of a key: they must have a word, and
// where no command of the server is certain, the form that names of keys have.
func acceptable(c *site, parts []string) bool {
	letters, holes, colon, joint, inner := 0, 0, false, false, false
	for i, p := range parts {
		if p == "" {
			holes++
			continue
		}
		for n := 0; n < len(p); n++ {
			switch b := p[n]; {
			case b < ' ' || b == 0x7f:
				return false
			case b == ' ' || b == '<' || b == '>' || b == '=' || b == ';' || b == '(' || b == ')' || b == '"' || b == '\'' || b == '?' || b == ',':
				if c.sure < Certain {
					return false
				}
			case b == ':':
				colon = true
			case strings.IndexByte("_-./|#", b) >= 0:
				joint = joint || n == 0 && i > 0 || n == len(p)-1 && i < len(parts)-1
				inner = true
			case isWord(b) && !isDigit(b):
				letters++
			}
		}
	}
	text := ""
	if len(parts) > 0 {
		text = parts[0]
	}
	lower := strings.ToLower(text)
	switch {
	case letters < 2 && !(letters == 1 && colon && c.sure == Certain), len(Join(parts)) > maxText:
		return false
	case c.command == nil && strings.HasPrefix(text, ":"): // it ends a key
		return false
	case strings.Contains(lower, "://"), lower == "http", lower == "https", strings.HasPrefix(lower, "data:image"),
		strings.HasPrefix(lower, "data:text"), holes == 0 && strings.HasPrefix(lower, "application/"),
		strings.HasPrefix(lower, "bearer"), strings.HasPrefix(lower, "urn:"), strings.HasPrefix(lower, "did:"), strings.HasPrefix(lower, "__key"):
		return false
	case c.sure == Certain:
		return true
	case c.callee == "get" && strings.HasPrefix(text, "/"):
		return false // a path of HTTP
	case c.command != nil && (c.command.unusual || c.command == cacheableCommand):
		return true
	case c.command != nil && !c.command.isCache() && !colon && strings.Contains(text, "/"):
		return false // of a request to a server of HTTP
	case c.command != nil:
		return colon || inner || holes > 0 && joint || c.command.isCache() && holes == 0
	}
	_, file, _ := strings.Cut(parts[len(parts)-1], "/")
	return text != "" && !strings.Contains(file, ".") && (colon || holes > 0 && joint)
}

// maxPairs is the number of patterns that are compared to find those which nothing writes.
const maxPairs = 3_000_000

// dropUnwritten removes the patterns of keys that nothing in the checkout makes: its commands only remove them or, in
// languages other than JavaScript, PHP and Go, only read them, and no other line makes keys that they cover, or that
// cover them. A line that only names such keys does not keep them: in Java, Kotlin and Ruby wherever it is, in the
// others if it is in the file of the commands. It also removes the fixed names that Python only gets: most are members
// of a dict.
func (c *Checkout) dropUnwritten(sources map[string]*source) {
	gets := func(p *Pattern) bool {
		return strings.HasSuffix(p.File, ".py") && !slices.Contains(p.Parts, "") && len(p.Commands) > 0 && !p.Writes &&
			!slices.ContainsFunc(p.Commands, func(name string) bool { return name != "GET" && name != cacheRead.name })
	}
	dropsRead := func(p *Pattern) bool {
		in := syntaxOf(p.File)
		return in != javaScript && in != php && in != golang
	}
	idle := func(p *Pattern) bool {
		return len(p.Commands) > 0 && !p.makes && (!p.reads || dropsRead(p) && !sources[p.File].blind || gets(p))
	}
	near := map[string]bool{} // by files and keys
	for i := range c.Patterns {
		if p := &c.Patterns[i]; idle(p) {
			near[p.File+":"+Join(p.Parts)] = true
		}
	}
	onlyNames := func(p *Pattern) bool {
		in := syntaxOf(p.File)
		return len(p.Commands) == 0 && dropsRead(p) && (in.jvm || in == ruby || near[p.File+":"+Join(p.Parts)])
	}
	known, asked, pairs := map[string]bool{}, map[string]bool{}, 0
	var makers []*Pattern
	for i := range c.Patterns {
		p := &c.Patterns[i]
		key := Join(p.Parts)
		switch {
		case idle(p):
			asked[key] = true
		case !onlyNames(p):
			known[key] = true
		}
		if p.makes {
			makers = append(makers, p)
		}
	}
	c.Patterns = slices.DeleteFunc(slices.Clone(c.Patterns), func(p Pattern) bool {
		key := Join(p.Parts)
		if _, done := known[key]; !done && asked[key] && pairs < maxPairs && !gets(&p) {
			pairs += len(makers)
			known[key] = slices.ContainsFunc(makers, func(w *Pattern) bool {
				if w.Type != "" && p.Type != "" && w.Type != p.Type {
					return false // nothing is a list and a hash
				}
				return spans(symbols(p.Parts), Join(w.Parts)) || spans(symbols(w.Parts), key)
			})
		}
		return asked[key] && !known[key]
	})
}

// removals are commands that end keys, or take something from them, or give those an expiry that are there.
var removals = wordSet(`DEL UNLINK EXPIRE PEXPIRE EXPIREAT PEXPIREAT PERSIST TOUCH SREM SPOP HDEL LREM LTRIM LPOP RPOP
	BLPOP BRPOP ZREM ZREMRANGEBYSCORE ZREMRANGEBYRANK ZREMRANGEBYLEX ZPOPMIN ZPOPMAX BZPOPMIN BZPOPMAX`)

// removes reports whether a command only changes keys that are there.
func (c *command) removes() bool {
	return removals[c.name] || strings.HasPrefix(c.name, "remove") || strings.HasPrefix(c.name, "pop") || c.name == "trim"
}

// verbs returns parts with what varies for the verbs of a format.
func verbs(parts []string, in *syntax) (list []string) {
	for _, s := range parts {
		for i := 0; i < len(s); i++ {
			n := 0
			switch rest := s[i:]; {
			case len(rest) > 1 && rest[0] == '%' && strings.IndexByte("sdvxiu@", rest[1]) >= 0:
				n = 2
			case rest[0] == '{':
				if end := strings.IndexByte(rest, '}'); end == 1 || end == 2 && isDigit(rest[1]) || end > 0 && in == python {
					n = end + 1
				}
			}
			if n > 0 {
				if i > 0 {
					list = add(list, s[:i])
				}
				list = add(list, "")
				s, i = s[i+n:], -1
			}
		}
		if s != "" || len(list) == 0 || list[len(list)-1] != "" {
			list = add(list, s)
		}
	}
	return list
}

func aboutCache(s string) bool {
	s = strings.ToLower(s)
	return strings.Contains(s, "cache") || strings.Contains(s, "redis") || strings.Contains(s, "valkey")
}
