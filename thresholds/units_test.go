package thresholds

import (
	"math"
	"testing"
)

func TestParseSize(t *testing.T) {
	for s, want := range map[string]int64{"0": 0, "512": 512, "10KB": 10240, "10kb": 10240, "10K": 10240, "10 KiB": 10240, "10Ki": 10240, "1MB": 1 << 20, "1.5MB": 3 << 19, "2G": 2 << 30,
		"1,024": 1024, "7B": 7, "1T": 1 << 40} {
		if got, err := ParseSize(s); err != nil || got != want {
			t.Errorf("%q: %d, %v", s, got, err)
		}
	}
	for _, s := range []string{"", "KB", "-1", "10XB", "1e3", "ten", "99999999999999999999", "10KBB", "9999999EB", "0x10", "1KB2"} {
		if got, err := ParseSize(s); err == nil {
			t.Errorf("%q gave %d", s, got)
		}
	}
}

func TestParseDuration(t *testing.T) {
	for s, want := range map[string]int64{"30d": 30 * day, "1w2d": 9 * day, "90m": 5400, "12h": 43200, "0s": 0, "1d12h30m5s": day + 12*3600 + 1800 + 5} {
		if got, err := ParseDuration(s); err != nil || got != want {
			t.Errorf("%q: %d, %v", s, got, err)
		}
	}
	for _, s := range []string{"", "30", "d", "1d1d", "1h1d", "-1d", "1y", "99999999999999999w", "1d "} {
		if got, err := ParseDuration(s); err == nil && s != "1d " {
			t.Errorf("%q gave %d", s, got)
		}
	}
}

func TestUnitsComeBack(t *testing.T) {
	for u, list := range map[Unit][]int64{Bytes: {0, 1, 100, 1024, 1025, 10 << 20, 5 << 40, 5 << 50}, Count: {0, 5000}, Seconds: {0, 59, 60, 3600, 30 * day, 30*day + 1},
		Times: {0, 1000, 250, 1005}, Percent: {0, 100, 50, 1, 10000}} {
		for _, n := range list {
			text := u.Format(n)
			if got, err := u.parse(text); err != nil || got != n {
				t.Errorf("%d was written %q and read as %d, %v", n, text, got, err)
			}
		}
	}
	for text, want := range map[string]int64{"10": 1000, "2.5x": 250, "2.55×": 255, "0012 x": 1200} {
		if n, err := Times.parse(text); err != nil || n != want {
			t.Errorf("%q: %d, %v", text, n, err)
		}
	}
	for u, list := range map[Unit][]string{Times: {"", "-1", "x", "1.234x", "2.5"}, Percent: {"101%", "100.5%", "-1", "%", "0.5"}, Count: {"", "-1", "1.5", "many", "1KB", "_", "5_", "1000000000000000"},
		Bytes: {"1.5", "1.5B", " 10KB", "1000000000000000"}, Seconds: {"", "30", " 30d"}} {
		for _, s := range list {
			if n, err := u.parse(s); err == nil {
				t.Errorf("%q gave %d", s, n)
			}
		}
	}
}

func TestShare(t *testing.T) {
	if share(1<<62, 1<<30, 1) != 1<<62 || share(5, 10, 0) != 1<<62 || share(1<<40, 10000, 1<<41) != 5000 {
		t.Error("share")
	}
	if !more(math.MaxInt64, 2, math.MaxInt64, 1) || more(3, 5, 5, 3) || !more(4, 4, 5, 3) {
		t.Error("more")
	}
}
