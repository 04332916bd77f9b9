package source

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/rdblens/rdblens/parser/internal/crc64"
	"github.com/rdblens/rdblens/parser/message"
)

// knownFormats are files that people take for a snapshot, by their first bytes.
var knownFormats = []struct{ magic, reason, hint string }{
	{"version https://git-lfs", "a git-lfs pointer, not the snapshot itself", "fetch it: git lfs pull"},
	{"\xfd7zXZ\x00", "xz data", "xz -dc FILE | rdblens scan -"},
	{"BZh", "bzip2 data", "bzip2 -dc FILE | rdblens scan -"},
	{"PK\x03\x04", "a zip archive", "unzip -p FILE | rdblens scan -"},
	{"7z\xbc\xaf\x27\x1c", "a 7z archive", "7z e -so FILE | rdblens scan -"},
	{"\x02\x21\x4c\x18", "LZ4 data in the legacy format", "lz4 -dc FILE | rdblens scan -"},
	{"\x89LZO", "lzop data", "lzop -dc FILE | rdblens scan -"},
	{"\xff\x06\x00\x00sNaPpY", "snappy data", "decompress it first"},
	{"\x1f\x9d", "compress (.Z) data", "gzip -dc FILE | rdblens scan -"},
	{"VKCS", "a compressed snapshot of a Valkey development version, whose format was abandoned",
		"save it again with a released server"},
	{"Salted__", "a file encrypted by openssl", "decrypt it first"},
	{"age-encryption.org/", "a file encrypted by age", "decrypt it first: age -d FILE | rdblens scan -"},
	{"-----BEGIN PGP", "a file encrypted by PGP", "decrypt it first: gpg -d FILE | rdblens scan -"},
	{"UkVESVM", "a snapshot in base64", "base64 -d FILE | rdblens scan -"},
	{"VkFMS0VZ", "a snapshot in base64", "base64 -d FILE | rdblens scan -"},
	{"#!", "a script", snapshotHint},
	{"\x7fELF", "a program", snapshotHint},
	{"SQLite format 3", "an SQLite database", snapshotHint},
}

// Hints that several kinds of input share.
const (
	aofHint = "rdblens reads snapshots: take one with BGSAVE or redis-cli --rdb, or name the *.base.rdb of a " +
		"multi-part append-only file"
	snapshotHint = "name the server's snapshot: CONFIG GET dir and CONFIG GET dbfilename say where it is"
	captureHint  = "redis-cli --rdb dump.rdb fetches a whole snapshot"
	emptyHint    = "a save or copy failed, or is still running"
)

// refuse returns the error of an input that is no snapshot: what it is, as far
// as its first bytes show, and what to do.
func (s *Reader) refuse() error {
	head := s.top.peek(peekSize)
	if len(head) == 0 && len(s.frames) > 0 {
		return s.refused(&Error{Reason: message.New("it ends behind the line that announces one"),
			Hint: message.New(captureHint)})
	}
	return s.refused(recognize(head, s.top.err == io.EOF))
}

// refused returns e with the layers around the input in its reason, or the error
// with which reading stopped.
func (s *Reader) refused(e *Error) error {
	if s.raw.err != nil {
		return s.raw.err
	}
	if s.top.err == io.ErrNoProgress {
		return s.top.err
	}
	var damaged *layerError
	if errors.As(s.top.err, &damaged) && len(s.top.head) < 9 {
		return s.broken(s.top.err)
	}
	if n := len(s.frames); n == 0 {
		return e
	} else if strings.HasPrefix(s.frames[n-1], "replication") {
		e.Reason = message.Format("no snapshot in the replication stream: %v", e.Reason)
	} else {
		e.Reason = message.Format("no snapshot in the %s data: %v", s.frames[n-1], e.Reason)
	}
	return e
}

