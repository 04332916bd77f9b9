package report

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"time"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/report/internal/agg"
	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/config"
)

// TestOwnersAndIgnored follows keys into the totals of their owners, and
// findings that are not to count into the list of those.
func TestOwnersAndIgnored(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rdblens.yaml")
	text := `
extends: default
namespaces: {user: accounts, order: orders}
overrides:
  - {key: "user:vip:*", owner: sales}
ignore:
  - {rule: no-ttl, key: "order:*", reason: "kept for the auditors", until: 2030-06-30}
  - {rule: no-ttl, key: "user:*", reason: "was to be fixed", until: 2020-01-31}
`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	policy, err := config.Load(config.Options{Config: path})
	if err != nil {
		t.Fatal(err)
	}
	engine := policy.Compile(thresholds.Env{Server: "redis", Version: "7.0.15", Created: testCreated, Memory: true, Now: time.Unix(testCreated, 0)})
	var keys []parser.Key
	for i, name := range []string{"user:1:a", "user:2:a", "user:vip:1", "order:1:a", "order:2:a", "order:3:a", "user:9:b"} {
		k := parser.Key{Name: []byte(name), NameLen: int64(len(name)), Encoding: parser.EncEmbstr, Elements: 1, ValueBytes: 10, Serialized: 11,
			Memory: 60, MemoryUsage: 60, Largest: 10, Longest: 10, CompactMemory: -1, Idle: -1, Freq: -1, Live: -1, Offset: int64(i)}
		if i == 6 {
			k.HasExpire, k.ExpireAt = true, testCreated*1000+60_000
		}
		keys = append(keys, k)
	}
	r := gather(engine, agg.Options{Top: 3}, keys, 2).Report()

	owners := map[string]Owner{}
	for _, o := range r.Owners {
		owners[o.Owner] = o
	}
	for name, want := range map[string]Owner{
		"accounts": {Owner: "accounts", Keys: 3, Elements: 3, ValueBytes: 30, MemoryBytes: 180, WithoutTTL: 2, Findings: Counts{Warning: 2}},
		"sales":    {Owner: "sales", Keys: 1, Elements: 1, ValueBytes: 10, MemoryBytes: 60, WithoutTTL: 1, Findings: Counts{Warning: 1}},
		"orders":   {Owner: "orders", Keys: 3, Elements: 3, ValueBytes: 30, MemoryBytes: 180, WithoutTTL: 3, Findings: Counts{Ignored: 3}},
	} {
		if owners[name] != want {
			t.Errorf("owner %s\n got %+v\nwant %+v", name, owners[name], want)
		}
	}
	if r.Findings != (Counts{Warning: 3, Ignored: 3}) {
		t.Errorf("findings %+v", r.Findings)
	}
	want := []Ignored{{Rule: "no-ttl", Pattern: "order:*", Reason: "kept for the auditors", Until: "2030-06-30", Count: 3},
		{Rule: "no-ttl", Pattern: "user:*", Reason: "was to be fixed", Until: "2020-01-31", Expired: true}}
	if len(r.Ignored) != 2 || r.Ignored[0] != want[0] || r.Ignored[1] != want[1] {
		t.Errorf("ignored\n got %+v\nwant %+v", r.Ignored, want)
	}
	groups := map[Name]string{}
	for _, g := range r.Groups {
		groups[g.Group] = g.Owner
	}
	if groups["user:*:a"] != "accounts" || groups["user:vip:1"] != "sales" || groups["order:*:a"] != "orders" {
		t.Errorf("owners of groups: %q", groups)
	}
}

