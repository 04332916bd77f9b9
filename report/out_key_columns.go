package report

import "strings"

type keyColumn struct {
	name    string
	text    bool // it has texts, else numbers
	repeats bool // of the texts there are few
	known   bool // no cell is unknown
}

// keyColumns are the columns of the command keys, in their order: those of each row, and
// behind them those that it adds when they are asked for. The header of CSV, the schema of
// Parquet and the cells that the formats append are in this order.
var keyColumns = []keyColumn{
	{name: "db", known: true},
	{name: "key", text: true, known: true},
	{name: "type", text: true, repeats: true, known: true},
	{name: "encoding", text: true, repeats: true},
	{name: "elements"},
	{name: "value_bytes"},
	{name: "serialized_bytes", known: true},
	{name: "memory_bytes"},
	{name: "memory_usage_bytes"},
	{name: "largest_element_bytes"},
	{name: "largest_element", text: true},
	{name: "expire_at_ms"},
	{name: "fields_with_ttl"},
	{name: "idle_seconds"},
	{name: "freq"},
	{name: "offset", known: true},

	{name: "ttl_seconds"},
	{name: "file", text: true, repeats: true, known: true},
	{name: "group", text: true, repeats: true, known: true},
	{name: "owner", text: true, repeats: true},
	{name: "key_bytes"},
	{name: "longest_string_bytes"},
}

const eachRow = 16

func keyColumnNames() (names []string) {
	for _, c := range keyColumns[:eachRow] {
		names = append(names, c.name)
	}
	return names
}

func columnOf(name string) keyColumn {
	for _, c := range keyColumns {
		if c.name == name {
			return c
		}
	}
	return keyColumn{name: name}
}

// KeysHeader is the header line of the keys command's CSV. AppendKeyCSV, AppendKeyJSON and
// AppendKeyParquet write the same columns in the same order.
var KeysHeader = strings.Join(keyColumnNames(), ",") + "\n"
