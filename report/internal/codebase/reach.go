package codebase

import (
	"path"
	"slices"
	"strings"
)

// A body is a class of a file, with the words of its members that are in no function.
type body struct {
	words     []uint32
	supers    []string // what it extends or implements: who has the name of one may have an object of it
	entry     bool     // something outside of the sources may make objects of it
	abstract  bool     // only a class that extends it makes its objects
	foreign   bool     // see extendForeign
	made      bool     // only who has its own name makes an object of it
	advice    bool     // it is an aspect for methods with annotations of the checkout, its supers
	marks     bool     // it is an annotation
	live      bool     // it is an entry, or what runs has its name or that of a super
	functions []*function
}

// mentioned returns the text of a token that may name functions, "" none: a word, or a text that may have expressions
// or is one word.
func mentioned(src string, t *token) string {
	text := src[t.start:t.end]
	if t.kind == wordToken || t.kind == textToken && (strings.ContainsAny(text, "${") ||
		len(text) <= maxWords && !strings.Contains(text, " ")) {
		return text
	}
	return ""
}

// mention notes which functions a token may name, for the function or the class around it. Before it, the file had some
// functions.
func (c *collector) mention(i, before int) {
	if c.callees != nil {
		return
	}
	text := mentioned(c.src, &c.tokens[i])
	c.imports = max(c.imports, c.importEnd(i))
	if text == "" || i < c.imports || c.introduces(i, before, text) {
		return
	}
	f := c.function()
	for f != nil && f.name == "" {
		f = f.outer
	}
	for word := range wordsIn(text) {
		c.note(f, wordHash(word))
		if c.syntax == java && c.is(i-1, "@") {
			c.note(f, wordHash("#"+word))
		}
	}
}

// note notes a word of a function, of the class around, or of a file.
func (c *collector) note(f *function, word uint32) {
	switch {
	case f != nil:
		f.words = append(f.words, word)
	case c.class() != "" && c.file.bodies[c.class()] != nil:
		of := c.file.bodies[c.class()]
		of.words = append(of.words, word)
	default:
		c.reached[word].Store(1)
	}
}

// importEnd returns the token behind the statement at a token if that only makes names known, as imports and packages
// do, and the token itself otherwise.
func (c *collector) importEnd(i int) int {
	switch word := c.textOf(i); {
	case !c.tokens[i].first:
		return i
	case word == "use" && (c.syntax == rust || c.class() == ""), word == "from", word == "import" && !c.is(i+1, "("),
		word == "package", word == "namespace":
	default:
		return i
	}
	for n := i + 1; n < i+500; n++ {
		switch {
		case c.tokens[n].kind == endToken, c.is(n, ";"), c.tokens[n].first, c.is(n, "{") && c.syntax == csharp:
			return n
		case c.textOf(n) == "as":
			return i
		case c.match[n] > int32(n):
			n = int(c.match[n])
		}
	}
	return i
}

// introduces reports whether a word is the name of a function or a class at its declaration.
func (c *collector) introduces(i, before int, word string) bool {
	switch n := len(c.functions); {
	case c.textOf(i-1) == "class", c.textOf(i-1) == "interface", c.syntax == golang && (c.textOf(i+1) == "struct" ||
		c.textOf(i-1) == "type" || c.isReceiver(i)): // declares a class
		return true
	case n > before && c.functions[n-1].name == word, word == c.bodiless && c.declared == i:
		return true
	case word == c.bodiless || c.function() != nil && c.function().name == word:
		return c.names(i)
	case c.syntax == golang && c.tokens[i].first && c.is(i+1, "(") && c.block() > 0:
		return c.textOf(c.block()-1) == "interface"
	}
	return c.syntax == javaScript && (c.is(i+1, "=") || c.is(i+1, ":")) && c.isFunction(i+2)
}

// isReceiver reports whether a token is the type of a receiver of Go.
func (c *collector) isReceiver(i int) bool {
	if i--; c.is(i, "*") {
		i--
	}
	if !c.is(i, "(") {
		i--
	}
	return c.is(i, "(") && c.textOf(i-1) == "func" && c.tokens[max(i-1, 0)].first
}

// isFunction reports whether a function of JavaScript without a name begins at a token.
func (c *collector) isFunction(n int) bool {
	if c.textOf(n) == "async" {
		n++
	}
	if c.textOf(n) == "function" || c.isWord(n) && c.is(n+1, "=>") {
		return true
	}
	if !c.is(n, "(") || c.match[n] <= int32(n) {
		return false
	}
	end := c.behind(n)
	for m := end; c.is(end, ":") && m < end+20 && !c.is(m, ";") && !c.is(m, "{"); m++ {
		if c.is(m, "=>") {
			return true
		}
	}
	return c.is(end, "=>")
}

