package codebase

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A condition is one of an if or an annotation: that a setting has a value.
type condition struct {
	setting  *node  // what names it, nil unknown
	name     string // of an if: what its words call the setting
	options  string // of an if of C#: the setting, as a member of the class of options that it is read into
	want     string
	negative bool
	missing  bool // it holds if the setting has no value
	spring   bool // it is one of an annotation, so that it does not hold without a value otherwise
}

// anyValue is what a condition wants that a setting has a value.
const anyValue = "\x01any"

// annotated returns the condition of an annotation of Spring, nil if it is none about settings.
func (c *collector) annotated(i int, word string) *condition {
	args := c.arguments(i + 1)
	if !c.is(i+1, "(") || len(args) == 0 {
		return nil
	}
	first := args[0]
	if first.kind == listNode && len(first.args) > 0 {
		first = first.args[0]
	}
	switch word {
	case "Profile":
		name, not := strings.CutPrefix(first.text, "!")
		return &condition{setting: &node{kind: textNode, text: "spring.profiles.active"}, want: name, negative: not,
			missing: not, spring: true}
	case "ConditionalOnExpression":
		return &condition{setting: &node{kind: listNode, args: []*node{first}}}
	case "ConditionalOnProperty", "ConditionalOnBooleanProperty":
	default:
		return nil
	}
	on := &condition{spring: true}
	prefix := &node{kind: textNode}
	for _, a := range args {
		value := *a
		if value.kind == listNode && len(value.args) > 0 {
			value = *value.args[0]
		}
		switch value.label = ""; a.label {
		case "prefix":
			prefix = &node{kind: joinNode, args: []*node{&value, {kind: textNode, text: "."}}}
		case "name", "value", "":
			on.setting = &value
		case "havingValue":
			on.want = value.text
		case "matchIfMissing":
			on.missing = value.text == "true"
		}
	}
	if on.setting != nil {
		on.setting = &node{kind: joinNode, args: []*node{prefix, on.setting}}
	}
	return on
}

// springManager reports whether a class is a manager of caches of Spring on the server, by its name.
func springManager(class string) bool {
	return strings.HasSuffix(class, "RedisCacheManager") || strings.HasSuffix(class, "RedissonSpringCacheManager")
}

// begin returns the token that the statement around a token begins with, and whether it is an arm of a switch, or
// behind the ? or the : of a condition.
func (c *collector) begin(i int) (first int, arm bool) {
	colon := false
	for n := i; n > 0 && n > i-300; n-- {
		switch {
		case c.is(n-1, ";"), c.is(n-1, "{"), c.is(n-1, "}"), c.textOf(n-1) == "else":
			return n, arm
		case c.is(n-1, "=>"), c.is(n-1, "->"):
			arm = arm || c.tokens[max(n-2, 0)].kind == textToken || c.is(n-3, ".") ||
				c.textOf(n-2) == "_" || c.textOf(n-2) == "else"
		case c.is(n-1, ":"):
			colon = true
		case c.is(n-1, "?"):
			arm = arm || colon || c.is(c.colon(n), ":")
		case c.textOf(n-1) == "case", c.textOf(n-1) == "default":
			arm = true
		case c.is(n-1, ")"):
			open := c.opening(n - 1)
			if w := c.textOf(open - 1); open == 0 || w == "if" || w == "while" || w == "when" {
				return n, arm
			}
			n = open + 1
		}
	}
	return i, arm
}

// colon returns the token behind token i that ends a part of a statement.
func (c *collector) colon(i int) int {
	for n := i; n < i+60; n++ {
		switch {
		case c.is(n, ":"), c.is(n, ";"), c.is(n, ")"), c.is(n, "="), c.is(n, ","), c.is(n, "}"):
			return n
		case c.match[n] > int32(n):
			n = int(c.match[n])
		}
	}
	return i
}

// conditions returns those of the ifs around a token, to the function or class around.
func (c *collector) conditions(i int) (list []*condition) {
	first, arm := c.begin(i)
	if arm {
		list = append(list, &condition{})
	}
	list = append(list, c.conditionBefore(first)...)
	n := len(c.scopes)
	for k := len(c.blocks) - 1; k >= max(0, len(c.blocks)-32) && n > 0 && int(c.match[c.blocks[k]]) != c.scopes[n-1].end; k-- {
		list = append(list, c.conditionBefore(c.blocks[k])...)
	}
	return list
}

