package main

import (
	"fmt"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report/text"
)

func (w *textWriter) groupsOf(r *parser.Records) error {
	k := r.Key()
	if k.Groups == 0 {
		return nil
	}
	const most = 100 // groups, and consumers of each
	created := r.Info().Created * 1000
	since := func(ms int64) string {
		if ms <= 0 || created <= 0 {
			return ""
		}
		return w.env.figure(message.Duration("n", max(created-ms, 0)/1000))
	}
	var state parser.StreamState
	groups := text.Grid{Columns: []text.Column{{Title: w.env.t("consumer group"), Shrink: text.ShrinkMiddle},
		{Title: w.env.t("last delivered")}, {Title: w.env.t("lag"), Right: true},
		{Title: w.env.t("pending"), Right: true}, {Title: w.env.t("oldest delivery"), Right: true}}}
	consumers := text.Grid{Columns: []text.Column{{Title: w.env.t("consumer"), Shrink: text.ShrinkMiddle},
		{Title: w.env.t("of group"), Shrink: text.ShrinkMiddle},
		{Title: w.env.t("pending"), Right: true}, {Title: w.env.t("idle"), Right: true}}}
	group, inGroup, oldest := "", 0, int64(0)
	end := func() {
		if n := len(groups.Rows); n > 0 && oldest > 0 {
			groups.Rows[n-1][4] = since(oldest)
		}
		oldest = 0
	}
	err := r.Visit(&parser.Visitor{
		MaxText: 200,
		Stream:  func(s *parser.StreamState) { state = *s },
		Group: func(g *parser.StreamGroup) {
			end()
			if group, inGroup = display(g.Name.Bytes, g.Name.Len), 0; len(groups.Rows) == most {
				return
			}
			lag := ""
			if n, known := lagOf(&state, g); known {
				lag = message.FormatCount(n)
			}
			groups.Add(group, g.Last.String(), lag, message.FormatCount(int64(g.Pending)), "")
		},
		GroupPending: func(p *parser.PendingEntry) {
			if oldest == 0 || p.Delivered < oldest {
				oldest = p.Delivered
			}
		},
		Consumer: func(c *parser.StreamConsumer) {
			if inGroup++; inGroup <= most && len(consumers.Rows) < most {
				consumers.Add(display(c.Name.Bytes, c.Name.Len), group, message.FormatCount(int64(c.Pending)), since(c.Seen))
			}
		},
	})
	end()
	w.WriteString("\n")
	width := terminalWidth(w.env.stdout)
	groups.Write(w, width)
	if len(consumers.Rows) > 0 {
		w.WriteString("\n")
		consumers.Write(w, width)
	}
	if shown := int64(len(consumers.Rows)); shown < k.Consumers {
		fmt.Fprintln(w, w.env.line(message.New("... {n} of {consumers}", message.Int("n", shown),
			message.Number("consumers", k.Consumers, "1 consumer", "{n} consumers"))))
	}
	return err
}

// lagOf returns how many entries a group has not read, as XINFO GROUPS does from Redis 7.0 on
// (t_stream.c); false if the server does not know it.
func lagOf(s *parser.StreamState, g *parser.StreamGroup) (lag int64, known bool) {
	var zero parser.StreamID
	deleted := s.Length > 0 && s.MaxDeleted != zero && s.First.Compare(s.MaxDeleted) <= 0 &&
		g.Last.Compare(s.MaxDeleted) <= 0
	switch {
	case !s.Counters:
		return 0, false
	case s.Added == 0:
		return 0, true
	case g.Read >= 0 && !deleted:
		return int64(s.Added) - g.Read, true
	case s.Length == 0 && g.Last.Compare(s.Last) <= 0, g.Last == s.Last:
		return 0, true
	case g.Last != zero && g.Last.Compare(s.MaxDeleted) < 0, g.Last.Compare(s.Last) > 0:
		return 0, false
	case s.MaxDeleted == zero || s.MaxDeleted.Compare(s.First) < 0:
		switch g.Last.Compare(s.First) {
		case -1:
			return int64(s.Length), true
		case 0:
			return int64(s.Length) - 1, true
		}
	}
	return 0, false
}
