package thresholds

import "github.com/rdblens/rdblens/thresholds/units"

// Unit is the unit of a limit or a figure.
type Unit = units.Unit

// The units.
const (
	NoUnit  = units.None
	Bytes   = units.Bytes
	Count   = units.Count
	Seconds = units.Seconds
	Times   = units.Ratio
	Percent = units.Percent
)