// conditionBefore returns the condition of the branch that begins at a token.
func (c *collector) conditionBefore(i int) (list []*condition) {
	switch {
	case c.textOf(i-1) == "else":
		if c.is(i-2, "}") && c.textOf(c.opening(i-2)-1) != "else" {
			for _, on := range c.conditionBefore(c.opening(i - 2)) {
				other := *on
				other.negative = !other.negative
				list = append(list, &other)
			}
		}
		if len(list) != 1 {
			list = []*condition{{}}
		}
		return list
	case !c.is(i-1, ")"):
		return nil
	}
	open := c.opening(i - 1)
	switch c.textOf(open - 1) {
	case "when", "switch":
		return []*condition{{}}
	case "if":
		on := c.tested(open)
		if c.textOf(open-2) == "else" {
			return []*condition{on, {}}
		}
		return []*condition{on}
	}
	return nil
}

// tested returns the condition between two parentheses.
func (c *collector) tested(open int) *condition {
	on, i := &condition{}, open+1
	for c.is(i, "!") {
		i, on.negative = i+1, !on.negative
	}
	c.steps, c.depth = 0, 0
	n, i := c.operand(i)
	if n.kind == callNode && n.of != nil && len(n.args) > 0 && strings.HasPrefix(strings.ToLower(n.text), "equals") {
		a, b := n.of, n.args[0]
		if a.kind == textNode {
			a, b = b, a
		}
		n, on.want = a, b.text
	}
	if n.kind == callNode && len(n.args) == 1 && strings.HasPrefix(n.text, "IsNullOr") {
		n, on.want, on.negative = n.args[0], anyValue, !on.negative
	}
	switch {
	case c.is(i, "==") || c.is(i, "!="):
		on.negative = on.negative != c.is(i, "!=")
		var other *node
		if other, i = c.operand(i + 1); other.text == "null" {
			on.want, on.negative = anyValue, !on.negative
		} else if other.text == "false" {
			on.negative = !on.negative
		} else if other.text != "true" {
			on.want = cmp.Or(other.text, "?")
		}
	case c.textOf(i) == "is" && c.textOf(i+1) == "not" && c.textOf(i+2) == "null":
		on.want, i = anyValue, i+3
	case c.textOf(i) == "is" && c.textOf(i+1) == "null":
		on.want, on.negative, i = anyValue, !on.negative, i+2
	}
	if c.is(i, ")") && i == int(c.match[open]) {
		if on.setting, on.name = c.bound(n), n.text; n.kind == wordNode && n.of != nil {
			on.name = c.words.keep(n.of.text + "." + n.text)
			if class := c.optionsOf(n.of, open); class != "" {
				on.options = c.words.keep(class + "." + n.text)
			}
		}
	}
	return on
}

// optionsOf returns the class of C# that a local variable, which has a value before token i, has options in: that of
// GetOptions<RedisOptions>() or of GetSection(name).Get<RedisOptions>(). It is "" if that is not known.
func (c *collector) optionsOf(variable *node, i int) string {
	if variable.text == "Value" && variable.of != nil {
		variable = variable.of
	}
	for n := i; c.syntax == csharp && n > i-1000; n-- {
		if !c.is(n, "=") || c.textOf(n-1) != variable.text {
			continue
		}
		for m := n; m < n+40 && !c.is(m, ";"); m++ {
			if c.is(m, "<") && c.is(m+2, ">") && c.is(m+3, "(") {
				return c.textOf(m + 1)
			}
		}
		return ""
	}
	return c.file.types[strings.ToLower(variable.text)]
}

// optionsSetting returns the setting that a member of a class of options has, whose section has the name of the class,
// mostly without Options or Settings.
func (s *scanner) optionsSetting(member string) (name string, found setting) {
	class, member, _ := strings.Cut(member, ".")
	for _, end := range [...]string{"", "Options", "Settings", "Config"} {
		if section, ok := strings.CutSuffix(class, end); ok && found.File == "" {
			name = section + "." + member
			found = s.plainSetting(name)
		}
	}
	return name, found
}

// holds returns whether a condition holds by the settings, and what would make it so.
func (s *scanner) holds(on *condition, in *source) (state int, needs store) {
	needs.kind = cachesElsewhere
	if on.setting == nil {
		return maybeMade, needs
	}
	if on.setting.kind == listNode { // an expression of Spring
		return s.expressed(on.setting.args[0].text)
	}
	name, set := s.optionsSetting(on.options)
	if set.File == "" {
		name, set = s.settingOf(on.setting, in)
	}
	if set.File == "" {
		name = cmp.Or(on.name, name)
	}
	want := cmp.Or(on.want, "true")
	switch {
	case want == anyValue:
		needs.needs = name
	case on.negative:
		needs.needs = name + "!=" + want
	default:
		needs.needs = name + "=" + want
	}
	value, want := strings.ToLower(set.value), strings.ToLower(want)
	switch {
	case want == anyValue && (set.File == "" || set.ambiguous || strings.Contains(value, "$")):
		return maybeMade, needs
	case want == anyValue:
		if needs.chosen = fmt.Sprintf("%s:%d", set.File, set.Line); (value != "") != on.negative {
			return isMade, needs
		}
		return neverMade, needs
	case value == "" && !set.ambiguous && on.spring && on.missing:
		return isMade, needs
	case value == "" && !set.ambiguous && on.spring:
		return neverMade, needs
	case value == "" || set.ambiguous || strings.Contains(value, "$"):
		return maybeMade, needs
	}
	needs.chosen = fmt.Sprintf("%s:%d", set.File, set.Line)
	same := slices.Contains(strings.Split(value, ","), want) || on.want == "" && !off[value]
	if same != on.negative {
		return isMade, needs
	}
	return neverMade, needs
}

