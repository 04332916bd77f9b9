package report

import (
	"slices"

	"github.com/rdblens/rdblens/parser/message"
)

// writtenAt is the line of source code that most likely writes the keys of a group, zero
// if none is known.
func (g *Group) writtenAt() message.Message {
	if len(g.Source) == 0 {
		return message.Message{}
	}
	return only(message.Link("place", g.Source[0].Place(), g.Source[0].URL))
}

// withSource returns a sentence about a group with the line that writes its keys.
func (r *Report) withSource(m message.Message, group Name) message.Message {
	i := slices.IndexFunc(r.Groups, func(g Group) bool { return g.Group == group && len(g.Source) > 0 })
	if group == "" || i < 0 {
		return m
	}
	return message.New("{fix} Written at {place}.", message.Phrase("fix", m), message.Phrase("place", r.Groups[i].writtenAt()))
}
