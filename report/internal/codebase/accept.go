package codebase

import "strings"

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

// judgeUnwritten makes the patterns of keys possible that no command is known to write: the code only reads, removes or
// names them.
func (c *Checkout) judgeUnwritten() {
	made := map[string]bool{}
	for i := range c.Patterns {
		if p := &c.Patterns[i]; p.makes && p.Sure > Possible {
			made[Join(p.Parts)] = true
		}
	}
	for i := range c.Patterns {
		if p := &c.Patterns[i]; p.Sure > Possible && !made[Join(p.Parts)] {
			p.otherwise, p.Sure, p.needs, p.Condition = p.Sure, Possible, unwritten, Unwritten
		}
	}
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
