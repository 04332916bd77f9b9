package config

import (
	"embed"
	"encoding/json"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds"
)

//go:embed profiles/*.yaml
var profileFiles embed.FS

var profileNames = []string{thresholds.DefaultProfile, "aliyun", "baidu", "typed", "upper"}

// Options select what a policy is made of. A flag takes precedence over the file,
// and the file over the profile.
type Options struct {
	Profile string // "": as the file says, else the default
	Config  string // path of the team's configuration, "" for none
	Rules   string // selector, see thresholds.Select; "" for all
	Cluster *bool  // whether snapshots come from cluster nodes, nil: as the file says
	// Edits are made last, and to rules that Rules does not select as well.
	Edits []thresholds.Edit
	// Baseline is the path of accepted findings, which are ignored after those that
	// the file ignores; "" for none.
	Baseline string
}

// UnknownProfile returns the error for a name that no built-in profile has.
func UnknownProfile(name string) *message.Error {
	return &message.Error{Message: message.New("unknown profile {profile}", message.Element("profile", name)),
		Hint: thresholds.Suggest(name, profileNames)}
}

// Load makes a policy. If the file is wrong, the error is of type Errors; if an
// option is, it is a *message.Error; otherwise it is
// that of reading the file.
func Load(opt Options) (*thresholds.Policy, error) {
	if opt.Config == "" {
		return LoadText(opt, nil)
	}
	text, err := readFile(opt.Config, MaxBytes)
	if err != nil {
		return nil, err
	}
	return LoadText(opt, text)
}

// readFile reads a file, and of a larger one one byte more than the limit.
func readFile(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, limit+1))
}

// LoadText is Load with the text of the file that opt.Config names.
func LoadText(opt Options, text []byte) (*thresholds.Policy, error) {
	s := stored{Options: opt, Text: text}
	if opt.Baseline != "" {
		var err error
		if s.BaselineText, err = readFile(opt.Baseline, maxBaseline); err != nil {
			return nil, err
		}
	}
	return s.load()
}

// stored is what a policy is made of, and Policy.Stored as JSON.
type stored struct {
	Options
	Text, BaselineText []byte // of the files
}

// Restore makes the policy again whose Policy.Stored is given. That may be hostile.
func Restore(from []byte) (*thresholds.Policy, error) {
	var s stored
	if err := json.Unmarshal(from, &s); err != nil {
		return nil, err
	}
	for _, e := range s.Edits {
		if int(e.Rule) >= len(thresholds.Rules()) || e.Kind != thresholds.EditLimit || e.Limit.Type > thresholds.AnyType ||
			e.Limit.Severity > thresholds.Error {
			return nil, errors.New("unknown edit of a rule")
		}
	}
	return s.load()
}

func (s *stored) load() (*thresholds.Policy, error) {
	opt := s.Options
	var team file
	if opt.Config != "" {
		r := &reader{path: opt.Config, text: s.Text, limit: MaxBytes, kind: thresholds.FromFile}
		team = r.read(configForm())
		if err := r.problems(); err != nil {
			return nil, err
		}
	}
	profile := thresholds.Text{Value: thresholds.DefaultProfile}
	switch {
	case opt.Profile != "":
		profile = thresholds.Text{Value: opt.Profile, Origin: thresholds.Origin{Kind: thresholds.FromFlag, Name: "--profile"}}
	case team.extends.Value != "":
		profile = team.extends
	}
	base := Profile(profile.Value)
	if base == nil {
		return nil, UnknownProfile(profile.Value)
	}
	p := base.Clone()
	p.Profile, p.File = profile, opt.Config
	team.addTo(p)
	if opt.Cluster != nil {
		p.Cluster = thresholds.Switch{Value: *opt.Cluster,
			Origin: thresholds.Origin{Kind: thresholds.FromFlag, Name: "--cluster"}}
	}
	if err := p.Select(opt.Rules); err != nil {
		return nil, err
	}
	for _, e := range opt.Edits {
		p.Deselected &^= 1 << e.Rule
	}
	p.Apply(opt.Edits)
	if opt.Baseline != "" {
		accepted, err := readBaseline(opt.Baseline, s.BaselineText)
		if err != nil {
			return nil, err
		}
		p.Ignores, p.Baseline = slices.Concat(p.Ignores, accepted), opt.Baseline
	}
	for _, e := range contradictions(p) {
		p.Warnings = append(p.Warnings, e.Problem)
	}
	var err error
	p.Stored, err = json.Marshal(s)
	return p, err
}

