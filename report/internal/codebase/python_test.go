package codebase

import (
	"strings"
	"testing"
)

// TestPythonClients has what says that a project of Python has a client of the server, and which locks are its.
func TestPythonClients(t *testing.T) {
	const use = "\n\nasync def f(cart):\n    cache = Factory.get_cache()\n    await cache.set(f\"cart:{cart}\", 1, ex=60)\n"
	for head, want := range map[string]string{
		"from redis.exceptions import LockError as RedisLockError":  "",
		"from azure import StandardBlobTier\nURL = 'redis://cache'": "",
		"from redis import Redis":                                   "use.py:5 cart:* likely SET\n",
	} {
		checkLines(t, map[string]string{"use.py": head + use}, want)
	}
	const own = "import sqlite3\n\nclass Store:\n    def setex(self, k, n, v): pass\n\n" +
		"def get_redis():\n    return Store()\n"
	const cart = "from app.redis import get_redis\n\ndef f(id):\n    r = get_redis()\n    r.setex(f\"cart:{id}\", 60, 1)\n"
	for start, want := range map[string]string{
		"":                           "",
		"import redis\n":             "app/cart.py:5 cart:* certain SETEX\n",
		"import_module(\"redis\")\n": "app/cart.py:5 cart:* certain SETEX\n",
	} {
		checkLines(t, map[string]string{"app/redis.py": start + own, "app/cart.py": cart}, want)
	}
	checkLines(t, map[string]string{"app/cart.py": strings.Replace(cart, "app.redis", "shared.redis", 1)},
		"app/cart.py:5 cart:* certain SETEX\n") // a package that is not in the checkout
	checkLines(t, map[string]string{"locks.py": "import redis\nclient = get_client()\n\n" +
		"def f(id):\n    with DB.lock(\"migrate\", -1):\n        client.lock(f\"busy:{id}\")\n",
		"start.py": "import redis\n\ndef f(id):\n    g(start_lock=RedisStartLock())\n    start_lock.lock(\"runtime\")\n",
	}, "locks.py:6 busy:* certain SET\n")
}

// TestChoices has functions that compare a parameter with constants, and an abstract class with one implementation.
func TestChoices(t *testing.T) {
	checkLines(t, map[string]string{"queues.py": "import redis\n\ndef queue_of(kind):\n    if kind == 'mail':\n" +
		"        return 'mails_'\n    elif kind == KIND_PUSH:\n        return 'pushes_'\n    return 'rest_'\n\n" +
		"KIND_PUSH = 'push'\n\ndef f(id, kind):\n    redis.set(queue_of('mail') + id, 1)\n" +
		"    redis.set(queue_of(KIND_PUSH) + id, 1)\n    redis.set(queue_of('sms') + id, 1)\n" +
		"    redis.set(queue_of(kind) + id, 1)\n",
		"queue.ts": "import Redis from 'ioredis';\nfunction nameKey(kind: string) {\n  if (kind === 'mail') {\n" +
			"    return 'mail_all';\n  }\n  return 'push_all';\n}\n" +
			"export const f = (redis: Redis) => redis.incr(nameKey('mail'));\n",
	}, "queue.ts:4 mail_all likely\nqueue.ts:8 mail_all certain INCR\nqueues.py:13 mails_* certain SET\n"+
		"queues.py:14 pushes_* certain SET\nqueues.py:15 rest_* certain SET\nqueues.py:16 mails_* certain SET\n"+
		"queues.py:16 pushes_* certain SET\nqueues.py:16 rest_* certain SET\n")
	checkLines(t, map[string]string{"storage.py": "import redis\n\nclass Storage:\n    def note_event(self, id, name):\n" +
		"        raise NotImplementedError\n\nclass RedisStorage(Storage):\n    def note_event(self, id, name):\n" +
		"        redis.incr(f\"seen-{id}-{name}\")\n",
		"board.py": "class Board:\n    def f(self, id):\n        self.storage.note_event(id, \"error\")\n",
	}, "board.py:3 seen-*-error certain INCR\nstorage.py:9 seen-*-* certain INCR\n")
}

