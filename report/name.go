package report

import (
	"cmp"
	"encoding/json"
	"io"
	"slices"
	"strconv"

	"github.com/rdblens/rdblens/report/internal/cluster"
	"github.com/rdblens/rdblens/report/internal/codebase"
	"github.com/rdblens/rdblens/report/internal/identity"
	"github.com/rdblens/rdblens/report/internal/output"
	"github.com/rdblens/rdblens/report/internal/redact"
	"github.com/rdblens/rdblens/report/internal/serverinfo"
	"github.com/rdblens/rdblens/report/internal/target"
	"github.com/rdblens/rdblens/report/text"
)

// Name is text that somebody else wrote: the bytes of a key, an element, a
// version. It holds the bytes unchanged; each format escapes them.
type Name string

// MarshalText returns the escaped form: UTF-8 with `\\` for a backslash and \xNN
// for each byte of a control character and each byte that is not UTF-8.
func (n Name) MarshalText() ([]byte, error) { return text.AppendEscaped(nil, []byte(n)), nil }

// UnmarshalText reverses the escaping, that of any format.
func (n *Name) UnmarshalText(b []byte) error {
	name, err := text.Unescape(b)
	*n = Name(name)
	return err
}

// Display returns the name for a terminal: escaped so that no name can send
// escape sequences, change the direction of a line, or look like another name.
// UnmarshalText reverses it. The empty name is written as two quotes.
func (n Name) Display() string { return text.Display([]byte(n)) }

// Figure is a number that may be unknown: negative in memory, null in JSON, never
// 0.
type Figure int64

// Unknown is the unknown Figure.
const Unknown Figure = -1

// Known reports whether the figure is known.
func (f Figure) Known() bool { return f >= 0 }

// MarshalJSON returns the number, or null.
func (f Figure) MarshalJSON() ([]byte, error) {
	if f < 0 {
		return []byte("null"), nil
	}
	return strconv.AppendInt(nil, int64(f), 10), nil
}

// UnmarshalJSON reads a number or null.
func (f *Figure) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*f = Unknown
		return nil
	}
	var n int64
	if err := json.Unmarshal(b, &n); err != nil {
		return err
	}
	*f = Figure(n)
	return nil
}

// sortBySize sorts rows by a size, the largest first.
func sortBySize[T any](rows []T, size func(*T) Figure) {
	slices.SortStableFunc(rows, func(a, b T) int { return cmp.Compare(size(&b), size(&a)) })
}

// sizeOf returns memory where it is known, else value bytes.
func sizeOf(memory Figure, value int64) Figure {
	if memory.Known() {
		return memory
	}
	return Figure(value)
}

func optionalName(b []byte) *Name {
	if b == nil {
		return nil
	}
	n := Name(b)
	return &n
}

// Recognisers returns all libraries and products whose keys are recognised, by name.
// Nobody may change them.
func Recognisers() []*Recogniser { return identity.Recognisers() }

// FindRecogniser returns the one of a library, by its name or another word for it; nil if
// there is none.
func FindRecogniser(library string) *Recogniser { return identity.Find(library) }

// Redactor replaces names by short hashes; see Redacted and NewRedactor.
type Redactor = redact.Redactor

// NewRedactor returns a Redactor. Two with the same salt replace a name by the same hash; ""
// is a random salt. Words of at least minKeys distinct keys stay, none if it is 0.
func NewRedactor(salt string, minKeys int64) *Redactor { return redact.New(salt, minKeys) }

// ClusterNodes is the text of CLUSTER NODES, for Options.Cluster.
type ClusterNodes = cluster.Nodes

// MissingNodeError reports a master of a cluster without a snapshot.
type MissingNodeError = cluster.MissingError

// ReadClusterNodes reads the text of CLUSTER NODES, of at most 16 MB.
func ReadClusterNodes(r io.Reader) (*ClusterNodes, error) {
	text, err := io.ReadAll(io.LimitReader(r, cluster.MaxText+1))
	if err != nil {
		return nil, err
	}
	return cluster.Parse(string(text))
}

// ServerInfo has figures that a server gave of its memory, for Options.Info. The zero
// ServerInfo has none.
type ServerInfo = serverinfo.Info

// TargetServer is a server of which Options.Target asks whether it loads snapshots.
type TargetServer = target.Server

// TargetServers returns the names of servers that ParseTargetServer accepts, as a hint: it
// takes all releases.
func TargetServers() []string { return target.Servers() }

// ParseTargetServer returns the server of a name such as "redis-7.2", "7.2.5", "valkey-9.1"
// or "keydb".
func ParseTargetServer(name string) (*TargetServer, error) { return target.Parse(name) }

// OutputFile is a file that appears complete or not at all, by Commit or Abort.
type OutputFile = output.File

// OutputError is a failure to write an output: its path ("" is standard output), the cause
// and a hint.
type OutputError = output.Error

// CreateFile opens an output file. It is an error if it is one of the inputs, which are
// paths. The error is an *OutputError.
func CreateFile(path string, inputs []string) (*OutputFile, error) {
	return output.Create(path, inputs)
}

// NewOutputError returns the *OutputError of a failure to write to a path, nil for nil.
func NewOutputError(path string, err error) error { return output.NewError(path, err) }

// RemoveUnfinished removes the temporary files of all outputs that are being written. A
// process that ends on a signal calls it last.
func RemoveUnfinished() { output.RemoveUnfinished() }

// Key patterns in the source code of an application: a SourceTree is a directory that was
// read, and a SourceFinder names the lines of several that likely write the keys of a group.
type (
	SourceTree      = codebase.Checkout
	SourcePattern   = codebase.Pattern   // one pattern of keys, and where it is
	SourceReference = codebase.Reference // a line that likely writes the keys of a group
	SourceGroup     = codebase.Group     // what is compared with patterns
	SourceFinder    = codebase.Finder    // for Options.Source
	SourceSkipped   = codebase.Skipped   // files that were not read, and why
)

// SourceUnused is the Condition of a SourcePattern that no known command has.
const SourceUnused = codebase.Unused

// ScanSource reads the source code in a directory.
func ScanSource(dir string) (*SourceTree, error) { return codebase.Scan(dir) }
