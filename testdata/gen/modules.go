package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
)

// Values of modules are made by hand from the sources of their layouts, which the
// files of parser/internal/module name: no server wrote them.

// moduleKey is a key with a value of a module, written item by item.
type moduleKey struct {
	name, typ string
	version   int
	items     []byte
	// facts are its figures, by construction, as TestModuleLayouts of package parser
	// writes them.
	facts string
}

func (m *moduleKey) u(ns ...uint64) *moduleKey {
	for _, n := range ns {
		if m.items = append(m.items, 2); n < 1<<32 {
			m.items = append(m.items, dfLen(int(n))...)
		} else {
			m.items = binary.BigEndian.AppendUint64(append(m.items, 0x81), n)
		}
	}
	return m
}

func (m *moduleKey) f(f float32) *moduleKey {
	m.items = binary.LittleEndian.AppendUint32(append(m.items, 3), math.Float32bits(f))
	return m
}

func (m *moduleKey) d(list ...float64) *moduleKey {
	for _, f := range list {
		m.items = append(append(m.items, 4), dfDouble(f)...)
	}
	return m
}

func (m *moduleKey) s(list ...string) *moduleKey {
	for _, s := range list {
		m.items = append(append(append(m.items, 5), dfLen(len(s))...), s...)
	}
	return m
}

func (m *moduleKey) z(n int) *moduleKey { return m.s(strings.Repeat("\x00", n)) }

// moduleKeys are values of each encoding version of each type.
func moduleKeys() (keys []*moduleKey) {
	add := func(typ string, version int, variant, facts string) *moduleKey {
		m := &moduleKey{name: fmt.Sprint(typ, ":", version, variant), typ: typ, version: version, facts: facts}
		keys = append(keys, m)
		return m
	}
	for v := range 5 {
		m := add("MBbloom--", v, "", "n=150 v=384 largest=256:1 longest=256 filters=2 capacity=300").u(150, 2)
		if v >= 2 {
			m.u(0)
		}
		if v >= 4 {
			m.u(2)
		}
		for i := range 2 {
			m.u(100 << i).d(.01).u(7).d(9.6)
			if v >= 1 {
				m.u(1024, 10)
			}
			m.z(128 << i).u(75)
		}
	}
	for v := 1; v <= 4; v++ {
		m := add("MBbloomCF", v, "", "n=99 v=512 largest=256:0 longest=256 filters=2 capacity=512").u(2, 64, 99)
		if v == 4 {
			m.u(3, 4, 20, 1, 64).z(256).u(64).z(256)
		} else {
			m.z(256).z(256)
		}
	}
	add("CMSk-TYPE", 0, "", "n=1234 v=200 largest=200 longest=200").u(10, 5, 1234).z(200)
	add("TopK-TYPE", 0, "", "n=2 v=456 largest=5:apple longest=5 capacity=3").
		u(3, 8, 7).d(.9).z(448).z(72).s("apple\x00", "\x00", "fig\x00")
	add("TDIS-TYPE", 0, "", "n=7 v=32 largest=16 longest=16 capacity=610").d(100, -1, 9).u(610, 2, 0, 4).d(7, 0, 1, 2, 3, 4)
	for v := range 10 {
		facts := "n=8 v=160 largest=128:1 longest=128 labels=1 rules=8 retention=5000 first=1000 last=2000 chunks=2"
		if v < 2 {
			facts = "n=3 v=48 largest=16 longest=16 labels=1 rules=8 retention=5000 first=1000 last=1002"
		}
		add("TSDB-TYPE", v, "", facts).series(v, 0).chunks(v)
	}
	add("TSDB-TYPE", 9, ":uncompressed", "n=8 v=128 largest=96:1 longest=96 labels=1 rules=8 retention=5000 first=1000 last=2000 chunks=2").
		series(9, 1).u(2, 1000, 2, 256).z(32).u(1500, 6, 256).z(96)
	for worst := range uint64(2) { // of a node's neighbours: written since Redis 8.0.3
		m := add("vectorset", 0, fmt.Sprint(":", worst), "n=2 v=21 largest=11:e1 longest=2 vectors=16 links=512").u(8, 2, 1|16<<8, 2)
		for i := range uint64(2) {
			m.s(fmt.Sprint("e", i), strings.Repeat("a", int(i))).z(8).u(6+worst, i, worst<<24, 1, 32, 1-i)
			if worst == 1 {
				m.u(5)
			}
			m.u(77)
		}
	}
	bloom := "n=49 v=150 largest=100:1 longest=100 filters=2 capacity=120"
	add("bloomfltr", 0, "", bloom).u(2, 2).f(.01).z(50).u(400, 7, 40).z(100).u(800, 7, 80, 9)
	add("bloomfltr", 1, "", bloom).u(2, 2).d(.01, .5).u(1).z(50).u(40).z(100).u(80, 9)
	for v := range 2 {
		add("ReJSON-RL", v, "", "n=2 v=22 largest=13:list longest=4 depth=2").
			u(32, 2, 128).s("list").u(64, 3, 1, 4).d(1).u(16).s("1").u(128).s("n").u(8, 1<<64-1)
	}
	const text = `{"a":[1,2.5,"x\u00e9"],"longest name":"value",  "b":{"c":null}}`
	const facts = "n=3 v=63 largest=22:longest name longest=12 depth=2"
	add("ReJSON-RL", 2, "", facts).s(text).u(0)
	add("ReJSON-RL", 2, ":indexed", facts).s(text).u(1).s("idx", "$")
	add("ReJSON-RL", 3, "", facts).s(text)
	number := add("ReJSON-RL", 3, ":number", "n=1 v=5 largest=5")
	number.items = []byte{5, 0xc1, 0x39, 0x30}
	add("ReJSON-RL", 4, "", "n=3 v=28 largest=11:key longest=6 depth=2").
		s("\xa3\x61a\x83\x01\xf9\x41\x00\x62x!\x63key\x66values\x61b\xa1\x61c\xf6")
	add("ReJSON-RL", 4, ":typed", "n=1 v=14 largest=13:a longest=1 depth=2").
		s("\xa1\x61a\xd8\x55\x48\x00\x00\x00\x00\x00\x00\x00\x00")
	return keys
}

