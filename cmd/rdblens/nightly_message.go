package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report"
	"github.com/rdblens/rdblens/report/text"
	"github.com/rdblens/rdblens/thresholds"
)

const maxShownEvents = 30

// message makes the message of the night, and reports whether there is anything in it.
// It sets the exit code, and what goes on in the state.
func (n *night) message() bool {
	events := report.Events(n.nights,
		report.NightOptions{Limits: &n.Nightly, Severity: n.severity, Now: n.now, Last: runTime(n.state.Run),
			Fleet: n.fleet, Failed: n.failed})
	n.next.Open = map[string]openEvent{}
	lasting := map[string]bool{}
	for i := range n.nights {
		for _, id := range n.nights[i].Lasting() {
			lasting[eventKey(id)] = true
		}
	}
	var fresh, again []report.Event
	for _, e := range events {
		key := eventKey(e.ID)
		known, open := n.state.Open[key]
		if leavesOut(e.Kind) {
			n.worst = exitPartial
		}
		switch {
		case !open:
			fresh = append(fresh, e)
			known = openEvent{Since: n.now.Unix(), Reported: n.now.Unix(), Input: e.Input}
		case n.due(known):
			again = append(again, e)
			known.Reported = n.now.Unix()
		}
		if report.Lasts[e.Kind] {
			n.next.Open[key] = known
		}
	}
	other := slices.ContainsFunc(events, func(e report.Event) bool { return e.Kind == report.EventSettings })
	due := 0
	for key, known := range n.state.Open {
		// Without an input it is about all of them, which a night that lacks some cannot end.
		if _, listed := n.next.Open[key]; listed || !lasting[key] && (known.Input != "" || n.worst != exitPartial) {
			continue
		}
		if n.due(known) {
			due++
			known.Reported = n.now.Unix()
		}
		n.next.Open[key] = known
	}
	stock := n.state.Run == ""
	fresh = slices.DeleteFunc(fresh, func(e report.Event) bool {
		return stock && e.Kind == report.EventNew || e.Kind == report.EventFinding && (stock || other && e.Input == "")
	})
	happened := len(fresh)+len(again)+due > 0
	if n.accept || !happened && n.state.Run != "" {
		return false
	}
	news := func(e report.Event) bool { return e.Kind != report.EventGrown || e.Severity > thresholds.Info }
	if due > 0 || slices.ContainsFunc(append(slices.Clip(fresh), again...), news) {
		n.worst = max(n.worst, exitFindings)
	}
	n.compose(append(n.folded(fresh), again...))
	return true
}

func (n *night) due(e openEvent) bool {
	return n.Remind.Number >= 0 && n.now.Unix()-e.Reported >= n.Remind.Number
}

// stock says what the first night found, which is not new.
func (n *night) stock() message.Message {
	f := &n.fleet.Findings
	return message.New("first night: {count}, {keys}, {errors}, {warnings}: later nights tell what is new",
		message.Number("count", int64(len(n.nights)), "1 snapshot", "{n} snapshots"),
		countOfKeys(n.fleet.Totals.Keys), message.Number("errors", f.Error, "1 error", "{n} errors"),
		message.Number("warnings", f.Warning, "1 warning", "{n} warnings"))
}

// foldedEvents is the number of findings of one rule, by input and group, from which on
// they are one line.
const foldedEvents = 4

// folded returns events with one in place of those of one kind, and of one rule, in many
// inputs: the worst, which says how many there are. What is lost is named by input.
func (n *night) folded(events []report.Event) []report.Event {
	of := func(e *report.Event) string {
		if e.Input == "" {
			return e.ID // by itself
		}
		if e.Kind == report.EventGrown { // of one group
			return strings.TrimPrefix(e.ID, e.Kind+"\x00"+e.Input)
		}
		return e.Kind + e.Rule + e.Severity.String()
	}
	count, inputs := map[string]int{}, map[string]map[string]bool{}
	for i := range events {
		id := of(&events[i])
		if count[id]++; inputs[id] == nil {
			inputs[id] = map[string]bool{}
		}
		inputs[id][events[i].Input] = true
	}
	var list []report.Event
	for _, e := range events {
		id := of(&e)
		switch n := count[id]; {
		case leavesOut(e.Kind) || e.Kind == report.EventShrunk || e.Kind == report.EventGrown && e.Severity > thresholds.Info ||
			n > 0 && n < foldedEvents: // each by name
		case n < 0:
			continue
		default:
			count[id] = -1
			text := "{text} (and {n} more in {inputs} snapshots)"
			switch len(inputs[id]) {
			case 1:
				text = "{text} (and {n} more in this snapshot)"
			case n:
				text = "{text} (and in {n} more snapshots)"
			}
			e.What = message.New(text, message.Phrase("text", e.What), message.Int("n", int64(n-1)),
				message.Int("inputs", int64(len(inputs[id]))))
		}
		list = append(list, e)
	}
	return list
}

// leavesOut reports whether an event means that keys were not looked at.
func leavesOut(kind string) bool {
	return kind == report.EventGone || kind == report.EventUnreadable || kind == report.EventIncomplete
}

