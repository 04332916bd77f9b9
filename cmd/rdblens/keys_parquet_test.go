package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"github.com/rdblens/rdblens/report"
	"github.com/rdblens/rdblens/report/text"
	"github.com/rdblens/rdblens/testdata/testtool"
)

// duckdb runs statements in a directory, and returns the rows of each.
func duckdb(t *testing.T, dir string, statements ...string) [][][]any {
	t.Helper()
	repo, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	modules := filepath.Join(repo, "bin", "duckdb", "node_modules")
	if _, err := os.Stat(modules); err != nil {
		testtool.Missing(t, "no bin/duckdb: make duckdb")
	}
	in, _ := json.Marshal(statements)
	cmd := exec.Command("node", filepath.Join(repo, "cmd", "rdblens", "testdata", "duckdb.cjs"))
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "NODE_PATH="+modules)
	cmd.Stdin = bytes.NewReader(in)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	var results [][][]any
	if err == nil {
		err = json.Unmarshal(out, &results)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, &errs)
	}
	return results
}

// runKeys runs keys, and returns what it writes to standard output.
func runKeys(t *testing.T, code int, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	if got := run(t.Context(), append([]string{"keys"}, args...), nil, &out, &errs); got != code {
		t.Fatalf("keys %q: exit code %d, want %d\n%s", args, got, code, &errs)
	}
	return out.String()
}

