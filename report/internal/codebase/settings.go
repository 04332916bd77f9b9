package codebase

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// A setting is the value that files give a setting of an application, and the first line that
// does.
type setting struct {
	value     string
	ambiguous bool     // files disagree about it
	modules   []string // whose files have it
	Pattern            // the line, without a key
}

// isSettings reports whether a file has the settings of an application of Spring or Symfony, or an environment.
func isSettings(name string) bool {
	if environment(name) > 0 || name == "appsettings.json" || name == "appsettings.Production.json" {
		return true
	}
	stem := strings.TrimSuffix(name, path.Ext(name))
	if !strings.HasPrefix(stem, "application") && !strings.HasPrefix(stem, "bootstrap") &&
		!slices.Contains([]string{"framework", "cache", "messenger", "lock", "rate_limiter"}, stem) {
		return false
	}
	return slices.Contains([]string{".yml", ".yaml", ".properties"}, path.Ext(name))
}

// settings returns the settings of the applications of the checkout, by their paths: those of
// lines name=value, and of lines name: value whose indentation says where they belong, as nearly
// every YAML file is written.
func (w *walker) settings() map[string]setting {
	type level struct {
		column int
		path   string
	}
	all := map[string]setting{}
	slices.SortStableFunc(w.config, func(a, b string) int { // application.yml precedes application-dev.yml
		a, b = path.Base(a), path.Base(b)
		return cmp.Or(cmp.Compare(environment(a), environment(b)), strings.Count(a, "-")-strings.Count(b, "-"))
	})
	for _, file := range w.config {
		text, _ := w.read(file)
		separator := ":"
		if path.Ext(file) == ".properties" || environment(path.Base(file)) > 0 {
			separator = "="
		}
		var levels []level
		number, section := 0, ""
		for line := range strings.Lines(text) {
			number++
			trimmed := strings.TrimLeft(line, " ")
			if separator == "=" && trimmed[0] == '[' { // of an environment of ThinkPHP
				section = strings.ToUpper(strings.Trim(trimmed, "[] \r\n")) + "_"
			}
			key, value, ok := strings.Cut(trimmed, separator)
			if !ok || trimmed[0] == '#' || trimmed[0] == '-' || len(levels) > 30 {
				continue
			}
			column := len(line) - len(trimmed)
			for len(levels) > 0 && levels[len(levels)-1].column >= column {
				levels = levels[:len(levels)-1]
			}
			name := strings.Trim(key, ` "'`)
			if section != "" {
				name = section + strings.ToUpper(name)
			}
			if n := len(levels); n > 0 {
				name = levels[n-1].path + "." + name
			}
			levels = append(levels, level{column, name})
			value, _, _ = strings.Cut(value, " #")
			if path.Ext(file) == ".json" {
				value, _, _ = strings.Cut(value, ", //")
				value = strings.TrimRight(strings.TrimSpace(value), ",{[")
			}
			value = strings.Trim(strings.TrimSpace(value), `"'`)
			old, known := all[name]
			if module := springModule(file); known && !slices.Contains(old.modules, module) {
				old.modules = append(old.modules, module)
				all[name] = old
			}
			switch {
			case len(name) > maxText || !known && len(all) > 20_000:
			case !known || old.value == "" && !strings.Contains(path.Base(file), "-"):
				all[name] = setting{value, old.ambiguous, append(old.modules, springModule(file)),
					Pattern{File: file, Line: number, Text: cutLine(line)}}
			case value != "" && value != old.value:
				old.ambiguous = true
				all[name] = old
			}
		}
	}
	return all
}

// springModule returns the directory of the module of the JVM that has a file, "" if it is not known.
func springModule(file string) string {
	module, _, ok := strings.Cut(file, "/src/main/")
	if !ok {
		return ""
	}
	return module
}

// foreign reports whether a setting is only that of another application than the one that a file belongs to.
func (p *program) foreign(v setting, at *source) bool {
	own := ""
	if at != nil {
		own = springModule(at.path)
	}
	return own != "" && p.configured[own] && !slices.Contains(v.modules, own) && !slices.Contains(v.modules, "") &&
		!strings.Contains(path.Base(v.File), "-")
}

// firstSettings returns the first line of each group of settings that sets up a library, by
// its path.
func (s *scanner) firstSettings() map[string]Pattern {
	found := map[string]Pattern{}
	for path, at := range s.program.settings {
		for word := range setupWords() {
			if path != word && !strings.HasPrefix(path, word+".") {
				continue
			}
			if old, known := found[word]; !known || at.File < old.File || at.File == old.File && at.Line < old.Line {
				found[word] = at.Pattern
			}
		}
	}
	return found
}

// setting declares the field that @Value("${name:default}") gives a value.
func (c *collector) setting(text string, annotation int) {
	text = strings.TrimSuffix(strings.TrimPrefix(text, "${"), "}")
	name, fallback, _ := strings.Cut(text, ":")
	begin := c.behind(annotation + 1)
	for i := begin; i < begin+30 && c.tokens[i].kind != endToken && !c.is(i, ",") && !c.is(i, ")"); i++ {
		if (c.is(i, ";") || c.is(i, "=") || c.is(i, ":")) && c.isWord(i-1) {
			c.declare(c.textOf(i-1), c.class(),
				&node{kind: settingNode, text: c.words.keep(name), label: c.words.keep(fallback)}, &c.tokens[annotation])
			return
		}
	}
}

// settingWords are words of values that come from the environment or the configuration, so that a
// default for one is likely in force.
var settingWords = []string{"env", "config", "option", "opts", "setting", "prefix", "param"}

// mentionsAny reports whether a name of an expression has one of some words.
func mentionsAny(n *node, words []string) bool {
	for depth := 0; n != nil && depth < 6; n, depth = n.of, depth+1 {
		name := strings.ToLower(n.text)
		if slices.ContainsFunc(words, func(word string) bool { return strings.Contains(name, word) }) {
			return true
		}
	}
	return false
}
