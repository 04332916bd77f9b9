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
