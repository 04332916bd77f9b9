package report

import (
	"io"

	"github.com/rdblens/rdblens/report/internal/cluster"
	"github.com/rdblens/rdblens/report/internal/codebase"
	"github.com/rdblens/rdblens/report/internal/output"
	"github.com/rdblens/rdblens/report/internal/redact"
	"github.com/rdblens/rdblens/report/internal/serverinfo"
	"github.com/rdblens/rdblens/report/internal/target"
)

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

// SourceUnwritten is the Condition of a SourcePattern that no command is known to write.
const SourceUnwritten = codebase.Unwritten

// SourceUncalled is the Condition of a SourcePattern in a function that nothing calls.
const SourceUncalled = codebase.Uncalled

// SourceUncompiled begins the Condition of a SourcePattern in a module of Rust that Cargo does not compile; the path of
// the module follows.
const SourceUncompiled = codebase.Uncompiled

// ScanSource reads the source code in a directory.
func ScanSource(dir string) (*SourceTree, error) { return codebase.Scan(dir) }
