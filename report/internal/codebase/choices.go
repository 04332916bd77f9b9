package codebase

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A registration is a place where a class is made or registered, perhaps as what an interface stands for.
type registration struct {
	class      string
	conditions []*condition // all of them hold there
	function   *function    // around it, nil none
	source     *source
	manager    bool // of the caches of Spring on the server
}

// How sure it is that a class is made, least first.
const (
	notMade   = iota - 2 // no place makes it
	neverMade            // it is not by the settings
	maybeMade
	isMade
)

// registers are the beginnings of methods that register the class between their < and >.
var registers = []string{"add", "tryadd", "register", "replace", "bind", "use", "to", "implementedby"}

// components are annotations of classes that a container of the JVM makes.
var components = wordSet("Component Service Repository Singleton ApplicationScoped Named")

// choose notes that token i makes or registers a class, or that an annotation there is about one.
func (c *collector) choose(i int, word string) {
	if c.is(i-1, "@") && c.jvm {
		switch {
		case components[word]:
			c.component = true
		case word == "Profile", strings.HasPrefix(word, "ConditionalOn"):
			if on := c.annotated(i, word); on != nil {
				c.pending = append(c.pending, on)
			}
		}
		return
	}
	if !isUpper(word) || len(c.choices) > 5000 {
		return
	}
	store := c.syntax == csharp && c.is(i-1, ".") && distributedStores[word] != ""
	before, manager := c.textOf(i-1), c.jvm && springManager(word) && c.function() != nil
	switch {
	case before == "new", manager, store, c.syntax == csharp && c.is(i-1, "(") && c.textOf(i-2) == "typeof":
	case c.syntax == kotlin && c.is(i+1, "("):
		if before == "class" || before == "fun" || c.is(i-1, ":") || c.is(i-1, ".") || c.is(i-1, "@") {
			return
		}
	case c.syntax == csharp && c.is(i+1, ">") && (c.is(i-1, "<") || c.is(i-1, ",")):
		n := i - 1
		for n > i-20 && n > 0 && !c.is(n, "<") {
			n--
		}
		lower := strings.ToLower(c.textOf(n - 1))
		if !slices.ContainsFunc(registers, func(verb string) bool { return strings.HasPrefix(lower, verb) }) {
			return
		}
	default:
		return
	}
	if !namesClass(word) {
		return
	}
	made := registration{class: c.words.keep(word), conditions: c.conditions(i), source: c.file, manager: manager,
		function: c.function()}
	if store {
		made.class = distributedStores[word]
	}
	for _, s := range c.scopes {
		if made.conditions = append(made.conditions, s.conditions...); s.function != nil {
			made.conditions = append(made.conditions, s.function.conditions...)
		}
	}
	c.choices = append(c.choices, made)
}

// chosen returns what makes a class that the method of a call belongs to what the interface of its receiver stands
// for, nil if no other class is by the settings.
func (s *scanner) chosen(c *site, f *function) *store {
	last := strings.TrimLeft(lastWord(c.receiver), "_")
	kind := c.source.types[lastWord(c.receiver)]
	if in := c.source.syntax; in != csharp && !in.jvm || f.container == "" || strings.EqualFold(kind, f.container) ||
		strings.EqualFold(last, f.container) || c.onItself() || c.receiver == "" {
		return nil
	}
	own, needs := s.making(f.container)
	other := notMade
	supers := slices.Sorted(maps.Keys(f.source.supers))
	for _, g := range nearby(s.program.functions[f.name], f.source) {
		if g.container == f.container || g.container == kind || !g.source.syntax.shares(f.source.syntax) ||
			!g.takes(len(c.args)) || len(g.passes) > 0 || ofServer(strings.ToLower(g.container)) ||
			own > neverMade && doesNothing(g.container) {
			continue
		}
		for _, name := range supers {
			if !namesClass(name) || !g.source.supers[name] || name != kind && kind != "" && f.source.supers[kind] {
				continue
			}
			state, _ := s.making(g.container)
			if other = max(other, state); needs.needs == "" {
				needs.needs = name + "=" + f.container
			}
			if own == notMade && other == notMade {
				return &needs
			}
			break
		}
	}
	if other == notMade && own > neverMade || own == isMade && other < maybeMade || ofServer(last) && own > neverMade ||
		needs.needs == "" || own > neverMade && s.docker {
		return nil
	}
	return &needs
}