// TestCommandsSelect checks that commands on keys of several databases, pasted one
// after the other, each select their database.
func TestCommandsSelect(t *testing.T) {
	engine := testEngine(t, "default")
	for _, c := range []struct {
		dbs  []int
		want []string
	}{{[]int{0, 0}, []string{"TYPE", "TYPE"}}, {[]int{0, 5}, []string{"SELECT 0", "SELECT 5"}}, {[]int{5, 5}, []string{"SELECT 5", "SELECT 5"}}} {
		var keys []parser.Key
		for i, db := range c.dbs {
			keys = append(keys, parser.Key{DB: db, Name: []byte{'a', ':', byte('a' + i)}, NameLen: 3, Encoding: parser.EncRaw, Elements: 1, ValueBytes: 20000 - int64(i),
				Memory: 20480, MemoryUsage: 20480, CompactMemory: -1, Idle: -1, Freq: -1, Live: -1, Offset: int64(i)})
		}
		r := gather(engine, agg.Options{Top: 3}, keys, 2).Report()
		at := slices.IndexFunc(r.Rules, func(f Finding) bool { return f.Rule == "big-string" })
		if at < 0 || len(r.Rules[at].Examples) != 2 {
			t.Fatalf("%v: %+v", c.dbs, r.Rules)
		}
		for i, e := range r.Rules[at].Examples {
			for _, a := range e.Advice {
				if a.Kind == "look" && !strings.HasPrefix(a.Commands[0], c.want[i]) {
					t.Errorf("%v: key %d begins with %q, want %q", c.dbs, i, a.Commands[0], c.want[i])
				}
				if a.Kind == "delete" && c.want[0] != "TYPE" && a.Commands[0] != c.want[i] {
					t.Errorf("%v: deletion of key %d begins with %q, want %q", c.dbs, i, a.Commands[0], c.want[i])
				}
			}
		}
	}
}

