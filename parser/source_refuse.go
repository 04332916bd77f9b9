package parser

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/rdblens/rdblens/parser/crc64"
)

// foreign are files that stand where somebody expects a snapshot, by their
// first bytes.
var foreign = []struct{ magic, reason, hint string }{
	{"version https://git-lfs", "a git-lfs pointer, not the snapshot itself", "fetch it: git lfs pull"},
	{"\xfd7zXZ\x00", "xz data", "xz -dc FILE | rdblens scan -"},
	{"BZh", "bzip2 data", "bzip2 -dc FILE | rdblens scan -"},
	{"PK\x03\x04", "a zip archive", "unzip -p FILE | rdblens scan -"},
	{"7z\xbc\xaf\x27\x1c", "a 7z archive", "7z e -so FILE | rdblens scan -"},
	{"\x02\x21\x4c\x18", "LZ4 data in the legacy format", "lz4 -dc FILE | rdblens scan -"},
	{"\x89LZO", "lzop data", "lzop -dc FILE | rdblens scan -"},
	{"\xff\x06\x00\x00sNaPpY", "snappy data", "decompress it first"},
	{"\x1f\x9d", "compress (.Z) data", "gzip -dc FILE | rdblens scan -"},
	{"VKCS", "a compressed snapshot of a Valkey development version, whose format was given up", "save it again with a released server"},
	{"Salted__", "a file encrypted by openssl", "decrypt it first"},
	{"age-encryption.org/", "a file encrypted by age", "decrypt it first: age -d FILE | rdblens scan -"},
	{"-----BEGIN PGP", "a file encrypted by PGP", "decrypt it first: gpg -d FILE | rdblens scan -"},
	{"UkVESVM", "a snapshot in base64", "base64 -d FILE | rdblens scan -"},
	{"VkFMS0VZ", "a snapshot in base64", "base64 -d FILE | rdblens scan -"},
	{"#!", "a script", snapshotHint},
	{"\x7fELF", "a program", snapshotHint},
	{"SQLite format 3", "an SQLite database", snapshotHint},
}

// What to do, where several kinds of input ask for the same.
const (
	aofHint      = "rdblens reads snapshots: take one with BGSAVE or redis-cli --rdb, or the *.base.rdb of a multi-part append-only file"
	snapshotHint = "name the server's snapshot: CONFIG GET dir and CONFIG GET dbfilename say where it is"
	captureHint  = "redis-cli --rdb dump.rdb fetches a whole snapshot"
	emptyHint    = "a save or copy may have failed, or is not done yet"
)

// refuse gives the error of an input that is no snapshot: what it is, as far
// as its first bytes show, and what to do.
func (s *Source) refuse() error {
	head := s.top.peek(peekSize)
	if len(head) == 0 && len(s.frames) > 0 {
		return s.refused(&FormatError{Reason: "it ends behind the line that announces one", Hint: captureHint})
	}
	return s.refused(recognise(head, s.top.err == io.EOF))
}

// refused gives the error of an input that e says no snapshot is.
func (s *Source) refused(e *FormatError) error {
	if s.raw.err != nil {
		return s.raw.err
	}
	var packing *layerError
	if errors.As(s.top.err, &packing) && len(s.top.head) < 9 {
		return s.broken(s.top.err)
	}
	if n := len(s.frames); n == 0 {
		return e
	} else if strings.HasPrefix(s.frames[n-1], "replication") {
		e.Reason = "no snapshot in the replication stream: " + e.Reason
	} else {
		e.Reason = fmt.Sprintf("no snapshot in the %s data: %s", s.frames[n-1], e.Reason)
	}
	return e
}

// recognise says what begins with head; whole, that it is nothing more.
func recognise(head []byte, whole bool) *FormatError {
	for _, f := range foreign {
		if bytes.HasPrefix(head, []byte(f.magic)) {
			return &FormatError{Reason: f.reason, Hint: f.hint}
		}
	}
	text := bytes.TrimLeft(head, " \t\r\n\xef\xbb\xbf")
	switch {
	case len(head) == 0:
		return &FormatError{Reason: "the file is empty", Hint: emptyHint}
	case whole && len(head) < 9 && (strings.HasPrefix("REDIS0012", string(head)) || bytes.HasPrefix(head, []byte("REDIS")) || strings.HasPrefix("VALKEY080", string(head))):
		return &FormatError{Reason: "the file ends within its first 9 bytes", Hint: emptyHint}
	case whole && head[0] == '$' && len(head) < 64 && !bytes.Contains(head, []byte("\n")):
		return &FormatError{Reason: fmt.Sprintf("a replication stream that ends within its first line: %q", head), Hint: captureHint}
	case len(bytes.Trim(head, "\x00")) == 0:
		return &FormatError{Reason: "the file holds zero bytes where a snapshot must begin", Hint: "its space was reserved and never written: a copy or a disk failed"}
	case isAOF(head):
		return &FormatError{Reason: "an append-only file of plain commands", Hint: aofHint}
	case isManifest(head):
		return &FormatError{Reason: "the manifest of an append-only file", Hint: "name the file of type b in it"}
	case len(head) > 262 && string(head[257:262]) == "ustar":
		return &FormatError{Reason: "a tar archive", Hint: "tar -xOf FILE path/to/dump.rdb | rdblens scan -"}
	case whole && isDump(head):
		return &FormatError{Reason: "the DUMP of one key, not a snapshot", Hint: "RESTORE it into a server and save that"}
	case len(text) > 0 && (text[0] == '{' || text[0] == '['):
		return &FormatError{Reason: "this looks like JSON", Hint: "rdblens reads snapshots, no exports and no reports: take one with BGSAVE or redis-cli --rdb"}
	case len(text) > 0 && text[0] == '<':
		return &FormatError{Reason: "this looks like HTML or XML", Hint: "a download may have brought an error page instead of the file"}
	case head[0] == '-' && isText(head):
		line, _, _ := bytes.Cut(head, []byte("\n"))
		return &FormatError{Reason: fmt.Sprintf("a server's error reply: %q", cut(bytes.TrimSpace(line), 80)),
			Hint: "the server sent this instead of its snapshot: mend what it says, then redis-cli --rdb dump.rdb"}
	case isText(head):
		return &FormatError{Reason: fmt.Sprintf("a text that begins with %q", cut(head, 24)), Hint: snapshotHint}
	}
	return &FormatError{Reason: fmt.Sprintf("no snapshot: it begins with %q, not with REDIS or VALKEY", cut(head, 16)),
		Hint: "is it compressed or encrypted by something unknown, or damaged at its start?"}
}

func cut(p []byte, n int) []byte { return p[:min(len(p), n)] }

// isAOF knows RESP commands, and the time stamps that may stand before them.
func isAOF(head []byte) bool {
	return len(head) > 1 && (head[0] == '*' && head[1] >= '0' && head[1] <= '9' || bytes.HasPrefix(head, []byte("#TS:")))
}

// isManifest knows the lines "file NAME seq 1 type b", in any order of words.
func isManifest(head []byte) bool {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	return bytes.HasPrefix(line, []byte("file ")) && bytes.Contains(line, []byte(" type "))
}

// isDump knows the payload of DUMP by its checksum, with or without the line
// end that redis-cli puts behind it.
func isDump(p []byte) bool {
	for _, p := range [][]byte{p, bytes.TrimSuffix(p, []byte("\n"))} {
		if n := len(p) - 8; n > 2 && crc64.Update(0, p[:n]) == binary.LittleEndian.Uint64(p[n:]) {
			return true
		}
	}
	return false
}

// isText reports whether head is UTF-8 without control characters; its last
// character may be cut.
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
