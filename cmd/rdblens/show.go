package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"time"

	"github.com/dustin/go-humanize"
	decoder "github.com/hdt3213/rdb/parser"
	"github.com/spf13/cobra"

	"github.com/rdblens/rdblens/internal/text"
	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/memory"
	"github.com/rdblens/rdblens/report"
)

const (
	showText   = 4 << 10  // bytes of one field or value that show prints
	showFields = 100      // fields of a stream's entry, where --limit is not larger
	showBatch  = 64 << 10 // bytes of elements that are decoded at a time
)

func newShow(e *env) *cobra.Command {
	var db, limit int
	cmd := &cobra.Command{
		Use:   "show FILE KEY",
		Short: "Show what one key holds: its figures and its first elements",
		Long: `show finds one key and prints what a report says of it, and the first elements
of its value, without a server and in little memory however large it is. KEY may
be given in the \xNN writing of the reports. Where several databases have a key
of that name, the first in the file is shown; --db chooses. What is left out of
the value is told: texts are cut to 4 KiB, entries of a stream to 100 fields or
--limit, and no more than the first 16 MiB of a value are looked at.`,
		Example: `  rdblens show dump.rdb cart:42
  rdblens show --db 3 --limit 10 dump.rdb 'user:\xe4\xb8\x96'`,
		Args: exactly(2, "a snapshot and a key"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !cmd.Flags().Changed("db") {
				db = -1
			} else if db < 0 {
				return usageError(fmt.Sprintf("--db: %d is no database number", db), "databases count from 0; without --db any will do")
			}
			if limit < 0 {
				return usageError(fmt.Sprintf("--limit: %d is negative", limit), "0 shows the key's figures alone")
			}
			return e.show(cmd.Context(), args[0], args[1], db, limit)
		},
	}
	cmd.Flags().IntVar(&db, "db", 0, "the key's database")
	cmd.Flags().IntVar(&limit, "limit", 100, "elements to show")
	return cmd
}

func (e *env) show(ctx context.Context, file, key string, db, limit int) error {
	list, err := e.inputs([]string{file})
	if err != nil {
		return err
	}
	if err := report.CheckTargets([]report.Target{{}}, []string{file}); err != nil {
		return outputError(err) // standard output would go to the snapshot
	}
	name, err := text.Unescape([]byte(key))
	if err != nil {
		name = []byte(key) // no \xNN writing: the name as it is
	}
	options := parser.Options{Memory: func(info *parser.Info) *memory.Model {
		m, _, _ := memory.Choose(info.Server, info.ServerVersion, memory.Options{})
		return m
	}}
	x, err := func() (*parser.Excerpt, error) {
		src, err := list[0].open(ctx, e.stdin)
		if err != nil {
			return nil, err
		}
		defer src.Close()
		defer e.progress(list)()
		return parser.Extract(ctx, src, options, db, name)
	}()
	if err != nil {
		return notFound(file, name, err)
	}
	if x == nil {
		where := ""
		if db >= 0 {
			where = fmt.Sprintf(" in database %d", db)
		}
		return &exitError{code: exitUsage, err: inputError(file, fmt.Sprintf("no key %q%s", shortened(name), where)),
			hint: "rdblens keys lists the keys; a backslash in a name is written \\\\"}
	}
	w := bufio.NewWriter(e.stdout)
	showKey(w, x, time.Now())
	if err := showValue(w, x, limit); err != nil {
		w.Flush()
		return &exitError{code: exitPartial, err: inputError(file, err.Error())}
	}
	return outputError(w.Flush())
}

// notFound says why the reading ended before the key was found.
func notFound(file string, name []byte, err error) error {
	var damage *parser.DamageError
	switch {
	case isInterrupt(err):
		return &exitError{code: exitPartial, err: inputError(file, "interrupted before the key was found"),
			hint: "whether the snapshot has the key is not known"}
	case !errors.As(err, &damage):
		return unreadable(file, err)
	}
	hint := "the key was not found before the damage"
	if damage.Key != nil && bytes.Equal(damage.Key, name[:min(len(name), parser.MaxName)]) {
		hint = "the damage is in a key of that name: what it holds cannot be read"
	}
	return &exitError{code: exitPartial, err: inputError(file, err.Error()), hint: hint}
}

