package config

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"

	"github.com/rdblens/rdblens/thresholds"
)

// template is a configuration, with {names} for what depends on the profile.
//
//go:embed template.yaml
var template string

// Template returns a configuration that extends a built-in profile and changes
// nothing: every setting is in a comment, the rules as the profile has them.
func Template(profile string) []byte {
	var rules strings.Builder
	p := Profile(profile)
	for _, rule := range thresholds.Rules() {
		fmt.Fprintf(&rules, "\n#  # %s\n#  %s: %s\n", rule.Title, rule.Name,
			inLine(showSetting(nil, &p.Settings[rule.ID]), "rules."+rule.Name))
	}
	return []byte(strings.NewReplacer("{profile}", profile, "{profiles}", strings.Join(profileNames, ", "), "{rules}",
		rules.String()).Replace(template))
}

// needsNoQuotes matches values that YAML takes as they are, also within braces.
var needsNoQuotes = matching(`^([0-9A-Za-z][0-9A-Za-z .%]*|\{.*\})$`)

// inLine returns the values of entries below a path as a value of YAML in one line.
func inLine(entries []Entry, path string) string {
	if len(entries) == 1 && entries[0].Path == path {
		value := entries[0].Value
		if count := strings.ReplaceAll(value, ",", ""); strings.Trim(count, "0123456789") == "" {
			value = count
		}
		if !needsNoQuotes(value) {
			value = strconv.Quote(value)
		}
		return value
	}
	var parts []string
	for i := 0; i < len(entries); {
		name, _, _ := strings.Cut(strings.TrimPrefix(entries[i].Path, path+"."), ".")
		below := path + "." + name
		if entries[i].Path == path {
			name, below = "severity", path
		}
		end := i + 1
		for below != path && end < len(entries) && strings.HasPrefix(entries[end].Path+".", below+".") {
			end++
		}
		parts = append(parts, name+": "+inLine(entries[i:end], below))
		i = end
	}
	return "{" + strings.Join(parts, ", ") + "}"
}
