package thresholds

import (
	"slices"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
)

func init() {
	register(Rule{
		Name:    "queue-backlog",
		Section: SectionInstance,
		Title:   "queue whose producers are faster than its consumers",
		Harm:    Blocks,
		fix:     &fix{action: adviseQueue, id: "Find out why {key} has {text}."},
		Unit:    message.Count,
		PerType: true,
		Types:   []parser.Type{parser.List, parser.Stream},
		Params: []Param{{Name: "known", Unit: message.Count, Default: "10000",
			Doc: "more waiting or failed jobs than this in the largest queue of a library that is recognised are reported, " +
				"whatever the other limits; 0: none"}},
		check: func(c *compiler) {
			if c.typ == parser.Stream {
				c.over(pending, nil)
				return
			}
			c.over(elements, nil)
		},
		text: func(x *explainer) message.Message {
			if x.key.Type == parser.Stream {
				return x.counted("1 pending entry, over {limit}", "{measured} pending entries, over {limit}")
			}
			return x.counted("1 item, over {limit}", "{measured} items, over {limit}")
		},
		advise: func(x *explainer) {
			if x.key.Identity.FixedName() && x.key.Identity.is(RoleFailed) {
				x.advise(adviseQueue, x.commands(lengthCommands[x.key.Type]),
					"Find out why these jobs fail: they stay until {library} runs them again or removes them.",
					x.key.Identity.words()...)
				x.deleteThrough()
			} else if x.key.Type == parser.Stream {
				x.advise(adviseQueue, x.ofGroup("XPENDING {key} {group}",
					x.commands("XINFO GROUPS {key}", "XINFO STREAM {key}")...),
					"Find the consumers that are slow to acknowledge (XACK), or never do: start more of them, or fix them. What "+
						"an active consumer holds is being processed: another one that claims it processes it twice.")
				x.takeOver()
			} else {
				x.advise(adviseQueue, x.commands(lengthCommands[x.key.Type]), "Add consumers, or find the one that is stuck.")
				x.trimQueue("RPUSH", "head", x.command("LTRIM {key} {first} -1", plainNumber("first", -x.Limit)))
				x.trimQueue("LPUSH", "tail", x.command("LTRIM {key} 0 {last}", plainNumber("last", x.Limit-1)))
			}
			x.inspect()
		},
		Doc: Doc{
			What: "A list longer than the limit, or a stream with more pending entries than the limit (delivered to consumers " +
				"but not acknowledged, in all groups together). Of a library that is recognised, also the largest of its queues " +
				"of waiting or failed jobs, whatever its type, under every profile.",
			Why: "Producers are faster than consumers: the queue grows until the memory is full, and when the consumers " +
				"recover, the whole backlog is consumed at once.",
			Fix: "Add consumers, or find out which one is stuck (XPENDING key group). Limit a list whose oldest jobs may be " +
				"lost with LTRIM. Trim a stream only to what all groups have read and acknowledged: XTRIM key MINID id, where " +
				"id is the oldest pending entry of any group or, without one, the lowest last-delivered ID (XINFO GROUPS). " +
				"Take over only what is pending for consumers that are gone for good (XAUTOCLAIM with a minimal idle time above what " +
				"processing takes).",
			Example: "mq:orders, a stream with 48,211 pending entries: over 1,000.",
		},
	})
}

// Backlog returns the finding about a key that a library is recognised to use as a queue
// of jobs which wait or failed; ok is false if there is none, or if it is over a limit that
// all queues have.
func (e *Engine) Backlog(k *parser.Key, id *Identity) (found Finding, ok bool) {
	rule, _ := Lookup("queue-backlog")
	if !id.IsBacklog() || !slices.Contains(queueTypes, k.Type) {
		return found, false
	}
	s := &e.settingsOf(k.Name)[rule.ID]
	limit := s.Param("known").Number
	if _, limited := s.first(k.Type, false); !s.On || limit == 0 || k.Elements <= limit || limited &&
		k.Type == parser.List {
		return found, false
	}
	list := []Finding{{Rule: rule.ID, Severity: Warning, Measured: k.Elements, Limit: limit}}
	if e.ignores != nil {
		e.ignore(k, list)
	}
	return list[0], list[0].Ignored == 0
}

// trimQueue adds a command that cuts a queue to the limit, and what it discards, by
// the command that producers write with and the end at which the oldest items are.
// For a limit of 0 no LTRIM of this form does so.
func (x *explainer) trimQueue(push, end string, commands []message.Message) {
	if x.isCut || x.Limit <= 0 {
		return
	}
	x.change(adviseDelete, message.New("if jobs may be lost, and producers write with {push}", message.Code("push", push)),
		commands,
		"LTRIM discards {lost} of the {all} items that were queued when the snapshot was taken, the oldest, at the {end}, "+
			"and keeps the newest {keep}.",
		message.Int("lost", x.Measured-x.Limit), message.Int("all", x.Measured), message.Word("end", end),
		message.Int("keep", x.Limit))
}
