package thresholds_test

import (
	"fmt"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/config"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// A policy is compiled for a snapshot, and its engine checks each key.
func Example() {
	policy, err := config.Load(config.Options{Profile: "aliyun"})
	if err != nil {
		fmt.Println(err)
		return
	}
	engine := policy.Compile(thresholds.Env{Server: "redis", Version: "7.0.15", Created: -1})

	key := &parser.Key{Name: []byte("fans:1"), NameLen: 6, Type: parser.Set, Encoding: parser.EncHashtable, Elements: 5200, ValueBytes: 52_000,
		Idle: -1, Freq: -1, HasExpire: true}
	var name naming.Facts
	engine.Namer().Facts(key.Name, &name)
	subject := thresholds.SubjectOf(key)
	for _, found := range engine.Check(key, &name, nil) {
		fmt.Printf("%s: %s: %s\n", found.Severity, found.Rule.Name(), engine.Text(found, &subject))
		if found.Severity == thresholds.Error {
			for _, a := range engine.Advise(found, &subject) {
				fmt.Printf("  %s: %s\n", a.Kind, a.Text)
				if a.ChangesData {
					fmt.Printf("    %s:\n", a.Condition)
				}
				for _, command := range a.Commands {
					fmt.Printf("    %s\n", thresholds.CommandText(command))
				}
			}
		}
	}
	// Output:
	// error: big-collection: 5,200 elements, over 5,000
	//   cost: One read of the whole value transfers 52,000 bytes: 2,581 reads a second fill a 1 Gbit/s network card (128 MB/s).
	//   split: If it is read by member (SISMEMBER): split it into 2 buckets, newKey = key:(hash(member) % 2): about 2,600 elements each, so that no bucket is likely to be over 5,000.
	//   split: If it grows over time and its old elements may be lost, start a new one for each period: key:202601, key:202602, each with an expiry.
	//   look: Inspect it on the server.
	//     TYPE "fans:1"
	//     SCARD "fans:1"
	//     OBJECT ENCODING "fans:1"
	//     PTTL "fans:1"
	//     MEMORY USAGE "fans:1"
	//   delete: UNLINK removes it at once and frees its memory in the background.
	//     if it is no longer needed:
	//     UNLINK "fans:1"
	// warning: big-key-expiry: 5,200 elements to delete when it expires, over 5,000
}

func ExampleSelect() {
	set, err := thresholds.Select("key-*,-key-length")
	fmt.Println(set.Len(), err)
	_, err = thresholds.Select("big-strng")
	fmt.Println(err)
	// Output:
	// 11 <nil>
	// unknown rule "big-strng"
}
