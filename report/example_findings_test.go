package report_test

import (
	"context"
	"fmt"
	"log"

	"github.com/rdblens/rdblens/report"
	"github.com/rdblens/rdblens/thresholds/config"
)

// The biggest keys of a snapshot, and what is wrong with each.
func ExampleScan_findings() {
	policy, err := config.Load(config.Options{Profile: "aliyun"})
	if err != nil {
		log.Fatal(err)
	}
	sources := []report.Source{report.FileSource("../testdata/shop.rdb")}
	r, err := report.Scan(context.Background(), sources, policy, report.Options{Top: 10})
	if err != nil {
		log.Fatal(err)
	}
	for _, k := range r.Top[report.ByMemory] {
		fmt.Println(k.Memory, k.Type, k.Key.Display())
		for _, f := range k.Findings {
			fmt.Print("  ", f.Severity, " ", f.Rule)
			if f.Measured.Known() {
				fmt.Print(": ", int64(f.Measured), " over ", int64(f.Limit))
			}
			fmt.Println()
		}
	}
	// Output:
	// 1312976 hash archive:invoices:2023
	//   warning big-value: 1159800 over 1048576
	//   warning no-ttl
	// 542416 zset leaderboard:global:zset
	//   error big-collection: 5100 over 5000
	//   warning big-key-expiry: 5100 over 5000
	// 356080 hash product:stock:hash
	//   error big-collection: 5200 over 5000
	//   warning no-ttl
	// 244056 stream events:orders:stream
	//   warning no-ttl
	//   warning queue-backlog: 1200 over 1000
	// 131184 string cache:catalogue:all
	//   error big-string: 119474 over 10240
	// 99008 list queue:mail:list
	//   warning no-ttl
	// 37136 hash product:views:today
	//   warning compact-encoding: 600 over 512
	//   warning no-ttl
	// 17280 zset product:rank:week
	//   warning compact-encoding: 150 over 128
	//   warning no-ttl
	// 16464 string report:daily:2024-05-06
	//   error big-string: 14400 over 10240
	//   warning no-ttl
	// 14416 string report:daily:2024-05-04
	//   error big-string: 13120 over 10240
	//   warning no-ttl
}
