package config

import (
	"strconv"
	"strings"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds"
)

// Entry is one value of a policy and where it was set.
type Entry struct {
	Path   string // such as rules.big-string.error
	Value  string // as a configuration writes it
	Origin thresholds.Origin
}

// Entries returns every value of a policy: general settings, the rules in their order,
// then the lists of the configuration. Overrides are shown as they were written,
// because their effect depends on the other overrides that match a key.
func Entries(p *thresholds.Policy) []Entry {
	list := []Entry{
		{"profile", p.Profile.Value, p.Profile.Origin},
		{"separators", p.Separators.Value, p.Separators.Origin},
		{"hashtags", strconv.FormatBool(p.HashTags.Value), p.HashTags.Origin},
		{"cluster", strconv.FormatBool(p.Cluster.Value), p.Cluster.Origin},
	}
	for i := range p.Settings {
		list = showSetting(list, &p.Settings[i])
	}
	for _, o := range p.Overrides {
		path := "overrides." + o.Pattern()
		if o.Owner.Value != "" {
			list = append(list, Entry{path + ".owner", o.Owner.Value, o.Owner.Origin})
		}
		for i := range o.Edits {
			if e := &o.Edits[i]; !p.Deselected.Has(e.Rule) {
				list = append(list, showEdit(path, e))
			}
		}
	}
	for _, i := range p.Ignores {
		value := "key " + i.Pattern() + ", reason: " + i.Reason
		if i.Source != "" {
			value += ", source: " + i.Source
		}
		if !i.Until.IsZero() {
			value += ", until " + i.LastDay()
		}
		list = append(list, Entry{"ignore." + strings.Join(i.Names, ","), value, i.Origin})
	}
	for i := range p.Budgets {
		b := &p.Budgets[i]
		list = append(list, Entry{"budgets." + thresholds.SubjectText(b.Subject()), showBudget(b), b.Origin})
	}
	for _, n := range p.Namespaces {
		list = append(list, Entry{"namespaces." + n.Name, n.Owner, n.Origin})
	}
	for _, a := range p.Abbreviations {
		list = append(list, Entry{"abbreviations." + a.Long, a.Short, a.Origin})
	}
	for i := range p.Identities {
		e := &p.Identities[i]
		list = append(list, Entry{"identities." + e.Pattern(), showIdentity(e), e.Origin})
	}
	for _, dir := range p.CodeDirs {
		list = append(list, Entry{"source", dir.Value, dir.Origin})
	}
	if p.SourceURL.Value != "" {
		list = append(list, Entry{"source_url", p.SourceURL.Value, p.SourceURL.Origin})
	}
	list = joinOff(list)
	showAmount(&list, "max_download", p.MaxDownload, message.Bytes)
	return showNightly(list, &p.Nightly)
}

func showAmount(list *[]Entry, path string, a *thresholds.Amount, unit message.Unit) {
	switch {
	case a == nil:
	case a.Number < 0:
		*list = append(*list, Entry{path, "off", a.Origin})
	default:
		*list = append(*list, Entry{path, unit.Format(a.Number), a.Origin})
	}
}

// showNightly appends the settings of nightly runs.
func showNightly(list []Entry, n *thresholds.Nightly) []Entry {
	limits := func(path string, l *thresholds.NightlyLimits) {
		for i := range l.Shrink {
			list = append(list, Entry{path + "shrink." + l.Shrink[i].Subject(), l.Shrink[i].Text, l.Shrink[i].Origin})
		}
		for i := range l.Grow {
			list = append(list, Entry{path + "grow." + l.Grow[i].Subject(), l.Grow[i].Text, l.Grow[i].Origin})
		}
		showAmount(&list, path+"max_age", l.MaxAge, message.Seconds)
		showAmount(&list, path+"min_keys", l.MinKeys, message.Count)
	}
	limits("nightly.", &n.NightlyLimits)
	for i := range n.Inputs {
		limits("nightly.inputs."+n.Inputs[i].Name.String()+".", &n.Inputs[i].NightlyLimits)
	}
	for _, to := range n.Notify {
		list = append(list, Entry{"nightly.notify", to.Value, to.Origin})
	}
	if n.Metrics.Value != "" {
		list = append(list, Entry{"nightly.metrics", n.Metrics.Value, n.Metrics.Origin})
	}
	showAmount(&list, "nightly.keep", n.Keep, message.Count)
	showAmount(&list, "nightly.remind", n.Remind, message.Seconds)
	return list
}

