package main

import (
	"fmt"
	"strconv"
)

// xadd adds n entries with equal fields, a millisecond apart.
func (f *filler) xadd(key string, n int) {
	for i := range n {
		f.do("XADD", key, fmt.Sprintf("%d-%d", 1_700_000_000_000+i/3, i%3+1), "user", strconv.Itoa(i*31), "action", "view-"+strconv.Itoa(i%7))
	}
}

func (f *filler) streams() {
	f.do("XADD", "stream:one", "1-1", "f", "v")
	// A node holds 100 entries.
	for _, n := range []int{3, 100, 101, 350} {
		f.xadd("stream:entries:"+strconv.Itoa(n), n)
	}
	f.do("XADD", "stream:ids", "0-1", "first", "1")
	f.do("XADD", "stream:ids", "18446744073709551615-18446744073709551614", "last", "2")
	f.do("XADD", "stream:ids", "18446744073709551615-18446744073709551615", "end", "3")
	for i := range 40 {
		args := []string{"XADD", "stream:varied", strconv.Itoa(1000+i*i) + "-" + strconv.Itoa(i+1)}
		for k := range 1 + i%4 {
			args = append(args, "field"+strconv.Itoa((i+k)%6), text(i*7%90))
		}
		f.do(args...)
	}
	for i, name := range hostileNames {
		f.do("XADD", "stream:hostile", strconv.Itoa(i+1)+"-1", name, hostileNames[len(hostileNames)-1-i])
	}
	for i, n := range f.packedStrings() {
		f.do("XADD", "stream:forms", strconv.Itoa(i+1)+"-0", "len", text(n))
	}
	f.do("XADD", "stream:empty:texts", "5-0", "", "", "x", "")
	for i, n := range integers {
		f.do("XADD", "stream:ints", strconv.Itoa(i+1)+"-7", n, n)
	}
	f.xadd("stream:deleted", 230)
	for i := 0; i < 230; i += 3 {
		f.do("XDEL", "stream:deleted", fmt.Sprintf("%d-%d", 1_700_000_000_000+i/3, i%3+1))
	}
	f.xadd("stream:trimmed", 250)
	f.do("XTRIM", "stream:trimmed", "MAXLEN", "37")
	f.xadd("stream:trimmed:nodes", 250)
	f.do("XTRIM", "stream:trimmed:nodes", "MAXLEN", "~", "60")
	f.xadd("stream:emptied", 12)
	f.do("XTRIM", "stream:emptied", "MAXLEN", "0")
	f.do("XGROUP", "CREATE", "stream:never", "g", "$", "MKSTREAM")
	f.with(func() { f.xadd("stream:node5", 23) }, "stream-node-max-entries", "5")
	f.xadd("stream:setid", 2)
	f.do("XSETID", "stream:setid", "9999999999999-5")
	f.do("XADD", "stream:big:value", "1-0", "f", text(17_000), "g", "x")
	f.do("XADD", "stream:big:value", "2-0", "f", "small")
}

func (f *filler) streamGroups() {
	const key = "stream:groups"
	f.xadd(key, 210)
	f.do("XGROUP", "CREATE", key, "all", "0")
	f.do("XGROUP", "CREATE", key, "idle", "$")
	f.do("XGROUP", "CREATE", key, "empty-name", "0")
	f.do("XGROUP", "CREATE", key, "", "0")
	f.do("XGROUP", "CREATE", key, "middle", "1700000000030-1")
	f.do("XREADGROUP", "GROUP", "all", "alice", "COUNT", "120", "STREAMS", key, ">")
	f.do("XREADGROUP", "GROUP", "all", "bob", "COUNT", "50", "STREAMS", key, ">")
	f.do("XREADGROUP", "GROUP", "all", "carol", "COUNT", "5", "NOACK", "STREAMS", key, ">")
	f.do("XREADGROUP", "GROUP", "middle", "\x1b[1mdave", "COUNT", "3", "STREAMS", key, ">")
	f.do("XREADGROUP", "GROUP", "", "", "COUNT", "2", "STREAMS", key, ">")
	f.do("XGROUP", "CREATECONSUMER", key, "idle", "nobody")
	f.add(40, func(i int) []string { return []string{fmt.Sprintf("%d-%d", 1_700_000_000_000+i/3, i%3+1)} }, "XACK", key, "all")
	f.do("XCLAIM", key, "all", "bob", "0", "1700000000020-1", "1700000000021-1", "RETRYCOUNT", "9")
	// A pending entry whose message is gone.
	f.do("XDEL", key, "1700000000022-1", "1700000000023-2")
	f.xadd("stream:group:emptied", 5)
	f.do("XGROUP", "CREATE", "stream:group:emptied", "g", "0")
	f.do("XREADGROUP", "GROUP", "g", "c", "STREAMS", "stream:group:emptied", ">")
	f.do("XTRIM", "stream:group:emptied", "MAXLEN", "0")
}
