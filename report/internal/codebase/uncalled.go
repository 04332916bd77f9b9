package codebase

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Uncalled is the condition of the keys of a function that nothing calls.
const Uncalled = "something calls the function"

var uncalled = &store{needs: Uncalled}

// mentioning are the ends of the names of files that are no sources, but name functions: views and settings.
var mentioning = wordSet(`.erb .haml .slim .jbuilder .rabl .arb .ru .cshtml .razor .html .htm .jsp .ftl .twig
	.phtml .tpl .xml .yml .yaml .proto .graphql .graphqls .svelte .groovy .scala .toml
	.sh .gradle .rhtml .hbs .ejs .pug .mustache .liquid`)

// mentionsFunctions reports whether a file that is no source may name functions.
func mentionsFunctions(name string) bool {
	return mentioning[strings.ToLower(path.Ext(name))] || strings.HasSuffix(name, ".pb.go")
}

// entries are names of functions that something outside of the checkout calls, in lower case and without _.
var entries = wordSet(`main init initialize call execute handle perform run invoke invokeasync process
	start stop close setup configure boot register up down index show create store edit
	update destroy delete get post put patch head options servehttp string error format
	filter dofilterinternal prehandle posthandle afterpropertiesset commandlinerunner
	onmessage consume subscribed unsubscribed received finalize dispose disposeasync
	startasync stopasync executeasync tostring equals hashcode getserversideprops
	getstaticprops loader action default handler middleware schedule read write gc open
	included inherited extended methodmissing respondto respondtomissing toparam tojson
	asjson tos each next iterator marshaljson unmarshaljson save add remove has set
	clear forget flush lock unlock release acquire middlewares rules
	configureservices configurecontainer`)

// hostNames are parts of the names of files and classes whose methods a framework calls.
var hostNames = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("(?i)controller|action|/api/|resolver|listener|observer|subscriber|handler$|middleware|" +
		"filter|plugin|hook|resource|endpoint|/admin/|module|/migrat|serializer|channel|mailer|/rpc/|grpc")
})

// hosted reports whether a framework may call the methods of a class or a file by its name.
func (s *source) hosted(class string) bool {
	switch {
	case s.syntax == csharp: // libraries find them
		return strings.HasSuffix(class, "Handler") || strings.HasSuffix(class, "Consumer")
	case s.syntax.jvm: // a table of jobs may name them
		return strings.HasSuffix(class, "Task") || strings.HasSuffix(class, "Job")
	}
	return (s.syntax == php || s.syntax == ruby) && (hostNames().MatchString("/"+s.path) || hostNames().MatchString(class))
}

// plainSupers are classes of libraries and other words behind the name of a class that call no method of it.
var plainSupers = wordSet(`extends implements object Object ApplicationRecord ActiveRecord Base Serializable
	Model BaseModel models ABC Enum public class Exception IDisposable struct record
	static where new Any Singleton`)

// uncalled reports whether nothing calls a function, as far as the checkout shows.
func (s *scanner) uncalled(f *function) bool {
	for range maxRounds {
		if f == nil {
			break
		}
		if k := s.known(f); k != nil && f.name != "" && !k.live {
			return true
		}
		f = f.outer
	}
	return false
}

// isEntry reports whether something outside of the sources may call a function, such as a framework.
func (s *scanner) isEntry(f *function) bool {
	if !f.asked {
		f.asked, f.entry = true, s.mayBeEntry(f)
	}
	return f.entry
}

// overridesOwn reports whether a method overrides one of a class of the checkout: only a call has its name.
func (f *function) overridesOwn() bool {
	of := f.source.bodies[f.container]
	return (f.source.syntax.jvm || f.source.syntax == csharp) && f.outer == nil && of != nil && !of.foreign &&
		len(of.supers) > 0
}

func (s *scanner) mayBeEntry(f *function) bool {
	if f.external == annotated || f.external == overriding && !f.overridesOwn() || len(f.name) < 3 {
		return true
	}
	if in := f.source.syntax; f.container == "" && (in == golang || in == rust) && s.applies(in) {
		return f.name == "main" || f.name == "init" || in == golang && strings.HasPrefix(f.source.path, "pkg/")
	}
	name := strings.ToLower(strings.ReplaceAll(f.name, "_", ""))
	if entries[name] || f.name[0] == '_' && f.name[len(f.name)-1] == '_' || strings.HasPrefix(f.name, "__") ||
		f.name == f.container || f.external != closed && f.source.hosted(f.container) {
		return true
	}
	switch f.source.syntax {
	case golang:
		if f.name[0] >= 'A' && f.name[0] <= 'Z' && (!s.applies(f.source.syntax) || strings.HasPrefix(f.source.path, "pkg/")) {
			return true
		}
	case php:
		if strings.HasPrefix(f.name, "scope") || strings.HasPrefix(f.name, "action") ||
			strings.HasSuffix(f.name, "Attribute") {
			return true
		}
	}
	if !s.applies(f.source.syntax) {
		return true
	}
	if f.container == "" || f.source.syntax == golang || f.source.syntax == rust {
		return false
	}
	for super := range f.source.supers {
		if !plainSupers[super] && s.program.classes[super] == 0 && !s.containers[super] {
			return true // a class of a library may call it
		}
	}
	return false
}

