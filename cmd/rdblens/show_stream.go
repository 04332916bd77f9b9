package main

import (
	"fmt"
	"sort"
	"strconv"

	"github.com/rdblens/rdblens/parser"
)

// maxPending bounds the pending entries of a stream, which are held in memory at
// 32 bytes each: a snapshot has the times of a group's entries in front of the
// lists of its consumers.
const maxPending = 4 << 20

// streamCommands writes a stream as commands of Redis 5.0. What only later
// servers know is a command of its own, so that an older server refuses that and
// nothing else: XSETID with counters and XGROUP SETID with ENTRIESREAD (7.0),
// XGROUP CREATECONSUMER (6.2). Servers from 7.0 on drop pending entries that the
// stream does not have any more.
type streamCommands struct {
	*portableWriter
	name    []byte
	entries uint64          // written
	last    parser.StreamID // the last of them

	group   []byte
	pending []parser.PendingEntry // of the group
	owned   int                   // those of them that are a consumer's
	nobodys int                   // pending entries of all groups that are nobody's

	consumer []byte
	waiting  bool // the consumer has had no pending entry yet
}

func (s *streamCommands) write(r *parser.Records) error {
	err := r.Visit(&parser.Visitor{
		MaxText: -1,
		Element: func(e *parser.Element) bool {
			s.entries, s.last = s.entries+1, e.ID
			s.begin(3 + 2*int(e.Fields))
			s.words("XADD")
			s.bytes(s.name)
			s.words(e.ID.String())
			_, err := s.Write(nil) // whether writing goes on
			return err == nil
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
	if err == nil && s.nobodys > 0 {
		return &refusal{fmt.Sprintf("%d pending entries belong to no consumer; all else of it is written", s.nobodys)}
	}
	return err
}

// state writes what the stream has besides entries and groups.
func (s *streamCommands) state(state *parser.StreamState) {
	added := s.entries
	if s.entries == 0 { // as Redis rewrites its append-only file (rewriteStreamObject in aof.c)
		added, s.last = 1, state.Last
		if s.last == (parser.StreamID{}) {
			s.last.Seq = 1
		}
		s.begin(7)
		s.words("XADD")
		s.bytes(s.name)
		s.words("MAXLEN", "0", s.last.String(), "x", "y")
	}
	if s.last != state.Last {
		s.begin(3)
		s.words("XSETID")
		s.bytes(s.name)
		s.words(state.Last.String())
	}
	if state.Counters && (added != state.Added || state.MaxDeleted != (parser.StreamID{})) {
		s.begin(7)
		s.words("XSETID")
		s.bytes(s.name)
		s.words(state.Last.String(), "ENTRIESADDED", strconv.FormatUint(state.Added, 10), "MAXDELETEDID", state.MaxDeleted.String())
	}
}

// create writes a group without consumers.
func (s *streamCommands) create(g *parser.StreamGroup) {
	s.group = append(s.group[:0], g.Name.Bytes...)
	s.begin(5)
	s.words("XGROUP", "CREATE")
	s.bytes(s.name)
	s.bytes(s.group)
	s.words(g.Last.String())
	if g.Read >= 0 {
		s.begin(7)
		s.words("XGROUP", "SETID")
		s.bytes(s.name)
		s.bytes(s.group)
		s.words(g.Last.String(), "ENTRIESREAD", strconv.FormatInt(g.Read, 10))
	}
}

// begins notes a consumer, who comes to be with the first claim.
func (s *streamCommands) begins(c *parser.StreamConsumer) {
	s.endConsumer()
	s.consumer, s.waiting = append(s.consumer[:0], c.Name.Bytes...), true
}

// claim writes a pending entry of the consumer.
func (s *streamCommands) claim(id parser.StreamID) {
	i := sort.Search(len(s.pending), func(i int) bool { return !before(s.pending[i].ID, id) })
	if i == len(s.pending) || s.pending[i].ID != id {
		return // a server refuses such a snapshot
	}
	s.owned++
	s.waiting = false
	s.begin(12)
	s.words("XCLAIM")
	s.bytes(s.name)
	s.bytes(s.group)
	s.bytes(s.consumer)
	s.words("0", id.String(), "TIME", strconv.FormatInt(s.pending[i].Delivered, 10),
		"RETRYCOUNT", strconv.FormatUint(s.pending[i].Count, 10), "JUSTID", "FORCE")
}

// before reports whether a is the ID of an earlier entry than b.
func before(a, b parser.StreamID) bool { return a.MS < b.MS || a.MS == b.MS && a.Seq < b.Seq }

// endConsumer writes the current consumer if nothing is pending for it.
func (s *streamCommands) endConsumer() {
	if s.waiting {
		s.waiting = false
		s.begin(5)
		s.words("XGROUP", "CREATECONSUMER")
		s.bytes(s.name)
		s.bytes(s.group)
		s.bytes(s.consumer)
	}
}

func (s *streamCommands) endGroup() {
	s.endConsumer()
	s.nobodys += len(s.pending) - s.owned
	s.pending, s.owned = s.pending[:0], 0
}