// showKey prints the figures of a key that are known.
func showKey(w io.Writer, x *parser.Excerpt, now time.Time) {
	k := x.Key
	line := func(name, format string, args ...any) {
		fmt.Fprintf(w, "%-16s %s\n", name, fmt.Sprintf(format, args...))
	}
	bytesLine := func(name string, n int64, note string) {
		if n >= 0 {
			line(name, "%s%s", size(n), note)
		}
	}
	line("key", "%s", display(k.Name, k.NameLen))
	line("database", "%d", k.DB)
	kind := k.Type.String()
	if k.ModuleName != "" {
		kind += " " + display([]byte(k.ModuleName), int64(len(k.ModuleName)))
	}
	line("type", "%s", kind)
	if enc := k.Encoding.String(); enc != "" {
		line("encoding", "%s", enc)
	}
	if k.Elements >= 0 && k.Type != parser.String {
		line("elements", "%d", k.Elements)
	}
	bytesLine("value", k.ValueBytes, "")
	bytesLine("serialized", k.Serialized, "")
	bound := ""
	if k.MemoryBound {
		bound = " at least"
	}
	bytesLine("memory", k.Memory, bound)
	bytesLine("memory usage", k.MemoryUsage, bound)
	if k.Type != parser.String && k.Largest >= 0 && k.Elements > 0 {
		note := ""
		if k.NameLargest(); k.LargestName != nil {
			note = ", " + display(k.LargestName, k.LargestNameLen)
		}
		bytesLine("largest element", k.Largest, note)
	}
	if k.HasExpire {
		line("expires", "%s", expiry(k.ExpireAt, now))
	} else {
		line("expires", "never")
	}
	if k.FieldsWithTTL > 0 {
		line("fields with TTL", "%d", k.FieldsWithTTL)
	}
	if k.Idle >= 0 {
		line("idle", "%d s", k.Idle)
	}
	if k.Freq >= 0 {
		line("LFU counter", "%d", k.Freq)
	}
	if k.Type == parser.Stream {
		line("groups", "%d, %d consumers, %d entries pending", k.Groups, k.Consumers, k.Pending)
	}
	line("offset", "%d", k.Offset)
}

// showValue prints the elements of a key.
func showValue(w io.Writer, x *parser.Excerpt, limit int) error {
	k := x.Key
	if x.Opaque {
		fmt.Fprintf(w, "\nthe value of a %s cannot be shown without its server\n", k.Type)
		return nil
	}
	if limit == 0 {
		return nil
	}
	p := &valuePrinter{w: w, key: k, now: time.Now()}
	for e := range x.Elements(parser.ElementOptions{Limit: limit, Fields: max(limit, showFields), MaxText: showText}) {
		if err := p.add(e); err != nil {
			return err
		}
	}
	if err := p.flush(); err != nil {
		return err
	}
	if p.shown == 0 && k.Elements > 0 {
		fmt.Fprintln(w)
	}
	switch {
	case x.Cut != "":
		fmt.Fprintf(w, "... %d of %d elements: %s\n", p.shown, k.Elements, x.Cut)
	case k.Elements > int64(p.shown):
		fmt.Fprintf(w, "... %d of %d elements\n", p.shown, k.Elements)
	}
	return nil
}

// valuePrinter prints elements. They are copied into small snapshots of plain
// types, a few at a time, and those are what the decoder sees: it builds whatever
// it reads, and stops the program on forms that it does not know.
type valuePrinter struct {
	w     io.Writer
	key   *parser.Key
	now   time.Time
	batch []parser.Element
	size  int // bytes of the batch
	shown int // elements
}

func (p *valuePrinter) add(e parser.Element) error {
	const room = 128 // what an element takes besides its texts
	p.batch = append(p.batch, e)
	p.size += room + len(e.Name.Bytes) + len(e.Value.Bytes)
	for _, t := range e.Pairs {
		p.size += len(t.Bytes)
	}
	if p.size < showBatch {
		return nil
	}
	return p.flush()
}

