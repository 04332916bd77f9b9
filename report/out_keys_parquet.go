package report

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	parquetzstd "github.com/parquet-go/parquet-go/compress/zstd"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/report/text"
)

// A row group, of which reader and writer hold one in memory, ends at the rows that
// reach one of these.
const (
	rowGroupRows  = 120_000
	rowGroupBytes = 32 << 20 // of rows before they are encoded
	pageBytes     = 128 << 10
)

// A KeysParquet writes rows of keys as a Parquet file. Numbers are INT64, texts are
// UTF-8 in their escaped form (see package text), and what is not known is null.
//
// Rows are made by AppendKeyParquet, in parallel, and encoded by Write, in the order of
// the file.
type KeysParquet struct {
	w       *parquet.GenericWriter[any]
	columns []*parquet.ColumnWriter
	texts   []bool            // by column
	levels  []int             // of a value: 1 where it could be null
	values  [][]parquet.Value // of the rows being written, by column
	rows    int               // in this row group
	bytes   int               // of them
}

// NewKeysParquet returns a writer of the columns of KeysHeader and of more. Sorted says
// that the files of the rows come in the order of their names.
func NewKeysParquet(w io.Writer, more []string, sorted bool) *KeysParquet {
	names := append(keyColumnNames(), more...)
	p := &KeysParquet{values: make([][]parquet.Value, len(names))}
	group := parquet.Group{}
	for _, name := range names {
		c := columnOf(name)
		p.texts = append(p.texts, c.text)
		column := parquet.Encoded(parquet.Int(64), &parquet.Plain)
		switch {
		case c.repeats:
			column = parquet.Encoded(parquet.String(), &parquet.RLEDictionary)
		case c.text:
			column = parquet.Encoded(parquet.Leaf(nameType{parquet.String().Type()}), &parquet.Plain)
		}
		level := 0
		if !c.known {
			column, level = parquet.Optional(column), 1
		}
		group[name] = column
		p.levels = append(p.levels, level)
	}
	options := []parquet.WriterOption{
		parquet.NewSchema("keys", &orderedGroup{group, names}),
		parquet.Compression(&pageCodec{}),
		parquet.PageBufferSize(pageBytes),
		parquet.DataPageVersion(1),        // which every reader knows
		parquet.DataPageStatistics(false), // those of the page index are cut to 16 bytes
		parquet.DictionaryMaxBytes(pageBytes),
		parquet.CreatedBy("rdblens", "", ""),
	}
	if sorted {
		options = append(options,
			parquet.SortingWriterConfig(parquet.SortingColumns(parquet.Ascending("file"), parquet.Ascending("offset"))))
	}
	p.w = parquet.NewGenericWriter[any](w, options...)
	p.columns = p.w.ColumnWriters()
	return p
}

// orderedGroup is a group whose fields have an order; those of a Group are sorted.
type orderedGroup struct {
	parquet.Group
	names []string
}

func (g *orderedGroup) Fields() []parquet.Field {
	fields := g.Group.Fields()
	slices.SortFunc(fields, func(a, b parquet.Field) int {
		return slices.Index(g.names, a.Name()) - slices.Index(g.names, b.Name())
	})
	return fields
}

// nameType is a type of strings whose page index is short however long they are: the
// writer retains what it is given until the end of the file, and cuts it then.
type nameType struct{ parquet.Type }

func (t nameType) NewColumnIndexer(limit int) parquet.ColumnIndexer {
	return nameIndexer{t.Type.NewColumnIndexer(limit)}
}

type nameIndexer struct{ parquet.ColumnIndexer }

func (x nameIndexer) IndexPage(values, nulls int64, least, most parquet.Value) {
	head := func(v parquet.Value) parquet.Value { // more than the writer's limit, so that it still cuts it
		name := v.ByteArray()
		return parquet.ByteArrayValue(name[:min(len(name), parquet.DefaultColumnIndexSizeLimit+1)])
	}
	x.ColumnIndexer.IndexPage(values, nulls, head(least), head(most))
}

// Cells of a row are a byte, which is 0 if the cell is null, then a number of eight
// bytes, which for a text is its length.

// AppendParquetNumber appends a cell with a number, or null.
func AppendParquetNumber(dst []byte, n int64, known bool) []byte {
	if !known {
		return append(dst, 0)
	}
	return binary.LittleEndian.AppendUint64(append(dst, 1), uint64(n))
}

