package report

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report/internal/redact"
	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// Redaction replaces names by hashes in a copy of a document. A field of the type Name
// is the name of a key or a pattern, and messages say themselves what of them is a
// name. The tag "redact" says what else a field has:
//
//	path       the path of a file
//	text       what somebody else wrote, such as an owner or a reason
//	name       a name, in a string
//	release    the version of a server
//	module     a type of a module; those that package parser knows stay
//	of F       the English of the message or messages in field F
//	subject    of SubjectMessage, and the name of a key if that is zero
//	commands F the commands whose messages are in field F
//	keep       it stays
//	drop       a list that becomes empty

// Redacted returns the report without names. Words of enough keys stay, as the Redactor
// decides; Redaction lists them.
func (r *Report) Redacted(by *redact.Redactor) *Report {
	by = r.LearnWords(by)
	c := redacted(by, *r)
	c.State, c.Redaction = nil, redactionOf(by)
	return &c
}

// LearnWords returns a Redactor that keeps the words of the report's names which Redacted
// keeps.
func (r *Report) LearnWords(by *redact.Redactor) *redact.Redactor {
	return by.Learn(naming.NewNamer(r.Config.Separators), len(r.Inputs), func(yield func([]byte, int64) bool) {
		for i := range r.Groups {
			if g := &r.Groups[i]; !yield([]byte(g.Group), g.Keys) {
				return
			}
		}
	})
}

// Redacted returns the comparison without names.
func (d *Diff) Redacted(by *redact.Redactor) *Diff {
	by = by.Learn(naming.NewNamer(d.Separators), 1, func(yield func([]byte, int64) bool) {
		for i := range d.Groups {
			r := &d.Groups[i]
			keys := max(r.KeysBefore, r.KeysAfter)
			if !yield([]byte(*r.Group), keys) || r.RenamedTo != nil && !yield([]byte(*r.RenamedTo), keys) {
				return
			}
		}
	})
	c := redacted(by, *d)
	c.Redaction = redactionOf(by)
	return &c
}

// Redacted returns the trend without names. No word of a name stays.
func (t *Trend) Redacted(by *redact.Redactor) *Trend {
	c := redacted(by, *t)
	for i := range c.Series {
		switch s := &c.Series[i]; s.Kind {
		case "group", "prefix":
			s.Name = Name(by.Name([]byte(s.Name)))
		case "owner":
			if s.Name != noOwner {
				s.Name = Name(by.Text(string(s.Name)))
			}
		}
	}
	return &c
}

func redactionOf(by *redact.Redactor) *Redaction {
	r := &Redaction{MinKeys: by.MinKeys(), Salt: by.SaltID()}
	for _, w := range by.Words() {
		r.Words = append(r.Words, Name(w))
	}
	return r
}

// redacted returns a copy of a struct without names.
func redacted[T any](by *redact.Redactor, v T) T {
	return copier{by}.value(reflect.ValueOf(v)).Interface().(T)
}

type copier struct{ by *redact.Redactor }

// value returns a copy of a value, in which Names and messages are replaced.
func (c copier) value(v reflect.Value) reflect.Value {
	switch t := v.Type(); {
	case t == reflect.TypeFor[Name]():
		return reflect.ValueOf(Name(c.by.Name([]byte(v.String()))))
	case t == reflect.TypeFor[message.Message]():
		return reflect.ValueOf(c.by.Message(v.Interface().(message.Message)))
	case t.Kind() == reflect.Struct:
		return c.fields(v)
	case (t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map) && v.IsNil():
		return v
	}
	return copied(v, c.value)
}

// copied returns a copy of a pointer, which is not nil, a list or a map, with what f makes of the
// values in it, and any other value as it is. A list or map that is nil becomes an empty one.
func copied(v reflect.Value, f func(reflect.Value) reflect.Value) reflect.Value {
	to := v
	switch t := v.Type(); t.Kind() {
	case reflect.Pointer:
		to = reflect.New(t.Elem())
		to.Elem().Set(f(v.Elem()))
	case reflect.Slice:
		to = reflect.MakeSlice(t, v.Len(), v.Len())
		for i := range v.Len() {
			to.Index(i).Set(f(v.Index(i)))
		}
	case reflect.Map:
		to = reflect.MakeMapWithSize(t, v.Len())
		for _, key := range v.MapKeys() {
			to.SetMapIndex(key, f(v.MapIndex(key)))
		}
	}
	return to
}

