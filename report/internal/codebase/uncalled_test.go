package codebase

import (
	"strings"
	"testing"
)

// TestUncalled has methods of which nothing has the name: their keys are possible, unless a framework may call them, or
// others make the same keys.
func TestUncalled(t *testing.T) {
	const alive, dead = " certain SET\n", " possible SET if something calls the function\n"
	const warm = `void warm(String id) { jedis.set("warm:" + id, ""); }`
	for name, test := range map[string]struct{ body, other, want string }{
		"nothing calls it": {warm, "", "4 warm:*" + dead},
		"a call":           {warm, "new Carts().warm(id);", "4 warm:*" + alive},
		"itself":           {`void warm(String id) { jedis.set("warm:" + id, ""); warm(id); }`, "", "4 warm:*" + dead},
		"a name in a text": {warm, `invoke(Carts.class, "warm");`, "4 warm:*" + alive},
		"an annotation":    {`@Every void warm(String id) { jedis.set("warm:" + id, ""); }`, "", "4 warm:*" + alive},
		"others make them": {`void warm(String id) { jedis.set("w:" + id, ""); } void run() { jedis.set("w:" + a, ""); }`, "new Carts();",
			"4 w:*" + alive},
	} {
		t.Run(name, func(t *testing.T) {
			got := lines(checkout(t, map[string]string{
				"Carts.java": "import redis.clients.jedis.Jedis;\nclass Carts {\n  Jedis jedis;\n  " + test.body + "\n}\n",
				"Main.java":  "class Main { public static void main(String[] a) { " + test.other + " } }\n"}))
			if got = strings.ReplaceAll(got, "Carts.java:", ""); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}