// hostileSnapshot has names of any bytes, of which one is empty and one is cut, and
// figures at their limits.
func hostileSnapshot(t *testing.T) string {
	t.Helper()
	long := strings.Repeat("x\xff\n", 30_000)
	names := []string{"", `a\b`, "\x00\x1b[2J", "\xff\xfe", "=1+1", ";@x", `"quoted",`, "订单:1", "\u202e\u200b", "NULL", "a\r\n b ", "\\xff", "\ufffd", long}
	out := []byte("REDIS0011")
	for i, name := range names {
		if i%3 == 1 {
			expiry := []uint64{0, 1 << 63, 1<<63 - 1, 1, 1795651230000}[i/3]
			out = append(out, 252)
			for b := range 8 {
				out = append(out, byte(expiry>>(8*b)))
			}
		}
		if i%2 == 0 {
			out = append(out, 249, byte(i))
		} else {
			out = appendLength(append(out, 248), i*1000)
		}
		if i%4 == 3 {
			out = appendString(appendString(appendLength(appendString(append(out, 4), name), 1), name[:min(len(name), 300)]), "v")
		} else {
			out = appendString(appendString(append(out, 0), name), name)
		}
	}
	path := filepath.Join(t.TempDir(), "hostile \xff.rdb")
	if err := os.WriteFile(path, append(out, 255, 0, 0, 0, 0, 0, 0, 0, 0), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestParquetRows compares each cell that DuckDB reads from a Parquet file with that of
// the CSV, and with the JSON's null. In CSV a cell that is not known is empty.
func TestParquetRows(t *testing.T) {
	const rules = "../../testdata/rules/"
	config := filepath.Join(t.TempDir(), "rdblens.yaml")
	if err := os.WriteFile(config, []byte("namespaces: {cart: {owner: checkout}, 'names': {owner: '订单'}}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	more := []string{"--columns", "+file,+group,+owner,+ttl_seconds", "--config", config, "--jobs", "2"}
	dir := t.TempDir()
	var statements []string
	cases := [][]string{
		{hostileSnapshot(t)},
		{"../../testdata/shop.rdb"},
		{rules + "names.rdb", rules + "lfu.rdb"},
		{rules + "streams.rdb.gz", rules + "fields.rdb"}, // not in the order of their names
		{"../../testdata/dragonfly/set-summary.dfs"},
		{"--redact", "--redact-salt", "x", "../../testdata/shop.rdb"},
		{"--columns", "+key_bytes,+longest_string_bytes,+file", rules + "sizes.rdb.gz"},
		{"--rule", "no-ttl", "--owner", "checkout", "../../testdata/shop.rdb"},
	}
	for i, files := range cases {
		path := filepath.Join(dir, fmt.Sprint(i)+".parquet")
		runKeys(t, 0, slices.Concat(more, []string{"-f", path}, files)...)
		statements = append(statements, "SELECT * FROM '"+path+"'", "DESCRIBE FROM '"+path+"'")
	}
	results := duckdb(t, dir, statements...)
	for i, files := range cases {
		rows, columns := results[2*i], results[2*i+1]
		records, err := csv.NewReader(strings.NewReader(runKeys(t, 0, slices.Concat(more, files)...))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		objects := strings.Split(strings.TrimSpace(runKeys(t, 0, slices.Concat(more, []string{"-f", "jsonl"}, files)...)), "\n")
		if len(rows) != len(records)-1 || len(rows) != len(objects) || len(columns) != len(records[0]) || len(rows) == 0 {
			t.Fatalf("%q: %d rows of %d columns, CSV has %d of %d", files, len(rows), len(columns), len(records)-1, len(records[0]))
		}
		for j, row := range rows {
			var object map[string]any
			if err := json.Unmarshal([]byte(objects[j]), &object); err != nil {
				t.Fatal(err)
			}
			for c, name := range records[0] {
				if columns[c][0] != name {
					t.Fatalf("%q: column %d is %v, want %s", files, c, columns[c], name)
				}
				got, _ := row[c].(string)
				want := records[j+1][c]
				if (row[c] == nil) != (object[name] == nil) || unescaped(got) != unescaped(want) {
					t.Fatalf("%q: %s of row %d is %.100q, CSV has %.100q, JSON %.100v", files, name, j, row[c], want, object[name])
				}
			}
		}
	}
}

// unescaped returns the name of an escaped form, or the form if the name was cut.
func unescaped(s string) string {
	if name, err := text.Unescape([]byte(s)); err == nil {
		return "name " + string(name)
	}
	return s
}

// TestParquetQueries runs the queries of the manual on a lake of real snapshots, some of
// whose keys are left out on the first day, and of two written by hand.
func TestParquetQueries(t *testing.T) {
	manual, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, ok := strings.Cut(string(manual), "\n#### Parquet\n")
	_, section, ok2 := strings.Cut(section, "\n```sql\n")
	section, _, ok3 := strings.Cut(section, "\n```\n")
	if !ok || !ok2 || !ok3 {
		t.Fatal("no queries")
	}
	queries := strings.Split(strings.TrimSuffix(strings.TrimSpace(section), ";"), ";\n")
	if len(queries) != 11 {
		t.Fatalf("%d statements, want the view and ten queries", len(queries))
	}
	lake, shop := t.TempDir(), "../../testdata/shop.rdb"
	config := filepath.Join(t.TempDir(), "rdblens.yaml")
	if err := os.WriteFile(config, []byte("namespaces: {cart: {owner: checkout}, session: {owner: accounts}}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	byHand := func(text string) string {
		b, err := snapshotOf(text)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "hand.rdb")
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	put := func(day, cluster string, args ...string) {
		dir := filepath.Join(lake, "date="+day, "cluster="+cluster)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		runKeys(t, 0, append([]string{"--config", config, "-f", dir + "/shard-0.parquet"}, args...)...)
	}
	put("2026-11-20", "shop", "--max-size", "10KB", shop)
	put("2026-11-21", "shop", shop)
	put("2026-11-21", "cart", "--match", "cart:*", shop)
	put("2026-11-20", "hand", byHand("ttl 1795651230000\nstring a x\nstring b x\nttl 1795651230000\nstring c x\nstring d x\n"))
	put("2026-11-21", "hand", byHand("string a x\nttl 1795651230001\nstring b x\nttl 1795651230002\nstring c x\nstring d x\n"))

	results := duckdb(t, lake, append(queries, "SELECT date::VARCHAR, cluster, count(*) FROM keys GROUP BY ALL ORDER BY ALL")...)
	column := func(query, c int) (list []string) {
		for _, row := range results[query] {
			list = append(list, fmt.Sprint(row[c]))
		}
		return list
	}
	total := func(query, c int) (n int64) {
		for _, s := range column(query, c) {
			v, err := strconv.ParseInt(s, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			n += v
		}
		return n
	}
	cells := func(args string, name string) (list []string) { // of the CSV
		records, err := csv.NewReader(strings.NewReader(runKeys(t, 0, append(strings.Fields(args), shop)...))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range records[1:] {
			list = append(list, r[slices.Index(records[0], name)])
		}
		return list
	}
	sum := func(list []string) (n int64) {
		for _, s := range list {
			v, _ := strconv.ParseInt(s, 10, 64)
			n += v
		}
		return n
	}
	equal := func(query int, what string, want, got any) {
		t.Helper()
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("query %d: %s (-want +got):\n%s", query, what, d)
		}
	}
	sorted := func(list []string) []string { slices.Sort(list); return list }

	equal(11, "partitions", []string{"2026-11-20 hand 4", "2026-11-20 shop " + fmt.Sprint(len(cells("--max-size 10KB", "key"))), "2026-11-21 cart " + fmt.Sprint(len(cells("--match cart:*", "key"))), "2026-11-21 hand 4", "2026-11-21 shop 12624"}, rowTexts(results[11]))
	i := slices.Index(column(1, 0), "100014")
	equal(1, "memory of 100014", fmt.Sprint(sum(cells("--match *100014*", "memory_bytes"))), column(1, 2)[i])
	equal(2, "new keys", sorted(cells("--min-size 10241B", "key")), sorted(column(2, 0)))
	equal(3, "changed TTLs", []string{"a 1795651230000 <nil>", "b <nil> 1795651230001"}, sorted(rowTexts(results[3])))
	equal(4, "groups", int64(12624), total(4, 1))
	equal(4, "largest group", []any{"coupon:flash:*", "10500", 112., 112.}, results[4][0])
	timed := cells("--ttl-over 0s --columns +ttl_seconds", "memory_bytes")
	equal(5, "keys that will expire", int64(len(timed)), total(5, 1))
	equal(5, "their memory", fmt.Sprint(sum(timed)), column(5, 3)[len(results[5])-1])
	equal(6, "owners", []string{"accounts", "accounts", "accounts", "checkout", "checkout", "checkout", "<nil>", "<nil>", "<nil>"}, column(6, 0))
	equal(6, "largest key", "archive:invoices:2023", column(6, 1)[6])
	equal(7, "memory", sum(cells("", "memory_bytes")), total(7, 2))
	equal(7, "unused", fmt.Sprint(sum(cells("--idle-over 1h", "memory_bytes"))), column(7, 1)[0])
	equal(8, "keys with a value", int64(len(cells("--min-size 1B", "key"))), total(8, 3))
	equal(9, "keys of two clusters", sorted(cells("--match cart:*", "key")), sorted(column(9, 1)))
	for _, row := range results[10] {
		if share := row[2].(float64); share < 0.005 || share > 1 {
			t.Errorf("query 10: %v", row)
		}
	}
}

func rowTexts(rows [][]any) (list []string) {
	for _, row := range rows {
		list = append(list, strings.TrimSpace(fmt.Sprintln(row...)))
	}
	return list
}

// TestParquetLayout reads the footer of a file of three row groups: their size, their
// order, statistics, dictionaries and compression.
func TestParquetLayout(t *testing.T) {
	const keys = 300_000
	out := []byte("REDIS0011")
	for i := range keys {
		out = appendString(appendString(append(out, 0), fmt.Sprintf("user:%06d", i)), strings.Repeat("x", i%10))
	}
	path := filepath.Join(t.TempDir(), "many.rdb")
	if err := os.WriteFile(path, append(out, 255, 0, 0, 0, 0, 0, 0, 0, 0), 0o644); err != nil {
		t.Fatal(err)
	}
	file := []byte(runKeys(t, 0, "-f", "parquet", "--jobs", "2", path))
	f, err := parquet.OpenFile(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	if f.NumRows() != keys || len(f.RowGroups()) != 3 {
		t.Errorf("%d rows in %d row groups", f.NumRows(), len(f.RowGroups()))
	}
	names := strings.Split(strings.TrimSpace(report.KeysHeader), ",")
	for _, g := range f.Metadata().RowGroups {
		if g.NumRows > 126_000 || len(g.SortingColumns) != 2 || g.SortingColumns[1].ColumnIdx != int32(slices.Index(names, "offset")) {
			t.Errorf("row group of %d rows, sorted by %v", g.NumRows, g.SortingColumns)
		}
		for _, c := range g.Columns {
			name := c.MetaData.PathInSchema[0]
			if c.MetaData.Codec.String() != "ZSTD" {
				t.Errorf("%s: %v", name, c.MetaData.Codec)
			}
			if dictionary := c.MetaData.DictionaryPageOffset > 0; dictionary != slices.Contains([]string{"type", "encoding", "file", "group", "owner"}, name) {
				t.Errorf("%s: dictionary %v", name, dictionary)
			}
			if s := c.MetaData.Statistics; s.NullCount < g.NumRows && (s.MinValue == nil || s.MaxValue == nil) {
				t.Errorf("%s has no minimum or maximum", name)
			}
		}
	}
	// A reader that looks for a name leaves out pages by their bounds, which are short.
	hostile := []byte(runKeys(t, 0, "-f", "parquet", hostileSnapshot(t)))
	if f, err = parquet.OpenFile(bytes.NewReader(hostile), int64(len(hostile))); err != nil {
		t.Fatal(err)
	}
	chunk := f.RowGroups()[0].ColumnChunks()[slices.Index(names, "key")]
	index, err := chunk.ColumnIndex()
	if err != nil || index.NumPages() != 1 {
		t.Fatal(err, index)
	}
	pages := chunk.Pages()
	defer pages.Close()
	page, err := pages.ReadPage()
	if err != nil {
		t.Fatal(err)
	}
	values := make([]parquet.Value, page.NumValues())
	page.Values().ReadValues(values)
	for _, v := range values {
		least, most := index.MinValue(0).String(), index.MaxValue(0).String()
		if len(least) > 16 || len(most) > 16 || v.String() < least || v.String() > most {
			t.Errorf("%.50q is not in %q to %q", v, least, most)
		}
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "keys.parquet"), file, 0o644); err != nil {
		t.Fatal(err)
	}
	rows := duckdb(t, dir, `SELECT count(*), count(DISTINCT key), sum(value_bytes), count(DISTINCT "group"), min(key), max(key) FROM 'keys.parquet'`,
		`SELECT count(*) FROM (SELECT "offset" <= lag("offset") OVER () AS back FROM 'keys.parquet') WHERE back`)
	want := [][][]any{{{"300000", "300000", fmt.Sprint(keys / 10 * 45), "1", "user:000000", "user:299999"}}, {{"0"}}}
	if d := cmp.Diff(want, rows); d != "" {
		t.Error(d)
	}
}

// TestParquetFiles checks that a file appears whole or not at all, that a damaged
// snapshot leaves a file of what was read, and that files out of order are not declared
// as sorted.
func TestParquetFiles(t *testing.T) {
	shop, err := os.ReadFile("../../testdata/shop.rdb")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for name, b := range map[string][]byte{"a.rdb": shop, "b.rdb": shop[:len(shop)/2], "none.rdb": []byte("text")} {
		if err := os.WriteFile(name, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		args   string
		code   int
		sorted bool
	}{
		{"-f=date=2026-11-21.parquet a.rdb b.rdb none.rdb", 3, true},
		{"-f=date=2026-11-21.parquet b.rdb a.rdb", 3, false},
		{"-f=parquet=date=2026-11-21.parquet a.rdb a.rdb", 0, false},
	} {
		os.Remove("date=2026-11-21.parquet")
		runKeys(t, c.code, strings.Fields(c.args)...)
		b, err := os.ReadFile("date=2026-11-21.parquet")
		if err != nil {
			t.Fatal(err)
		}
		f, err := parquet.OpenFile(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			t.Fatal(err)
		}
		if n := f.NumRows(); n <= 12624 || len(f.Metadata().RowGroups[0].SortingColumns) > 0 != c.sorted {
			t.Errorf("%s: %d rows, sorted by %v", c.args, n, f.Metadata().RowGroups[0].SortingColumns)
		}
	}
	runKeys(t, 2, "-f", "none.parquet", "none.rdb")
	if found, _ := filepath.Glob("*none.parquet*"); found != nil {
		t.Error(found)
	}
}
