package tree

import (
	"cmp"
	"slices"
	"strings"
)

// Part is a prefix of names with those below it.
type Part struct {
	Prefix   string // ends in Rest if it has what its parent does not list
	Keys     int64
	Size     int64
	Children []*Part
}

// Row is a row of a cut.
type Row struct {
	*Part
	// Others has the children that have no rows of their own, nil if the row is a whole
	// Part. Then the row is their sum.
	Others []*Part
}

func (r *Row) keys() (n int64) {
	if r.Others == nil {
		return r.Part.Keys
	}
	for _, c := range r.Others {
		n += c.Keys
	}
	return n
}

func (r *Row) size() (n int64) {
	if r.Others == nil {
		return r.Part.Size
	}
	for _, c := range r.Others {
		n += c.Size
	}
	return n
}

// The cut opens a row only into children that have 1/leastRow of the whole, and says
// that no prefix stands out if all have less than 1/leastNamed together.
const (
	leastRow   = 66
	leastNamed = 10
)

// Cut returns at most so many rows that say most about where the bytes of a tree are, the
// heaviest first, and what is in none of them: one row more if that is nothing. It opens the heaviest row while its large children
// explain half of it, and are few, or larger than other rows. It returns no rows if no
// prefix stands out. Of a depth over 0, the rows are the prefixes with so many segments behind what
// all names have in common, and the names with fewer.
func Cut(root *Part, most, depth int) (rows []Row, rest Row) {
	if depth > 0 {
		return cutAt(root, most, depth)
	}
	whole := max(root.Size, 1)
	open := []Row{{Part: root}}
	var done []Row
	rest = Row{Part: root, Others: []*Part{}}
	refused := int64(0) // the largest mean of children for which there was no room
	for len(open) > 0 {
		heaviest := 0
		for i := range open {
			if open[i].size() > open[heaviest].size() {
				heaviest = i
			}
		}
		row := open[heaviest]
		open = slices.Delete(open, heaviest, heaviest+1)
		large, others := split(row, whole)
		sum, least := int64(0), row.size()
		for _, c := range large {
			sum += c.Size
		}
		for _, list := range [][]Row{open, done} {
			for i := range list {
				least = min(least, list[i].size())
			}
		}
		mean := sum / int64(max(len(large), 1))
		room := most - len(open) - len(done)
		if len(rest.Others)+len(others) == 0 {
			room++ // that of the last row
		}
		few := len(large) <= room && mean >= refused || len(large) == 1 || 2*row.size() > whole
		if len(large) == 0 || row.Part != root && (2*sum < row.size() || !few && mean < 2*least) {
			if done = append(done, row); 2*sum >= row.size() {
				refused = max(refused, mean)
			}
			continue
		}
		for _, c := range large {
			open = append(open, Row{Part: c})
		}
		if o := (Row{Part: row.Part, Others: others}); len(others) > 0 && o.size() > 0 {
			if row.Part != root && o.size() >= whole/leastRow && len(others) < len(row.Children) {
				done = append(done, o)
			} else {
				rest.Others = append(rest.Others, others...)
			}
		}
	}
	named := int64(0)
	for i := range done {
		if !strings.HasPrefix(done[i].Prefix, "*") && done[i].Part != root {
			named += done[i].size()
		}
	}
	if named < whole/leastNamed {
		return nil, Row{Part: root}
	}
	return heaviest(done, most, rest)
}

// heaviest returns the heaviest rows, and adds the others to what is in none of them.
func heaviest(rows []Row, most int, rest Row) ([]Row, Row) {
	slices.SortFunc(rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(b.size(), a.size()), cmp.Compare(b.keys(), a.keys()), strings.Compare(a.Prefix, b.Prefix),
			len(a.Others)-len(b.Others))
	})
	if len(rows) == most+1 && len(rest.Others) == 0 {
		most++
	}
	n := min(most, len(rows))
	for i := range rows[n:] {
		r := &rows[n+i]
		if r.Others != nil {
			rest.Others = append(rest.Others, r.Others...)
		} else {
			rest.Others = append(rest.Others, r.Part)
		}
	}
	return rows[:n], rest
}

func cutAt(root *Part, most, depth int) ([]Row, Row) {
	from := root
	for len(from.Children) == 1 {
		from = from.Children[0]
	}
	level := []*Part{from}
	for range depth {
		var below []*Part
		for _, p := range level {
			if p.Children == nil {
				below = append(below, p)
			}
			below = append(below, p.Children...)
		}
		level = below
	}
	rows := make([]Row, len(level))
	for i, p := range level {
		rows[i].Part = p
	}
	return heaviest(rows, most, Row{Part: root, Others: []*Part{}})
}

func split(row Row, whole int64) (large, others []*Part) {
	if row.Others != nil {
		return nil, row.Others
	}
	for _, c := range row.Children {
		named := !strings.HasPrefix(row.Prefix, "*") || lettersOf([]byte(strings.TrimPrefix(c.Prefix, row.Prefix))) > 0
		if c.Size >= whole/leastRow && !strings.HasSuffix(c.Prefix, Rest) && named {
			large = append(large, c)
		} else {
			others = append(others, c)
		}
	}
	return large, others
}
