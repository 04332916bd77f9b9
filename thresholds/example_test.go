package thresholds_test

import (
	"fmt"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/config"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// A policy is compiled for a snapshot, and its engine checks each key against the
// rules.
func Example() {
	policy, err := config.Load(config.Options{Profile: "baidu"})
	if err != nil {
		fmt.Println(err)
		return
	}
	engine := policy.Compile(thresholds.Env{Server: "redis", Version: "7.0.15", Created: -1})

	key := &parser.Key{Name: []byte("user-profiles"), NameLen: 13, Type: parser.String, Elements: 1, ValueBytes: 20_480, Idle: -1, Freq: -1}
	var name naming.Facts
	engine.Namer().Facts(key.Name, &name)
	subject := thresholds.SubjectOf(key)
	for _, found := range engine.Check(key, &name, nil) {
		fmt.Printf("%s: %s: %s\n", found.Severity, found.Rule.Name(), engine.Text(found, &subject))
	}
	// Output:
	// error: big-string: 20,480 bytes long, over 10 KB
	// warning: no-ttl: never expires
	// info: key-charset: "-" at byte 4 is not allowed
	// warning: key-structure: 1 segment, fewer than 2
}

func ExampleSelect() {
	set, err := thresholds.Select("key-*,-key-length")
	fmt.Println(set.Len(), err)
	_, err = thresholds.Select("big-strng")
	fmt.Println(err)
	// Output:
	// 7 <nil>
	// unknown rule "big-strng"
}