// compose writes the message: a line that can be a subject, a line for each event, the
// first command to run, and where the report is.
func (n *night) compose(list []report.Event) {
	w := &n.printed
	subject := message.New("{n} still open", message.Int("n", int64(len(n.next.Open))))
	if n.state.Run == "" {
		subject = n.stock()
	}
	if len(list) > 0 {
		first := n.sentence(&list[0])
		if more := len(list) - 1; more > 0 {
			first = message.New("{text} (and {n} more)", message.Phrase("text", first), message.Int("n", int64(more)))
		}
		severity := message.Text("severity", list[0].Severity.String())
		subject = message.New("{severity}: {text}", severity, message.Phrase("text", first))
	}
	fmt.Fprintf(w, "rdblens %s: %s\n", text.Sanitize(n.job), text.ShortenEnd(n.line(subject), 160))
	if len(list) > 0 {
		w.WriteByte('\n')
	}
	for i := range list {
		if i == maxShownEvents {
			fmt.Fprintf(w, "%s\n", n.line(message.New("and {n} more", message.Int("n", int64(len(list)-i)))))
			break
		}
		fmt.Fprintf(w, "%-8s %s", list[i].Severity, text.ShortenEnd(n.line(n.sentence(&list[i])), 400))
		if known, was := n.state.Open[eventKey(list[i].ID)]; was {
			fmt.Fprintf(w, " %s", n.line(message.New("(since {day})",
				message.Text("day", time.Unix(known.Since, 0).UTC().Format(time.DateOnly)))))
		}
		w.WriteByte('\n')
	}
	if len(list) > 0 && !n.on {
		fmt.Fprintf(w, "\n%s\n  %s\n", n.line(message.New("First:")), n.command(&list[0]))
	}
	if n.state.Run == "" && len(list) > 0 {
		fmt.Fprintf(w, "%s\n", n.line(n.stock()))
	}
	still, oldest := 0, n.now.Unix()
	for _, o := range n.next.Open {
		if o.Reported < n.now.Unix() {
			still, oldest = still+1, min(oldest, o.Since)
		}
	}
	if still > 0 && len(list) > 0 {
		fmt.Fprintf(w, "%s\n", n.line(message.New("Still open, told before: {n}, the oldest since {day}",
			message.Int("n", int64(still)), message.Text("day", time.Unix(oldest, 0).UTC().Format(time.DateOnly)))))
	}
	page := message.Text("file", filepath.Join(reportsDir, n.run, "report.html"))
	if absolute, err := filepath.Abs(n.path(page.Text)); err == nil && !n.on {
		page = message.Path("file", absolute)
	}
	fmt.Fprintf(w, "%s\n", n.line(message.New("Report: {file}", page)))
}

// shortNames cuts the names in a message, so that a line stays one. Hashes are of whole names.
func (n *night) shortNames(a message.Arg) message.Arg {
	if !n.on && (a.Kind == message.KindName || a.Kind == message.KindElement || a.Kind == message.KindForeign) {
		a.Text = text.ShortenMiddle(a.Text, 80)
	}
	return a
}

func (n *night) sentence(e *report.Event) message.Message {
	what := e.What.Map(n.shortNames)
	if e.Input == "" {
		return what
	}
	return message.New("{file}: {text}", message.Path("file", e.Input), message.Phrase("text", what))
}

// command returns the first command to run about an event.
func (n *night) command(e *report.Event) string {
	words := []string{"rdblens", "scan", "-f", "details", e.Input}
	known := n.state.Inputs[e.Input]
	switch {
	case e.Kind == report.EventGone && known.Report != "" || e.Kind == report.EventUnreadable:
		words = []string{"ls", "-l", e.Input}
	case e.Key != "":
		words = []string{"rdblens", "show", "--limit", "10", "--db", fmt.Sprint(e.DB), e.Input, string(e.Key)}
	case e.Input == "" || e.Kind == report.EventGone:
		words = []string{"rdblens", "trend", n.path(reportsDir)}
	case (e.Kind == report.EventShrunk || e.Kind == report.EventGrown) && known.Report != "":
		words = []string{"rdblens", "diff", n.path(reportsDir, filepath.FromSlash(known.Report)), e.Input}
	}
	for i, word := range words {
		words[i] = shellWord(text.Sanitize(word))
	}
	return strings.Join(words, " ")
}

// writeMetrics writes the metrics of the run, whatever came of it, which it returns.
func (n *night) writeMetrics(failed error) error {
	if n.Metrics.Value == "" {
		return failed
	}
	code := exitDone
	if failed != nil {
		code = exitUsage
	}
	if exit := (*exitError)(nil); errors.As(failed, &exit) {
		code = exit.code
	}
	var b bytes.Buffer
	if by := n.redactor(); by != nil {
		for i := range n.nights {
			n.nights[i].Name = by.File(n.nights[i].Name)
		}
	}
	err := report.WriteNight(&b, n.job, code, n.shown, n.nights,
		report.WriteOptions{Now: n.now, Elapsed: max(now().Sub(n.now), 1)})
	if err == nil {
		err = writeFile(n.Metrics.Value, b.Bytes())
	}
	if err == nil {
		err = os.Chmod(n.Metrics.Value, 0o644) // node_exporter is another user
	}
	return cmp.Or(outputError(err), failed)
}