// TestCachesOfDjango has caches by their names: the settings of each, and where functions have theirs.
func TestCachesOfDjango(t *testing.T) {
	checkLines(t, map[string]string{"settings.py": "CACHES = {\n" +
		"    'default': {'BACKEND': 'django.core.cache.backends.locmem.LocMemCache', 'KEY_PREFIX': 'near'},\n" +
		"    'far': {'BACKEND': 'django_redis.cache.RedisCache', 'KEY_PREFIX': 'shop', 'VERSION': 3},\n" +
		"    'own': {'BACKEND': 'django_redis.cache.RedisCache', 'KEY_FUNCTION': 'shop.keys.make'},\n" +
		"    'plain': {'BACKEND': 'django_redis.cache.RedisCache'},\n}\n",
		"names.py": "class Caches(StrEnum):\n    DEFAULT = Field('default', label='near')\n    FAR = 'far'\n",
		"use.py": "from django.core.cache import cache, caches\nfrom names import Caches\n\nfar_cache = caches['plain']\n\n" +
			"def f(id, version=None):\n    cache.set(f'carta:{id}', 1)\n    caches['far'].set(f'cartb:{id}', 1)\n" +
			"    caches['own'].set(f'cartc:{id}', 1)\n    far_cache.set(f'cartd:{id}', 1)\n    caches[Caches.FAR].set(f'carte:{id}', 1)\n" +
			"    caches['far'].set(f'cartf:{id}', 1, version=7)\n    caches['far'].set(f'cartg:{id}', 1, version=id)\n" +
			"    caches['far'].set(f'carth:{id}', 1, version=version)\n    caches[id].set(f'carti:{id}', 1)\n\n" +
			"def cached(name=Caches.DEFAULT.value):\n    def decorator(call):\n        def wrapper(id):\n" +
			"            return caches[str(name)].get_or_set(f'cartj:{id}', call)\n        return wrapper\n    return decorator\n",
	}, "use.py:7 *carta:* possible cache if "+djangoBackend+"\nuse.py:8 shop:3:cartb:* likely cache\n"+
		"use.py:9 *cartc:* likely cache\nuse.py:10 :1:cartd:* likely cache\nuse.py:11 shop:3:carte:* likely cache\n"+
		"use.py:12 shop:7:cartf:* likely cache\nuse.py:13 shop:*:cartg:* likely cache\n"+
		"use.py:14 shop:3:carth:* likely cache\nuse.py:15 *carti:* likely cache\n"+
		"use.py:20 *cartj:* possible cache if "+djangoBackend+"\n")
}

// TestFlaskCaching has calls and decorators of a cache that another file declares.
func TestFlaskCaching(t *testing.T) {
	use := map[string]string{
		"caches.py": "from flask_caching import Cache\n\nclass OwnCache(Cache):\n    pass\n\ncache = OwnCache()\n",
		"use.py": "from caches import cache\n\ndef f(id):\n    cache.set(key=f'cart:{id}', value=1)\n    cache.inc('carts')\n\n" +
			"@cache.memoize(timeout=60)\n@other\ndef total_of(id):\n    return id\n\n@cache.cached(timeout=60)\ndef g():\n" +
			"    return 1\n\n@cache.cached(key_prefix='all_carts')\ndef h():\n    return 1\n",
		"other.py": "from things import Things\n\ndef f(id, cache):\n    cache.set(f'thing:{id}', 1)\n",
	}
	for setting, more := range map[string]string{"CACHE_TYPE = 'RedisCache'": "likely cache",
		"CACHE_TYPE = 'SimpleCache'": "possible cache if CACHE_TYPE=RedisCache settings.py:1",
		"X = 1":                      "possible cache if CACHE_TYPE=RedisCache"} {
		use["settings.py"], use["client.py"] = setting+"\n", "import redis\n"
		checkLines(t, use, strings.ReplaceAll("use.py:4 flask_cache_cart:* %\nuse.py:5 flask_cache_carts %\n"+
			"use.py:7 flask_cache_*.total_of_memver %\nuse.py:12 flask_cache_view/* %\n"+
			"use.py:16 flask_cache_all_carts %\n", "%", more), "flask_cache_")
	}
}

// TestPythonConstructors has what a constructor gets and the methods of its class make keys of, and locks of redis-py.
func TestPythonConstructors(t *testing.T) {
	checkLines(t, map[string]string{"queues.py": "import redis\nfrom redis.lock import Lock\n\nclass NamedQueue:\n" +
		"    def __init__(self, client, name, size=10):\n        self.client = client\n        self.name = name\n\n" +
		"    def add(self, id):\n        self.redis.rpush(f\"queue:{self.name}\", id)\n\n" +
		"class Busy:\n    def __init__(self, name):\n        self.lock = Lock(CLIENT, name, timeout=9)\n\n" +
		"class Tenant:\n    def __init__(self, name):\n        self.prefix = before() + name\n\n" +
		"    def get(self, key):\n        return self.redis.get(self.prefix + self.mark() + key)\n",
		"use.py": "from queues import Busy, NamedQueue, Tenant\n\ndef f(client, id):\n    NamedQueue(client, \"mails\").add(id)\n" +
			"    with Busy(f\"update_{id}\"):\n        Tenant(\"public\")\n",
	}, "queues.py:10 queue:* certain RPUSH\nuse.py:4 queue:mails certain RPUSH\nuse.py:5 update_* certain SET\n")
}

// TestBranchesOfPython has a variable that a branch gives another value, and a cache of the process beside a client.
func TestBranchesOfPython(t *testing.T) {
	checkLines(t, map[string]string{"keys.py": "import redis\n\ndef f(id, all):\n    key = f\"cart:{id}\"\n    if all:\n" +
		"        key += suffix()\n        key = \"all:carts\"\n        redis.delete(key)\n    else:\n        redis.get(key)\n" +
		"    redis.set(key, 1)\n",
		"local.py": "class LocalCache:\n    def get(self, key):\n        return self.kept.get(key)\n",
		"use.py": "import redis\nfrom local import LocalCache\n\ndef f(id):\n    cache = LocalCache()\n" +
			"    cache.get(f\"near:{id}\")\n    redis.set(f\"far:{id}\", 1)\n",
	}, "keys.py:6 cart:* likely\nkeys.py:7 all:carts likely\nkeys.py:8 all:carts certain DEL\n"+
		"keys.py:10 cart:* certain GET\nkeys.py:11 all:carts certain SET\nkeys.py:11 cart:* certain SET\n"+
		"use.py:7 far:* certain SET\n")
}

