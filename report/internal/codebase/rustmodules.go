package codebase

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// cargoNames matches what may be a feature that Cargo builds with, and what makes that unknown: all of them,
// or programs at places of their own.
var cargoNames = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`"(?:[\w-]+\??/)?([\w-]+)"|--features[= ]+["']?([\w,-]+)|` +
		`--(all-features)|path\s*=\s*"[^"]*?(\w+)\.rs"`)
})

// cargoFeatures returns the features that applications of Rust may be built with, nil if that is not known.
func (s *scanner) cargoFeatures() map[string]bool {
	features := map[string]bool{}
	for _, name := range s.others {
		if path.Base(name) != "Cargo.toml" {
			continue
		}
		text, _ := s.read(name)
		docker, _ := s.read(path.Join(path.Dir(name), "Dockerfile"))
		for _, m := range cargoNames().FindAllStringSubmatch(text+docker, -1) {
			if m[3] != "" || m[4] != "" && !rustRoots[m[4]] {
				return nil
			}
			for feature := range strings.SplitSeq(m[1]+m[2], ",") {
				features[feature] = true
			}
		}
	}
	if !slices.ContainsFunc(s.files, func(name string) bool { return path.Base(name) == "main.rs" }) {
		return nil // a library
	}
	return features
}

// Uncompiled begins the condition of keys in a module of Rust that Cargo does not compile; its path follows.
const Uncompiled = "Cargo compiles "

// rustRoots are files of Rust that no module compiles.
var rustRoots = wordSet("main lib build")

// leftOut returns the token that ends the item which cfg(test) or cfg(feature = "name") of Rust leaves out, whose first
// word in the parentheses is a token. It is 0 if there is none.
func (c *collector) leftOut(i int) int {
	t := &c.tokens[min(i+2, len(c.tokens)-1)]
	if c.syntax == rust && c.textOf(i) == "test" && c.is(i+1, "]") && (c.is(i-1, "[") || c.is(i-1, "::")) { // #[test]
		return c.itemEnd(i)
	}
	off := c.textOf(i) == "test" || c.features != nil && t.kind == textToken && !c.features[c.src[t.body:t.tail]]
	if c.syntax != rust || !off || !c.is(i-1, "(") || c.textOf(i-2) != "cfg" && c.textOf(i-2) != "all" {
		return 0
	}
	return c.itemEnd(i)
}

// itemEnd returns the token that ends the item of Rust whose attribute has a token, 0 if that is not known.
func (c *collector) itemEnd(i int) int {
	n, behind := i, false
	for n < i+200 && c.tokens[n].kind != endToken && !(behind && (c.is(n, ",") || c.is(n, "}"))) { // ends a part of one
		if c.is(n, ";") || c.is(n, "{") {
			return c.behind(n) - 1
		}
		n, behind = c.behind(n), behind || c.is(n, "]")
	}
	return 0
}

// uncompiled returns what Cargo has to compile, nil if it does as far as the checkout shows.
func (s *scanner) uncompiled(file *source) *store {
	root := file.syntax != rust || rustRoots[file.base] || s.features == nil
	module, declares := strings.TrimSuffix(strings.TrimSuffix(file.path, ".rs"), "/mod"), true
	for ; !root && declares && module != "."; module = path.Dir(module) {
		dir, compiled := path.Dir(module), false
		declares = false
		for _, name := range [...]string{dir + ".rs", dir + "/mod.rs", dir + "/main.rs", dir + "/lib.rs"} {
			if parent := s.sources[path.Clean(name)]; parent != nil && len(parent.modules) > 0 {
				declares, root = true, root || rustRoots[parent.base]
				compiled = compiled || parent.modules[path.Base(module)] != ""
			}
		}
		if declares && !compiled {
			return &store{kind: cachesElsewhere, needs: Uncompiled + module}
		}
	}
	return nil
}
