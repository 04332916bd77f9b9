package thresholds

import (
	"embed"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
)

// DefaultProfile is the profile in force where nobody names another.
const DefaultProfile = "default"

//go:embed profiles/*.yaml
var profileFiles embed.FS

var profileNames = []string{"default", "aliyun", "baidu", "typed", "upper"}

// Profiles gives the names of the profiles, the default one first.
func Profiles() []string { return append([]string(nil), profileNames...) }

// Policy is the set of rules in force, with where each of its values comes
// from. It is not changed after Load.
type Policy struct {
	Profile Text   // the profile that it builds on
	Title   string // the profile in a line
	Source  string // the document behind the profile, "" several
	File    string // path of the team's configuration, "" none
	Rules   string // the selector of the command line, "" none

	Separators    Text
	Cluster       Switch    // a cluster's node, whatever the snapshot shows
	HashTags      Switch    // off: a proxy takes {…} for a part of the name
	Settings      []Setting // one a rule, by RuleID
	Ignores       []Ignore
	Overrides     []Override
	Namespaces    []Namespace
	Abbreviations []Abbreviation

	Warnings []string // what is allowed but can hardly be meant

	selected RuleSet // that the selector leaves on, or may be switched on by overrides
}

// LoadOptions say what a policy is made of. A flag beats the file, and the file
// beats the profile.
type LoadOptions struct {
	Profile string // "": as the file says, else default
	Config  string // path of the team's configuration, "": none
	Rules   string // selector, as Select takes it; "": all
	Cluster *bool  // whether it is a cluster's node, nil: as the file says
}

// ProfileError names a profile that does not exist.
type ProfileError struct{ Name string }

// Error names the profile.
func (e *ProfileError) Error() string { return fmt.Sprintf("unknown profile %q", e.Name) }

// Hint proposes the nearest.
func (e *ProfileError) Hint() string { return Propose(e.Name, profileNames) }

// Load makes a policy. The error is ConfigErrors where the file is wrong, a
// *ProfileError or *SelectError where a flag is, else that of reading the file.
func Load(opt LoadOptions) (*Policy, error) {
	var text []byte
	if opt.Config != "" {
		var err error
		if text, err = readConfig(opt.Config); err != nil {
			return nil, err
		}
	}
	return makePolicy(opt, text)
}

// makePolicy makes a policy of the text of the configuration that opt names.
func makePolicy(opt LoadOptions, text []byte) (*Policy, error) {
	var team *document
	var file *yamlFile
	if opt.Config != "" {
		file = &yamlFile{path: opt.Config, text: text, kind: FromFile}
		team = file.read()
		if team.extended != nil && !contains(profileNames, team.extends) {
			file.at(team.extended.GetToken(), Propose(team.extends, profileNames), "unknown profile %q", team.extends)
		}
		if len(file.errs) > 0 {
			return nil, file.errs
		}
	}
	name := Text{Value: DefaultProfile}
	if team != nil && team.extends != "" {
		name = Text{team.extends, file.origin(team.extended)}
	}
	if opt.Profile != "" {
		name = Text{opt.Profile, Origin{Kind: FromFlag, Name: "--profile"}}
	}
	if !contains(profileNames, name.Value) {
		return nil, &ProfileError{name.Value}
	}
	p := profiles()[name.Value].clone()
	p.Profile = name
	if team != nil {
		p.File = opt.Config
		p.take(team)
	}
	if opt.Cluster != nil {
		p.Cluster = Switch{*opt.Cluster, Origin{Kind: FromFlag, Name: "--cluster"}}
	}
	if err := p.choose(opt.Rules); err != nil {
		return nil, err
	}
	p.warn()
	return p, nil
}

// readConfig reads a file of bounded size: a configuration may be a pipe.
func readConfig(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxConfigBytes+1))
}

// profiles reads the embedded profiles, once.
var profiles = sync.OnceValue(func() map[string]*Policy {
	all := map[string]*Policy{}
	for _, name := range profileNames {
		text, err := profileFiles.ReadFile(path.Join("profiles", name+".yaml"))
		if err != nil {
			panic(err)
		}
		file := &yamlFile{path: name, text: text, kind: FromProfile}
		d := file.read()
		p := &Policy{Title: d.title, Source: d.source, HashTags: Switch{Value: true}}
		for _, r := range Rules() {
			p.Settings = append(p.Settings, defaultSetting(r))
			p.Settings[r.ID].Origin = Origin{Kind: FromProfile, Name: name}
		}
		if d.separators != nil {
			p.Separators = *d.separators
		}
		for i := range d.edits {
			e := &d.edits[i]
			p.Settings[e.rule].apply(e, &p.Settings[e.rule])
		}
		if len(file.errs) > 0 {
			panic("thresholds: profile " + file.errs.Error())
		}
		all[name] = p
	}
	return all
})