// joinOff joins entries for a type that has no limit of any severity into one.
func joinOff(list []Entry) []Entry {
	var out []Entry
	for i := 0; i < len(list); i++ {
		path, isFirst := strings.CutSuffix(list[i].Path, "."+severities[0])
		isOff := isFirst && i+len(severities) <= len(list)
		for n, name := range severities {
			isOff = isOff && list[i+n].Path == path+"."+name && list[i+n].Value == "off"
		}
		if isOff {
			out = append(out, Entry{path, "off", list[i].Origin})
			i += len(severities) - 1
		} else {
			out = append(out, list[i])
		}
	}
	return out
}

// showSetting appends the values of a rule, only "off" if it is off.
func showSetting(list []Entry, s *thresholds.Setting) []Entry {
	path := "rules." + s.Rule.Name
	if !s.On {
		return append(list, Entry{path, "off", s.Origin})
	}
	if s.Rule.Unit == message.None && s.Rule.Lists == nil {
		list = append(list, Entry{path, s.Severity.String(), s.Origin})
	}
	for _, l := range s.Limits {
		list = append(list, showLimit(path, s.Rule, l))
	}
	for i := range s.Lists {
		list = append(list, showList(path, s.Rule, &s.Lists[i]))
	}
	for i, p := range s.Rule.Params {
		if text := s.Params[i].Format(p); text != "" {
			list = append(list, Entry{path + "." + p.Name, text, s.Params[i].Origin})
		}
	}
	if s.Reason.Value != "" {
		list = append(list, Entry{path + ".reason", s.Reason.Value, s.Reason.Origin})
	}
	if s.Source.Value != "" {
		list = append(list, Entry{path + ".source", s.Source.Value, s.Source.Origin})
	}
	return list
}

func showList(path string, rule *thresholds.Rule, l *thresholds.List) Entry {
	path += "." + l.Severity.String()
	if name := l.Name(rule); name != "" {
		path += "." + name
	}
	return Entry{path, l.Format(), l.Origin}
}

func showEdit(path string, e *thresholds.Edit) Entry {
	rule := thresholds.Rules()[e.Rule]
	path += ".rules." + rule.Name
	switch e.Kind {
	case thresholds.EditLimit:
		return showLimit(path, rule, e.Limit)
	case thresholds.EditParam:
		p := rule.Params[e.Param]
		value := e.Value.Format(p)
		if value == "" {
			value = "off" // a list without words, a set without characters
		}
		return Entry{path + "." + p.Name, value, e.Origin}
	case thresholds.EditList:
		return showList(path, rule, &e.List)
	case thresholds.EditReason:
		return Entry{path + ".reason", e.Value.Text, e.Origin}
	case thresholds.EditSource:
		return Entry{path + ".source", e.Value.Text, e.Origin}
	case thresholds.EditSeverity:
		return Entry{path, e.Severity.String(), e.Origin}
	}
	if e.On {
		return Entry{path, "on", e.Origin}
	}
	return Entry{path, "off", e.Origin}
}

func showLimit(path string, rule *thresholds.Rule, l thresholds.Limit) Entry {
	if l.Type != thresholds.AnyType {
		path += ".types." + l.Type.String()
	}
	if l.Under {
		path += ".under"
	}
	path += "." + l.Severity.String()
	if l.None {
		return Entry{path, "off", l.Origin}
	}
	return Entry{path, rule.Unit.Format(l.Value), l.Origin}
}
