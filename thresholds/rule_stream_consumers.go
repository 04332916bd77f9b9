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
				message.Phrase("oldest", oldestEntry(g))}
			if x.note == noteIdle {
				args = append(args, message.Number("consumers", g.Consumers, "1 consumer", "{n} consumers"))
				return x.found("{measured} of the {consumers} of group {group} have read nothing for a week, over {limit}; "+
					"{pending}{oldest}", args...)
			}
			return x.found("group {group} is {measured} entries behind, over {limit}: {consumers}; {pending}{oldest}",
				append(args, message.Phrase("consumers", consumersOf(g)))...)
		},
		advise: func(x *explainer) {
			commands := x.ofGroup("XINFO CONSUMERS {key} {group}", x.commands("XINFO GROUPS {key}")...)
			g := x.key.Behind
			stopped := g != nil && g.Consumers > 0 && g.Live == 0
			switch {
			case x.note == noteIdle:
				x.advise(adviseQueue, commands, "Give consumers names that stay the same when a process starts again. One that "+
					"is gone for good stays in memory until XGROUP DELCONSUMER, which also forgets its pending entries: another "+
					"consumer has to take them over first.")
			case stopped:
				x.advise(adviseQueue, commands, "No consumer of the group asked for entries in the week before the snapshot was "+
					"taken. Start them again, or find out whether anybody still needs the group.")
			case g != nil && g.Consumers == 0:
				x.advise(adviseQueue, commands, "The group has no consumers: start some, or find out whether anybody still "+
					"needs it.")
			default:
				x.advise(adviseQueue, commands, "Start more consumers of the group, or find out why those it has read, or "+
					"acknowledge (XACK), so slowly. Until then do not trim the stream: entries that were not read would be lost.")
			}
			x.takeOver()
			if stopped && x.note != noteIdle {
				x.change(adviseQueue, message.New("if nobody needs the group any more"),
					x.ofGroup("XGROUP DESTROY {key} {group}"), "Remove the group. Its position and its {pending} are lost: "+
						"what it has not processed, no consumer of it ever will.",
					message.Number("pending", g.Pending, "1 pending entry", "{n} pending entries"))
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
			Fix: "Start consumers, or find out why they are slow. What a consumer that is gone for good holds, another one " +
				"takes over (XAUTOCLAIM with a minimal idle time above what processing takes); then remove it (XGROUP " +
				"DELCONSUMER). Remove a group (XGROUP DESTROY) only if nobody needs it: its position and its pending entries " +
				"are lost.",
			Example: "events:orders: group \"billing\" is 48,211 entries behind, over 10,000: 3 consumers, of which 1 read " +
				"nothing for a week; 12 entries pending.",
		},
	})
}

const noteIdle = 1

// consumersOf says how many consumers a group has, and whether they read.
func consumersOf(g *parser.GroupState) message.Message {
	n := message.Number("n", g.Consumers, "1 consumer", "{n} consumers")
	switch {
	case g.Consumers == 0:
		return message.New("no consumers")
	case g.Idle == g.Consumers:
		return message.New("{n} that read nothing for a week", n)
	case g.Idle > 0:
		return message.New("{n}, of which {idle} read nothing for a week", n, message.Int("idle", g.Idle))
	case g.Live < 0:
		return message.New("{n}", n)
	case g.Consumers == 1:
		return message.New("1 consumer, which read within the week before")
	}
	return message.New("{n}, which all read within the week before", n)
}

// ofGroup adds a command about the consumer group that is behind, if its name is known and whole.
func (x *explainer) ofGroup(id string, before ...message.Message) []message.Message {
	g := x.key.Behind
	if g == nil || x.isCut || len(g.Name) == parser.MaxGroupName {
		return before
	}
	next := x.command(id, message.Element("group", g.Name))
	if before != nil { // a SELECT is there
		next = next[len(next)-1:]
	}
	return append(before, next...)
}

// takeOver says how a consumer gets the entries of consumers that asked for nothing in a week. The
// minimal idle time is that week: an entry that an active consumer works on was delivered later.
func (x *explainer) takeOver() {
	if g := x.key.Behind; g != nil && g.IdlePending > 0 {
		x.change(adviseQueue, message.New("if the consumers that hold them are gone for good"),
			x.ofGroup("XAUTOCLAIM {key} {group} CONSUMER 604800000 0-0 COUNT 100"),
			"Let a working consumer take over, and process, {pending} of consumers that asked for nothing in a week, "+
				"of group {group}: call it again from the ID that it returns, until that is 0-0. The minimal idle time "+
				"(XAUTOCLAIM, Redis 6.2 and later) spares what was delivered since.",
			message.Number("pending", g.IdlePending, "1 pending entry", "{n} pending entries"),
			message.Element("group", g.Name))
	}
}

func oldestEntry(g *parser.GroupState) message.Message {
	if g.Oldest <= 0 || g.Pending <= 0 {
		return message.New("")
	}
	return message.New(", the oldest of {time}", message.Time("time", g.Oldest/1000))
}
