// Gen makes the snapshots that the tests and measurements read.
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) < 1 {
		return fmt.Errorf("no mode")
	}
	switch args[0] {
	case "truth":
		f := flag.NewFlagSet("truth", flag.ContinueOnError)
		srv := f.String("server", "redis-server", "server command")
		if err := f.Parse(args[1:]); err != nil {
			return err
		}
		if f.NArg() < 1 {
			return fmt.Errorf("truth: no directory")
		}
		return makeFixtures(strings.Fields(*srv), f.Arg(0), f.Args()[1:])
	case "shop":
		f := flag.NewFlagSet("shop", flag.ContinueOnError)
		srv := f.String("server", "redis-server", "server command")
		if err := f.Parse(args[1:]); err != nil {
			return err
		}
		if f.NArg() != 1 {
			return fmt.Errorf("shop: no file")
		}
		return makeShop(strings.Fields(*srv), f.Arg(0))
	case "rules":
		f := flag.NewFlagSet("rules", flag.ContinueOnError)
		srv := f.String("server", "redis-server", "server command")
		if err := f.Parse(args[1:]); err != nil {
			return err
		}
		if f.NArg() < 1 {
			return fmt.Errorf("rules: no directory")
		}
		return makeRules(strings.Fields(*srv), f.Arg(0), f.Args()[1:])
	case "bench":
		f := flag.NewFlagSet("bench", flag.ContinueOnError)
		srv := f.String("server", "redis-server", "server command")
		scale := f.Float64("scale", 1, "number of keys, as a share of the published one")
		if err := f.Parse(args[1:]); err != nil {
			return err
		}
		if f.NArg() < 1 {
			return fmt.Errorf("bench: no directory")
		}
		return bench(strings.Fields(*srv), f.Arg(0), f.Args()[1:], *scale)
	}
	return fmt.Errorf("no mode %q", args[0])
}
