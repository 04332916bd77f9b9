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

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/memory"
	"github.com/rdblens/rdblens/report"
)

// showText is how many bytes of one field or value show prints.
const showText = 4 << 10

func newShow(e *env) *cobra.Command {
	var db, limit int
	cmd := &cobra.Command{
		Use:   "show FILE KEY",
		Short: "Show what one key holds: its figures and its first elements",
		Long: `show finds one key and prints what a report says of it, and the first elements
of its value, without a server and in little memory however large it is. KEY may
be given in the \xNN writing of the reports. Where several databases have a key
of that name, the first in the file is shown; --db chooses.`,
		Example: `  rdblens show dump.rdb cart:42
  rdblens show --db 3 --limit 10 dump.rdb 'user:\xe4\xb8\x96'`,
		Args: exactly(2, "a snapshot and a key"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !cmd.Flags().Changed("db") {
				db = -1
			} else if db < 0 {
				return usageError(fmt.Sprintf("--db: %d is no database number", db), "")
			}
			if limit < 0 {
				return usageError(fmt.Sprintf("--limit: %d is negative", limit), "")
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
	src, err := list[0].open(ctx, e.stdin)
	if err != nil {
		return unreadable(list[0].name, err)
	}
	defer src.Close()
	options := parser.Options{Memory: func(info *parser.Info) *memory.Model {
		m, _, _ := memory.Choose(info.Server, info.ServerVersion, memory.Options{})
		return m
	}}
	stop := e.progress(list)
	find := func(name []byte) (*parser.Excerpt, error) {
		return parser.Extract(&ending{ctx, src}, options, db, name, parser.ExtractOptions{Limit: limit, MaxText: showText})
	}
	name, err := report.Unescape([]byte(key))
	if err != nil {
		name = []byte(key) // no \xNN writing: the name as it is
	}
	x, err := find(name)
	stop()
	switch {
	case errors.Is(err, context.Canceled):
		return &exitError{code: exitPartial, err: inputError(file, "interrupted before the key was found")}
	case err != nil:
		var damage *parser.DamageError
		if errors.As(err, &damage) {
			return &exitError{code: exitPartial, err: inputError(file, err.Error()), hint: "the key was not found before the damage"}
		}
		return unreadable(file, err)
	case x == nil:
		where := ""
		if db >= 0 {
			where = fmt.Sprintf(" in database %d", db)
		}
		return &exitError{code: exitUsage, err: inputError(file, fmt.Sprintf("no key %q%s", name, where)),
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

// ending is a reader that ends with its context.
type ending struct {
	ctx context.Context
	r   io.Reader
}

func (e *ending) Read(p []byte) (int, error) {
	if err := e.ctx.Err(); err != nil {
		return 0, err
	}
	return e.r.Read(p)
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

// showValue prints the elements of a key. They are copied into a small snapshot
// of plain types, and that is what the decoder sees: it builds whatever it
// reads, and stops the program on forms that it does not know.
func showValue(w io.Writer, x *parser.Excerpt, limit int) error {
	k := x.Key
	switch {
	case x.Opaque:
		fmt.Fprintf(w, "\nthe value of a %s cannot be shown without its server\n", k.Type)
		return nil
	case limit == 0 || len(x.Elements) == 0:
		return nil
	}
	objects, err := decode(x.AppendSnapshot(nil))
	if err != nil {
		return fmt.Errorf("the value cannot be decoded: %w", err)
	}
	fmt.Fprintln(w)
	if err := printElements(w, x, objects); err != nil {
		return err
	}
	if k.Type != parser.String && k.Type != parser.JSON && k.Elements > int64(len(x.Elements)) {
		fmt.Fprintf(w, "... %d of %d elements\n", len(x.Elements), k.Elements)
	}
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

// printElements prints what the decoder made of an excerpt, in the order of the
// file.
func printElements(w io.Writer, x *parser.Excerpt, objects []decoder.RedisObject) error {
	next := 0
	element := func(prefix string, value []byte) {
		e := x.Elements[next]
		next++
		note := ""
		if e.ExpireAt != 0 {
			note = "  (expires " + expiry(e.ExpireAt, time.Now()) + ")"
		}
		fmt.Fprintf(w, "%s%s%s\n", prefix, display(value, e.ValueLen), note)
	}
	for _, object := range objects {
		switch o := object.(type) {
		case *decoder.StringObject:
			element("", o.Value)
		case *decoder.ListObject:
			if x.Key.Type == parser.Stream {
				fmt.Fprint(w, o.Key)
				for i := 0; i+1 < len(o.Values); i += 2 {
					fmt.Fprintf(w, "  %s=%s", shown(o.Values[i]), shown(o.Values[i+1]))
				}
				fmt.Fprintln(w)
				next++
				continue
			}
			for i, v := range o.Values {
				element(fmt.Sprintf("%d) ", i), v)
			}
		case *decoder.SetObject:
			for _, m := range o.Members {
				element("", m)
			}
		case *decoder.ZSetObject:
			for _, m := range o.Entries {
				element(score(m.Score)+"  ", []byte(m.Member))
			}
		case *decoder.HashObject:
			for _, e := range x.Elements {
				v, ok := o.Hash[string(e.Name)]
				if !ok {
					return fmt.Errorf("field %q is missing after decoding", e.Name)
				}
				element(display(e.Name, e.NameLen)+" = ", v)
			}
		default:
			return fmt.Errorf("the decoder gave an unexpected %s", object.GetType())
		}
	}
	return nil
}

// display gives a text of n bytes, of which b may be the beginning, as a
// terminal can take it.
func display(b []byte, n int64) string {
	s := report.Name(b).Display()
	if n > int64(len(b)) {
		s += fmt.Sprintf("... (%s)", size(n))
	}
	return s
}

func shown(b []byte) string { return display(b, int64(len(b))) }

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
