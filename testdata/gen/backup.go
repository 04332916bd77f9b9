package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// measureBackups compares a scan of gzip files with gzip before a pipe into a scan. It
// makes missing snapshots and compresses them by gzip -6.
func measureBackups(o *options) error {
	dir := o.args[0]
	if err := makeMissing(dir, o.scale); err != nil {
		return err
	}
	fmt.Printf("%s, %s, %d CPUs, %s; medians of %d\n\n",
		time.Now().Format("2006-01-02"), cpuName(), runtime.NumCPU(), runtime.Version(), o.rounds)
	fmt.Print("| snapshot | scan X.gz: s | user+sys s | MB | gzip -dc X.gz \\| scan -: s | user+sys s | MB ",
		"| gzip -dc X.gz: s | user+sys s | MB | time by that of the pipe | user+sys |\n")
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|---|---|")
	for _, set := range benchSets {
		if set.onDemand {
			continue
		}
		file := filepath.Join(dir, set.name+".rdb.gz")
		if err := makeGzip(file); err != nil {
			return err
		}
		if err := warm(file); err != nil {
			return err
		}
		commands := [][]string{
			{o.rdblens, "scan", "--format", "json", file},
			{"sh", "-c", `gzip -dc "$0" | "$1" scan --format json -`, file, o.rdblens},
			{"gzip", "-dc", file},
		}
		costs := make([][]cost, len(commands))
		for range o.rounds {
			for i, c := range commands {
				m, err := measure(c...)
				if err != nil {
					return err
				}
				costs[i] = append(costs[i], m)
			}
		}
		scan, pipe := median(costs[0]), median(costs[1])
		fmt.Printf("| %s | %s | %s | %s | %.2f | %.2f |\n", set.name, scan, pipe, median(costs[2]),
			scan.wall.Seconds()/pipe.wall.Seconds(), scan.cpu.Seconds()/pipe.cpu.Seconds())
	}
	return nil
}

// shell runs a command of the shell with arguments from $0 on.
func shell(command string, args ...string) error {
	cmd := exec.Command("sh", append([]string{"-c", command}, args...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", command, err, out)
	}
	return nil
}

// makeGzip compresses a snapshot by gzip -6 unless that was done before.
func makeGzip(file string) error {
	if _, err := os.Stat(file); err == nil {
		return nil
	}
	// Renamed when complete: a file that was cut off would stay.
	return shell(`gzip -6 -c "$0" >"$1.tmp" && mv "$1.tmp" "$1"`, strings.TrimSuffix(file, ".gz"), file)
}
