package thresholds

import "github.com/rdblens/rdblens/thresholds/naming"

// Facts is what Check needs to know about a name.
type Facts = naming.Facts
