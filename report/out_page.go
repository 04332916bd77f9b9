package report

import (
	"bufio"
	"math"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report/text"
)

// A page takes the parts of a report for people, one after the other. A form of
// text has one implementation, which knows how it marks a title, a table and a
// name, and in which language it writes.
//
// Titles and labels are in lower case but for the first letter.
type page interface {
	section(title, note message.Message) // begins a part; the note may be zero
	heading(m message.Message)           // begins a part of a section
	alert(m message.Message)             // a sentence that nobody must miss
	strong(m message.Message)            // a sentence that says most
	sentence(m message.Message)
	field(label string, m message.Message) // a fact; the label may be ""
	list(items []message.Message)          // numbered
	commands(list []string)
	table(t table)
	foot(m message.Message) // where more is
}

// table is a table whose cells are functions of a row's index.
type table struct {
	rows    int
	columns []column
}

type column struct {
	text.Column
	cell func(i int) message.Message
	bar  func(i int) span // what terminals and browsers show as a bar, nil none
}

// span is where a bar begins and ends, as shares of 0 to 1, and its class on a page for
// browsers.
type span struct {
	from, to float64
	class    string
}

func leftColumn(title string, cell func(i int) message.Message) column {
	return column{Column: text.Column{Title: title}, cell: cell}
}

// wordColumn has words that users type: no language translates them.
func wordColumn(title string, cell func(i int) string) column {
	return leftColumn(title, func(i int) message.Message { return verbatim(cell(i)) })
}

func rightColumn(title string, cell func(i int) message.Message) column {
	return column{Column: text.Column{Title: title, Right: true}, cell: cell}
}

// nameColumn has names, which are cut in the middle where room is short.
func nameColumn(title string, cell func(i int) message.Message) column {
	return column{Column: text.Column{Title: title, Shrink: text.ShrinkMiddle}, cell: cell}
}

// sentenceColumn has sentences, which are cut at the end where room is short.
func sentenceColumn(title string, cell func(i int) message.Message) column {
	return column{Column: text.Column{Title: title, Shrink: text.ShrinkEnd}, cell: cell}
}

// dropBar is the rank of bars: they are dropped first.
const dropBar = 12

// barColumn shows shares as bars on a terminal and in a browser, and in text files unless its
// rank is dropBar.
func barColumn(share func(i int) float64) column {
	return spanColumn(func(i int) span { return span{to: share(i)} })
}

func spanColumn(bar func(i int) span) column {
	c := leftColumn("", func(int) message.Message { return message.Message{} })
	c.bar, c.Drop = bar, dropBar
	return c
}

func countColumn(title string, count func(i int) Figure) column {
	return rightColumn(title, func(i int) message.Message { return countText(count(i)) })
}

func sizeColumn(title string, size func(i int) Figure) column {
	return rightColumn(title, func(i int) message.Message { return sizeText(size(i)) })
}

// drop sets the rank of a column in the order in which columns are dropped where
// room is short, the highest first.
func (c column) drop(rank int) column {
	c.Drop = rank
	return c
}

// below has the cells below their rows where room is short, if where is true.
func (c column) below(where bool) column {
	c.Below = where
	return c
}

// only returns the column, without content unless shown is true.
func (c column) only(shown bool) column {
	if !shown {
		c.cell, c.bar = func(int) message.Message { return message.Message{} }, nil
	}
	return c
}

func (t *table) grid(title func(id string) string, cell func(message.Message, column) string) *text.Grid {
	g := &text.Grid{Rows: make([][]string, t.rows)}
	for _, c := range t.columns {
		for i := range g.Rows {
			g.Rows[i] = append(g.Rows[i], cell(c.cell(i), c))
		}
		c.Title = title(c.Title)
		g.Columns = append(g.Columns, c.Column)
	}
	return g
}

// countText returns a count, zero if it is unknown.
func countText(n Figure) message.Message {
	if !n.Known() {
		return message.Message{}
	}
	return only(message.Int("n", int64(n)))
}

// sizeText returns a size with its unit, zero if it is unknown.
func sizeText(n Figure) message.Message {
	if !n.Known() {
		return message.Message{}
	}
	return only(message.Size("n", int64(n)))
}

// sizeArg is a size, no text if it is unknown.
func sizeArg(name string, n Figure) message.Arg {
	if !n.Known() {
		return message.Text(name, "")
	}
	return message.Size(name, int64(n))
}

// shareText returns a share as a percentage, zero of nothing.
func shareText(part, whole int64) message.Message { return percentText(ratio(part, whole)) }

// percentText returns a share of 0 to 1 as a percentage, zero if it is NaN.
func percentText(share float64) message.Message {
	if math.IsNaN(share) {
		return message.Message{}
	}
	return only(message.Share("n", share))
}

// shareArg is a share as a percentage, no text of nothing.
func shareArg(name string, part, whole int64) message.Arg {
	return message.Share(name, ratio(part, whole))
}

func keysArg(name string, n int64) message.Arg { return message.Number(name, n, "1 key", "{n} keys") }

// ratio returns a share of 0 to 1, NaN of nothing.
func ratio(part, whole int64) float64 {
	if whole <= 0 {
		return math.NaN()
	}
	return float64(part) / float64(whole)
}

func writeText(w *bufio.Writer, o WriteOptions, write func(p page)) error {
	p := newTextPage(w, o)
	write(p)
	return p.err
}
