package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report"
	"github.com/rdblens/rdblens/report/text"
)

func newIdentify(e *env) *cobra.Command {
	var o passFlags
	cmd := &cobra.Command{
		Use:   "identify [FILE|LIBRARY]",
		Short: "Say which libraries wrote the keys, or what is known of one",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return nil
			}
			return usageError("{code} takes {what}, got {n}", message.Code("code", cmd.CommandPath()),
				message.Word("what", "a snapshot or a library"),
				message.Number("n", int64(len(args)), "1 argument", "{n} arguments")).withHint("rdblens identify dump.rdb")
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
			return beginningWith(begun, libraries()), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return e.identifyList()
			}
			if _, err := os.Stat(args[0]); err != nil {
				if r := report.FindRecogniser(args[0]); r != nil {
					return e.identifyLibrary(r)
				}
			}
			return e.identifyKeys(cmd.Context(), &o, args[0])
		},
	}
	o.register(cmd)
	return cmd
}

func libraries() (names []string) {
	for _, r := range report.Recognisers() {
		names = append(names, r.Library)
	}
	return names
}

func (e *env) identifyList() error {
	w := bufio.NewWriter(e.stdout)
	table := text.Grid{Columns: []text.Column{{Title: e.t("Library")}, {Title: e.t("Language")},
		{Title: e.t("What it is")}, {Title: e.t("Tried with")}}}
	for _, r := range report.Recognisers() {
		table.Add(r.Library, r.Language, r.About, e.tried(r.Tried))
	}
	table.Write(w, text.Unlimited)
	return outputError(w.Flush())
}

// tried says how a recogniser was checked.
func (e *env) tried(release string) string {
	return cmp.Or(release, e.t("documentation only"))
}

func (e *env) identifyLibrary(r *report.Recogniser) error {
	w := bufio.NewWriter(e.stdout)
	fmt.Fprintf(w, "%s: %s (%s)\n\n", r.Library, r.About, r.Language)
	facts := text.Grid{Columns: make([]text.Column, 2)}
	facts.Add(e.t("Tried with"), e.tried(r.Tried))
	facts.Add(e.t("Source"), r.Source)
	if r.Prefix != "" {
		facts.Add(e.t("Prefix by default"), r.Prefix)
	}
	facts.Write(w, text.Unlimited)
	if r.Note != "" {
		fmt.Fprintln(w)
		wrap(w, "", r.Note)
	}
	fmt.Fprintln(w)
	table := text.Grid{Columns: []text.Column{{Title: e.t("Keys"), Shrink: text.ShrinkMiddle, First: 48}, {Title: e.t("Type"), Drop: 1},
		{Title: e.t("Role")}, {Title: e.t("TTL"), Drop: 3}, {Title: e.t("Setting"), Shrink: text.ShrinkEnd, Drop: 2},
		{Title: e.t("Delete"), Shrink: text.ShrinkEnd}}}
	for _, s := range r.Shapes {
		table.Add(text.Display([]byte(s.Template())), s.Type.String(), e.t(string(s.Role)), e.ttlByDesign(s.ByDesign),
			s.Setting, e.line(deletion(s.Delete)))
	}
	table.Write(w, terminalWidth(e.stdout))
	return outputError(w.Flush())
}

// deletion returns the word for a value of Identity.Deletion.
func deletion(of string) message.Message {
	through, isThrough := strings.CutPrefix(of, "with ")
	switch {
	case of == "yes":
		return message.New("yes, if nobody reads them")
	case isThrough:
		return message.New("with {deletion}", message.Text("deletion", through))
	}
	return message.New(of)
}

func (e *env) ttlByDesign(none bool) string {
	if none {
		return e.t("none by design")
	}
	return ""
}

func (e *env) identifyKeys(ctx context.Context, o *passFlags, path string) error {
	r, err := e.reportOf(ctx, o, []string{path})
	if err != nil {
		return err
	}
	type row struct {
		report.Identity
		keys, withoutTTL, bytes int64
		largest                 *report.Group // by keys
	}
	var rows []*row
	find := map[report.Identity]*row{}
	for i := range r.Groups {
		g := &r.Groups[i]
		var id report.Identity
		if g.Identity != nil {
			id = *g.Identity
		}
		key := report.Identity{Library: id.Library, Role: id.Role, Setting: id.Setting, Deletion: id.Deletion}
		to := find[key]
		if to == nil {
			to = &row{Identity: id}
			find[key] = to
			rows = append(rows, to)
		}
		to.keys += g.Keys
		to.withoutTTL += g.WithoutTTL
		to.bytes += max(int64(g.MemoryBytes), 0)
		if to.largest == nil || g.Keys > to.largest.Keys {
			to.largest = g
		}
	}
	slices.SortStableFunc(rows, func(a, b *row) int {
		return cmp.Or(strings.Compare(order(a.Identity), order(b.Identity)), cmp.Compare(b.keys, a.keys))
	})
	w := bufio.NewWriter(e.stdout)
	table := text.Grid{Columns: []text.Column{{Title: e.t("Library")}, {Title: e.t("Role")},
		{Title: e.t("Such as"), Shrink: text.ShrinkMiddle}, {Title: e.t("Keys"), Right: true},
		{Title: e.t("Without TTL"), Right: true, Drop: 3}, {Title: e.t("Memory"), Right: true}, {Title: e.t("TTL"), Drop: 4},
		{Title: e.t("Setting"), Shrink: text.ShrinkEnd, Drop: 2}, {Title: e.t("Delete"), Shrink: text.ShrinkEnd, Drop: 1}}}
	for _, x := range rows {
		library, role := x.Library, ""
		if x.Role != "" {
			role = e.t(string(x.Role))
		}
		switch {
		case x.Sure == "":
			library = e.t("not known")
		case library == "" && x.Sure == report.LooksLike:
			library = e.t("looks like")
		}
		table.Add(library, role, x.largest.Group.Display(), message.FormatCount(x.keys), message.FormatCount(x.withoutTTL),
			message.FormatBytes(x.bytes),
			e.ttlByDesign(x.ByDesign), x.Setting, e.line(deletion(x.Deletion)))
	}
	table.Write(w, terminalWidth(e.stdout))
	return outputError(w.Flush())
}

// order is what identities are sorted by: libraries, layouts, and then what is not known.
func order(id report.Identity) string {
	switch {
	case id.Library != "":
		return "0" + strings.ToLower(id.Library)
	case id.Sure != "":
		return "1"
	}
	return "2"
}
