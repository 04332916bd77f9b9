package codebase

import (
	"path"
	"strings"
)

// ambiguous is the value of a setting that files disagree about.
const ambiguous = "\x00"

// isSettings reports whether a file has the settings of an application of Spring.
func isSettings(name string) bool {
	if !strings.HasPrefix(name, "application") && !strings.HasPrefix(name, "bootstrap") {
		return false
	}
	switch path.Ext(name) {
	case ".yml", ".yaml", ".properties":
		return true
	}
	return false
}

// settings returns the settings of the applications of the checkout, by their paths.
func (w *walker) settings() map[string]string {
	all := map[string]string{}
	for _, name := range w.config {
		text, _ := w.read(name)
		found := properties(text)
		if path.Ext(name) != ".properties" {
			found = outline(text)
		}
		for key, value := range found {
			if old, known := all[key]; known && old != value {
				value = ambiguous
			}
			if len(all) < 20_000 {
				all[key] = value
			}
		}
	}
	return all
}

// properties returns the settings of lines name=value.
func properties(text string) map[string]string {
	found := map[string]string{}
	for line := range strings.Lines(text) {
		if key, value, ok := strings.Cut(line, "="); ok && !strings.HasPrefix(line, "#") {
			found[strings.TrimSpace(key)] = scalar(value)
		}
	}
	return found
}

// outline returns the settings of lines name: value whose indentation says where they
// belong, as nearly every YAML file is written.
func outline(text string) map[string]string {
	type level struct {
		column int
		path   string
	}
	found := map[string]string{}
	var levels []level
	for line := range strings.Lines(text) {
		trimmed := strings.TrimLeft(line, " ")
		key, value, ok := strings.Cut(trimmed, ":")
		if !ok || trimmed[0] == '#' || trimmed[0] == '-' || len(levels) > 30 {
			continue
		}
		column := len(line) - len(trimmed)
		for len(levels) > 0 && levels[len(levels)-1].column >= column {
			levels = levels[:len(levels)-1]
		}
		name := strings.Trim(key, ` "'`)
		if n := len(levels); n > 0 {
			name = levels[n-1].path + "." + name
		}
		levels = append(levels, level{column, name})
		if value = scalar(value); value != "" && len(name) < maxText {
			found[name] = value
		}
	}
	return found
}

// scalar returns a value without quotes, comment and spaces.
func scalar(s string) string {
	s, _, _ = strings.Cut(s, " #")
	return strings.Trim(strings.TrimSpace(s), `"'`)
}
