package naming

import "testing"

func TestWords(t *testing.T) {
	list := []string{"economic", "file path", "Video  Info", "a b c", "path"}
	for _, c := range []struct {
		separators, name string
		entry, at        int // at -1: not found
	}{
		{":", "economic", 0, 0}, {":", "economics", 0, -1}, {":", "xeconomic", 0, -1}, {":", "x:ECONOMIC:1", 0, 2}, {":", "economic2", 0, 0}, {":", "2economic", 0, 1},
		{":", "economi", 0, -1}, {":", "", 0, -1}, {":", "myEconomicData", 0, 2}, {":", "economicData", 0, 0}, {":", "economicDATA", 0, 0}, {":", "ECONOMICDATA", 0, -1},
		{":", "file.path", 1, 0}, {":", "file_path", 1, 0}, {":", "filePath", 1, 0}, {":", "filepath", 1, 0}, {":", "file:path", 4, 5}, {":", "file..path", 4, 6},
		{":", "file1path", 4, 5}, {":", "file.pat", 0, -1}, {":", "file.", 0, -1}, {":", "file", 0, -1}, {":", "x.filePathY", 1, 2},
		{":_", "video_info", 2, 0}, {"_:", "video_info", 0, -1}, {"_", "video_info", 0, -1}, {":#_", "video#info", 0, -1}, {":#_", "video-info", 2, 0},
		{":", "a.b.c", 3, 0}, {":", "abc", 3, 0}, {":", "a.b", 0, -1}, {":", "path:economic", 4, 0}, {":", "@conomic", 0, -1}, {":", "file\x00path", 1, 0},
	} {
		entry, at := NewWords(list, c.separators).Find([]byte(c.name))
		if at != c.at || at >= 0 && entry != c.entry {
			t.Errorf("%q (separators %s): entry %d at %d, want %d at %d", c.name, c.separators, entry, at, c.entry, c.at)
		}
	}
}