// modifiers are words before class that say nothing about who uses it.
var modifiers = wordSet("public abstract final internal sealed open")

// stereotypes are annotations of Spring: a container gives an object of the class to who names it or what it extends.
var stereotypes = wordSet("Service Component Repository")

// provided are they and others, also of Lombok, that do not say who uses a class.
var provided = wordSet("Service Component Repository Transactional Slf4j Log4j2 RequiredArgsConstructor " +
	"AllArgsConstructor Data Order Profile ConditionalOnProperty Primary Lazy Scope")

// declareClass notes a class whose word is a token. Only a class of a language that has to name it, or what it extends,
// to make its objects can be unused: one without an annotation.
func (c *collector) declareClass(i int, name, word string, supers []string) {
	if c.callees != nil || name == "" {
		return
	}
	n, abstract, given := i-1, false, false
	for ; n >= 0 && modifiers[c.textOf(n)]; n-- {
		abstract = abstract || c.textOf(n) == "abstract"
	}
	for c.jvm && n > 0 { // annotations of classes that a container gives to those which name them
		at := n
		for c.is(n, ")") && at > 0 && at > n-40 && int(c.match[at]) != n {
			at--
		}
		if at < n {
			at--
		}
		if !c.is(at-1, "@") || !provided[c.textOf(at)] {
			break
		}
		given = given || stereotypes[c.textOf(at)]
		for n = at - 2; n >= 0 && modifiers[c.textOf(n)]; {
			n--
		}
	}
	named := c.jvm || c.syntax == csharp || c.syntax == php || c.syntax == python || c.syntax == ruby
	_, known := c.file.bodies[name]
	of := &body{abstract: abstract, made: abstract || c.jvm && !given, marks: c.syntax == java && c.is(i-1, "@"),
		entry: known || !named || word != "class" || c.syntax == csharp && c.textOf(n) == "static"} // extensions
	for _, w := range supers {
		if !headerWords[w] {
			of.supers = append(of.supers, c.words.keep(w))
		}
	}
	if c.jvm && c.textOf(n) == "Aspect" && c.is(n-1, "@") {
		of.supers, of.made = c.advised(i), false
		of.advice = of.supers != nil
		of.entry = of.entry || !of.advice
	} else if n >= 0 && (c.is(n, ")") || c.is(n, "]") || c.is(n-1, "@") || strings.HasPrefix(c.textOf(n), "@")) ||
		c.syntax == ruby && len(of.supers) > 0 {
		of.entry = true
	}
	c.file.bodies[name] = of
}

// headerWords are words behind the name of a class that name none of the checkout.
var headerWords = wordSet("extends implements object Object Serializable IDisposable ABC")

// maxAdvised is the number of pointcuts of an aspect that are read.
const maxAdvised = 16

// advised returns the annotations of the methods that an aspect in the class at a token is about, nil if it is about
// others, too.
func (c *collector) advised(i int) (list []string) {
	for !c.is(i, "{") && c.tokens[i].kind != endToken {
		i++
	}
	for n := i; n < int(c.match[i]); n++ {
		if c.tokens[n].kind != textToken {
			continue
		}
		text := c.textOf(n)
		for _, pointcut := range [...]string{"execution(", "within(", "bean(", "this(", "target("} {
			if strings.Contains(text, pointcut) {
				return nil
			}
		}
		_, name, ok := strings.Cut(text, "@annotation(")
		if name, _, _ = strings.Cut(name, ")"); !ok {
			continue
		}
		name = lastWord(strings.TrimSpace(name))
		for m := i; m < int(c.match[i]) && !isUpper(name); m++ { // the name of a parameter
			if c.textOf(m) == name && c.isWord(m-1) && isUpper(c.textOf(m-1)) {
				name = c.textOf(m - 1)
			}
		}
		if list = append(list, c.words.keep(name)); len(list) > maxAdvised {
			return nil
		}
	}
	return list
}

