package codebase

import "testing"

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
