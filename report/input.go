package report

import (
	"context"
	"errors"
	"io/fs"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
)

// newInput returns the row of a snapshot: what its header and end say, as far as
// they were read, and why it was not read to its end (err, else nil). FileBytes is the length
// of the file, -1 if unknown.
func newInput(name string, fileBytes int64, info *parser.Info, err error) Input {
	in := Input{Name: Name(name), FileBytes: Figure(fileBytes), Created: Unknown, UsedMem: Unknown, Complete: err == nil}
	if info != nil && info.Magic != "" {
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
		if err == nil { // nobody knows what else a damaged file has
			in.LoadableBy.Redis, in.LoadableBy.Valkey = info.LoadableBy()
			for _, m := range info.LoadModules() {
				in.LoadableBy.Modules = append(in.LoadableBy.Modules, Name(m))
			}
		}
		for _, w := range info.Warnings {
			in.WarningMessages = append(in.WarningMessages, w)
			in.Warnings = append(in.Warnings, w.String())
		}
	}
	if err != nil {
		in.Error = damageOf(err)
	}
	return in
}

// Damage says why an input was not read to its end, or not at all.
type Damage struct {
	Offset  Figure `json:"offset"`   // in the decompressed snapshot; unknown if nothing was read
	LastKey *Name  `json:"last_key"` // the last key that was read whole
	Key     *Name  `json:"key"`      // the key that was being read
	Reason  string `json:"reason" redact:"of Message"`
	Hint    string `json:"hint,omitempty" redact:"of HintMessage"`
	// Message is Reason, and HintMessage is Hint, as a message. Older versions do not have them.
	Message     message.Message `json:"message,omitzero"`
	HintMessage message.Message `json:"hint_message,omitzero"`
}

// damageOf returns the reason why a snapshot was not read to its end.
func damageOf(err error) *Damage {
	d := &Damage{Offset: Unknown, Message: reasonOf(err)}
	var damage *parser.DamageError
	var format *parser.FormatError
	switch {
	case errors.As(err, &damage):
		d.Offset, d.LastKey, d.Key = Figure(damage.Offset), optionalName(damage.LastKey), optionalName(damage.Key)
	case errors.As(err, &format):
		d.Hint, d.HintMessage = format.Hint.String(), format.Hint
	}
	d.Reason = d.Message.String()
	return d
}

// reasonOf returns why something could not be read, without what a report says
// elsewhere: the name of the file, the offset and the keys.
func reasonOf(err error) message.Message {
	var damage *parser.DamageError
	var format *parser.FormatError
	var path *fs.PathError
	var own message.Messager
	switch {
	case errors.Is(err, context.Canceled):
		return word(interrupted)
	case errors.As(err, &damage):
		return damage.Reason
	case errors.As(err, &format):
		return format.Reason
	case errors.As(err, &own):
		return own.AsMessage()
	case errors.As(err, &path):
		return word(path.Err.Error())
	}
	return message.Of(err)
}

// interrupted is Damage.Reason of an input that the end of the context interrupted.
const interrupted = "interrupted"
