import redis
KEY = 'rq:job:%s'
r = redis.Redis()

class Job:
    prefix = 'job:'

    @property
    def key(self):
        return f'{self.prefix}{self.id!r}'

    def save(self):
        r.hset(self.key, 'a', 1)
        r.set(KEY % self.id, 1)
        r.zadd('q:{}:{name}'.format(1, name=self.n), {})
        r.incr(':'.join(['a', self.id, 'b']))
        data = r.hgetall('h:1')
        data.get('field:of:a:dict')
