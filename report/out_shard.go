package report

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report/internal/agg"
	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/config"
)

// The state of a scan, which Merge reads: what was gathered of the keys before a report
// was made of it. The file is shardMagic, then the length of the header (4 bytes, big
// endian), the header (a zstd frame of JSON, see shardHeader), and the rest (a zstd
// frame of the records of package agg, whose file state.go describes them). Both frames
// have the checksum of zstd. Whatever changes in these forms changes the number in the
// magic.
const (
	shardMagic = "rdblens-shard/10\n"
	// MaxShard is the largest size of a state in bytes.
	MaxShard = 16 << 20
	// maxShardText bounds what a part of a state may be decompressed to, in bytes.
	maxShardText = 256 << 20
)

func init() {
	register(&Format{Name: "shard", Doc: "the state of the scan, for rdblens merge",
		Extension: ".shard", rank: 16, binary: true, write: writeShard})
}

var errNoShard = errors.New("format shard takes what a scan gathers: a saved report does not have it")

func writeShard(w *bufio.Writer, r *Report, _ WriteOptions) error {
	if r.State == nil {
		return errNoShard
	}
	_, err := w.Write(r.State())
	return err
}

// shardHeader says what a state is about. States can be merged if they agree in all but
// Tool, Run and the fields from By on.
type shardHeader struct {
	Tool Tool   `json:"tool"`
	Run  string `json:"run"` // "" unknown, or of several runs
	// Digest of rules, types and encodings, whose numbers the records have, and of profiles.
	Names     string          `json:"names"`
	Policy    json.RawMessage `json:"policy"` // see thresholds.Policy
	Top       int             `json:"top"`
	Examples  int             `json:"examples"`
	Server    string          `json:"server"`
	Allocator string          `json:"allocator"`
	State     string          `json:"state"`
	Filter    *Filter         `json:"filter"`

	// How the report was ordered, "" if states that were merged differ.
	By         string              `json:"by"`
	GroupOrder string              `json:"group_order"`
	FailOn     thresholds.Severity `json:"fail_on"`

	Inputs []Input       `json:"inputs"` // by name
	Failed []failedInput `json:"failed"`
}

// failedInput is an input that was not read to its end.
type failedInput struct {
	Input  int    `json:"input"`
	Reason string `json:"reason"` // unless the row of the input has it
}

// shardNames is the digest of names and of profiles of this build.
var shardNames = sync.OnceValue(func() string {
	h := sha256.New()
	for _, name := range config.Profiles() {
		for _, e := range config.Entries(config.Profile(name)) {
			fmt.Fprintln(h, "setting", name, e.Path, e.Value)
		}
	}
	for _, r := range thresholds.Rules() {
		fmt.Fprintln(h, "rule", r.Name)
	}
	for t := range parser.NumTypes {
		fmt.Fprintln(h, "type", t)
	}
	for e := range parser.NumEncodings {
		fmt.Fprintln(h, "encoding", e)
	}
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:12])
})