// distributedStores are methods of .NET that put its distributed cache on the server or in the process, or the key ring
// of its data protection on the server.
var distributedStores = map[string]string{"AddStackExchangeRedisCache": "distributed redis",
	"AddDistributedRedisCache": "distributed redis", "AddDistributedMemoryCache": "distributed memory",
	"PersistKeysToStackExchangeRedis": keyRing}

const keyRing = "key ring"

// unmade returns what makes the class of .NET that a site is in, or a key ring, if it is not by the settings, else nil.
func (s *scanner) unmade(c *site) *store {
	class := keyRing
	if c.command != ringCommand {
		if c.function == nil {
			return nil
		}
		class = c.function.container
	}
	state, needs := s.making(class)
	if state == maybeMade && class == keyRing { // in the branch of a distributed cache
		return s.distributedStore()
	} else if state != neverMade {
		return nil
	}
	return &needs
}

// distributedStore returns what keeps the distributed cache of .NET on the server, nil if it is there or that is not
// known.
func (s *scanner) distributedStore() *store {
	own, needs := s.making("distributed redis")
	other, _ := s.making("distributed memory")
	if own == notMade && other < maybeMade || own == isMade || own == maybeMade && other < maybeMade {
		return nil
	}
	needs.needs = cmp.Or(needs.needs, "AddStackExchangeRedisCache")
	needs.chosen = cmp.Or(needs.chosen, s.stores[csharp].chosen)
	return &needs
}

// doesNothing reports whether a class stands for none, by its name.
func doesNothing(class string) bool {
	return slices.ContainsFunc([]string{"noop", "null", "dummy", "empty", "fake"}, func(word string) bool {
		return strings.HasPrefix(strings.ToLower(class), word)
	})
}

// composeFile matches the name of a file of Docker Compose, and composedCache a variable in one that puts a cache on the
// server.
var (
	composeFile = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(docker-)?compose[\w.-]*\.ya?ml$`)
	})
	composedCache = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?im)^\s*(- *)?["']?\w*cache\w*["']? *[:=] *["']?redis["']?\s*$`)
	})
)

// composed reports whether a file of Docker Compose says that a cache is on the server.
func (w *walker) composed() bool {
	return slices.ContainsFunc(w.compose, func(name string) bool {
		text, _ := w.read(name)
		return composedCache().MatchString(text)
	})
}

// making returns whether a class is made, and what it needs to be if that is not by the settings.
func (s *scanner) making(class string) (state int, needs store) {
	state = notMade
	for _, made := range s.choices[class] {
		if f := made.function; f != nil && f.source.syntax == csharp && strings.HasPrefix(f.name, "Add") && !s.adds[f.name] {
			continue
		}
		holds, on := isMade, store{kind: cachesElsewhere}
		for _, condition := range made.conditions {
			if one, at := s.holds(condition, made.source); one < holds {
				holds, on = one, at
			}
		}
		if holds > state {
			state, needs = holds, on
		}
	}
	needs.kind = cachesElsewhere
	return state, needs
}

// managed returns what a file says of the caches of its framework, unless the settings turn off what makes a manager of
// Spring on the server.
func (s *scanner) managed(r *reading) store {
	for _, made := range r.choices {
		if !made.manager {
			continue
		}
		for _, on := range made.conditions {
			if state, needs := s.holds(on, r.file); state == neverMade {
				needs.kind |= cachesDecided
				return needs
			}
		}
	}
	return r.file.store
}
