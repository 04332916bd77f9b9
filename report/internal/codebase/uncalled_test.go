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

// TestClosedMethods has methods of a controller that a framework does not call: they are not public. A trait of a
// library, or a class of one, may call those that are protected.
func TestClosedMethods(t *testing.T) {
	const dead = " possible SET if something calls the function\n"
	const methods = "  public function show($id) { $this->redis->set(\"a:$id\", 1); $this->used($id); }\n" +
		"  protected function used($id) { $this->redis->set(\"b:$id\", 1); }\n" +
		"  protected function stale($id) { $this->redis->set(\"c:$id\", 1); }\n" +
		"  private function older($id) { $this->redis->set(\"d:$id\", 1); }\n}\n"
	for head, want := range map[string]string{
		"class CartController extends Controller {":                           "6 c:*" + dead + "7 d:*" + dead,
		"class CartController extends Controller {\n  use \\Hooked, Counted;": "7 c:* certain SET\n8 d:*" + dead,
		"class CartController extends \\Admin\\Panel {":                       "6 c:* certain SET\n7 d:* certain SET\n",
	} {
		got := lines(checkout(t, map[string]string{"composer.json": "{\"require\": {}}\n",
			"app/Http/Controllers/Controller.php":     "<?php\nabstract class Controller {\n}\n",
			"app/Http/Controllers/CartController.php": "<?php\nuse Predis\\Client;\n" + head + "\n" + methods}))
		got = strings.ReplaceAll(got, "app/Http/Controllers/CartController.php:", "")
		if !strings.HasSuffix(got, want) || strings.Count(got, "\n") != 4 || strings.Contains(got, "b:*"+dead) {
			t.Errorf("%s: got\n%s\nwant\n%s", head, got, want)
		}
	}
}

// TestUsedClasses has classes that are used only through what they extend, or that an import alone names.
func TestUsedClasses(t *testing.T) {
	const alive, dead = " certain SET\n", " possible SET if something calls the function\n"
	const main = "import shop.Store;\nclass Main { public static void main(String[] a) { % } }\n"
	const set = "  @Override public void keep(String id) { jedis.set(\"kept:\" + id, \"\"); }\n}\n"
	const limit = "@Aspect\n@Component\nclass LimitAspect {\n  @Around(\"@annotation(limit)\")\n" +
		"  Object around(Call call, Limit limit) { jedis.set(\"limit:\" + call.id(), \"\"); }\n}\n"
	const limits = "@interface Limit {\n  int value();\n}\n"
	const extensions = "using StackExchange.Redis;\nstatic class Carts {\n" +
		"  public static void Keep(this IDatabase redis, string id) => redis.StringSet(\"kept:\" + id, 1);\n}\n"
	const program = "class Program {\n  static void Main() { % }\n}\n"
	for name, test := range map[string]struct {
		files map[string]string
		use   string // in the file with %
		want  string
	}{
		"nothing but an import names the interface": {map[string]string{"Main.java": main,
			"Store.java": "interface Store {}\n",
			"Own.java":   "@Service\nclass Own implements Store {\n" + set}, "run();", "Own.java:3 kept:*" + dead},
		"the interface is named": {map[string]string{"Main.java": main,
			"Store.java": "interface Store {}\n",
			"Own.java":   "@Service\nclass Own implements Store {\n" + set}, "Store s; keep(s);", "Own.java:3 kept:*" + alive},
		"the interface is of a library": {map[string]string{"Main.java": main,
			"Own.java": "@Service\nclass Own implements Store {\n" + set}, "run();", "Own.java:3 kept:*" + alive},
		"only its name could make an object": {map[string]string{"Main.java": main,
			"Store.java": "interface Store {}\n",
			"Own.java":   "@Slf4j\nclass Own implements Store {\n" + set}, "Store s;", "Own.java:3 kept:*" + dead},
		"an abstract class of a library's": {map[string]string{"Main.java": main,
			"Own.java": "abstract class Own implements Store {\n" + set}, "run();", "Own.java:2 kept:*" + dead},
		"no method has the annotation": {map[string]string{"Main.java": main,
			"Limit.java": limits, "LimitAspect.java": limit}, "run();", "LimitAspect.java:5 limit:*" + dead},
		"a method has the annotation": {map[string]string{"Main.java": main,
			"Limit.java": limits, "LimitAspect.java": limit}, "} @Limit(3) void run() {", "LimitAspect.java:5 limit:*" + alive},
		"no method has the annotation of a parameter": {map[string]string{"Main.java": main, "Limit.java": limits,
			"Own.java": "@Filtered\nclass Own {\n  void check(Limit limit) { jedis.set(\"kept:\" + id, \"\"); }\n" +
				"  @Override void all() { check(method.getAnnotation(Limit.class)); }\n}\n"}, "run();",
			"Own.java:3 kept:*" + dead},
		"its annotation does not say who calls it": {map[string]string{"Main.java": main,
			"Own.java": "@Service\nclass Own {\n" +
				"  @Transactional\n  void keep(String id) { jedis.set(\"kept:\" + id, \"\"); }\n}\n"},
			"run();", "Own.java:4 kept:*" + dead},
		"an implementation that nothing makes": {map[string]string{"main.go": "package main\n\nfunc main() {\n" +
			"\tvar s Store = newNear()\n\ts.Keep(\"kept:\" + id)\n\t%\n}\n",
			"far.go": "package main\n\nimport \"github.com/redis/go-redis/v9\"\n\n" +
				"type Far struct {\n\trdb *redis.Client\n}\n\n" +
				"func NewFar(rdb *redis.Client) *Far {\n\treturn &Far{rdb}\n}\n\n" +
				"func (f *Far) Keep(key string) {\n\tf.rdb.Set(ctx, \"far:\"+key, 1, 0)\n}\n"},
			"run()", "far.go:14 far:*" + dead},
		"a parameter has an annotation": {map[string]string{"Main.java": main, "Limit.java": limits,
			"Own.java": "@Filtered\nclass Own {\n  @Get\n" +
				"  void check(@Limit String id) { jedis.set(\"kept:\" + id, \"\"); }\n}\n"},
			"run();", "Own.java:4 kept:*" + alive},
		"an extension is called": {map[string]string{"Carts.cs": extensions, "Program.cs": program}, "redis.Keep(id);",
			"Carts.cs:3 kept:*" + alive},
		"an extension is not called": {map[string]string{"Carts.cs": extensions, "Program.cs": program}, "Run();",
			"Carts.cs:3 kept:*" + dead},
		"a function without a name calls it": {map[string]string{"app.js": "import { keep } from './carts';\n%\n",
			"carts.js": "import { redis } from './redis';\nexport const keep = async (id) => {\n" +
				"  await redis.set(`kept:${id}`, 1);\n};\n"}, "app.get('/', wrap(async (req) => {\n  await keep(req.id);\n}));",
			"carts.js:3 kept:*" + alive},
		"it is only imported": {map[string]string{"app.js": "import { keep } from './carts';\n%\n",
			"carts.js": "import { redis } from './redis';\nexport const keep = async (id) => {\n" +
				"  await redis.set(`kept:${id}`, 1);\n};\n"}, "app.get('/');", "carts.js:3 kept:*" + dead},
	} {
		t.Run(name, func(t *testing.T) {
			for file, src := range test.files {
				test.files[file] = strings.Replace(src, "%", test.use, 1)
			}
			checkLines(t, test.files, test.want)
		})
	}
}