// recognize says what an input is that begins with head, and consists of it if
// whole.
func recognize(head []byte, whole bool) *Error {
	for _, f := range knownFormats {
		if bytes.HasPrefix(head, []byte(f.magic)) {
			return &Error{Reason: message.New(f.reason), Hint: message.New(f.hint)}
		}
	}
	text := bytes.TrimLeft(head, " \t\r\n\xef\xbb\xbf")
	switch {
	case len(head) == 0:
		return &Error{Reason: message.New("the file is empty"), Hint: message.New(emptyHint)}
	case whole && len(head) < 9 && (strings.HasPrefix("REDIS0012", string(head)) ||
		bytes.HasPrefix(head, []byte("REDIS")) || strings.HasPrefix("VALKEY080", string(head))):
		return &Error{Reason: message.New("the file ends within its first 9 bytes"), Hint: message.New(emptyHint)}
	case whole && head[0] == '$' && len(head) < 64 && !bytes.Contains(head, []byte("\n")):
		return &Error{Reason: message.Format("a replication stream that ends within its first line: %q", head),
			Hint: message.New(captureHint)}
	case len(bytes.Trim(head, "\x00")) == 0:
		return &Error{Reason: message.New("the file holds zero bytes where a snapshot must begin"),
			Hint: message.New("its space was allocated but never written: a copy or a disk failed")}
	case isAOF(head):
		return &Error{Reason: message.New("an append-only file of plain commands"), Hint: message.New(aofHint)}
	case isManifest(head):
		return &Error{Reason: message.New("the manifest of an append-only file"),
			Hint: message.New("name the file that it lists with type b")}
	case len(head) > 262 && string(head[257:262]) == "ustar":
		return &Error{Reason: message.New("a tar archive"),
			Hint: message.New("tar -xOf FILE path/to/dump.rdb | rdblens scan -")}
	case whole && isDump(head):
		return &Error{Reason: message.New("the DUMP of one key, not a snapshot"),
			Hint: message.New("RESTORE it on a server and save that")}
	case len(text) > 0 && (text[0] == '{' || text[0] == '['):
		return &Error{Reason: message.New("this looks like JSON"),
			Hint: message.New("rdblens reads snapshots, not exports or reports: take one with BGSAVE or redis-cli --rdb")}
	case len(text) > 0 && text[0] == '<':
		return &Error{Reason: message.New("this looks like HTML or XML"),
			Hint: message.New("a download may have brought an error page instead of the file")}
	case bytes.HasPrefix(head, []byte("rdblens-shard/")):
		return &Error{Reason: message.New("a saved state"), Hint: message.New("rdblens merge reads it")}
	case head[0] == '-' && isText(head):
		line, _, _ := bytes.Cut(head, []byte("\n"))
		return &Error{Reason: message.Format("a server's error reply: %q", cut(bytes.TrimSpace(line), 80)),
			Hint: message.New("the server sent this instead of its snapshot: fix what it says, then redis-cli --rdb dump.rdb")}
	case isText(head):
		return &Error{Reason: message.Format("a text that begins with %q", cut(head, 24)), Hint: message.New(snapshotHint)}
	}
	return &Error{Reason: message.Format("no snapshot: it begins with %q, not with REDIS or VALKEY", cut(head, 16)),
		Hint: message.New("it may be compressed or encrypted by an unknown tool, or damaged at its start")}
}

// cut returns the first n bytes of p, or all if there are fewer.
func cut(p []byte, n int) []byte { return p[:min(len(p), n)] }

// isAOF reports whether head begins with a RESP command, or with the timestamp
// annotation that may precede commands.
func isAOF(head []byte) bool {
	return len(head) > 1 && (head[0] == '*' && head[1] >= '0' && head[1] <= '9' || bytes.HasPrefix(head, []byte("#TS:")))
}

// isManifest reports whether the first line is like "file NAME seq 1 type b".
func isManifest(head []byte) bool {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	return bytes.HasPrefix(line, []byte("file ")) && bytes.Contains(line, []byte(" type "))
}

// isDump reports whether p is the payload of DUMP, detected by its checksum, with
// or without the newline that redis-cli appends.
func isDump(p []byte) bool {
	for _, p := range [][]byte{p, bytes.TrimSuffix(p, []byte("\n"))} {
		if n := len(p) - 8; n > 2 && crc64.Update(0, p[:n]) == binary.LittleEndian.Uint64(p[n:]) {
			return true
		}
	}
	return false
}

// isText reports whether head is UTF-8 without control characters; its last
// character may be incomplete.
func isText(head []byte) bool {
	for i := 0; i < len(head); {
		r, n := utf8.DecodeRune(head[i:])
		if r == utf8.RuneError && n == 1 && len(head)-i >= utf8.UTFMax || r < ' ' && !strings.ContainsRune("\t\r\n", r) {
			return false
		}
		i += n
	}
	return true
}