// reach finds the functions that may run: entries, those of which something outside of functions has the name, and
// those that they name.
func (s *scanner) reach() {
	functions, classes := map[uint32][]*function{}, map[uint32][]*body{}
	annotations := map[uint32]bool{}
	bodies := map[string][]*body{}
	for _, file := range s.sources {
		for name, of := range file.bodies {
			if bodies[name] = append(bodies[name], of); of.marks {
				annotations[wordHash("#"+name)] = true
			}
		}
	}
	s.extendForeign(bodies)
	var due []*function
	live := func(f *function) {
		if of := f.source.bodies[f.container]; !f.live && (of == nil || of.live) && (s.isEntry(f) || s.named(f)) &&
			!slices.ContainsFunc(f.marked, func(w uint32) bool { return annotations[w] && s.reached[w].Load() == 0 }) {
			f.live = true
			due = append(due, f)
		}
	}
	var found []uint32 // words that are due
	visit := func(words []uint32) {
		for _, w := range words {
			if s.reached[w].Load() == 0 {
				s.reached[w].Store(1)
				found = append(found, w)
			}
		}
	}
	enter := func(of *body) {
		if !of.live {
			of.live = true
			visit(of.words)
			for _, f := range of.functions {
				live(f)
			}
		}
	}
	for _, list := range s.program.functions {
		for _, f := range list {
			for _, w := range append(f.marked, wordHash(f.name)) {
				functions[w] = append(functions[w], f)
			}
			if of := f.source.bodies[f.container]; of != nil {
				of.functions = append(of.functions, f)
				of.entry = of.entry || strings.EqualFold(f.name, "main") || f.external == annotated && !of.advice
			}
		}
	}
	for _, file := range s.sources {
		for name, of := range file.bodies {
			begins := s.madeElsewhere(file, name, of)
			names := []string{name}
			if !of.made {
				names = ancestors(names, of, bodies, 0)
			}
			for _, w := range names {
				classes[wordHash(w)] = append(classes[wordHash(w)], of)
				begins = begins || s.reached[wordHash(w)].Load() != 0
			}
			if begins {
				enter(of)
			}
		}
	}
	for _, list := range s.program.functions {
		for _, f := range list {
			live(f)
		}
	}
	for len(due)+len(found) > 0 {
		if n := len(due); n > 0 {
			f := due[n-1]
			due = due[:n-1]
			visit(f.words)
			continue
		}
		w := found[len(found)-1]
		found = found[:len(found)-1]
		for _, of := range classes[w] {
			enter(of)
		}
		for _, f := range functions[w] {
			live(f)
		}
	}
	for _, list := range s.program.functions {
		for _, f := range list {
			f.words, f.marked = nil, nil
		}
	}
	for _, file := range s.sources {
		file.bodies = nil
	}
}

// madeElsewhere reports whether something outside of the sources may make objects of a class.
func (s *scanner) madeElsewhere(file *source, name string, of *body) bool {
	if at, _, found := strings.Cut("/"+file.path, "/app/Http/Controllers/"); found && s.laravel && s.applies(php) &&
		s.routed[path.Join(".", strings.TrimPrefix(at, "/"))] {
		of.supers = nil // only routes name it
		return false
	}
	return of.entry || of.foreign && !of.abstract || !s.applies(file.syntax) || file.hosted(name)
}

const (
	maxAncestors = 32 // of a class
	maxHomonyms  = 8  // classes of one name, of which each may be the ancestor
)

// ancestors appends the names of what a class extends or implements.
func ancestors(list []string, of *body, bodies map[string][]*body, depth int) []string {
	for _, super := range of.supers {
		if len(list) >= maxAncestors || depth > maxRounds {
			break
		}
		list = append(list, super)
		if len(bodies[super]) <= maxHomonyms {
			for _, other := range bodies[super] {
				list = ancestors(list, other, bodies, depth+1)
			}
		}
	}
	return list
}

// extendForeign notes which classes extend one that is not in the checkout, or one that does.
func (s *scanner) extendForeign(bodies map[string][]*body) {
	foreign := func(super string) bool {
		return s.program.classes[super] == 0 && !s.containers[super] || len(bodies[super]) <= maxHomonyms &&
			slices.ContainsFunc(bodies[super], func(of *body) bool { return of.foreign })
	}
	for range maxRounds {
		var found []*body
		for _, list := range bodies {
			for _, of := range list {
				if !of.foreign && slices.ContainsFunc(of.supers, foreign) {
					found = append(found, of)
				}
			}
		}
		for _, of := range found {
			of.foreign = true
		}
	}
}

// named reports whether something that may run has the name of a function.
func (s *scanner) named(f *function) bool {
	return f.name == "" || s.reached[wordHash(f.name)].Load() != 0
}
