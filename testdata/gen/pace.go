package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"golang.org/x/sys/unix"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/memory"
)

// A paceSet is a snapshot whose walk is measured with nothing behind it. Its records
// come from a snapshot of redis-server, or are made of them.
type paceSet struct {
	name   string // of the file
	from   string // the snapshot of redis-server
	header []byte
	blob   func([]byte) []byte // makes a compressed block of whole records
	json   bool                // the strings are documents of RedisJSON
}

var paceSets = []paceSet{
	{name: "json.rdb", from: "documents", header: []byte("REDIS0011\xfe\x00"), json: true},
	{name: "json-lzf.rdb", from: "documents-lzf", header: []byte("REDIS0011\xfe\x00"), json: true},
	{name: "mixed.dfs", from: "mixed", header: append(dragonflyHeader(0, 0), 254, 0)},
	{name: "mixed-lz4.dfs", from: "mixed", header: append(dragonflyHeader(0, 0), 254, 0), blob: lz4Blob},
	{name: "mixed-zstd.dfs", from: "mixed", header: append(dragonflyHeader(0, 0), 254, 0), blob: zstdBlob},
}

// paceBlob is from which length on records make a compressed block, in bytes.
const paceBlob = 64 << 10

// measurePace makes missing snapshots, and prints at which pace one goroutine walks
// them.
func measurePace(o *options) error {
	dir := o.args[0]
	fmt.Println("| snapshot | MB walked | user s | user+sys s | MB/s of user | MB/s of user+sys | user s of the decompressor |")
	fmt.Println("|---|---|---|---|---|---|---|")
	for _, set := range paceSets {
		file, from := filepath.Join(dir, set.name), filepath.Join(dir, set.from+".rdb")
		if _, err := os.Stat(file); err != nil {
			if _, err := os.Stat(from); err != nil {
				if err := bench(o.argv(), dir, []string{set.from}, o.scale); err != nil {
					return err
				}
			}
			if err := set.make(file, from); err != nil {
				return err
			}
		}
		if err := warm(file); err != nil {
			return err
		}
		var user, both, alone []float64
		var walked int64
		for range o.rounds {
			u, s, err := used(func() (err error) { walked, err = set.walk(file); return err })
			if err != nil {
				return err
			}
			user, both = append(user, u), append(both, u+s)
			if set.blob != nil {
				if u, _, err = used(func() error { return set.decompress(file) }); err != nil {
					return err
				}
				alone = append(alone, u)
			}
		}
		slices.Sort(user)
		slices.Sort(both)
		u, b, mb := user[len(user)/2], both[len(both)/2], float64(walked)/1e6
		fmt.Printf("| %s | %.0f | %.3f | %.3f | %.0f | %.0f |", set.name, mb, u, b, mb/u, mb/b)
		if slices.Sort(alone); len(alone) > 0 {
			fmt.Printf(" %.3f", alone[len(alone)/2])
		}
		fmt.Println(" |")
	}
	return nil
}

// used returns the user and the system time that f takes, in seconds.
func used(f func() error) (user, system float64, err error) {
	var before, after unix.Rusage
	if err = unix.Getrusage(unix.RUSAGE_SELF, &before); err == nil {
		err = f()
	}
	if err == nil {
		err = unix.Getrusage(unix.RUSAGE_SELF, &after)
	}
	return float64(after.Utime.Nano()-before.Utime.Nano()) / 1e9, float64(after.Stime.Nano()-before.Stime.Nano()) / 1e9, err
}

// valueBytes is a sink that adds up the bytes of values.
type valueBytes int64

func (n *valueBytes) Key(k *parser.Key) { *n += valueBytes(k.ValueBytes) }
func (n *valueBytes) Size() int         { return 0 }
func (n *valueBytes) Flush(bool) error  { return nil }

// walk walks the snapshot in a file, with the memory model. It returns the bytes of its
// documents, or of all its records.
func (set *paceSet) walk(file string) (int64, error) {
	src, err := parser.Open(file)
	if err != nil {
		return 0, err
	}
	defer src.Close()
	model := func(info *parser.Info) *memory.Model {
		m, _, _ := memory.Choose(info.Server, info.ServerVersion, memory.Options{RDB: info.Version})
		return m
	}
	var values valueBytes
	info, err := parser.Run(context.Background(), src, parser.Options{Jobs: 1, Memory: model}, func() parser.Sink { return &values })
	if set.json {
		return int64(values), err
	}
	return info.Bytes, err
}

// make makes the file of the snapshot's records.
func (set *paceSet) make(file, from string) error {
	in, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	out, err := os.Create(file)
	if err != nil {
		return err
	}
	defer out.Close()
	w := bufio.NewWriterSize(out, 1<<20)
	w.Write(set.header)
	id := moduleID("ReJSON-RL", 3)
	begun, end := int64(-1), int64(0)
	flush := func() {
		records := in[begun:end]
		if set.blob != nil {
			records = set.blob(records)
		}
		w.Write(records)
		begun = end
	}
	s := parser.NewScanner(bytes.NewReader(in), parser.Options{NoChecksum: true})
	for key, err := range s.All() {
		if err != nil {
			return err
		}
		at := key.Offset // behind the expiry
		value := at + 1 + int64(len(dfText(string(key.Name))))
		if set.json {
			w.Write(append(append([]byte{7}, in[at+1:value]...), id...))
			w.WriteByte(5)
			w.Write(in[value : value+key.Serialized])
			w.WriteByte(0)
			continue
		}
		if key.HasExpire {
			at -= 9
		}
		if begun < 0 {
			begun = at
		}
		if end = at; end-begun >= paceBlob {
			flush()
		}
		end = value + key.Serialized
	}
	if !set.json {
		flush()
	}
	w.WriteByte(255)
	w.Write(make([]byte, 8))
	return errors.Join(w.Flush(), out.Close())
}

// decompress decompresses the file's compressed blocks, and does nothing else.
func (set *paceSet) decompress(file string) error {
	b, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	unpacked := make([]byte, 0, 2<<20)
	decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return err
	}
	defer decoder.Close()
	for b = b[len(set.header):]; b[0] != 255; {
		n, head := int(b[1]&0x3f)<<8|int(b[2]), 3
		if b[1] == 0x80 {
			n, head = int(binary.BigEndian.Uint32(b[2:])), 6
		}
		frame := b[head : head+n]
		if b[0] == 201 {
			_, err = decoder.DecodeAll(frame, unpacked)
		} else {
			err = decompressLZ4(frame, unpacked[:cap(unpacked)])
		}
		if err != nil {
			return err
		}
		b = b[head+n:]
	}
	return nil
}

// decompressLZ4 decompresses the independent blocks of a frame that lz4Blob made.
func decompressLZ4(frame, unpacked []byte) error {
	for b := frame[15:]; ; { // behind a header that has the length
		n := binary.LittleEndian.Uint32(b)
		if n == 0 {
			return nil
		}
		block := b[4 : 4+n&(1<<31-1)]
		if n>>31 != 0 {
			copy(unpacked, block)
		} else if _, err := lz4.UncompressBlock(block, unpacked); err != nil {
			return err
		}
		b = b[4+len(block):]
	}
}
