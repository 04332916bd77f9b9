package message

import (
	"fmt"
	"strings"
)

// Format returns a message for a format as fmt.Sprintf takes it. Its verbs become {a},
// {b} and so on in the template, which a catalogue has, in the order of the arguments:
//
//	Format("the hash template %d is defined twice", 7)  the hash template {a} is defined twice
//
// A number is a figure without separators, an error a [Reason], and what %q quotes an
// element; anything else is text.
func Format(format string, args ...any) Message {
	var id strings.Builder
	m := Message{}
	for {
		before, rest, found := strings.Cut(format, "%")
		id.WriteString(before)
		if !found {
			m.ID = id.String()
			return m
		}
		end := strings.IndexAny(rest, "dsqxvc%") + 1
		if end == 1 && rest[0] == '%' {
			id.WriteByte('%')
			format = rest[1:]
			continue
		}
		if end == 0 || len(m.Args) == len(args) {
			m.ID = id.String() + "%" + rest // as wrong as it is
			return m
		}
		name := string(rune('a' + len(m.Args)))
		m.Args = append(m.Args, formatted(name, "%"+rest[:end], args[len(m.Args)]))
		id.WriteString("{" + name + "}")
		format = rest[end:]
	}
}

func formatted(name, verb string, value any) Arg {
	switch v := value.(type) {
	case Message:
		return Phrase(name, v)
	case error:
		return Reason(name, v)
	}
	text := fmt.Sprintf(verb, value)
	if verb == "%q" {
		return Element(name, fmt.Sprintf("%s", value))
	}
	if verb == "%d" {
		var n int64
		if _, err := fmt.Sscan(text, &n); err == nil {
			return Figure(name, n, FormNumber)
		}
	}
	return Text(name, text)
}
