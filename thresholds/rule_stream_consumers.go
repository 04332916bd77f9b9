package thresholds

import (
	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds/naming"
)

func init() {
	register(Rule{
		Name:    "stream-consumers",
		Section: SectionInstance,
		Title:   "consumer group that is far behind, or has many consumers that read nothing",
		Harm:    Blocks,
		fix:     &fix{action: adviseQueue, id: "Look after the consumers of {key}: {text}."},
		Unit:    message.Count,
		Types:   []parser.Type{parser.Stream},
		Params: []Param{{Name: "idle_consumers", Unit: message.Count, Default: "100",
			Doc: "more consumers of a group than this that have read nothing for a week are reported"}},
		check: func(c *compiler) {
			c.over(behind, nil)
			severity := c.Severity
			if levels := c.levels(c.typ); len(levels) > 0 {
				severity = levels[len(levels)-1].severity
			}
			limit := c.Param("idle_consumers").Number
			c.add(idleConsumers, -1, false, []level{{limit, severity}},
				func(_ *parser.Key, _ *naming.Facts, found *Finding) bool {
					found.note = noteIdle
					return true
				})
		},
		text: func(x *explainer) message.Message {
			g := x.key.Behind
			if g == nil {
				g = &parser.GroupState{Oldest: -1}
			}
			args := []message.Arg{message.Element("group", g.Name),
				message.Number("pending", g.Pending, "1 entry pending", "{n} entries pending"),
				message.Number("consumers", g.Consumers, "1 consumer", "{n} consumers"), message.Int("idle", g.Idle),
				message.Phrase("oldest", oldestEntry(g))}
			if x.note == noteIdle {
				return x.found("{measured} of the {consumers} of group {group} have read nothing for a week, over {limit}; "+
					"{pending}{oldest}", args...)
			}
			return x.found("group {group} is {measured} entries behind, over {limit}: {consumers}, {idle} of them idle for a "+
				"week; {pending}{oldest}", args...)
		},
		advise: func(x *explainer) {
			commands := x.commands("XINFO GROUPS {key}")
			if g := x.key.Behind; g != nil && !x.isCut {
				commands = append(commands,
					message.New("XINFO CONSUMERS {key} {group}", message.Name("key", x.key.Name), message.Element("group", g.Name)))
			}
			if x.note == noteIdle {
				x.advise(adviseQueue, commands, "Give consumers names that stay the same when a process starts again. One that "+
					"is gone for good stays in memory until XGROUP DELCONSUMER, "+
					"which also forgets its pending entries: take them over first, with XAUTOCLAIM.")
			} else {
				x.advise(adviseQueue, commands, "Start consumers of the group, or find out why they are slow. A group that "+
					"nobody reads any more keeps its pending entries for ever: "+
					"XGROUP DESTROY removes it.")
			}
			x.inspect()
		},
		Doc: Doc{
			What: "A stream of which one consumer group has more entries to read than the limit, or more consumers than " +
				"idle_consumers (100) that have read nothing for a week. The finding names the group, its consumers and its " +
				"oldest pending entry. Deleted entries may be counted as entries to read. Where the snapshot does not say how " +
				"many entries a group has read (before Redis 7.0), only a group that has read none is compared.",
			Why: "A group that does not keep up loses entries when the stream is trimmed. Consumers that are gone stay in the " +
				"group with their pending entries until somebody removes them.",
			Fix: "Start consumers, or remove the group (XGROUP DESTROY) if nobody needs it. Take over what is pending for " +
				"dead consumers (XAUTOCLAIM), then remove them (XGROUP DELCONSUMER).",
			Example: "events:orders: group \"billing\" is 48,211 entries behind, over 10,000: 3 consumers, 1 of them idle for " +
				"a week; 12 entries pending.",
		},
	})
}

const noteIdle = 1

func oldestEntry(g *parser.GroupState) message.Message {
	if g.Oldest <= 0 || g.Pending <= 0 {
		return message.New("")
	}
	return message.New(", the oldest of {time}", message.Time("time", g.Oldest/1000))
}
