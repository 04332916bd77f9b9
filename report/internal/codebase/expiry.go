package codebase

import (
	"slices"
	"strings"
)

// An expiry has a bit for each way in which calls write a key: 0 none does.
type expiry byte

const (
	expiryUnknown expiry = 1 << iota
	expiryNone           // without an expiry
	expirySet            // with one, or with KEEPTTL
)

// expiryWords are options of SET, as clients of the server have them, that set or keep an expiry, and
// types of their values. The label of an argument may be one of expiryLabels, too.
var (
	expiryWords  = wordSet("ex px exat pxat keepttl timeunit timespan duration")
	expiryLabels = wordSet("expire expires_in expiresin expires expiry timeout ttl")
	otherWords   = wordSet("nx xx get true setparams setargs builder new when notexists exists always commandflags none")
	noValue      = wordSet("none null nil undefined default false")
)

// expiryOf returns whether the call of a method, token i, gives the key that it writes an expiry. Key
// is the number of the argument that is the key.
func (c *collector) expiryOf(i, key int, receiver string, command *command) expiry {
	method := strings.TrimSuffix(strings.ToLower(strings.ReplaceAll(c.textOf(i), "_", "")), "async")
	positional := method == "set" || method == "put" || method == "add" || method == "write"
	switch {
	case command.isCache() && (method == "forever" || method == "rememberforever"):
		return expiryNone
	case command.isCache() && c.syntax == php && method == "remember":
		return expirySet
	case command.isCache() && (positional || c.syntax == ruby && method == "fetch"):
	case !command.writes || command.kind == "" || strings.HasPrefix(method, "bound") || command.name == "GETEX" ||
		command.name == "HEXPIRE":
		return expiryUnknown
	case command.name == "SETEX" || command.name == "PSETEX" || method == "setkeepttl":
		return expirySet
	case command.name != "SET" && command.name != "SETNX":
		return expiryNone // the command takes none
	}
	args, ok := c.argumentTokens(i)
	if !ok {
		return expiryUnknown
	}
	var rest [][2]int // behind key and value
	for n, a := range args {
		begin, end := a[0], a[1]
		label := strings.ToLower(c.textOf(begin))
		switch {
		case c.is(begin, "*"), c.is(begin, "**"), c.is(begin, "..."), c.is(begin, "."), c.is(end-1, "..."),
			c.is(end-1, "."):
			return expiryUnknown // more arguments
		case !c.isWord(begin) || !c.is(begin+1, "=") && !c.is(begin+1, ":") || begin+2 >= end:
			if n > key+1 {
				rest = append(rest, a)
			}
		case label == "keepttl":
			return expirySet
		case expiryWords[label] || expiryLabels[label]:
			return c.expiryValue(begin+2, end)
		}
	}
	other := true
	for _, a := range rest {
		for n := a[0]; n < a[1]; n++ {
			word := strings.ToLower(c.textOf(n))
			if t := &c.tokens[n]; t.kind == textToken {
				word = strings.ToLower(c.src[t.body:t.tail])
			} else if t.kind == markToken {
				continue
			}
			if expiryWords[word] && (c.syntax != golang || word == "keepttl") {
				return expirySet
			}
			other = other && otherWords[word]
		}
	}
	last := lastWord(receiver)
	switch {
	case method == "setargs" || method == "setoptions" || len(rest) > 0 && !other && (c.syntax == ruby || c.syntax == rust):
		return expiryUnknown
	case len(rest) > 0 && !other:
		return c.expiryValue(rest[0][0], rest[0][1])
	case c.syntax == golang && command.name == "SET", command.isCache() && (c.syntax != php || method != "put"):
		return expiryUnknown
	case !command.isCache() && slices.ContainsFunc([]string{"cache", "stor", "backend", "kv", "driver"},
		func(word string) bool { return strings.Contains(last, word) }):
		return expiryUnknown // which may set one by itself
	}
	return expiryNone
}

// expiryValue returns what the value of an expiry, between two tokens, says.
func (c *collector) expiryValue(begin, end int) expiry {
	zero, empty, name := false, false, ""
	for n := begin; n < end; n++ {
		switch word := c.textOf(n); {
		case c.tokens[n].kind == numberToken && strings.Trim(word, "0.lLmMfFdD_") != "":
			name = "A"
		case c.tokens[n].kind == numberToken:
			zero = true
		case c.isWord(n) && noValue[strings.ToLower(word)]:
			empty = true
		case c.isWord(n) && name != "A":
			name = word
		}
	}
	switch {
	case (zero || empty) && end-begin == 1:
		return expiryNone
	case empty || name == "" || strings.ToLower(name[:1]) == name[:1]: // a variable may have any value
		return expiryUnknown
	}
	return expirySet
}

// argumentTokens returns the first token of each argument of the call whose method is token i, and
// the one behind its last.
func (c *collector) argumentTokens(i int) (list [][2]int, ok bool) {
	open := i + 1
	for c.syntax != ruby && open < i+12 && c.tokens[open].kind != endToken && !c.is(open, "(") {
		open++
	}
	end := int(c.match[open])
	if !c.is(open, "(") && c.syntax == ruby {
		for open, end = i, i+1; c.tokens[end].kind != endToken && (!c.tokens[end].first || c.is(end-1, ",")); end++ {
		}
	}
	begin := open + 1
	for n := begin; n < end; n++ {
		if m := int(c.match[n]); m > n && m < end {
			n = m
		} else if c.is(n, ",") {
			list, begin = append(list, [2]int{begin, n}), n+1
		}
	}
	if begin < end {
		list = append(list, [2]int{begin, end})
	}
	return list, end > open
}

// expires notes which keys get an expiry by a later line of the function that writes them.
func (c *Checkout) expires() {
	place := func(p *Pattern) string { return p.File + ":" + p.Function + ":" + p.Key }
	last := map[string]int{}
	for i := range c.Patterns {
		p := &c.Patterns[i]
		if slices.ContainsFunc(p.Commands, func(name string) bool {
			return strings.Contains(name, "EXPIRE") && name != "HEXPIRE"
		}) {
			last[place(p)] = max(last[place(p)], p.Line)
		}
	}
	for i := range c.Patterns {
		if p := &c.Patterns[i]; p.expiry != 0 && last[place(p)] >= p.Line {
			p.expiry = expirySet
		}
	}
}

// rawExpiry returns whether a call with the name of a command, token i, has an option with an expiry.
func (c *collector) rawExpiry(i int, command *command) expiry {
	for n := i + 1; n < int(c.match[i+1]) && command.name == "SET"; n++ {
		if t := &c.tokens[n]; t.kind == textToken && expiryWords[strings.ToLower(c.src[t.body:t.tail])] {
			return expirySet
		}
	}
	switch {
	case command.name == "SETEX" || command.name == "PSETEX":
		return expirySet
	case command.name == "SET" || !command.writes || command.kind == "":
		return expiryUnknown
	}
	return expiryNone
}
