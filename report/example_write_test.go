package report_test

import (
	"fmt"
	"os"

	"github.com/rdblens/rdblens/report"
)

func ExampleWrite() {
	r := &report.Report{Groups: []report.Group{
		{Group: "session:user:*", Keys: 2900, Elements: 2900, ValueBytes: 90_000, MemoryBytes: 290_000, MemoryUsage: 240_000, Findings: 3},
		{Group: "=cmd|*", Keys: 1, Elements: 1, ValueBytes: 7, MemoryBytes: report.Unknown, MemoryUsage: report.Unknown},
	}}
	if err := report.Write("groups.csv", os.Stdout, r, report.WriteOptions{}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// group,keys,elements,value_bytes,memory_bytes,memory_usage_bytes,without_ttl,ttl_min,ttl_median,ttl_max,largest_key,largest_key_value_bytes,largest_key_memory_bytes,findings,errors,owner,profile,config
	// session:user:*,2900,2900,90000,290000,240000,0,,,,,,,3,0,,,
	// \x3dcmd|*,1,1,7,,,0,,,,,,,0,0,,,
}

func ExampleName() {
	name := report.Name("a\\b\x00\xff中")
	escaped, _ := name.MarshalText()
	var back report.Name
	err := back.UnmarshalText(escaped)
	fmt.Printf("%s %t %v\n", escaped, back == name, err)
	// Output: a\\b\x00\xff中 true <nil>
}
