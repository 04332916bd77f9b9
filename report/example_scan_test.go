package report_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/rdblens/rdblens/report"
	"github.com/rdblens/rdblens/thresholds/config"
)

func ExampleScan() {
	policy, err := config.Load(config.Options{Profile: "aliyun"})
	if err != nil {
		fmt.Println(err)
		return
	}
	sources := []report.Source{report.FileSource("../testdata/shop.rdb")}
	r, err := report.Scan(context.Background(), sources, policy, report.Options{Top: 3})
	if err != nil {
		fmt.Println(err) // if r is not nil, it covers what was read
		return
	}
	fmt.Println(r.Totals.Keys, "keys,", r.Findings.Error, "errors")
	for _, key := range r.Top[report.ByMemory] {
		fmt.Println(key.Key, key.Type, key.Memory)
	}
	var csv strings.Builder
	if err := report.Write("groups.csv", &csv, r, report.WriteOptions{}); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.Count(csv.String(), "\n")-1, "groups as CSV")
	// Output:
	// 12624 keys, 19 errors
	// archive:invoices:2023 hash 1312976
	// leaderboard:global:zset zset 542416
	// product:stock:hash hash 356080
	// 64 groups as CSV
}