// TestOwnersOfSeveralInputs checks that the figures of owners add up over inputs:
// the same snapshot twice has twice of each.
func TestOwnersOfSeveralInputs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rdblens.yaml")
	if err := os.WriteFile(path, []byte("namespaces: {session: accounts, order: orders}\nignore: [{rule: no-ttl, key: \"order:*\", reason: kept}]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	policy, err := config.Load(config.Options{Config: path})
	if err != nil {
		t.Fatal(err)
	}
	scan := func(sources ...Source) []Owner {
		r, err := Scan(t.Context(), sources, policy, Options{})
		if err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(r.Owners, func(a, b Owner) int { return strings.Compare(a.Owner, b.Owner) })
		return r.Owners
	}
	file := FileSource("../testdata/shop.rdb")
	once, twice := scan(file), scan(file, file)
	if len(once) != 3 || once[1].WithoutTTL+once[2].WithoutTTL == 0 || once[1].Findings.Ignored+once[2].Findings.Ignored == 0 {
		t.Fatalf("owners %+v", once)
	}
	for i, o := range once {
		o.Keys, o.Elements, o.ValueBytes, o.MemoryBytes, o.WithoutTTL = 2*o.Keys, 2*o.Elements, 2*o.ValueBytes, 2*o.MemoryBytes, 2*o.WithoutTTL
		f := &o.Findings
		f.Error, f.Warning, f.Info, f.Ignored = 2*f.Error, 2*f.Warning, 2*f.Info, 2*f.Ignored
		if o != twice[i] {
			t.Errorf("twice: %+v, want %+v", twice[i], o)
		}
	}
}

// TestPrefixReports compares the report of each prefix, made in one pass, with a scan of its keys
// alone.
func TestPrefixReports(t *testing.T) {
	policy, err := config.Load(config.Options{})
	if err != nil {
		t.Fatal(err)
	}
	sources := []Source{FileSource("../testdata/shop.rdb"), FileSource("../testdata/shop.rdb")}
	now := time.Unix(1800000000, 0)
	whole, err := Scan(t.Context(), sources, policy, Options{Now: now})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(whole.Prefixes(2, 3), " "); got != "archive:invoices: coupon:flash: leaderboard:global:" {
		t.Errorf("heaviest prefixes: %s", got)
	}
	prefixes := []string{"coupon:flash:", "cart:", "nothing:"}
	text := func(r *Report) string {
		r.FixFirst, r.Savings = nil, nil // those of the whole name also what no part of the keys has
		r.Filter, r.Config, r.Inputs = nil, Config{}, nil
		return string(render(t, "json", r, 0))
	}
	var got []string
	_, err = Scan(t.Context(), sources, policy, Options{Now: now, Prefixes: prefixes, Part: func(prefix string, r *Report) {
		got = append(got, prefix)
		if len(r.Filter.Under) != 1 || r.Filter.Under[0] != prefix || r.Filter.Dropped+r.Totals.Keys != whole.Totals.Keys {
			t.Errorf("%q: filter %+v of %d keys", prefix, r.Filter, r.Totals.Keys)
		}
		alone, err := Scan(t.Context(), sources, policy, Options{Now: now, Keep: func(k *parser.Key, _ string, _ int64) bool { return strings.HasPrefix(string(k.Name), prefix) }})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range []*Report{r, alone} { // rules over the whole instance say nothing about a part
			r.Rules = slices.DeleteFunc(r.Rules, func(f Finding) bool { return f.Rule == "ttl-stampede" || f.Rule == "multiple-databases" })
			r.Findings, r.Passed = Counts{}, nil
		}
		if got, want := text(r), text(alone); got != want {
			t.Errorf("%q: the report differs from that of a scan with a filter:\n%s", prefix, cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")))
		}
	}})
	if want := prefixes[:2]; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v: reports of %q, want %q", err, got, want)
	}
}

// TestOwnerReports compares the report of each owner, made in one pass, with a scan
// of the owner's keys alone.
func TestOwnerReports(t *testing.T) {
	policy, err := config.LoadText(config.Options{Config: "x.yaml"}, []byte("namespaces: {coupon: {owner: promo}, cart: {owner: checkout}, zzz: {owner: nobody}}\n"+
		"rules: {min-keys: {error: 100000}}\nbudgets: [{owner: promo, keys: {error: 1}}]"))
	if err != nil {
		t.Fatal(err)
	}
	sources := []Source{FileSource("../testdata/shop.rdb"), FileSource("../testdata/shop.rdb")}
	text := func(r *Report) string {
		r.FixFirst, r.Savings = nil, nil // those of the whole name also what no part of the keys has
		r.Filter, r.Config = nil, Config{}
		r.Rules = slices.DeleteFunc(r.Rules, func(f Finding) bool { return f.Rule == "min-keys" || f.Rule == "budget" })
		r.Passed = slices.DeleteFunc(r.Passed, func(rule string) bool { return rule == "min-keys" || rule == "budget" })
		r.Findings.Error, r.Budgets, r.Checks = 0, nil, nil
		for i := range r.Inputs {
			r.Inputs[i].Memory = nil
		}
		return string(render(t, "json", r, 0))
	}
	for _, jobs := range []int{1, 4} {
		keys, owners := int64(0), []string{}
		whole, err := Scan(t.Context(), sources, policy, Options{Jobs: jobs, Top: 5, Now: time.Unix(1800000000, 0), Part: func(owner string, r *Report) {
			owners = append(owners, owner)
			keys += r.Totals.Keys
			if len(r.Filter.Owners) != 1 || r.Filter.Owners[0] != owner || r.Filter.Dropped+r.Totals.Keys != 2*12624 {
				t.Errorf("%q: filter %+v of %d keys", owner, r.Filter, r.Totals.Keys)
			}
			for _, f := range r.Rules {
				if f.Rule == "min-keys" || f.Rule == "budget" {
					t.Errorf("%q: %s says nothing about a part of the keys", owner, f.Rule)
				}
			}
			alone, err := Scan(t.Context(), sources, policy, Options{Top: 5, Now: time.Unix(1800000000, 0), Keep: func(_ *parser.Key, of string, _ int64) bool { return of == owner }})
			if err != nil {
				t.Fatal(err)
			}
			if got, want := text(r), text(alone); got != want {
				t.Errorf("%q: the report differs from that of a scan with a filter:\n%s", owner, cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")))
			}
		}})
		if err != nil || keys != whole.Totals.Keys || strings.Join(owners, ",") != ",promo,checkout" {
			t.Errorf("%v: %d keys of owners %q, %d in all", err, keys, owners, whole.Totals.Keys)
		}
		if b := whole.Budgets; len(b) != 1 || b[0].Inputs != 2 || b[0].Keys == 0 || b[0].Keys%2 != 0 || whole.Findings.Error < 3 {
			t.Errorf("the whole report: budgets %+v, %d errors", b, whole.Findings.Error)
		}
	}
}