// TestCacheOfTheEnvironment has a cache whose backend the environment names, beside the plain one in memory.
func TestCacheOfTheEnvironment(t *testing.T) {
	checkLines(t, map[string]string{
		"site/base.py": "CACHES = {'default': {'BACKEND': 'django.core.cache.backends.locmem.LocMemCache'}}\n",
		"site/main.py": "if os.environ.get('CACHE_BACKEND'):\n" +
			"    CACHES = {'default': {'BACKEND': env.str('CACHE_BACKEND')}}\n",
		"use.py": "from django.core.cache import cache\n\ndef f(id):\n    cache.set(f'cart:{id}', 1)\n",
	}, "use.py:4 :1:cart:* possible cache if "+djangoBackend+" site/base.py:1\n")
}

// TestMethodsBesideCaches has classes whose methods have the names of those of a cache of a framework that they call.
func TestMethodsBesideCaches(t *testing.T) {
	const named = "class CartCache:\n    NAME = 'cart:{0}'\n\n    @classmethod\n    def get(cls, key):\n" +
		"        return cache.get(cls.NAME.format(key))\n\n    @classmethod\n    def set(cls, cart):\n" +
		"        cache.set(cls.NAME.format(cart.id), cart)\n\nclass ShopCache:\n    NAME = 'shop:{0}'\n\n" +
		"    @classmethod\n    def set(cls, shop):\n        cache.set(cls.NAME.format(shop.id), shop)\n\n" +
		"def get_or_set(key):\n    cache.get_or_set('old:' + key, 1)\n\ndef f():\n    cache.get_or_set('front:page', 1)\n"
	const lines = "cache.py:8 %scart:* likely cache\ncache.py:12 %scart:* likely cache\n" +
		"cache.py:19 %sshop:* likely cache\ncache.py:22 %sold:* likely cache\ncache.py:25 %sfront:page likely cache\n"
	checkLines(t, map[string]string{
		"settings.py": "CACHES = {'default': {'BACKEND': 'django_redis.cache.RedisCache'}}\n",
		"cache.py":    "from django.core.cache import cache\n\n" + named,
	}, strings.ReplaceAll(lines, "%s", ":1:"), ":1:")
	checkLines(t, map[string]string{
		"parts.py":    "from flask_caching import Cache\nfrom clients import Handler\n\ncache = Cache()\nhandler = Handler()\n",
		"settings.py": "CACHE_TYPE = 'RedisCache'\nCACHE_KEY_PREFIX = 'all:'\n",
		"clients.py":  "import redis\n\nclass Handler:\n    def keep_cart(self, id):\n        redis.set('kept:' + id, 1)\n",
		"use.py":      "from parts import handler\n\ndef f(id):\n    handler.keep_cart('front')\n",
		"cache.py":    "from parts import cache\n\n" + named,
	}, strings.ReplaceAll(lines, "%s", "all:")+"clients.py:5 kept:* certain SET\nuse.py:4 kept:front certain SET\n", "all:")
}

// TestOwnersOfClients has an object that is no client: a member of it is one.
func TestOwnersOfClients(t *testing.T) {
	checkLines(t, map[string]string{"client.py": "import redis\n",
		"seal.py": "ROOT_KEY = 'root_key'\n\nclass Seal:\n    def __init__(self, backend):\n        self.backend = backend\n\n" +
			"    def f(self, id):  # the cache is one of Redis\n        self.backend.get(ROOT_KEY)\n        self.backend.get(f'seal:{id}')\n" +
			"        self.backend.cache.set(f'share:{id}', 1)\n        self.backend.cache.publish('shares', id)\n",
	}, "seal.py:10 share:* likely SET\n")
}

// TestCachesOfProperties has a class around a cache of Django that changes keys, and a property that has one.
func TestCachesOfProperties(t *testing.T) {
	checkLines(t, map[string]string{
		"settings.py": "CACHES = {'default': {'BACKEND': 'django_redis.cache.RedisCache'}}\n",
		"own.py": "class OwnCache:\n    def __init__(self, name):\n        self.name = name\n\n" +
			"    def set(self, key, value):\n        return caches['default'].set(self.name + key, value)\n",
		"shop.py": "from django.db import models\nfrom own import OwnCache\n\nclass Shop:\n    @property\n    def cache(self):\n" +
			"        return OwnCache(self.name)\n\ndef f(shop, id):\n    shop.cache.set(f'cart:{id}', 1)\n",
	}, "shop.py:10 *cart:* likely cache\n", ":1:")
}
