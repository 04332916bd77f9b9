package codebase

import (
	_ "embed" // setups.txt
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A setup is a line that sets up a library which writes keys: where its queue or its
// cache gets a name, or its connection.
type setup struct {
	Pattern        // Key is the name, "" if the line has none or it is not known
	library string // as the recognisers of package identity call it
	rank    int    // of its word in setupLines
}

// setupLines has, for each library, the words of the lines that set it up, the most telling first.
// The first argument of a call of word( is a name, which the library's keys have. A word is only
// one of a file that mentions what follows |. A word with a dot between lower-case words is a
// setting of application.yml, and those in quotes are texts.
//
//go:embed setups.txt
var setupLines string

type setupWord struct {
	library, mentions string
	rank              int
	named             bool // by the first argument
}

var setupWords = sync.OnceValue(func() map[string][]setupWord {
	words := map[string][]setupWord{}
	for line := range strings.Lines(setupLines) {
		library, list, _ := strings.Cut(strings.TrimSpace(line), ": ")
		for i, word := range strings.Fields(list) {
			word, mentions, _ := strings.Cut(word, "|")
			word, named := strings.CutSuffix(word, "(")
			words[word] = append(words[word], setupWord{library, mentions, i, named})
		}
	}
	return words
})

// setUp notes that a line sets up a library, if the word of token i says so.
func (c *collector) setUp(i int, list []setupWord) {
	t := &c.tokens[i]
	first := i
	for first > 0 && !c.tokens[first].first {
		first--
	}
	switch c.textOf(first) {
	case "import", "from", "use", "using", "require":
		return
	}
	if i > 0 && c.textOf(i-1) == "class" || i > 0 && slices.Contains(c.syntax.functions, c.textOf(i-1)) ||
		c.syntax == golang && (t.first || c.textOf(first) == "func" && c.is(i-1, ")")) {
		return // a definition
	}
	if word := c.textOf(i); c.syntax == javaScript && word[0] >= 'A' && word[0] <= 'Z' &&
		word != strings.ToUpper(word) && !c.is(i+1, "(") && !c.is(i+1, "<") {
		return // of a type
	}
	for _, w := range list {
		if w.mentions != "" && !c.says(w.mentions, mentions) && !strings.HasPrefix(c.file.base, w.mentions) || len(c.sites) > 50_000 || c.callees != nil {
			continue
		}
		s := &site{setup: &w, line: t.line, text: c.lineOf(t), function: c.function(), source: c.file}
		if w.named {
			if s.key = c.firstName(i); s.key == nil {
				continue
			}
		}
		c.sites = append(c.sites, s)
	}
}

// firstName returns the name that the arguments of a call give: that of an option name or queue,
// or the first one. It is nil if token i begins no call.
func (c *collector) firstName(i int) *node {
	args, ok := c.callArguments(i)
	if c.syntax == ruby && !ok && !c.tokens[i+1].first {
		n, _ := c.expression(i + 1)
		args = []*node{n}
	}
	if len(args) == 0 {
		return nil
	}
	for n := i + 1; n < i+40 && c.tokens[n].kind != endToken && c.tokens[n].line <= c.tokens[i].line+3; n++ {
		if w := c.textOf(n); (w == "name" || w == "queue" || w == "queueName") && c.is(n+1, ":") {
			value, _ := c.expression(n + 2)
			return c.bound(value)
		}
	}
	return c.bound(args[0])
}

// mentions reports whether a source has a word that is not part of a longer one.
func mentions(src, word string) bool {
	for at := 0; ; {
		i := strings.Index(src[at:], word)
		if i < 0 {
			return false
		}
		begin, end := at+i, at+i+len(word)
		inside := func(c byte) bool { return isWord(c) || c == '-' }
		if (begin == 0 || !inside(src[begin-1])) && (end == len(src) || !inside(src[end])) {
			return true
		}
		at = end
	}
}

// setupsOf returns the lines that set up the library of a group, those that name its
// queue or cache first. Lines that name another one are none of them.
func (c *Checkout) setupsOf(g Group) (list []Candidate) {
	if g.Library == "" {
		return nil
	}
	best := 0.0
	for i := range c.setups {
		s := &c.setups[i]
		named := g.Queue != "" && s.Key == g.Queue
		if s.library != g.Library || !named && s.Key != "" && g.Queue != "" {
			continue
		}
		score := setupScore - 0.01*float64(s.rank)
		if named {
			score += setupScore
		}
		if setting, _, _ := strings.Cut(g.Setting, " "); setting != "" && strings.Contains(strings.ToLower(s.Text), setting) {
			score += setupScore / 2
		}
		best = max(best, score)
		list = append(list, Candidate{Pattern: &s.Pattern, Library: g.Library, Sure: s.Sure, Score: score})
	}
	if best > setupScore { // a line has the name or the setting
		list = slices.DeleteFunc(list, func(c Candidate) bool { return c.Score <= setupScore })
		for i := range list {
			list[i].Sure = Certain
		}
	}
	slices.SortStableFunc(list, byScore)
	return distinct(list)
}

var majorVersion = regexp.MustCompile(`/v[0-9]+$`)

// setupScore is the score of a line that sets up the library of a group and has no name.
const setupScore = 0.5

// setups adds the lines that set up libraries.
func (s *scanner) setups(sites []*site) {
	for _, c := range sites {
		if c.setup == nil {
			continue
		}
		p := Pattern{File: c.source.path, Line: int(c.line), Text: c.text, Sure: Likely}
		if c.function != nil {
			p.Function = strings.Trim(c.function.container+"."+c.function.name, ".")
		}
		if c.key != nil {
			s.program.steps = 0
			p.Key, _ = constant(s.program.eval(c.key, c.frame()))
		}
		s.checkout.setups = append(s.checkout.setups, setup{p, c.setup.library, c.setup.rank})
	}
	for name, first := range s.firstSettings() {
		first.Sure = Likely
		for _, w := range setupWords()[name] {
			s.checkout.setups = append(s.checkout.setups, setup{first, w.library, w.rank})
		}
	}
}
