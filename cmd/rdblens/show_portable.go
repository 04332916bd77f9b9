package main

import (
	"math"

	"github.com/hdt3213/rdb/model"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
)

// What an object holds at most, so that memory does not depend on the key.
const (
	batchElements = 1000
	batchBytes    = 1 << 20
)

// portableWriter writes keys as plain commands that every server knows. The
// values of strings, lists, sets, sorted sets and hashes become objects of
// hdt3213/rdb's model, of some elements each, and those become commands. (Its own
// conversion is in a package that doubles the start-up time of the program, and
// loses the order of fields and the groups of streams.)
type portableWriter struct {
	*respWriter
	replace   bool // delete the key first
	fieldTTLs bool // servers know HPEXPIREAT

	object model.RedisObject // the batch
	fields []string          // names of a hash object's fields, in the order of the file
	ttls   []int64           // and their TTLs, ms since the epoch; 0 none
	size   int               // bytes of its texts
}

func (w *portableWriter) library(p *parser.Payload) error {
	code, err := p.Text()
	if err != nil {
		return err
	}
	if w.replace {
		w.command("FUNCTION", "LOAD", "REPLACE", code)
	} else {
		w.command("FUNCTION", "LOAD", code)
	}
	return nil
}

func (w *portableWriter) key(r *parser.Records) error {
	k := r.Key()
	if why := w.refuses(k); why != nil {
		return why
	}
	w.selectDB(k.DB)
	if w.replace {
		w.command("DEL", k.Name)
	}
	var err error
	if k.Type == parser.Stream {
		s := streamCommands{portableWriter: w, name: k.Name}
		err = s.write(r)
	} else {
		err = w.value(r)
	}
	if k.HasExpire {
		w.command("PEXPIREAT", k.Name, k.ExpireAt)
	}
	return err
}

// refuses returns why plain commands cannot write a key, "" if they can.
func (w *portableWriter) refuses(k *parser.Key) *refusal {
	switch k.Type {
	case parser.String, parser.List, parser.ZSet:
		return nil
	case parser.Set:
		if k.FieldsWithTTL > 0 {
			return refuse("members with a TTL, which no server but Dragonfly knows: {n}", message.Int("n", k.FieldsWithTTL))
		}
		return nil
	case parser.Hash:
		if k.FieldsWithTTL == 0 || w.fieldTTLs {
			return nil
		}
		return refuse("fields with a TTL, which --field-ttls writes for Redis 7.4, Valkey 9.0 and later: {n}",
			message.Int("n", k.FieldsWithTTL))
	case parser.Stream:
		if k.Pending > maxPending {
			return refuse("it has {n} pending entries, more than the {limit} that --portable takes", message.Int("n", k.Pending),
				message.Int("limit", maxPending))
		}
		return nil
	}
	if k.ModuleName != "" {
		return refuse("it is a value of the module type {type}, which plain commands cannot write",
			message.Element("type", k.ModuleName))
	}
	return refuse("plain commands cannot write the type {type}", message.Text("type", k.Type.String()))
}

// value writes a value that is no stream.
func (w *portableWriter) value(r *parser.Records) error {
	k := r.Key()
	w.open(k)
	nameless, unordered := 0, 0
	err := r.Visit(&parser.Visitor{MaxText: -1, Element: func(e *parser.Element) bool {
		switch {
		case k.Type == parser.Hash && e.Name.Bytes == nil:
			nameless++
			return true
		case k.Type == parser.ZSet && math.IsNaN(e.Score):
			unordered++
			return true
		}
		w.add(e)
		if n := w.object.GetElemCount(); n >= batchElements || n > 0 && w.size >= batchBytes { // a string has 0
			w.writeBatch()
			w.open(k)
		}
		return goesOn(w)
	}})
	if w.object.GetElemCount() > 0 || k.Type == parser.String {
		w.writeBatch()
	}
	switch {
	case err != nil:
		return err
	case nameless > 0:
		return refuse("the names of {fields} are not known",
			message.Number("fields", int64(nameless), "1 field", "{n} fields"))
	case unordered > 0:
		return refuse("the scores of {count} are no numbers",
			message.Number("count", int64(unordered), "1 member", "{n} members"))
	}
	return nil
}

func (w *portableWriter) open(k *parser.Key) {
	base := &model.BaseObject{DB: k.DB, Key: string(k.Name)}
	w.size, w.fields, w.ttls = 0, w.fields[:0], w.ttls[:0]
	switch k.Type {
	case parser.String:
		w.object = &model.StringObject{BaseObject: base}
	case parser.List:
		w.object = &model.ListObject{BaseObject: base}
	case parser.Set:
		w.object = &model.SetObject{BaseObject: base}
	case parser.ZSet:
		w.object = &model.ZSetObject{BaseObject: base}
	case parser.Hash:
		w.object = &model.HashObject{BaseObject: base, Hash: make(map[string][]byte)}
	}
}

func (w *portableWriter) add(e *parser.Element) {
	value := append([]byte{}, e.Value.Bytes...)
	w.size += len(e.Name.Bytes) + len(value)
	switch o := w.object.(type) {
	case *model.StringObject:
		o.Value = value
	case *model.ListObject:
		o.Values = append(o.Values, value)
	case *model.SetObject:
		o.Members = append(o.Members, value)
	case *model.ZSetObject:
		o.Entries = append(o.Entries, &model.ZSetEntry{Member: string(value), Score: e.Score})
	case *model.HashObject:
		name := string(e.Name.Bytes)
		o.Hash[name] = value
		w.fields = append(w.fields, name)
		w.ttls = append(w.ttls, e.ExpireAt)
	}
}

func (w *portableWriter) writeBatch() {
	begin := func(name string, args int) {
		w.begin(2 + args)
		w.text(name)
		w.text(w.object.GetKey())
	}
	switch o := w.object.(type) {
	case *model.StringObject:
		begin("SET", 1)
		w.bytes(o.Value)
	case *model.ListObject:
		begin("RPUSH", len(o.Values))
		for _, v := range o.Values {
			w.bytes(v)
		}
	case *model.SetObject:
		begin("SADD", len(o.Members))
		for _, m := range o.Members {
			w.bytes(m)
		}
	case *model.ZSetObject:
		begin("ZADD", 2*len(o.Entries))
		for _, e := range o.Entries {
			w.text(score(e.Score))
			w.text(e.Member)
		}
	case *model.HashObject:
		begin("HMSET", 2*len(w.fields)) // HSET takes one field before Redis 4.0
		for _, f := range w.fields {
			w.text(f)
			w.bytes(o.Hash[f])
		}
		for i, f := range w.fields {
			if w.ttls[i] != 0 {
				w.command("HPEXPIREAT", o.GetKey(), w.ttls[i], "FIELDS", 1, f)
			}
		}
	}
}
