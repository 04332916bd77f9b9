package main

import (
	"math"
	"slices"
	"sort"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
)

// maxPending bounds the pending entries of a stream. Those of a group are held in
// memory at 32 bytes each, as a snapshot has their times in front of the lists of
// consumers, and the IDs of all groups at 16 bytes.
const maxPending = 2 << 20

// streamCommands writes a stream as commands of Redis 5.0. What only later
// servers know is a command of its own, so that an older server refuses that and
// nothing else: XSETID with counters and XGROUP SETID with ENTRIESREAD (7.0),
// XGROUP CREATECONSUMER (6.2).
//
// From 7.0 on, XCLAIM drops an entry that the stream does not have any more. So
// entries that were deleted while they were pending are added, claimed and
// deleted again.
type streamCommands struct {
	*portableWriter
	name    []byte
	entries uint64            // written
	last    parser.StreamID   // the last of them
	claimed []parser.StreamID // that no entry was written for yet, ascending
	trimmed uint64            // entries in front of all others that are to be deleted again
	deleted []parser.StreamID // and those between others
	final   parser.StreamState

	group   []byte
	pending []parser.PendingEntry // of the group
	owned   int                   // those of them that are a consumer's
	nobodys int                   // pending entries of all groups that are nobody's

	consumer []byte
	waiting  bool // the consumer has had no pending entry yet
}

func (s *streamCommands) write(r *parser.Records) error {
	if r.Key().Pending > 0 {
		err := r.Visit(&parser.Visitor{GroupPending: func(p *parser.PendingEntry) { s.claimed = append(s.claimed, p.ID) }})
		if err != nil {
			return err
		}
		slices.SortFunc(s.claimed, parser.StreamID.Compare)
		s.claimed = slices.Compact(s.claimed)
	}
	err := r.Visit(&parser.Visitor{
		MaxText: -1,
		Element: func(e *parser.Element) bool {
			s.addDeleted(e.ID)
			if len(s.claimed) > 0 && s.claimed[0] == e.ID {
				s.claimed = s.claimed[1:]
			}
			s.add(e.ID, int(e.Fields))
			return goesOn(s)
		},
		Field: func(name, value parser.Text) bool {
			s.bytes(name.Bytes)
			s.bytes(value.Bytes)
			return true
		},
		Stream: s.state,
		Group: func(g *parser.StreamGroup) {
			s.endGroup()
			s.create(g)
		},
		GroupPending:    func(p *parser.PendingEntry) { s.pending = append(s.pending, *p) },
		Consumer:        s.begins,
		ConsumerPending: s.claim,
	})
	s.endGroup()
	s.deleteAgain()
	if err == nil && s.nobodys > 0 {
		return refuse("{entries} without a consumer; all else of it is written",
			message.Number("entries", int64(s.nobodys), "1 pending entry", "{n} pending entries"))
	}
	return err
}

// add begins an entry, whose fields and values follow.
func (s *streamCommands) add(id parser.StreamID, fields int) {
	s.entries, s.last = s.entries+1, id
	s.begin(3 + 2*fields)
	s.args("XADD", s.name, id)
}

// addDeleted writes those pending entries before an ID that were deleted.
func (s *streamCommands) addDeleted(before parser.StreamID) {
	for len(s.claimed) > 0 && s.claimed[0].Compare(before) < 0 {
		if s.entries == s.trimmed {
			s.trimmed++
		} else {
			s.deleted = append(s.deleted, s.claimed[0])
		}
		s.add(s.claimed[0], 1)
		s.args("", "")
		s.claimed = s.claimed[1:]
	}
}

// deleteAgain deletes what addDeleted added. Those in front are trimmed: XDEL
// would be noted in the greatest deleted ID, which cannot be set to 0-0 again.
func (s *streamCommands) deleteAgain() {
	if s.trimmed > 0 {
		s.command("XTRIM", s.name, "MAXLEN", s.entries-s.trimmed)
	}
	for ids := range slices.Chunk(s.deleted, batchElements) {
		s.begin(2 + len(ids))
		s.args("XDEL", s.name)
		for _, id := range ids {
			s.args(id)
		}
	}
	if s.trimmed > 0 || s.deleted != nil {
		s.counters()
	}
}

// state writes what the stream has besides entries and groups.
func (s *streamCommands) state(state *parser.StreamState) {
	s.addDeleted(parser.StreamID{MS: math.MaxUint64, Seq: math.MaxUint64})
	s.final = *state
	if !state.Counters { // as a server does that loads it
		s.final.Added = state.Length
	}
	added := s.entries
	if s.entries == 0 { // as Redis rewrites its append-only file (rewriteStreamObject in aof.c)
		added, s.last = 1, state.Last
		if s.last == (parser.StreamID{}) {
			s.last.Seq = 1
		}
		s.command("XADD", s.name, "MAXLEN", 0, s.last, "x", "y")
	}
	if s.last != state.Last {
		s.command("XSETID", s.name, state.Last)
	}
	if state.Counters && (added != state.Added || state.MaxDeleted != (parser.StreamID{})) {
		s.counters()
	}
}

func (s *streamCommands) counters() {
	s.command("XSETID", s.name, s.final.Last, "ENTRIESADDED", s.final.Added, "MAXDELETEDID", s.final.MaxDeleted)
}

// create writes a group without consumers.
func (s *streamCommands) create(g *parser.StreamGroup) {
	s.group = append(s.group[:0], g.Name.Bytes...)
	s.command("XGROUP", "CREATE", s.name, s.group, g.Last)
	if g.Read >= 0 {
		s.command("XGROUP", "SETID", s.name, s.group, g.Last, "ENTRIESREAD", g.Read)
	}
}

// begins notes a consumer, who comes to be with the first claim.
func (s *streamCommands) begins(c *parser.StreamConsumer) {
	s.endConsumer()
	s.consumer, s.waiting = append(s.consumer[:0], c.Name.Bytes...), true
}

func (s *streamCommands) claim(id parser.StreamID) {
	i := sort.Search(len(s.pending), func(i int) bool { return s.pending[i].ID.Compare(id) >= 0 })
	if i == len(s.pending) || s.pending[i].ID != id {
		return // a server refuses such a snapshot
	}
	s.owned++
	s.waiting = false
	s.command("XCLAIM", s.name, s.group, s.consumer, 0, id, "TIME", s.pending[i].Delivered, "RETRYCOUNT",
		s.pending[i].Count, "JUSTID", "FORCE")
}

// endConsumer writes the current consumer if nothing is pending for it.
func (s *streamCommands) endConsumer() {
	if s.waiting {
		s.waiting = false
		s.command("XGROUP", "CREATECONSUMER", s.name, s.group, s.consumer)
	}
}

func (s *streamCommands) endGroup() {
	s.endConsumer()
	s.nobodys += len(s.pending) - s.owned
	s.pending, s.owned = s.pending[:0], 0
}
