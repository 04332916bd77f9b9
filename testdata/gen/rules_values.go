package main

import (
	"fmt"
	"strconv"
	"strings"
)

// formatValues has a value of each format: what Python 3 writes of {"user": 1} or of
// "hello hello hello hello", zstd 1.5 and lz4 1.9 of the same text, OpenJDK 17 of an empty
// ArrayList, and the examples of the specifications of PHP, MessagePack and Protocol Buffers.
var formatValues = map[string]string{
	"json": `{"user": 1}`, "java": "\xac\xed\x00\x05sr\x00\x13java.util.ArrayListx\x81\xd2\x1d\x99\xc7a\x9d\x03\x00\x01I\x00\x04sizexp\x00\x00\x00\x00w\x04\x00\x00\x00\x00x",
	"php": `a:1:{s:4:"user";i:1;}`, "pickle": "\x80\x04\x95\x0e\x00\x00\x00\x00\x00\x00\x00}\x94\x8c\x04user\x94K\x01s.", "msgpack": "\x81\xa4user\x01",
	"gzip": "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xcb\x48\xcd\xc9\xc9\x57\xc8\x40\x27\x01\xe3\x51\x3d\x8d\x17\x00\x00\x00", "zlib": "\x78\x9c\xcb\x48\xcd\xc9\xc9\x57\xc8\x40\x27\x01\x68\x03\x08\xb1",
	"zstd": "\x28\xb5\x2f\xfd\x04\x58\x65\x00\x00\x30hello \x01\x00\x99\x4b\x11\x17\x5e\xae\x0d", "lz4": "\x04\x22\x4d\x18\x64\x40\xa7\x0f\x00\x00\x00\x68hello \x06\x00\x50hello\x00\x00\x00\x00\xf2\x6b\x94\x0b",
	"snappy": "\xff\x06\x00\x00sNaPpY\x01\x04\x00\x00", "protobuf": "\x12\x07testing\x08\x96\x01", "image": "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "text": "hello", "number": "-12.5", "binary": "\x00\x01\x02\xff",
}

// values makes keys of every type with a value of each format, and hashes with field
// names of the lengths in the keys' names: compact, full and larger than a block.
func (f *filler) values() {
	for format, value := range formatValues {
		f.do("SET", "format:"+format+":string", value)
		f.do("RPUSH", "format:"+format+":list", value)
		f.do("SADD", "format:"+format+":set", value)
		f.do("ZADD", "format:"+format+":zset", "1", value)
		f.do("HSET", "format:"+format+":hash", "f", value)
		f.do("XADD", "format:"+format+":stream", "1-0", "f", value)
		f.do("SET", "format:"+format+":long:string", value+strings.Repeat(" ", 200))
	}
	f.do("SET", "format:json:largest:string", `["`+text(70_000)+`"]`)
	for _, n := range []int{40, 41, 64, 65, 3000} {
		name := func(length int) string { return text(length) }
		f.do("HSET", fmt.Sprintf("field:compact:%d", n), "short", text(60), name(n), "v")
		f.do("HSET", fmt.Sprintf("field:full:%d", n), "short", text(300), name(n), "v")
		if n < 64 {
			f.add(6_000, func(i int) []string { return []string{"f" + strconv.Itoa(i), text(60)} }, "HSET", fmt.Sprintf("field:large:%d", n))
			f.do("HSET", fmt.Sprintf("field:large:%d", n), name(n), "v")
		}
	}
}