// StateName returns the name of a file for the state of a report: the snapshot or how many
// there are, the run if it is known, and when the last snapshot was taken, in UTC.
func (r *Report) StateName(run string) string {
	name, taken := fmt.Sprintf("%d-snapshots", len(r.Inputs)), Unknown
	for i := range r.Inputs {
		taken = max(taken, r.Inputs[i].Created)
	}
	if len(r.Inputs) == 1 {
		name = string(r.Inputs[0].Name)
		name = strings.TrimSuffix(name[strings.LastIndexAny(name, `/\`)+1:], ".rdb")
		name = strings.Map(func(c rune) rune {
			if c < '0' && c != '-' && c != '.' || c > '9' && c < 'A' || c > 'z' || c > 'Z' && c < 'a' && c != '_' {
				return '_'
			}
			return c
		}, name)
		name = strings.TrimLeft(name[:min(len(name), 100)], ".")
	}
	parts := []string{cmp.Or(name, "snapshot")}
	if run != "" {
		parts = append(parts, run)
	}
	if taken.Known() {
		parts = append(parts, time.Unix(int64(taken), 0).UTC().Format("20060102T150405Z"))
	}
	return strings.Join(parts, ".") + ".shard"
}

// shard returns the state of a Builder that is not finished.
func (s *scan) shard(b *agg.Builder, inputs []Input, failed ScanError) ([]byte, error) {
	o := &s.opt
	h := shardHeader{Tool: o.Tool, Run: o.Run, Names: shardNames(), Policy: s.policy.Stored, Top: o.Top,
		Examples: o.Examples, By: o.By, GroupOrder: o.GroupOrder, FailOn: o.FailOn,
		Server: o.Memory.Server, Allocator: o.Memory.Allocator, State: o.Memory.State, Filter: s.filter, Inputs: slices.Clone(inputs)}
	for i := range h.Inputs {
		h.Inputs[i].Memory = inputs[i].Memory.stored()
	}
	for _, e := range failed {
		h.Failed = append(h.Failed, failedInput{e.row, e.Err.Error()})
	}
	header, err := json.Marshal(&h)
	if err != nil {
		return nil, err
	}
	if len(header) > maxShardText {
		return nil, fmt.Errorf("the rows of %d snapshots are too large for one state", len(inputs))
	}
	var out bytes.Buffer
	z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true),
		zstd.WithEncoderLevel(zstd.SpeedBetterCompression))
	if err != nil {
		return nil, err
	}
	header = z.EncodeAll(header, nil)
	for {
		out.Reset()
		out.WriteString(shardMagic)
		binary.Write(&out, binary.BigEndian, uint32(len(header)))
		out.Write(header)
		z.Reset(&out)
		n := &stateWriter{Encoder: z}
		if err := b.WriteState(n); err != nil {
			return nil, err
		}
		if err := z.Close(); err != nil {
			return nil, err
		}
		if out.Len() <= MaxShard && n.n <= maxShardText {
			return out.Bytes(), nil
		}
		if !b.Coarsen() {
			return nil, fmt.Errorf("the state of %d snapshots is larger than %d MB", len(inputs), MaxShard>>20)
		}
	}
}

// stateWriter counts the bytes of records, and has large parts compressed alone.
type stateWriter struct {
	*zstd.Encoder
	n int64
}

func (w *stateWriter) Write(p []byte) (n int, err error) {
	w.n += int64(len(p))
	if len(p) < agg.LargePart {
		return w.Encoder.Write(p)
	}
	err = w.Flush()
	n, failed := w.Encoder.Write(p)
	return n, cmp.Or(err, failed, w.Flush())
}

func readShardMagic(r io.Reader) (length uint32, err error) {
	start := make([]byte, len(shardMagic)+4)
	n, err := io.ReadFull(r, start)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return 0, err
	}
	magic, family := string(start[:len(shardMagic)]), shardMagic[:strings.IndexByte(shardMagic, '/')+1]
	length = binary.BigEndian.Uint32(start[len(shardMagic):])
	switch {
	case magic == shardMagic && (n < len(start) || length > MaxShard):
		return 0, agg.ErrState
	case magic == shardMagic:
		return length, nil
	case strings.HasPrefix(magic, family):
		magic, _, _ = strings.Cut(magic, "\n") // of another form: it may be shorter
		return 0, &parser.FormatError{Reason: message.Format("the state has the form %q, this version reads %q",
			magic, strings.TrimSpace(shardMagic)), Hint: message.New("scan and merge with the same version")}
	}
	return 0, &parser.FormatError{Reason: message.New("this is not the state of a scan"),
		Hint: message.New("rdblens scan -f shard=FILE writes one")}
}

// newShardDecoder returns a decoder that takes no more memory than a state may.
func newShardDecoder(r io.Reader) (*zstd.Decoder, error) {
	return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxMemory(maxShardText))
}

func readShardHeader(r io.Reader) (*shardHeader, error) {
	length, err := readShardMagic(r)
	if err != nil {
		return nil, err
	}
	frame := make([]byte, length)
	if _, err := io.ReadFull(r, frame); err != nil {
		return nil, fmt.Errorf("%w: it ends too early", agg.ErrState)
	}
	z, err := newShardDecoder(nil)
	if err != nil {
		return nil, err
	}
	defer z.Close()
	text, err := z.DecodeAll(frame, nil)
	if err != nil {
		return nil, fmt.Errorf("%w: %v", agg.ErrState, err)
	}
	h := new(shardHeader)
	if err := json.Unmarshal(text, h); err != nil {
		return nil, fmt.Errorf("%w: %v", agg.ErrState, err)
	}
	if h.Names != shardNames() {
		return nil, &parser.FormatError{Reason: message.Format("the state was written by %s %s, which has other rules, "+
			"limits or types", h.Tool.Name, h.Tool.Version), Hint: message.New("scan and merge with the same version")}
	}
	for _, f := range h.Failed {
		if f.Input < 0 || f.Input >= len(h.Inputs) {
			return nil, agg.ErrState
		}
	}
	for i := range h.Inputs {
		h.Inputs[i].Memory.restore()
	}
	return h, nil
}

// StateInfo is what a state states about its scan.
type StateInfo struct {
	Run       string // "" unknown
	Snapshots []Name
	Judge     string // digest of the configuration and of the build that judged the keys
}

// ReadStateInfo reads the beginning of a state.
func ReadStateInfo(r io.Reader) (*StateInfo, error) {
	h, err := readShardHeader(r)
	if err != nil {
		return nil, err
	}
	judge := sha256.Sum256(fmt.Appendf(nil, "%s %s %s", h.Tool.Version, h.Names, h.Policy))
	info := &StateInfo{Run: h.Run, Judge: base64.RawURLEncoding.EncodeToString(judge[:12])}
	for i := range h.Inputs {
		info.Snapshots = append(info.Snapshots, h.Inputs[i].Name)
	}
	return info, nil
}

// differences returns what keeps two states from being merged, "" nothing.
func (h *shardHeader) differences(o *shardHeader) string {
	var list []string
	add := func(what string, a, b any) {
		x, _ := json.Marshal(a)
		y, _ := json.Marshal(b)
		if bytes.Equal(x, y) {
			return
		}
		if len(x)+len(y) < 200 {
			what += fmt.Sprintf(" (%s and %s)", x, y)
		}
		list = append(list, what)
	}
	add("--top", h.Top, o.Top)
	add("the number of examples", h.Examples, o.Examples)
	add("--server", h.Server, o.Server)
	add("--allocator", h.Allocator, o.Allocator)
	add("--state", h.State, o.State)
	add("the filter", h.Filter, o.Filter)
	var a, b map[string]json.RawMessage
	if json.Unmarshal(h.Policy, &a) != nil || json.Unmarshal(o.Policy, &b) != nil {
		add("the configuration", h.Policy, o.Policy)
	}
	for _, part := range []struct{ field, what string }{{"Profile", "--profile"}, {"Rules", "--rules"},
		{"Cluster", "--cluster"},
		{"Edits", "--max-age or --min-keys"}, {"Text", "the configuration"}, {"BaselineText", "the baseline"}} {
		add(part.what, a[part.field], b[part.field])
	}
	return strings.Join(list, ", ")
}

// OpenShard opens a file and checks that it begins like a state. The error is a
// *parser.FormatError if it does not.
func OpenShard(path string) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if _, err := readShardMagic(f); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
