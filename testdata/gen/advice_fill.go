package main

import (
	"strconv"
	"strings"
)

// fillAdvised writes keys of all kinds that rules flag: sizes and encodings around
// their limits, names of all kinds, queues, far expiries, keys that are not used,
// and a second database. None expires soon.
func fillAdvised(f *filler) {
	f.sizeLimits()
	f.nameLimits()
	fillHostile(f)
	fillQueues(f)
}

func fillQueues(f *filler) {
	f.compactLimits()
	for _, db := range []string{"0", "7"} {
		f.do("SELECT", db)
		for i, typ := range append(collections, "stream") {
			f.collection(typ, "queue:"+typ, 1500+i, numberedItem)
			f.collection(typ, "far:"+typ, 300, numberedItem)
			f.do("PEXPIREAT", "far:"+typ, "4102444800000")
			f.collection(typ, "big:"+typ, 5001+i, numberedItem)
			f.do("PEXPIREAT", "big:"+typ, "4102444800000")
			f.collection(typ, "m:x."+typ+":wrong", 3, numberedItem)
		}
		f.do("SET", "m:x.y:1", "1")
		f.do("SET", "m:taken:1", "1")
		f.do("SET", "m:taken:1:string", "2")
		f.do("SET", "m:"+strings.Repeat("x", 124)+":1", "1") // with the type it is too long
		f.do("SETBIT", "big:bitmap", "2000000", "1")
		f.add(50, func(i int) []string { return []string{strconv.Itoa(i)} }, "PFADD", "count:visitors")
		f.do("SET", "far:string", "text", "PXAT", "4102444800000")
		f.do("XGROUP", "CREATE", "queue:stream", "g", "0")
		f.do("XREADGROUP", "GROUP", "g", "c", "COUNT", "1200", "STREAMS", "queue:stream", ">")
		for _, name := range []string{"far:hash", "queue:list", "queue:stream", "m:taken:1", "queue:zset"} {
			payload, err := f.s.text("DUMP", name)
			if err != nil && f.err == nil {
				f.err = err
			}
			f.do("RESTORE", "cold:"+name, "0", payload, "IDLETIME", "8000000")
		}
	}
	f.do("SELECT", "0")
}

func numberedItem(i int) string { return numbered(i, 20) }
