package report

import (
	"context"
	"errors"
	"io/fs"

	"github.com/rdblens/rdblens/parser"
)

// newInput returns the row of a snapshot: what its header and end say, as far as
// they were read, and why it was not read to its end (err, else nil). FileBytes is the length
// of the file, -1 if unknown.
func newInput(name string, fileBytes int64, info *parser.Info, err error) Input {
	in := Input{Name: Name(name), FileBytes: Figure(fileBytes), Created: Unknown, UsedMem: Unknown, Complete: err == nil}
	if info != nil && info.Magic != "" {
		redis, valkey := info.LoadableBy()
		in.Server, in.ServerVersion = info.Server, Name(info.ServerVersion)
		in.Format, in.RDBVersion = info.Magic, info.Version
		in.Created, in.UsedMem = Figure(info.Created), Figure(info.UsedMem)
		in.Checksum, in.Bytes, in.Trailing, in.Ended = info.Checksum.String(), info.Bytes, info.Trailing, info.Ended
		in.Keys, in.Databases = info.Keys, info.Databases
		in.Cluster, in.AOFBase, in.Frames = info.Cluster, info.AOFBase, info.Frames
		in.Functions, in.FunctionBytes = info.Functions, info.FunctionBytes
		in.Scripts, in.ScriptBytes = info.Scripts, info.ScriptBytes
		for _, m := range info.Modules {
			in.Modules = append(in.Modules, Module{Name: Name(m.Name), Keys: m.Keys, Aux: m.Aux})
		}
		in.LoadableBy = Loadable{Redis: redis, Valkey: valkey}
		for _, m := range info.LoadModules() {
			in.LoadableBy.Modules = append(in.LoadableBy.Modules, Name(m))
		}
		in.Warnings = info.Warnings
	}
	if err != nil {
		in.Error = damageOf(err)
	}
	return in
}

// damageOf returns the reason why a snapshot was not read to its end.
func damageOf(err error) *Damage {
	d := &Damage{Offset: Unknown}
	var damage *parser.DamageError
	var format *parser.FormatError
	var path *fs.PathError
	switch {
	case errors.As(err, &damage):
		d.Offset, d.Reason = Figure(damage.Offset), damage.Reason
		d.LastKey, d.Key = optionalName(damage.LastKey), optionalName(damage.Key)
	case errors.As(err, &format):
		d.Reason, d.Hint = format.Reason, format.Hint
	case errors.As(err, &path):
		d.Reason = path.Err.Error() // the input's row has its name
	default:
		d.Reason = err.Error()
	}
	if errors.Is(err, context.Canceled) {
		d.Reason = "interrupted"
	}
	return d
}

func optionalName(b []byte) *Name {
	if b == nil {
		return nil
	}
	n := Name(b)
	return &n
}
