package codebase

import (
	"cmp"
	"slices"
	"strings"
)

// A Group is a group of keys of a snapshot.
type Group struct {
	Pattern string // * for what varies
	Type    string // of its keys, "" several
	// Library is the library that wrote the keys, and Queue the name of its queue, "" unknown.
	Library, Queue string
	Setting        string // of the library, which decides how long the keys stay, "" unknown
	WithoutTTL     bool   // keys of it have no TTL
}

// A Candidate is a line of source that likely writes the keys of a group.
type Candidate struct {
	*Pattern
	Sure   Sure    // Certain: every fixed part agrees, and a command of the server has the key
	Score  float64 // over 0, at most 1
	Prefix string  // what precedes the pattern of the line in the names of the keys, "" nothing
	// Library is the library of the group, which the line sets up; "" the line names the keys.
	Library string
	Filled  bool // a word of the group stands where the source has a variable
	Folded  bool // the group has * where the source has a word
	// Expiry says of a group with keys without a TTL whether the line writes them with an expiry:
	// "none", "set", "" unknown.
	Expiry string
	late   int  // candidates with less of it come first
	spans  bool // a variable of the source stands for several segments
}

const (
	maxCandidates = 3
	leastScore    = 0.6
	scoreGap      = 0.12 // a candidate that is worse than the best by more is none
)

// A matcher has the patterns of a checkout by their keys.
type matcher struct {
	keys     []*keyPattern
	words    map[string][]*keyPattern // by words of their fixed parts
	first    map[string][]*keyPattern // by what they begin with
	prefixes []string                 // that precede every key
}

type keyPattern struct {
	symbols []byte
	fixed   int
	lines   []*Pattern
	types   map[string]bool // as its commands tell, empty unknown
}

// Match returns the lines of source that likely write the keys of each group, best
// first, at most three. A group for which none is likely enough has none.
func (c *Checkout) Match(groups []Group) [][]Candidate {
	groups = plainNames(groups)
	m := c.matcher(groups)
	result := make([][]Candidate, len(groups))
	for i, g := range groups {
		setups := c.setupsOf(g)
		result[i] = distinct(append(slices.DeleteFunc(m.candidates(g), func(own Candidate) bool {
			return slices.ContainsFunc(setups, func(s Candidate) bool { return s.File == own.File && s.Line == own.Line })
		}), setups...))
	}
	dropLonger(result, groups)
	return result
}

// dropLonger drops candidates whose first variable stands for several segments of a group, where it
// stands for the first of them in another group: app:state:meta:1 is none of *:meta:*, which app:meta:1 is.
func dropLonger(result [][]Candidate, groups []Group) {
	first := map[string][]string{} // what stands for the first variable, by pattern
	lead := func(c *Candidate, group string) (string, bool) {
		if len(c.Parts) < 2 || c.Parts[0] != "" {
			return "", false
		}
		before, _, ok := strings.Cut(strings.TrimPrefix(group, c.Prefix), c.Parts[1])
		return before, ok
	}
	for i, list := range result {
		for n := range list {
			if before, ok := lead(&list[n], groups[i].Pattern); ok && before != "" && !list[n].spans {
				first[list[n].Key] = append(first[list[n].Key], before)
			}
		}
	}
	for i := range result {
		result[i] = slices.DeleteFunc(result[i], func(c Candidate) bool {
			before, ok := lead(&c, groups[i].Pattern)
			return ok && c.spans && slices.ContainsFunc(first[c.Key], func(s string) bool { return strings.HasPrefix(before, s) })
		})
	}
}

// plainNames returns groups without the header that Java's serialization puts before a text: the
// magic number, the version, the letter t and two bytes of the length (Java Object Serialization
// Specification, 6.4.2).
func plainNames(groups []Group) []Group {
	list := slices.Clone(groups)
	for i := range list {
		if name, ok := strings.CutPrefix(list[i].Pattern, "\xac\xed\x00\x05t"); ok && len(name) > 2 {
			list[i].Pattern = name[2:]
		}
	}
	return list
}

