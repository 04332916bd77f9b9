package codebase

import "strings"

// A class says what declares the name of a class, 0 nothing.
type class byte

const (
	plainClass class = iota + 1
	enumClass        // of Java, Kotlin or C#
)

// classHeader reads the beginning of a class or an object.
func (c *collector) classHeader(i int, word string) {
	name, extends, pending := "", false, c.pending
	var supers []string
	if c.pending = nil; c.component && c.isWord(i+1) {
		c.choices = append(c.choices, registration{class: c.kept(i + 1), conditions: pending, source: c.file})
	}
	c.component = false
	for n := i + 1; n < i+60 && c.tokens[n].kind != endToken; n++ {
		switch {
		case c.isWord(n):
			if c.syntax == kotlin && c.tokens[n].first && name != "" && !c.is(n-1, ":") && !c.is(n-1, ",") &&
				c.textOf(n) != "constructor" {
				return // it has no body
			}
			extends = extends || c.textOf(n-1) == "extends" || c.is(n-1, ":")
			w := c.textOf(n)
			if name == "" && w != "class" || w == "for" && word == "impl" && c.isWord(n+1) {
				if w == "for" {
					if w = c.textOf(n + 1); c.callees == nil {
						c.file.supers[name] = true
					}
				}
				name = c.words.keep(w)
			} else {
				supers = append(supers, w)
				if c.callees == nil && !(word == "namespace" && (c.syntax == php || c.syntax == csharp)) {
					c.file.supers[c.words.keep(w)] = true
				}
			}
			if c.indent {
				for c.is(n+1, "::") && c.isWord(n+2) { // class Module::Name
					n += 2
					name = c.words.keep(c.textOf(n))
				}
				for m := n + 1; m < n+12 && !c.tokens[m].first; m++ {
					if c.isWord(m) && c.callees == nil {
						c.file.supers[c.words.keep(c.textOf(m))] = true
						supers = append(supers, c.textOf(m))
					}
				}
				c.declareClass(i, name, word, supers)
				c.push(i, n, scope{class: name})
				return
			}
		case c.is(n, "<") && c.generic(n) > 0 && !extends:
			n = c.generic(n)
		case c.is(n, "{"):
			c.declareClass(i, name, word, supers)
			enum := word == "enum" || i > 0 && c.isWord(i-1) && c.textOf(i-1) == "enum"
			c.push(i, n, scope{class: name, enum: enum, conditions: pending})
			if c.syntax == csharp && (c.itemName != nil || strings.HasSuffix(name, "CacheItem")) {
				c.cacheItem(name, &c.tokens[i])
			}
			if c.classes == nil {
				c.classes = map[string]class{}
			}
			if c.classes[name] = plainClass; enum && (c.jvm || c.syntax == csharp) {
				c.classes[name] = enumClass
			}
			return
		case c.is(n, ";"), c.is(n, "}"), c.is(n, "="):
			return
		case c.match[n] > int32(n):
			if (c.syntax == kotlin || c.syntax == csharp) && name != "" && !extends && c.is(n, "(") &&
				(c.is(n-1, ">") || c.textOf(n-1) == name || c.textOf(n-1) == "constructor") {
				c.newFunction(name, name, n) // its constructor
			}
			n = int(c.match[n])
		}
	}
}

// methodHeader reads a function without a keyword, if the word is the name of one; its parameters
// are in the bracket of token open.
func (c *collector) methodHeader(i, open int) bool {
	close := int(c.match[open])
	if close == 0 {
		return false
	}
	if i > 0 {
		prev := &c.tokens[i-1]
		if prev.kind == wordToken {
			if w := c.textOf(i - 1); notFunctions[w] || notNames[w] {
				return false
			}
		} else if c.typeFirst {
			constructor := c.tokens[i].first && c.inClass() && c.textOf(i) == c.class()
			if !constructor && !c.is(i-1, ">") && !c.is(i-1, "]") && !c.is(i-1, "?") {
				return false
			}
		} else if !c.tokens[i].first && !c.is(i-1, "{") && !c.is(i-1, "}") && !c.is(i-1, ",") && !c.is(i-1, ";") && !c.is(i-1, "*") {
			return false
		} else if c.is(i-1, ".") || c.is(i-1, "?.") {
			return false
		}
	}
	switch next := close + 1; {
	case c.is(next, "{"):
	case c.is(next, "=>") && c.typeFirst:
	case c.is(next, ":"):
	case c.isWord(next) && (c.textOf(next) == "throws" || c.textOf(next) == "where"):
	default:
		if !c.is(next, ";") {
			return false
		}
	}
	if c.body(i, close+1, c.textOf(i), c.class(), open) {
		return true
	}
	if c.function() == nil && c.class() != "" {
		c.bodiless, c.declared = c.words.keep(c.textOf(i)), i
	}
	return false
}