// flush prints the batch.
func (p *valuePrinter) flush() error {
	if len(p.batch) == 0 {
		return nil
	}
	objects, err := decode(parser.AppendSnapshot(nil, p.key, p.batch))
	if err != nil {
		return fmt.Errorf("the value cannot be decoded: %w", err)
	}
	if p.shown == 0 {
		fmt.Fprintln(p.w)
	}
	for i, object := range objects {
		elements := p.batch
		if p.key.Type == parser.Stream {
			elements = p.batch[min(i, len(p.batch)):min(i+1, len(p.batch))]
		}
		if err := p.print(object, elements); err != nil {
			return err
		}
	}
	clear(p.batch)
	p.batch, p.size = p.batch[:0], 0
	return nil
}

// decode gives the objects of a small snapshot.
func decode(snapshot []byte) (objects []decoder.RedisObject, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the decoder stopped: %v", p)
		}
	}()
	err = decoder.NewDecoder(bytes.NewReader(snapshot)).Parse(func(o decoder.RedisObject) bool {
		objects = append(objects, o)
		return true
	})
	return objects, err
}

// print prints what the decoder made of elements, in the order of the file.
func (p *valuePrinter) print(object decoder.RedisObject, elements []parser.Element) error {
	var texts [][]byte
	switch o := object.(type) {
	case *decoder.StringObject:
		texts = [][]byte{o.Value}
	case *decoder.ListObject:
		texts = o.Values
	case *decoder.SetObject:
		texts = o.Members
	case *decoder.ZSetObject:
		for i, m := range o.Entries {
			texts = append(texts, []byte(m.Member))
			elements[min(i, len(elements)-1)].Score = m.Score
		}
	default:
		return fmt.Errorf("the decoder gave an unexpected %s", object.GetType())
	}
	for _, e := range elements {
		want := 1
		if e.Name.Bytes != nil {
			want = 2
		}
		if p.key.Type == parser.Stream {
			want = len(e.Pairs)
		}
		if len(texts) < want {
			return fmt.Errorf("the decoder gave too few elements")
		}
		p.element(e, texts[:want])
		texts = texts[want:]
		p.shown++
	}
	return nil
}

// element prints one element, whose texts the decoder gave.
func (p *valuePrinter) element(e parser.Element, texts [][]byte) {
	k, w := p.key, p.w
	if k.Type == parser.Stream {
		fmt.Fprint(w, display(e.Name.Bytes, e.Name.Len))
		for i := 0; i+1 < len(texts); i += 2 {
			fmt.Fprintf(w, "  %s=%s", display(texts[i], e.Pairs[i].Len), display(texts[i+1], e.Pairs[i+1].Len))
		}
		if n := int64(len(texts) / 2); n < e.Fields {
			fmt.Fprintf(w, "  ... %d of %d fields", n, e.Fields)
		}
		fmt.Fprintln(w)
		return
	}
	switch {
	case len(texts) == 2:
		fmt.Fprintf(w, "%s = ", display(texts[0], e.Name.Len))
	case k.Type == parser.ZSet:
		fmt.Fprintf(w, "%s  ", score(e.Score))
	case k.Type == parser.List, k.Type == parser.Hash:
		fmt.Fprintf(w, "%d) ", p.shown)
	}
	fmt.Fprint(w, display(texts[len(texts)-1], e.Value.Len))
	if e.ExpireAt != 0 {
		fmt.Fprintf(w, "  (expires %s)", expiry(e.ExpireAt, p.now))
	}
	fmt.Fprintln(w)
}

// display gives a text of n bytes, of which b may be the beginning, as a
// terminal can take it.
func display(b []byte, n int64) string {
	s := text.Display(b)
	if n > int64(len(b)) {
		s += fmt.Sprintf("... (%s)", size(n))
	}
	return s
}

// size gives bytes exactly, and beside large ones in units.
func size(n int64) string {
	if n < 1024 {
		return strconv.FormatInt(n, 10) + " bytes"
	}
	return fmt.Sprintf("%d bytes (%s)", n, humanize.IBytes(uint64(n)))
}

// score gives a score as redis-cli does.
func score(f float64) string {
	switch {
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	}
	return strconv.FormatFloat(f, 'g', 17, 64)
}

// expiry gives a moment in milliseconds since the epoch and how far it is.
func expiry(ms int64, now time.Time) string {
	at := time.UnixMilli(ms).UTC()
	if y := at.Year(); y < 1970 || y > 9999 {
		return fmt.Sprintf("%d ms since 1970", ms)
	}
	return at.Format(time.RFC3339) + ", " + humanize.RelTime(at, now, "ago", "from now")
}