func (f *file) addTo(p *thresholds.Policy) {
	if f.separators.Value != "" {
		p.Separators = f.separators
	}
	if f.cluster != nil {
		p.Cluster = *f.cluster
	}
	if f.hashTags != nil {
		p.HashTags = *f.hashTags
	}
	if f.namespaces.isList {
		p.CloseNamespaces(f.namespaces.origin)
	}
	p.Apply(f.edits)
	p.Ignores, p.Overrides, p.Namespaces, p.Budgets, p.Abbreviations = f.ignores, f.overrides, f.namespaces.all, f.budgets,
		f.abbreviations
	p.Identities = f.identities
	p.Nightly, p.CodeDirs, p.SourceURL = f.nightly, f.codeDirs, f.sourceURL
	p.MaxDownload = f.maxDownload
	for i := range p.Namespaces {
		n := &p.Namespaces[i]
		n.Name = strings.TrimRight(n.Name, p.Separators.Value) // user: means user
	}
}

// Profiles returns the names of the built-in profiles, the default one first.
func Profiles() []string { return slices.Clone(profileNames) }

// Profile returns the policy of a built-in profile, nil if there is none of that
// name. It must not be changed.
func Profile(name string) *thresholds.Policy {
	if profile := profiles[name]; profile != nil {
		return profile()
	}
	return nil
}

// profiles read the built-in profiles, each once.
var profiles = map[string]func() *thresholds.Policy{}

func init() {
	for _, name := range profileNames {
		profiles[name] = sync.OnceValue(func() *thresholds.Policy { return readProfile(name) })
	}
}

func readProfile(name string) *thresholds.Policy {
	text, err := profileFiles.ReadFile("profiles/" + name + ".yaml")
	if err != nil {
		panic(err)
	}
	r := &reader{path: name, text: text, limit: MaxBytes, kind: thresholds.FromProfile}
	f := r.read(profileForm())
	if err := r.problems(); err != nil {
		panic(err)
	}
	p := &thresholds.Policy{Profile: thresholds.Text{Value: name}, Title: f.title, Source: f.source,
		HashTags: thresholds.Switch{Value: true}}
	for _, rule := range thresholds.Rules() {
		s := thresholds.DefaultSetting(rule)
		s.Origin = thresholds.Origin{Kind: thresholds.FromProfile, Name: name}
		p.Settings = append(p.Settings, s)
	}
	f.addTo(p)
	p.Fallback = fallback
	return p
}

// fallback returns what a rule is set to that is off in a profile and switched on: the
// setting of the first profile that has it on.
func fallback(rule thresholds.RuleID) *thresholds.Setting {
	for _, name := range profileNames {
		if s := &Profile(name).Settings[rule]; s.On {
			return s
		}
	}
	s := thresholds.DefaultSetting(thresholds.Rules()[rule])
	return &s
}

// Contradictions returns what is valid in a policy but cannot be meant, nil if there is nothing.
func Contradictions(p *thresholds.Policy) Errors {
	var s stored
	list := contradictions(p)
	if json.Unmarshal(p.Stored, &s) == nil {
		for _, e := range list {
			e.Excerpt = excerpt(s.Text, e.Line, e.Column)
		}
	}
	return list
}

// contradiction is a problem with what was set at a place. Its hint says what to write instead.
func contradiction(at thresholds.Origin, hint, problem message.Message) *Error {
	return &Error{Path: at.Name, Line: at.Line, Column: at.Column, Problem: problem, Hint: hint}
}

func contradictions(p *thresholds.Policy) (list Errors) {
	seen := map[string]bool{}
	add := func(o *thresholds.Override, settings []thresholds.Setting) {
		for i := range settings {
			for _, e := range slices.Concat(hiddenLimits(&settings[i]), contradictionsOf(&settings[i], settings)) {
				if text := e.Problem.String(); o == nil {
					seen[text] = true
				} else if seen[text] { // what holds for all keys is not repeated for some
					continue
				} else {
					e.Problem = message.New("keys {pattern}: {warning}", message.Name("pattern", o.Pattern()),
						message.Phrase("warning", e.Problem))
				}
				list = append(list, e)
			}
		}
	}
	add(nil, p.Settings)
	for i := range p.Overrides {
		o := &p.Overrides[i]
		add(o, p.Overridden(o))
	}
	for i := range p.Budgets {
		if b := &p.Budgets[i]; b.Owner != "" && !slices.Contains(p.Owners(), b.Owner) {
			list = append(list, contradiction(b.Origin,
				message.New("write an owner that a namespace or an override has, or group: with a pattern"),
				message.New("budget of owner {owner} ({origin}): no namespace or override has this owner",
					message.Element("owner", b.Owner), message.Phrase("origin", b.Origin.Message()))))
		}
	}
	known := map[string]thresholds.Namespace{}
	for _, n := range p.Namespaces {
		if first, ok := known[n.Name]; !ok {
			known[n.Name] = n
		} else if first.Owner != n.Owner {
			list = append(list, contradiction(n.Origin, message.New("write the namespace once"), message.New(
				"namespace {name} has the owner {owner} ({origin}); {other} ({otherorigin}) is ignored",
				message.Name("name", n.Name),
				message.Element("owner", first.Owner), message.Phrase("origin", first.Origin.Message()),
				message.Element("other", n.Owner),
				message.Phrase("otherorigin", n.Origin.Message()))))
		}
	}
	return list
}

