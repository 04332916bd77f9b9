import Redis from 'ioredis';
import { PREFIX } from './names';
const redis = new Redis();
const jobsKey = (id: string) => `crawl:${id}:jobs`;
export class Store {
  private prefix = 'user:';
  async save(id: string) {
    await redis.hset(`${this.prefix}${id}:profile`, { a: 1 });
    const pipe = redis.multi();
    pipe.sadd(jobsKey(id), "x");
    pipe.incrby('plain', 60);
    await redis.set('a:' + id + ':' + [1, id].join('-'), 'it\'s');
    /* redis.set('in:a:comment', 1) */ this.map.get('no:server:' + id);
  }
}
