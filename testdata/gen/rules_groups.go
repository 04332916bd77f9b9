package main

import (
	"fmt"
	"strconv"
	"strings"
)

// groupLimits writes groups around the limits of the rules that compare the keys of one
// group, and streams with consumer groups that are behind.
func (f *filler) groupLimits() {
	for word, without := range map[string]int{"none": 0, "one": 1, "thirty": 30, "more": 31, "most": 99, "all": 100} {
		for i := range 100 {
			key := fmt.Sprintf("%s:%d", word, i)
			if i < without {
				f.do("SET", key, "v")
			} else {
				f.do("SET", key, "v", "EX", "86400")
			}
		}
	}
	for i := range 10 {
		f.do("HSET", fmt.Sprintf("cart:%d", i), "sku", "1")
		f.do("SETBIT", fmt.Sprintf("days:%d", i), "300", "1")
		f.do("HSET", fmt.Sprintf("large:%d", i), "data", strings.Repeat("x", 60<<10))
	}
	f.collection("hash", "cart:999", 30_000, func(i int) string { return numbered(i, 40) })
	f.do("SETBIT", "days:999", strconv.Itoa(12<<20), "1")
	f.do("HSET", "large:999", "data", strings.Repeat("x", 2<<20)) // 34 times the others
	for _, n := range []int{10_000, 10_001} {
		key := "behind:" + strconv.Itoa(n)
		for i := range n + 5 {
			f.do("XADD", key, strconv.Itoa(i+1)+"-0", "f", "v")
		}
		f.do("XGROUP", "CREATE", key, "billing", "0")
		f.do("XREADGROUP", "GROUP", "billing", "worker-1", "COUNT", "5", "STREAMS", key, ">")
	}
	f.do("XGROUP", "CREATE", "behind:10001", "up to date", "$")
}