// contradictionsOf describes what no key can fulfil together: lists and limits of one rule, or
// of a rule and a later one.
func contradictionsOf(s *thresholds.Setting, all []thresholds.Setting) (list Errors) {
	if !s.On {
		return nil
	}
	rule := message.Text("rule", s.Rule.Name)
	for _, allowed := range s.Lists {
		for _, forbidden := range s.Lists {
			if allowed.Forbidden || !forbidden.Forbidden {
				continue
			}
			for _, entry := range allowed.Entries {
				if slices.Contains(forbidden.Entries, entry) && allowed.Severity == forbidden.Severity {
					list = append(list, contradiction(forbidden.Origin, message.New("remove it from one of the lists"), message.New(
						"{rule}: {entry} is allowed and forbidden ({origin})", rule, message.Code("entry", entry),
						message.Phrase("origin", forbidden.Origin.Message()))))
				}
			}
		}
	}
	setting := func(name string) *thresholds.Setting {
		other, _ := thresholds.Lookup(name)
		return &all[other.ID]
	}
	switch s.Rule.Name {
	case "ttl-unwanted":
		if other := setting("no-ttl"); other.On && s.Origin.Kind >= thresholds.FromFile &&
			other.Origin.Kind >= thresholds.FromFile {
			list = append(list, contradiction(s.Origin, message.New("switch one of them off"), message.New(
				"{rule} ({origin}) and {other} ({otherorigin}): keys must have an expiry, and must not have one", rule,
				message.Phrase("origin", s.Origin.Message()), message.Text("other", other.Rule.Name),
				message.Phrase("otherorigin", other.Origin.Message()))))
		}
	case "ttl-too-short":
		if other := setting("ttl-too-long"); other.On {
			list = append(list, crossed(s, s.Limits, other, other.Limits)...)
		}
	}
	if s.Rule.Bound == thresholds.Both {
		least := slices.DeleteFunc(slices.Clone(s.Limits), func(l thresholds.Limit) bool { return !l.Under })
		most := slices.DeleteFunc(slices.Clone(s.Limits), func(l thresholds.Limit) bool { return l.Under })
		list = append(list, crossed(s, least, s, most)...)
	}
	return list
}

// crossed describes lower limits that are above upper ones of the same severity and unit.
func crossed(s *thresholds.Setting, lower []thresholds.Limit, other *thresholds.Setting,
	upper []thresholds.Limit) (list Errors) {
	for _, least := range lower {
		for _, most := range upper {
			if least.Severity != most.Severity || least.Type != most.Type || least.None || most.None ||
				least.Value <= most.Value {
				continue
			}
			unit := s.Rule.Unit
			list = append(list, contradiction(least.Origin,
				message.New("write less than {most} here", message.Limit("most", unit, most.Value)), message.New(
					"{rule}: at least {least} ({origin}) is more than the {most} that {other} allows ({otherorigin})",
					message.Text("rule", s.Rule.Name),
					message.Limit("least", unit, least.Value), message.Phrase("origin", least.Origin.Message()),
					message.Limit("most", unit, most.Value),
					message.Text("other", other.Rule.Name), message.Phrase("otherorigin", most.Origin.Message()))))
		}
	}
	return list
}

// hiddenLimits describes limits that can never be reported because one of a higher
// severity is reached no later.
func hiddenLimits(s *thresholds.Setting) (list Errors) {
	if !s.On || s.Rule.Unit == message.None {
		return nil
	}
	for _, l := range s.Limits {
		if l.None || l.Origin.Kind < thresholds.FromFile {
			continue // a limit of the profile gives way to those of the team
		}
		for above := l.Severity + 1; above <= thresholds.Error; above++ {
			v, ok := s.Limit(l.Type, l.Under, above)
			isLeast := l.Under || s.Rule.Bound == thresholds.Under
			if !ok || v != l.Value && (v < l.Value) == isLeast {
				continue
			}
			hint := "write less than {other} here, or remove it"
			if isLeast {
				hint = "write more than {other} here, or remove it"
			}
			other := message.Limit("other", s.Rule.Unit, v)
			list = append(list, contradiction(l.Origin, message.New(hint, other), message.New(
				"{rule}: the {severity} limit {limit} ({origin}) can never be reported: the {above} limit is {other}",
				message.Text("rule", s.Rule.Name), message.Text("severity", l.Severity.String()),
				message.Limit("limit", s.Rule.Unit, l.Value),
				message.Phrase("origin", l.Origin.Message()), message.Text("above", above.String()), other)))
			break
		}
	}
	return list
}
