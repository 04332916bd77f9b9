package config

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/rdblens/rdblens/thresholds"
)

// Template returns a configuration that extends a built-in profile and changes
// nothing: every setting is in a comment, the rules as the profile has them.
func Template(profile string) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, templateHead, profile, strings.Join(profileNames, ", "))
	p := Profile(profile)
	for _, rule := range thresholds.Rules() {
		fmt.Fprintf(&b, "\n#  # %s\n#  %s: %s\n", rule.Title, rule.Name, inLine(showSetting(nil, &p.Settings[rule.ID]), "rules."+rule.Name))
	}
	return []byte(b.String() + templateTail)
}

const (
	templateHead = `# The team's rules for the keys of its servers. Remove the # before a setting and
# change it.
#
#   rdblens config check     what is wrong, and what this file changes
#   rdblens config show      every value in force, and where it was set
#   rdblens rules explain    what a rule flags, and why
#   rdblens config schema    the schema of this file, for editors

extends: %s # one of %s

# The characters between the segments of names.
#separators: ":"

# Snapshots come from cluster nodes, whatever they show.
#cluster: true

# Rules are off, on, a severity (info, warning, error), or limits and parameters.
# These are the settings of the profile.
#rules:
`
	templateTail = `
# First segments of names, with their owners. A plain list, [order, cart], says that
# there are no others.
#namespaces:
#  order: {owner: orders}
#  cart: {owner: checkout}

# Settings for some keys. Of several that match a key, the last one decides.
#overrides:
#  - key: "leaderboard:*"
#    owner: games
#    rules:
#      big-collection: {error: 50000}

# Findings that are not counted, until a date or for ever.
#ignore:
#  - rule: no-ttl
#    key: "legacy:import:*"
#    reason: "imported once; the job that removes them runs in spring"
#    until: 2099-03-31

# Limits for keys together: of a group, an owner, a database, or all. Growth is a day.
#budgets:
#  - {group: "session:*", keys: {error: 1000000}, memory: {warning: 1 GB}, without_ttl: {warning: 5%}, growth: {error: 20%}, reason: sized in spring}
#  - {owner: checkout, memory: {error: 4 GB}}

# Words that have an agreed short form.
#abbreviations:
#  economic: ec
`
)

// needsNoQuotes matches values that YAML takes as they are, also within braces.
var needsNoQuotes = regexp.MustCompile(`^([0-9A-Za-z][0-9A-Za-z .%]*|\{.*\})$`)

// inLine returns the values of entries below a path as a value of YAML in one line.
func inLine(entries []Entry, path string) string {
	if len(entries) == 1 && entries[0].Path == path {
		value := entries[0].Value
		if count := strings.ReplaceAll(value, ",", ""); strings.Trim(count, "0123456789") == "" {
			value = count
		}
		if !needsNoQuotes.MatchString(value) {
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