// matcher returns the patterns of a checkout, ready to be compared with groups.
func (c *Checkout) matcher(groups []Group) *matcher {
	m := &matcher{words: map[string][]*keyPattern{}, first: map[string][]*keyPattern{}}
	byKey := map[string]*keyPattern{}
	for i := range c.Patterns {
		p := &c.Patterns[i]
		key := Join(p.Parts)
		k := byKey[key]
		if k == nil {
			s := symbols(p.Parts)
			k = &keyPattern{symbols: s, fixed: fixed(s), types: map[string]bool{}}
			byKey[key] = k
			m.keys = append(m.keys, k)
			m.first[firstWord(string(s))] = append(m.first[firstWord(string(s))], k)
			for word := range wordsOf(string(s)) {
				if list := m.words[word]; len(list) == 0 || list[len(list)-1] != k {
					m.words[word] = append(list, k)
				}
			}
		}
		k.lines = append(k.lines, p)
		if p.Type != "" && p.Sure == Certain {
			k.types[p.Type] = true
		}
	}
	m.prefixes = append(slices.Clone(c.Prefixes), m.learn(groups)...)
	return m
}

// wordsOf yields the words of the fixed parts of a pattern.
func wordsOf(s string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		begin := 0
		for i := 0; i <= len(s); i++ {
			if i < len(s) && (isLetter(s[i]) || s[i] >= 0x80) {
				continue
			}
			if i-begin >= 2 && !yield(s[begin:i]) {
				return
			}
			begin = i + 1
		}
	}
}

// near returns the patterns that share a word with a group.
func (m *matcher) near(pattern string) (list []*keyPattern) {
	seen := map[*keyPattern]bool{}
	for word := range wordsOf(pattern) {
		for _, k := range m.words[word] {
			if !seen[k] {
				seen[k] = true
				list = append(list, k)
			}
		}
	}
	return list
}

// learn returns the prefixes of the keys of at least two groups whose
// patterns agree with the source otherwise.
func (m *matcher) learn(groups []Group) (prefixes []string) {
	count := map[string]map[*keyPattern]bool{}
	for _, g := range groups {
		for _, k := range m.near(g.Pattern) {
			if !k.fits(g) || k.fixed < 5 || k.symbols[0] == varies {
				continue
			}
			for i := 1; i < min(len(g.Pattern), 64); i++ {
				if c := g.Pattern[i-1]; !separates(c) && c != '_' && c != '-' || g.Pattern[i] != k.symbols[0] ||
					strings.Contains(g.Pattern[:i], "*") && g.Pattern[:i] != ":*:" { // the version of Django's caches
					continue
				}
				if a := align(k.symbols, g.Pattern[i:]); a != nil && a.cost < 0.1 && a.agreed == k.fixed {
					if count[g.Pattern[:i]] == nil {
						count[g.Pattern[:i]] = map[*keyPattern]bool{}
					}
					count[g.Pattern[:i]][k] = true
				}
			}
		}
	}
	for prefix, keys := range count {
		if len(keys) >= 2 && !slices.Contains(m.prefixes, prefix) {
			prefixes = append(prefixes, prefix)
		}
	}
	slices.Sort(prefixes)
	return prefixes
}

// fits reports whether the keys can have the type of a group.
func (k *keyPattern) fits(g Group) bool {
	return g.Type == "" || len(k.types) == 0 || k.types[g.Type]
}

