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
		"others make them": {`void warm(String id) { jedis.set("w:" + id, ""); } void run() { jedis.set("w:" + a, ""); }`,
			"new Carts();",
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

// TestReached has functions that only others have the names of which nothing calls, and classes that nothing names.
func TestReached(t *testing.T) {
	const main = "class Main { public static void main(String[] a) { new Carts().keep(); } }\n"
	const dead = " possible SET if something calls the function\n"
	checkLines(t, map[string]string{"Main.java": main, "Carts.java": "import redis.clients.jedis.Jedis;\nclass Carts {\n" +
		"  void keep() { jedis.set(\"kept:a\", \"\"); }\n" +
		"  void first(String id) { second(id); }\n" +
		"  void second(String id) { first(id); jedis.set(\"two:\" + id, \"\"); }\n}\n",
		"Old.java": "class Old {\n  static Old one = new Old();\n" +
			"  void keep(String id) { jedis.set(\"old:\" + id, \"\"); }\n}\n",
		"Kept.java": "@Bean\nclass Kept {\n  void keep(String id) { jedis.set(\"bean:\" + id, \"\"); }\n}\n",
		"Idle.java": "@Slf4j\n@Service(\"idle\")\npublic class Idle {\n" +
			"  public void keep(String id) { jedis.set(\"idle:\" + id, \"\"); }\n}\n",
		"Made.java": "class Made extends Thing {\n  void keep(String id) { jedis.set(\"made:\" + id, \"\"); }\n}\n",
	}, "Carts.java:3 kept:a certain SET\nCarts.java:5 two:*"+dead+"Idle.java:4 idle:*"+dead+
		"Kept.java:3 bean:* certain SET\n"+
		"Made.java:2 made:* certain SET\nOld.java:3 old:*"+dead)
	const routes = "<?php\nuse Illuminate\\Support\\Facades\\Route;\nRoute::get('/', 'HomeController@show');\n"
	const controller = "<?php\nuse Illuminate\\Support\\Facades\\Redis;\nclass %Controller extends Controller {\n" +
		"  public function show($id) { Redis::set(\"%:$id\", 1); }\n}\n"
	files := map[string]string{"composer.json": "{\"require\": {}}\n", "routes/web.php": routes,
		"app/Http/Controllers/HomeController.php": strings.ReplaceAll(controller, "%", "Home"),
		"app/Http/Controllers/OldController.php":  strings.ReplaceAll(controller, "%", "Old")}
	const home = "app/Http/Controllers/HomeController.php:4 *Home:* certain SET\n" +
		"app/Http/Controllers/OldController.php:4 *Old:*"
	checkLines(t, files, home+dead)
	delete(files, "routes/web.php")
	checkLines(t, files, home+" certain SET\n")
	checkLines(t, map[string]string{"main.go": "package main\n\nimport \"github.com/redis/go-redis/v9\"\n\n" +
		"func main() {\n\t// http.Handle(\"/\", probe)\n\trdb.Set(ctx, \"up:main\", 1, 0)\n}\n\n" +
		"func Index(id string) {\n\trdb.Set(ctx, \"index:\"+id, 1, 0)\n}\n"},
		"main.go:7 up:main certain SET\nmain.go:11 index:*"+dead)
}
