package report

import (
	"bufio"
	"strconv"
	"strings"

	"github.com/rdblens/rdblens/report/text"
)

// CSV of the largest keys, a line each: the list by --by. `rank` is the place of a key on
// it; then come the columns of the keys command, the rules that the key breaks, and the
// profile and configuration that judged. Lines end in a line feed; unknown figures are
// empty cells.

func init() {
	register(&Format{Name: "csv", Doc: "the largest keys", Extension: ".csv", rank: 2, write: writeCSV})
}

func writeCSV(w *bufio.Writer, r *Report, _ WriteOptions) error {
	c := newCSVWriter(w, "rank,snapshot,"+KeysHeader[:len(KeysHeader)-1]+",ttl_seconds,group,owner,rules,profile,config")
	rows := r.Top[r.By]
	for i := range rows {
		k := &rows[i]
		c.counts(int64(i + 1))
		c.names(r.inputName(k.Input))
		c.key(k)
		c.optional(k.TTL)
		c.names(k.Group)
		c.sentences(k.Owner)
		var rules []string
		for _, f := range k.Findings {
			rules = append(rules, f.Severity+" "+f.Rule)
		}
		c.sentences(strings.Join(rules, "; "))
		c.config(r)
		c.end()
	}
	return nil
}

// inputName returns the name of an input, "" for an index that is out of range.
func (r *Report) inputName(i int) Name {
	if i < 0 || i >= len(r.Inputs) {
		return ""
	}
	return r.Inputs[i].Name
}

// csvWriter writes the lines of a CSV table. Its methods append cells to the
// line until end writes it.
type csvWriter struct {
	w    *bufio.Writer
	line []byte
}

func newCSVWriter(w *bufio.Writer, header string) *csvWriter {
	w.WriteString(header + "\n")
	return &csvWriter{w: w}
}

func (c *csvWriter) end() {
	c.line[len(c.line)-1] = '\n'
	c.w.Write(c.line)
	c.line = c.line[:0]
}

func (c *csvWriter) names(cells ...Name) {
	for _, n := range cells {
		c.line = append(text.AppendCSV(c.line, []byte(n)), ',')
	}
}

// sentences appends text of ours, in which names are escaped already.
func (c *csvWriter) sentences(cells ...string) {
	for _, s := range cells {
		c.line = append(text.AppendCSVSentence(c.line, s), ',')
	}
}

func (c *csvWriter) counts(cells ...int64) { c.line = text.AppendCells(c.line, cells...) }

// figures appends numbers, of which the unknown ones are empty cells.
func (c *csvWriter) figures(cells ...Figure) {
	for _, f := range cells {
		c.line = text.AppendCells(c.line, int64(f))
	}
}

// optional appends numbers that may be negative, and an empty cell for nil.
func (c *csvWriter) optional(cells ...*int64) {
	for _, n := range cells {
		if n != nil {
			c.line = strconv.AppendInt(c.line, *n, 10)
		}
		c.line = append(c.line, ',')
	}
}

// key appends the columns of KeysHeader.
func (c *csvWriter) key(k *KeyRow) {
	element := Name("")
	if k.LargestElement != nil {
		element = *k.LargestElement
	}
	c.counts(int64(k.DB))
	c.names(k.Key)
	c.sentences(k.Type, k.Encoding)
	c.figures(k.Elements, k.ValueBytes, k.Serialized, k.Memory, k.MemoryUsage, k.Largest)
	c.names(element)
	c.optional(k.ExpireAt)
	c.figures(k.FieldsWithTTL, k.Idle, k.Freq)
	c.counts(k.Offset)
}
