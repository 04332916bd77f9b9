package release

import "testing"

func TestParse(t *testing.T) {
	for _, c := range []struct {
		in   string
		want Version
		ok   bool
	}{
		{"7.0.15", Version{7, 0}, true},
		{"8", Version{8, 0}, true},
		{"v8.1", Version{8, 1}, true},
		{"9.1.0-rc1", Version{9, 1}, true},
		{"7.2-rc1", Version{7, 2}, true},
		{"7-rc1", Version{7, 0}, true},
		{"255.255.255", Version{255, 255}, true},
		{"8.10.0", Version{8, 10}, true},
		{"", Version{}, false},
		{"v", Version{}, false},
		{"what", Version{}, false},
		{".5", Version{}, false},
		{"-7.0", Version{}, false},
		{"7.", Version{7, 0}, false},
		{"7.x", Version{7, 0}, false},
		{"99999999999999999999.1", Version{}, false},
		{"7.99999999999999999999", Version{7, 0}, false},
	} {
		if got, ok := Parse(c.in); got != c.want || ok != c.ok {
			t.Errorf("Parse(%q) = %v, %v, want %v, %v", c.in, got, ok, c.want, c.ok)
		}
	}
}

func TestAtLeast(t *testing.T) {
	v := Version{7, 2}
	for _, c := range []struct {
		major, minor int
		want         bool
	}{{6, 9, true}, {7, 0, true}, {7, 2, true}, {7, 3, false}, {8, 0, false}} {
		if got := v.AtLeast(c.major, c.minor); got != c.want {
			t.Errorf("%v.AtLeast(%d, %d) = %v", v, c.major, c.minor, got)
		}
	}
}