// mains are names of files with which an application begins.
var mains = wordSet(`main app server index manage wsgi asgi Program Startup run bot worker artisan
	application bootstrap`)

// readOthers counts the words of files that are no sources. If there are too many, no function is known to be called
// by nothing.
func (s *scanner) readOthers() {
	s.unsure = len(s.others) == maxFiles
	for size, n := 0, 0; n < len(s.others) && !s.unsure; n++ {
		src, _ := s.read(s.others[n])
		size += len(src)
		s.unsure = size > maxOthers
		s.mentions.text(src)
		s.reached.text(src)
	}
}

// applies reports whether the sources of a language are an application, not a library for others.
func (s *scanner) applies(of *syntax) bool {
	if s.unsure {
		return false
	}
	is, known := s.apps[of]
	if !known {
		switch of {
		case ruby:
			is = s.bundle && !s.gem
		case php:
			text, _ := s.read("composer.json")
			is = text != "" && !strings.Contains(strings.ReplaceAll(text, " ", ""), `"type":"library"`)
		default:
			for _, f := range s.program.functions["main"] {
				is = is || f.source.syntax.shares(of)
			}
			for _, f := range s.program.functions["Main"] {
				is = is || f.source.syntax.shares(of)
			}
			for _, file := range s.sources {
				is = is || of != golang && file.syntax.shares(of) && mains[file.base]
			}
		}
		if s.apps == nil {
			s.apps = map[*syntax]bool{}
		}
		s.apps[of] = is
	}
	return is
}

// names reports whether a word is the name of a function at its declaration.
func (c *collector) names(i int) bool {
	for n := i - 1; n >= 0 && n > i-12 && !c.tokens[n+1].first; n-- {
		if slices.Contains(c.syntax.functions, c.textOf(n)) {
			return true
		}
	}
	return false
}

// restore lists lines of functions that nothing calls where others make the same keys.
func (c *Checkout) restore() {
	made := map[string]bool{}
	for _, p := range c.Patterns {
		made[Join(p.Parts)] = made[Join(p.Parts)] || p.makes && p.Sure >= Likely
	}
	for i := range c.Patterns {
		if p := &c.Patterns[i]; p.needs == uncalled && made[Join(p.Parts)] {
			p.Sure, p.needs, p.Condition = p.otherwise, nil, ""
		}
	}
}

// A caller says who else calls a function.
type caller byte

const (
	overriding caller = iota + 1 // what calls that of a class which it overrides
	annotated                    // what its annotation says
	closed                       // in PHP, only its class and those below it do
)

// silent are annotations of methods of the JVM that do not say who calls them.
var silent = wordSet(`Transactional Cacheable CachePut CacheEvict Caching Async SneakyThrows Deprecated SuppressWarnings
	Retryable NonNull Nullable NotNull Synchronized JvmStatic JvmOverloads Throws`)

// external returns who calls a function, as what precedes its parameters tells, in the bracket of a token.
func (c *collector) external(open int) (by caller) {
	if c.syntax == python {
		n := open
		for n > 0 && n > open-4 && !(c.tokens[n].first && (c.textOf(n) == "def" || c.textOf(n) == "async")) {
			n--
		}
		column, depth := c.tokens[n].column, 0
		for n--; n > 0 && n > open-60; n-- {
			switch {
			case c.is(n, ")"):
				depth++
			case c.is(n, "("):
				depth--
			}
			if c.tokens[n].first && depth == 0 && c.tokens[n].column <= column {
				break
			}
		}
		if c.is(n, "@") {
			by = annotated
		}
		return by
	}
	depth, n := 0, open-1
	ends := func(n int) bool { // what precedes the function, also an expression that is the body of another one
		return c.is(n, ";") || c.is(n, "{") || c.is(n, "}") ||
			(c.jvm || c.syntax == csharp) && (c.is(n, "=") || c.is(n, "=>"))
	}
	for ; n >= 0 && n > open-2000 && (depth > 0 || !ends(n)); n-- {
		switch {
		case c.is(n, ")"):
			depth++
		case c.is(n, "("):
			depth--
		case depth > 0:
		case c.is(n, "@") && c.textOf(n+1) == "Override":
			by = overriding
		case c.is(n, "@") && c.jvm && silent[c.textOf(n+1)]:
		case c.is(n, "@"), c.is(n, "#") && c.syntax != csharp, c.is(n, "[") && c.tokens[n].first && c.syntax == csharp:
			return annotated
		}
		switch c.textOf(n) {
		case "override", "default", "abstract":
			by = overriding
		case "operator", "extern", "implicit", "explicit":
			return annotated
		case "private", "protected":
			if c.syntax == php && (c.textOf(n) == "private" || !c.file.traits) { // they may be of a library
				by = closed
			}
		}
	}
	if by == 0 && open > 0 && c.mayBeOfTrait(max(n, 0), open) {
		by = overriding
	}
	return by
}

// mayBeOfTrait reports whether a method of Rust lacks pub: it may be one of a trait.
func (c *collector) mayBeOfTrait(from, open int) bool {
	if c.syntax != rust || c.class() == "" {
		return false
	}
	for n := max(from, open-12); n < open; n++ {
		if c.textOf(n) == "pub" {
			return false
		}
	}
	return true
}