// AppendParquetText appends a cell with the escaped form of a name, or null.
func AppendParquetText(dst, name []byte, known bool) []byte {
	if !known {
		return append(dst, 0)
	}
	from := len(dst)
	dst = text.AppendEscaped(append(dst, 1, 0, 0, 0, 0, 0, 0, 0, 0), name)
	binary.LittleEndian.PutUint64(dst[from+1:], uint64(len(dst)-from-9))
	return dst
}

// AppendKeyParquet appends the cells of KeysHeader. It allocates memory only to grow dst.
func AppendKeyParquet(dst []byte, k *parser.Key) []byte {
	dst = slices.Grow(dst, rowSlack+len(k.Name))
	figures := func(numbers ...int64) {
		for _, n := range numbers {
			dst = AppendParquetNumber(dst, n, n >= 0)
		}
	}
	figures(int64(k.DB))
	name := len(dst)
	dst = AppendParquetText(dst, k.Name, true)
	if k.NameLen > int64(len(k.Name)) { // see appendNameCSV
		dst = fmt.Appendf(dst, `\{%d bytes, %016x}`, k.NameLen, k.NameHash)
		binary.LittleEndian.PutUint64(dst[name+1:], uint64(len(dst)-name-9))
	}
	dst = AppendParquetText(dst, typeNames[k.Type], true)
	dst = AppendParquetText(dst, encodingNames[k.Encoding], k.Encoding != parser.EncUnknown)
	figures(k.Elements, k.ValueBytes, k.Serialized, k.Memory, k.MemoryUsage, k.Largest)
	named := hasElementName(k) // it sets LargestName
	dst = AppendParquetText(dst, k.LargestName, named)
	dst = AppendParquetNumber(dst, k.ExpireAt, k.HasExpire)
	fields := int64(-1)
	if k.Type == parser.Hash {
		fields = k.FieldsWithTTL
	}
	figures(fields, k.Idle, int64(k.Freq), k.Offset)
	return dst
}

// typeNames and encodingNames are the texts of the columns type and encoding.
var typeNames, encodingNames = func() (types [parser.NumTypes][]byte, encodings [parser.NumEncodings][]byte) {
	for t := range parser.NumTypes {
		types[t] = []byte(t.String())
	}
	for e := range parser.NumEncodings {
		encodings[e] = []byte(e.String())
	}
	return types, encodings
}()

// Write writes whole rows.
func (p *KeysParquet) Write(rows []byte) (int, error) {
	for i := range p.values {
		p.values[i] = p.values[i][:0]
	}
	for rest := rows; len(rest) > 0; {
		for i, isText := range p.texts {
			known := rest[0] != 0
			rest = rest[1:]
			if !known {
				p.values[i] = append(p.values[i], parquet.Value{})
				continue
			}
			n := int64(binary.LittleEndian.Uint64(rest))
			rest = rest[8:]
			v := parquet.Int64Value(n)
			if isText {
				v = parquet.ByteArrayValue(rest[:n])
				rest = rest[n:]
			}
			if p.levels[i] > 0 {
				v = v.Level(0, p.levels[i], i)
			}
			p.values[i] = append(p.values[i], v)
		}
	}
	for i, c := range p.columns {
		if _, err := c.WriteRowValues(p.values[i]); err != nil {
			return 0, err
		}
	}
	p.rows += len(p.values[0])
	if p.bytes += len(rows); p.rows < rowGroupRows && p.bytes < rowGroupBytes {
		return len(rows), nil
	}
	p.rows, p.bytes = 0, 0
	return len(rows), p.w.Flush()
}

// Close writes what ends the file.
func (p *KeysParquet) Close() error { return p.w.Close() }

// pageCodec is zstd with the window of a page: the encoder of parquet-go has one of
// megabytes for each goroutine.
type pageCodec struct {
	parquetzstd.Codec
	encoder *zstd.Encoder
}

func (c *pageCodec) Encode(dst, src []byte) ([]byte, error) {
	if c.encoder == nil {
		var err error
		if c.encoder, err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest),
			zstd.WithWindowSize(pageBytes), zstd.WithLowerEncoderMem(true), zstd.WithEncoderCRC(false),
			zstd.WithZeroFrames(true)); err != nil {
			return nil, err
		}
	}
	return c.encoder.EncodeAll(src, dst[:0]), nil
}