// off are values of settings that turn something off.
var off = wordSet("false 0 no off none disabled")

// expressed returns whether a condition of placeholders ${name:default} that must all be true holds.
func (s *scanner) expressed(text string) (state int, needs store) {
	state, needs.kind = maybeMade, cachesElsewhere
	lower := strings.ToLower(text)
	if strings.Contains(lower, " or ") || strings.ContainsAny(text, "|!=?.(") && !strings.Contains(text, "${") {
		return state, needs
	}
	for rest := text; ; {
		_, after, ok := strings.Cut(rest, "${")
		name, behind, closed := strings.Cut(after, "}")
		if !ok || !closed {
			return state, needs
		}
		rest = behind
		name, value, _ := strings.Cut(name, ":")
		set := s.plainSetting(name)
		compared := strings.TrimLeft(behind, " '")
		if (compared == "" || strings.IndexByte("=.!", compared[0]) < 0) && !set.ambiguous &&
			off[strings.ToLower(cmp.Or(set.value, value))] {
			if needs.needs = name + "=true"; set.value != "" {
				needs.chosen = fmt.Sprintf("%s:%d", set.File, set.Line)
			}
			return neverMade, needs
		}
	}
}

// settingOf returns the name and the value of the setting that an expression reads.
func (s *scanner) settingOf(n *node, in *source) (name string, found setting) {
	at := frame{source: in}
	if n.kind == textNode || n.kind == joinNode {
		s.program.steps = 0
		name = Join(s.program.eval(n, at))
		return name, s.plainSetting(name)
	}
	names := settingNames(n)
	if n.kind == wordNode {
		if d, _ := s.program.declaration(n, at); d != nil {
			names = append(names, settingNames(d.value)...)
		}
	}
	for _, name := range names {
		if found = s.plainSetting(name); found.File != "" {
			return name, found
		}
	}
	if len(names) > 0 {
		name = names[0]
	}
	return name, found
}

// settingNames returns the names that the setting may have which an expression reads: the texts in it, or its words.
func settingNames(n *node) (list []string) {
	var chain []*node
	for ; n != nil && len(chain) < 8; n = n.of {
		chain = append(chain, n)
	}
	var texts, words []string
	for _, n := range slices.Backward(chain) {
		for _, a := range n.args {
			if a.kind == textNode && a.text != "" && !isDigit(a.text[0]) {
				texts = append(texts, a.text)
			}
		}
		switch word := strings.TrimPrefix(strings.TrimPrefix(n.text, "get"), "is"); {
		case n.kind == wordNode && len(texts) > 0 && word != "Value":
			texts = append(texts, word) // GetSection("Cache")["Type"]
		case n.kind == wordNode || n.kind == callNode:
			words = append([]string{word}, words...)
		}
	}
	if len(texts) > 0 {
		return []string{strings.Join(texts, ".")}
	}
	if len(words) > 1 {
		list = append(list, words[1]+"."+words[0])
	}
	if len(words) > 0 && (aboutCache(words[0]) || strings.Contains(strings.ToLower(words[0]), "lock")) {
		list = append(list, words[0])
	}
	return list
}

// plainSetting returns the setting whose name ends in another one, whatever joins their words.
func (s *scanner) plainSetting(name string) setting {
	if s.plain == nil {
		s.plain = map[string]setting{}
		for _, path := range slices.Sorted(maps.Keys(s.program.settings)) {
			set := s.program.settings[path]
			for path = plainName(path); path != ""; {
				old, known := s.plain[path]
				switch {
				case !known:
					s.plain[path] = set
				case old.value != set.value:
					old.ambiguous = true
					s.plain[path] = old
				case set.File < old.File || set.File == old.File && set.Line < old.Line:
					set.ambiguous = old.ambiguous
					s.plain[path] = set
				}
				_, path, _ = strings.Cut(path, ".")
			}
		}
	}
	name = plainName(name)
	found, known := s.plain[name]
	if !known {
		found = s.plain[strings.ReplaceAll(name, ".", "")]
	}
	return found
}

// plainName returns the name of a setting without what joins its words.
func plainName(name string) string {
	return joinsOfNames.Replace(strings.ToLower(name))
}

var joinsOfNames = strings.NewReplacer("__", ".", ":", ".", "-", "", "_", "")
