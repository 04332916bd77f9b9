package message_test

import (
	"fmt"

	"github.com/rdblens/rdblens/parser/message"
)

func Example() {
	limit, err := message.ParseBytes("10 KB")
	fmt.Println(limit, err)
	fmt.Println(message.FormatExactBytes(20480), "over", message.Bytes.Format(limit))
	fmt.Println(message.FormatBytes(3984588), message.FormatCount(1024), message.FormatPercent(0.125))
	fmt.Println(message.FormatDuration(273610))
	// Output:
	// 10240 <nil>
	// 20,480 bytes over 10 KB
	// 3.8 MB 1,024 12.5%
	// 3d 4h
}
