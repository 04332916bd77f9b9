package source

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/parser/internal/crc64"
)

// TestSourceRefuses checks that inputs which are no snapshots are named.
func TestSourceRefuses(t *testing.T) {
	tar := make([]byte, 1024)
	copy(tar, "dump.rdb")
	copy(tar[257:], "ustar\x0000")
	dump := join(0, 5, "value", 11, 0)
	dump = binary.LittleEndian.AppendUint64(dump, crc64.Update(0, dump))
	tests := []struct {
		name, in, reason string
	}{
		{"nothing", "", "the file is empty"},
		{"five bytes", "REDIS", "ends within its first 9 bytes"},
		{"eight bytes", "REDIS001", "ends within its first 9 bytes"},
		{"valkey magic cut", "VALKEY0", "ends within its first 9 bytes"},
		{"git-lfs", "version https://git-lfs.github.com/spec/v1\noid sha256:00\n", "git-lfs pointer"},
		{"commands", "*2\r\n$6\r\nSELECT\r\n$1\r\n0\r\n", "append-only file of plain commands"},
		{"commands with a time stamp", "#TS:1700000000\r\n*2\r\n", "append-only file of plain commands"},
		{"manifest", "file appendonly.aof.1.base.rdb seq 1 type b\nfile appendonly.aof.1.incr.aof seq 1 type i\n", "manifest"},
		{"dump", string(dump), "the DUMP of one key"},
		{"dump by redis-cli", string(dump) + "\n", "the DUMP of one key"},
		{"xz", "\xfd7zXZ\x00\x00\x04", "xz data"},
		{"bzip2", "BZh91AY&SY", "bzip2 data"},
		{"zip", "PK\x03\x04\x14\x00", "zip archive"},
		{"tar", string(tar), "tar archive"},
		{"tar.gz", string(gzipped(t, tar)), "in the gzip data: a tar archive"},
		{"lz4 legacy", "\x02\x21\x4c\x18\x00\x00\x00\x00", "legacy"},
		{"json", " {\"keys\": []}", "JSON"},
		{"html", "<!DOCTYPE html><html>", "HTML"},
		{"error reply", "-NOAUTH Authentication required.\r\n", `error reply: "-NOAUTH Authentication required."`},
		{"text", "key,value\nüber,1\n", `a text that begins with "key,value`},
		{"noise", "\x93\x12\x00\xfe\x88\x91\x01\x02\x03\x04", `it begins with "\x93\x12`},
		{"zero bytes", string(make([]byte, 5000)), "zero bytes"},
		{"base64", "UkVESVMwMDEx+glyZWRpcy12ZXI", "base64"},
		{"vkcs", "VKCS\x01\x01\x01\x00\x04\x22\x4d\x18", "development version"},
		{"vcs cut", "VCS\x01\x01", "header of a Valkey compressed snapshot"},
		{"vcs version", "VCS\x02\x01\x00\x01", "version 2"},
		{"vcs codec", "VCS\x01\x09\x00\x01", "codec 9"},
		{"vcs flags", "VCS\x01\x01\x02\x01", "flags 0x2"},
		{"vcs zstd body", "VCS\x01\x02\x00\x01\x28\xb5\x2f\xfd\x04\x00\x07\x00\x00\x00\x00\x00", "vcs-zstd data is damaged"},
		{"vcs zstd skip", "VCS\x01\x02\x00\x01\x50\x2a\x4d\x18\x00\x00\x00\x00", "a frame without data"},
		{"vcs kind", "VCS\x01\x01\x00\x02", "kind 2"},
		{"vcs body", "VCS\x01\x01\x00\x01\x04\x22\x4d\x18\x00\x00\x00\x00\x00\x00\x00\x00", "vcs-lz4 data is damaged"},
		{"gzip head only", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03", "gzip data ends early"},
		{"gzip head cut", "\x1f\x8b\x08\x00", "gzip data ends early"},
		{"gzip of zero bytes", "\x1f\x8b\x08" + string(make([]byte, 30)), "gzip data is damaged"},
		{"gzip of nothing", string(gzipped(t, nil)), "gzip data is empty"},
		{"zstd head only", "\x28\xb5\x2f\xfd", "zstd data"},
		{"zstd cut in its checksum", string(zstdOf(t, sample(1))[:len(zstdOf(t, sample(1)))-2]), "zstd data ends early"},
		{"zstd with a wrong checksum", string(flipped(zstdOf(t, sample(1)), -1)), "zstd data is damaged"},
		{"lz4 head only", "\x04\x22\x4d\x18", "lz4 data ends early"},
		{"lz4 with a dictionary", string(lz4Head(lz4Dict|lz4Independent, 4, 0, 0, 0, 0)), "needs a dictionary"},
		{"capture of nothing", "$EOF:" + mark + "\r\n", "no snapshot in the replication stream: it ends behind the line that announces one"},
		{"capture of gzip", "$EOF:" + mark + "\r\n" + string(gzipped(t, sample(1))), "holds gzip data"},
		{"bulk string", "$5\r\nhello\r\n", `a text that begins with "hello`},
		{"status only", "+OK\r\n", `a replication stream without a snapshot: it ends behind "+OK"`},
		{"partial synchronization", "\n+PONG\r\n+CONTINUE abc\r\n\n", `it ends behind "+CONTINUE abc"`},
		{"keep-alives only", strings.Repeat("\n", 100), "the file holds nothing but empty lines"},
		{"keep-alives in gzip", string(gzipped(t, []byte("\n\n"))), "no snapshot in the gzip data: the file holds nothing but empty lines"},
		{"dollar", "$EOF:short\r\n", "begins with"},
		{"mark cut", "$EOF:", `ends within its first line: "$EOF:"`},
		{"length cut", "$12", `ends within its first line: "$12"`},
		{"script", "#!/bin/sh\n", "a script"},
		{"program", "\x7fELF\x02\x01\x01\x00\x00", "a program"},
		{"SQLite", "SQLite format 3\x00\x10\x00", "an SQLite database"},
		{"git bundle", "# v2 git bundle\n", "a text that begins with"},
		{"two captures", "$5\r\n$5\r\nREDIS0011", "replication stream"},
		{"gzip thrice", string(gzipped(t, gzipped(t, gzipped(t, sample(1))))), "compressed more than 2 times"},
	}
	for _, tt := range tests {
		_, err := Wrap(strings.NewReader(tt.in))
		var format *Error
		if !errors.As(err, &format) || !strings.Contains(format.Reason.Quoted(), tt.reason) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.reason)
		} else if format.Hint.IsZero() {
			t.Errorf("%s: no hint", tt.name)
		}
	}
}