func (m *matcher) candidates(g Group) (list []Candidate) {
	best := 0.0
	consider := func(pattern, prefix string, cost float64) {
		whole := fixed([]byte(strings.ReplaceAll(pattern, "*", "\x00")))
		for _, k := range m.near(pattern) {
			if !k.fits(g) || k.fixed < 2 {
				continue
			}
			a := align(k.symbols, pattern)
			if a == nil {
				continue
			}
			score := a.score(k, whole) - cost
			if score < max(leastScore, best-scoreGap) {
				continue
			}
			for _, p := range k.lines {
				if p.Type != "" && g.Type != "" && p.Type != g.Type || k.onlyUses(p) {
					continue
				}
				best = max(best, score)
				one := Candidate{Pattern: p, Sure: m.sure(p, k, a, g), Score: score, Prefix: prefix, Filled: a.filled,
					Folded: a.folded, spans: a.spans}
				if g.WithoutTTL {
					one.weigh()
				}
				list = append(list, one)
			}
		}
	}
	consider(g.Pattern, "", 0)
	for _, prefix := range m.prefixes {
		if rest, ok := strings.CutPrefix(g.Pattern, prefix); ok && rest != "" {
			consider(rest, prefix, 0.02)
		}
	}
	if len(list) == 0 {
		list = m.only(g)
	}
	whole := slices.ContainsFunc(list, func(c Candidate) bool { return !c.spans })
	known := slices.ContainsFunc(list, func(c Candidate) bool { return c.Pattern.likely() })
	list = slices.DeleteFunc(list, func(c Candidate) bool {
		return c.Score < best-scoreGap || whole && c.spans || known && !c.Pattern.likely()
	})
	slices.SortStableFunc(list, func(a, b Candidate) int {
		return cmp.Or(byScore(a, b), cmp.Compare(b.Pattern.rank(), a.Pattern.rank()),
			strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return distinct(g.mentioned(list))
}

// only returns the lines of the one pattern that can have the keys of a group, whatever its variables stand for: it is
// the group's own, or no other pattern with keys of that type begins with the same word.
func (m *matcher) only(g Group) (list []Candidate) {
	for _, prefix := range append([]string{""}, m.prefixes...) {
		name, ok := strings.CutPrefix(g.Pattern, prefix)
		word := firstWord(name)
		var one *keyPattern
		family := 0
		for _, k := range m.first[word] {
			if !ok || word == "" || !k.types[g.Type] {
				continue
			}
			family++
			if glob(k.symbols, name) && (one == nil || Join(k.lines[0].Parts) == name) {
				one = k
			}
		}
		if one == nil || family > 1 && Join(one.lines[0].Parts) != name {
			continue
		}
		for _, p := range one.lines {
			if p.Sure == Certain && p.Writes && p.Type == g.Type && !one.onlyUses(p) {
				c := Candidate{Pattern: p, Sure: Certain, Score: leastScore, Prefix: prefix}
				if Join(p.Parts) != name {
					c.Sure, c.Filled = Likely, true
				}
				if g.WithoutTTL {
					c.weigh()
				}
				list = append(list, c)
			}
		}
	}
	return list
}

// likely reports whether a line of a pattern is about keys of the server. Those of a snapshot are written, whatever the
// code shows.
func (p *Pattern) likely() bool { return p.Sure > Possible || p.needs == unwritten }

// mentioned returns, of candidates that have variables where the group has words, those whose line,
// function or file has such a word, all if none has.
func (g *Group) mentioned(list []Candidate) []Candidate {
	mentions := func(c Candidate) bool {
		key, place := strings.ToLower(c.Key), strings.ToLower(c.File+" "+c.Function+" "+c.Text)
		for word := range wordsOf(strings.ToLower(g.Pattern)) {
			if c.Filled && len(word) > 3 && !strings.Contains(key, word) && strings.Contains(place, word) {
				return true
			}
		}
		return !c.Filled
	}
	if slices.ContainsFunc(list, func(c Candidate) bool { return c.Filled && mentions(c) }) {
		list = slices.DeleteFunc(list, func(c Candidate) bool { return !mentions(c) })
	}
	return list
}

// weigh orders the lines of keys without a TTL: first those that write without an expiry, and a key
// builder last.
func (c *Candidate) weigh() {
	switch {
	case len(c.Commands) == 0 || c.rank()-int(c.Pattern.Sure) < 6: // it names the keys, or runs a script that may only read
		c.late = 2
	case c.expiry == expirySet:
		c.late, c.Expiry = 1, "set"
	case c.expiry == expiryNone:
		if c.Expiry = "none"; c.Sure == Certain {
			c.late = -1
		}
	}
}

// distinct returns the best candidates, one for each function. A script, which may write other keys only, counts where
// no command writes.
func distinct(list []Candidate) (first []Candidate) {
	for _, c := range list {
		if !slices.ContainsFunc(first, func(o Candidate) bool {
			return o.File == c.File && (o.Function == c.Function || o.Line == c.Line) ||
				o.Writes && !o.runsScript() && c.runsScript()
		}) {
			if first = append(first, c); len(first) == maxCandidates {
				break
			}
		}
	}
	return first
}

// score returns how well patterns agree, at most 1. whole is the number of fixed
// letters of the group.
func (a *alignment) score(k *keyPattern, whole int) float64 {
	if a.agreed < 2 || a.agreed < 4 && (a.filled || a.folded) {
		return 0
	}
	if k.symbols[0] == varies && a.agreed < 4 {
		return 0
	}
	score := 1 - a.cost
	if !a.filled && k.symbols[0] != varies {
		score -= 0.5 * (1 - float64(a.agreed)/float64(max(whole, 1)))
	}
	if !a.folded {
		score -= 0.5 * (1 - float64(a.agreed)/float64(max(k.fixed, 1)))
	}
	return score
}

func (m *matcher) sure(p *Pattern, k *keyPattern, a *alignment, g Group) Sure {
	if a.cost < 0.1 && !a.filled && !a.folded && (p.Sure == Certain || len(p.Commands) == 0 && k.types[g.Type]) {
		return Certain
	}
	return Likely
}

func (p *Pattern) runsScript() bool { return slices.Contains(p.Commands, scriptCommand.name) }

// rank orders lines of one pattern: those that write its keys first, then those that
// name it, then those that only read or delete.
func (p *Pattern) rank() int {
	rank := int(p.Sure)
	for _, c := range p.Commands {
		switch c {
		case "EXPIRE", "PEXPIRE", "EXPIREAT", "PERSIST", "SREM", "ZREM", "HDEL", "LREM", "LTRIM", "ZREMRANGEBYSCORE", "ZREMRANGEBYRANK", "SPOP",
			"LPOP", "RPOP", "BLPOP", "BRPOP", "ZPOPMIN", "ZPOPMAX", "XDEL", "XTRIM", "XACK", "GETDEL":
			rank += 2
		case "EVAL": // the script may only read
			rank += 6
			if p.named(readVerbs) || p.named(deleteVerbs) {
				rank -= 4
			} else if p.named(writeVerbs) {
				rank += 2 // as likely as a plain write
			}
		default:
			if p.Writes {
				return rank + 8
			}
		}
	}
	if len(p.Commands) == 0 {
		rank += 5
	}
	return rank
}

// Verbs that the names of functions begin with.
var (
	readVerbs   = strings.Fields(`get list read is has count current memory stat scan find fetch peek load show group`)
	deleteVerbs = strings.Fields(`remove delete clear flush destroy drop purge wipe clean release unlock reset`)
	writeVerbs  = strings.Fields(`add enqueue create save push store write set put insert schedule record track cache`)
)

// onlyUses reports whether a line reads or deletes keys, or names them in a function that does.
func (k *keyPattern) onlyUses(p *Pattern) bool {
	if len(p.Commands) > 0 {
		return p.rank()-int(p.Sure) < 5 && (p.named(deleteVerbs) || !p.runsScript())
	}
	used := (p.named(readVerbs) || p.named(deleteVerbs)) && !keyLike(p.Function)
	for _, o := range k.lines {
		if o.Function == p.Function && o.File == p.File && len(o.Commands) > 0 {
			if used = k.onlyUses(o); !used {
				return false
			}
		}
	}
	return used
}

func (p *Pattern) named(verbs []string) bool {
	name := strings.ToLower(p.Function[strings.LastIndexByte(p.Function, '.')+1:])
	return slices.ContainsFunc(verbs, func(verb string) bool { return strings.HasPrefix(name, verb) })
}

// compare orders lines of one pattern: those that are possible only last, see rank.
func (p *Pattern) compare(o *Pattern) int {
	return cmp.Or(cmp.Compare(min(p.Sure, Likely), min(o.Sure, Likely)), cmp.Compare(p.rank(), o.rank()))
}

// Unmatched returns the patterns that no group has keys of, in the order of their places: one line for each that
// writes its keys, or names them. It has none of those that are possible only.
func (c *Checkout) Unmatched(groups []Group) (list []*Pattern) {
	groups = plainNames(groups)
	m := c.matcher(groups)
	matched := map[*keyPattern]bool{}
	for _, g := range groups {
		for _, prefix := range append([]string{""}, m.prefixes...) {
			rest, ok := strings.CutPrefix(g.Pattern, prefix)
			if !ok {
				continue
			}
			for _, k := range m.near(rest) {
				// Any agreement is enough: a wrong line is worse than none.
				matched[k] = matched[k] || align(k.symbols, rest) != nil || covers(k.symbols, rest)
			}
		}
	}
	for _, k := range m.keys {
		best := slices.MaxFunc(k.lines, (*Pattern).compare)
		if !matched[k] && best.Sure > Possible && k.symbols[0] != varies && k.fixed >= 3 &&
			(best.Writes || len(best.Commands) == 0) {
			list = append(list, best)
		}
	}
	slices.SortFunc(list, func(a, b *Pattern) int { return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line)) })
	return list
}

// A Line is a pattern of keys at the line that most likely writes them.
type Line struct {
	*Pattern
	Lines int // that have the pattern
}

// Distinct returns the patterns, each once, in their order.
func (c *Checkout) Distinct() (list []Line) {
	at := map[string]int{}
	for i := range c.Patterns {
		p := &c.Patterns[i]
		n, known := at[p.Key]
		if !known {
			at[p.Key] = len(list)
			list = append(list, Line{p, 1})
			continue
		}
		if list[n].Lines++; p.compare(list[n].Pattern) > 0 {
			list[n].Pattern = p
		}
	}
	slices.SortFunc(list, func(a, b Line) int { return strings.Compare(a.Key, b.Key) })
	return list
}