// fallback gives what a rule is set to that a profile has off: the setting of
// the first profile that has it on.
func fallback(id RuleID) *Setting {
	for _, name := range profileNames {
		if s := &profiles()[name].Settings[id]; s.On {
			return s
		}
	}
	s := defaultSetting(Rules()[id])
	return &s
}

func (p *Policy) clone() *Policy {
	c := *p
	c.Settings = cloneSettings(p.Settings)
	return &c
}

func cloneSettings(list []Setting) []Setting {
	c := make([]Setting, len(list))
	for i := range list {
		c[i] = list[i].clone()
	}
	return c
}

// take applies a team's configuration.
func (p *Policy) take(d *document) {
	if d.separators != nil {
		p.Separators = *d.separators
	}
	if d.cluster != nil {
		p.Cluster = *d.cluster
	}
	if d.hashtags != nil {
		p.HashTags = *d.hashtags
	}
	for i := range d.edits {
		e := &d.edits[i]
		p.Settings[e.rule].apply(e, fallback(e.rule))
	}
	p.Ignores, p.Overrides = d.ignores, d.overrides
	p.Namespaces, p.Abbreviations = d.namespaces, d.abbreviations
	for i := range p.Namespaces {
		n := &p.Namespaces[i]
		n.Name = strings.TrimRight(n.Name, p.Separators.Value) // user: is user
	}
}

// choose leaves the rules on that a selector names. A rule that is named in
// full is switched on where the policy has it off.
func (p *Policy) choose(selector string) error {
	p.selected = AllRules()
	if selector == "" {
		return nil
	}
	set, named, err := parseSelector(selector)
	if err != nil {
		return err
	}
	p.Rules, p.selected = selector, set
	from := Origin{Kind: FromFlag, Name: "--rules"}
	for i := range p.Settings {
		if id := RuleID(i); named.Has(id) || !set.Has(id) {
			p.Settings[i].apply(&edit{what: editSwitch, on: set.Has(id), from: from}, fallback(id))
		}
	}
	return nil
}

// override applies the edits of an override to settings, but those of rules that
// the selector of the command line left out.
func (p *Policy) override(settings []Setting, edits []edit) {
	for i := range edits {
		if e := &edits[i]; p.selected.Has(e.rule) {
			settings[e.rule].apply(e, fallback(e.rule))
		}
	}
}

// Owners gives the owners that the policy names, in the order in which they
// first stand there. The first is "": nobody.
func (p *Policy) Owners() []string {
	owners := []string{""}
	known := map[string]bool{"": true}
	add := func(owner string) {
		if !known[owner] {
			known[owner] = true
			owners = append(owners, owner)
		}
	}
	for _, n := range p.Namespaces {
		add(n.Owner)
	}
	for _, o := range p.Overrides {
		add(o.Owner.Value)
	}
	return owners
}

// InForce names the configuration in a line: "profile aliyun, rdblens.yaml, --rules all,-no-ttl".
func (p *Policy) InForce() string {
	s := "profile " + p.Profile.Value
	if p.File != "" {
		s += ", " + p.File
	}
	if p.Rules != "" {
		s += ", --rules " + p.Rules
	}
	return s
}

// warn notes what can hardly be meant.
func (p *Policy) warn() {
	for i := range p.Settings {
		s := &p.Settings[i]
		p.warnOrder("", s)
	}
	for i := range p.Overrides {
		o := &p.Overrides[i]
		settings := cloneSettings(p.Settings)
		p.override(settings, o.edits)
		for j := range settings {
			p.warnOrder("keys "+o.Pattern()+": ", &settings[j])
		}
	}
	known := map[string]Namespace{}
	for _, n := range p.Namespaces {
		if first, ok := known[n.Name]; ok && first.Owner != n.Owner {
			p.Warnings = append(p.Warnings, fmt.Sprintf("namespace %s has the owner %q (%s), so %q (%s) is not heard", n.Name, first.Owner, first.Origin, n.Owner, n.Origin))
		} else if !ok {
			known[n.Name] = n
		}
	}
}

// warnOrder notes a limit that can never be reported because a severer one is
// passed no later. What was noted of all keys is not noted of some.
func (p *Policy) warnOrder(where string, s *Setting) {
	if !s.On || s.Rule.Unit == NoUnit {
		return
	}
	for i := range s.Limits {
		l := &s.Limits[i]
		if l.None || l.Severity == Off {
			continue
		}
		for above := l.Severity + 1; above <= Error; above++ {
			v, ok := s.Limit(l.Type, l.Under, above)
			if !ok || v != l.Value && (v < l.Value) == (l.Under || s.Rule.Bound == Under) {
				continue
			}
			text := fmt.Sprintf("%s: the %s limit %s (%s) can never be reported: the %s limit is %s",
				s.Rule.Name, l.Severity, s.Rule.Unit.Format(l.Value), l.Origin, above, s.Rule.Unit.Format(v))
			if !slices.Contains(p.Warnings, text) {
				p.Warnings = append(p.Warnings, where+text)
			}
			break
		}
	}
}