func (c copier) fields(v reflect.Value) reflect.Value {
	to := reflect.New(v.Type()).Elem()
	to.Set(v)
	for i := range v.NumField() {
		f := v.Type().Field(i)
		switch rule, of, _ := strings.Cut(f.Tag.Get("redact"), " "); {
		case !f.IsExported() || rule == "keep":
		case rule == "drop":
			if to.Field(i).SetZero(); f.Type.Kind() == reflect.Slice {
				to.Field(i).Set(reflect.MakeSlice(f.Type, 0, 0))
			}
		case rule == "":
			to.Field(i).Set(c.value(v.Field(i)))
		default:
			var messages reflect.Value
			if of != "" {
				messages = v.FieldByName(of)
			}
			if rule == "subject" {
				messages = v.FieldByName("SubjectMessage")
			}
			c.tagged(to.Field(i), rule, messages)
		}
	}
	switch k := to.Addr().Interface().(type) {
	case *KeyRow:
		c.key(k, v.Interface().(KeyRow))
	case *Identity:
		if k.Sure == thresholds.Configured { // the words are the team's
			k.Library, k.Setting, k.Deletion = c.by.Text(k.Library), c.by.Text(k.Setting), ""
		}
	case *TreeKey:
		from := v.Interface().(TreeKey)
		var row KeyRow
		c.key(&row, KeyRow{Key: from.Key, NameBytes: from.NameBytes, NameHash: from.NameHash})
		k.Key, k.NameBytes, k.NameHash = row.Key, 0, ""
	}
	return to
}

// key replaces the names of a key. Of one that was cut, its length and its own hash are
// hashed, too.
func (c copier) key(to *KeyRow, from KeyRow) {
	hash, _ := strconv.ParseUint(from.NameHash, 16, 64)
	k := parser.Key{Name: []byte(from.Key), NameLen: max(from.NameBytes, int64(len(from.Key))), NameHash: hash}
	to.Key, to.NameBytes, to.NameHash = Name(c.by.KeyName(&k)), 0, ""
	if from.LargestElement != nil {
		to.LargestElement = new(Name(c.by.Element([]byte(*from.LargestElement))))
	}
}

// tagged replaces the string or strings of a field by what its tag says.
func (c copier) tagged(to reflect.Value, rule string, messages reflect.Value) {
	if to.Kind() == reflect.Slice {
		if to.IsNil() {
			return
		}
		list := reflect.MakeSlice(to.Type(), to.Len(), to.Len())
		for i := range to.Len() {
			list.Index(i).SetString(to.Index(i).String())
			var own reflect.Value
			if messages.IsValid() && messages.Len() == to.Len() {
				own = messages.Index(i)
			}
			c.tagged(list.Index(i), rule, own)
		}
		to.Set(list)
		return
	}
	s := to.String()
	switch m, _ := interfaceOf(messages).(message.Message); {
	case s == "":
	case rule == "path":
		s = c.by.File(s)
	case rule == "name", rule == "subject" && m.IsZero():
		s = string(c.by.Name([]byte(s)))
	case rule == "release":
		s = c.by.Release(s)
	case rule == "module":
		s = c.module(s)
	case m.IsZero(): // of an older report
		s = c.by.Text(s)
	case rule == "commands":
		s = thresholds.CommandText(c.by.Message(m))
	case to.Type() == reflect.TypeFor[Name]():
		s = thresholds.SubjectText(c.by.Message(m))
	default:
		s = c.by.Message(m).String()
	}
	to.SetString(s)
}

func interfaceOf(v reflect.Value) any {
	if !v.IsValid() {
		return nil
	}
	return v.Interface()
}

// module replaces a type of a module, unless it is known.
func (c copier) module(name string) string {
	if knownModule(name) {
		return name
	}
	return c.by.Text(name)
}

// knownModule reports whether the type of a module is no name that somebody made up.
func knownModule(name string) bool {
	_, known := parser.ParseType(name)
	return known || slices.Contains([]string{"(other)", "REDIS", "VALKEY"}, name)
}

func moduleArg(arg, name string) message.Arg {
	if knownModule(name) {
		return message.Text(arg, name)
	}
	return message.Element(arg, name)
}

// Redaction describes how names were replaced by hashes; see package redact.
type Redaction struct {
	// Least number of distinct keys whose names have a word that stays, 0 none.
	MinKeys int64  `json:"min_keys"`
	Words   []Name `json:"words,omitempty" redact:"keep"` // that stay in names
	// Identifies the salt: names of reports with the same one compare; "" of a random one.
	Salt string `json:"salt,omitempty"`
}
