package naming_test

import (
	"fmt"

	"github.com/rdblens/rdblens/thresholds/naming"
)

func ExampleNamer() {
	namer := naming.NewNamer(":")
	for _, name := range []string{"user:10086:profile", "user:10087:profile", "stat:2024-01-31:hits"} {
		var facts naming.Facts
		namer.Facts([]byte(name), &facts)
		fmt.Printf("%s: %d segments, the first is %s, pattern %s\n",
			name, facts.Segments, name[:facts.FirstEnd], namer.AppendPattern(nil, []byte(name)))
	}
	// Output:
	// user:10086:profile: 3 segments, the first is user, pattern user:*:profile
	// user:10087:profile: 3 segments, the first is user, pattern user:*:profile
	// stat:2024-01-31:hits: 3 segments, the first is stat, pattern stat:*:hits
}

func ExampleGlob() {
	glob, err := naming.ParseGlob("session:[a-f]*")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(glob.Match([]byte("session:b7")), glob.Match([]byte("session:17")))
	// Output: true false
}

func ExampleSlot() {
	fmt.Println(naming.Slot([]byte("{user1000}.following")), naming.Slot([]byte("user1000")))
	// Output: 3443 3443
}
