package units_test

import (
	"fmt"

	"github.com/rdblens/rdblens/thresholds/units"
)

func Example() {
	limit, err := units.ParseBytes("10 KB")
	fmt.Println(limit, err)
	fmt.Println(units.FormatExactBytes(20480), "over", units.Bytes.Format(limit))
	fmt.Println(units.FormatBytes(3984588), units.FormatCount(1024), units.FormatPercent(0.125))
	fmt.Println(units.FormatDuration(273610))
	// Output:
	// 10240 <nil>
	// 20,480 bytes over 10 KB
	// 3.8 MB 1,024 12.5%
	// 3d 4h
}