// series is a time series of an encoding version with rules of all kinds, up to its
// samples. options 1: these are not compressed.
func (m *moduleKey) series(v int, options uint64) *moduleKey {
	m.s("m").u(5000, 256)
	if v >= 1 {
		m.u(options)
	}
	if v >= 2 {
		m.u(2000).d(1).u(8)
	}
	if v >= 3 {
		m.u(0)
	}
	if v >= 2 {
		m.u(1).s("source")
	}
	if v >= 8 {
		m.u(0).d(0)
	}
	m.u(1).s("label", "value").u(8)
	for _, aggregation := range []uint64{1, 3, 4, 6, 9, 13, 15, 8} {
		m.s("to").u(1000)
		if v >= 6 {
			m.u(0)
		}
		m.u(aggregation, 1000)
		if v >= 9 {
			m.u(1)
		}
		switch aggregation {
		case 1, 8:
			if m.d(1, 2); v < 6 {
				m.s("x")
			}
		case 3, 15:
			if m.d(1); v >= 3 && v < 7 {
				m.u(1)
			}
		case 4:
			if m.d(1, 2); v >= 4 {
				m.u(1)
			}
		case 6:
			if m.d(1); v >= 3 {
				m.u(1)
			}
		case 9:
			m.d(1, 2).u(3)
		case 13:
			m.d(1).u(2).d(3).u(1, 2, 3, 4, 5, 6, 7)
		}
	}
	return m
}

// chunks are the samples of a time series.
func (m *moduleKey) chunks(v int) {
	if v < 2 {
		m.u(3)
		for i := range uint64(3) {
			m.u(1000 + i).d(1)
		}
		return
	}
	m.u(2, 32, 2, 100, 1, 1000, 1001, 1, 1, 0, 0).z(32).u(128, 6, 200, 1, 1500, 2000, 1, 1, 0, 0).z(128)
}

// moduleID is what a value of a module type begins with.
func moduleID(typ string, version int) []byte {
	var id uint64
	for _, c := range typ {
		id = id<<6 | uint64(strings.IndexRune(base64Alphabet, c))
	}
	return binary.BigEndian.AppendUint64([]byte{0x81}, id<<10|uint64(version))
}

// makeModules writes layouts.rdb, which has no checksum, and what is true of its keys.
func makeModules(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	b, tsv := []byte("REDIS0011"), "key\ttype\tencver\tfacts\n"
	for _, m := range moduleKeys() {
		b = append(append(append(b, 7), dfLen(len(m.name))...), m.name...)
		b = append(append(append(b, moduleID(m.typ, m.version)...), m.items...), 0)
		tsv += fmt.Sprintf("%s\t%s\t%d\t%s\n", m.name, m.typ, m.version, m.facts)
	}
	b = append(append(b, 255), make([]byte, 8)...)
	if err := os.WriteFile(filepath.Join(dir, "layouts.rdb"), b, 0o666); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "layouts.tsv"), []byte(tsv), 0o666)
}
