import redis.clients.jedis.Jedis;
class Cart {
  static final String PREFIX = "cart:";
  enum Keys { STOCK("stock:%s"), OTHER("o"); }
  void f(Jedis jedis, String id) {
    jedis.hset(PREFIX + id, "f", "v");
    jedis.set(String.format("lock:%s:%d", id, 1), "");
    jedis.incr(Cart.PREFIX + String.join(":", "n", id));
    map.get("a:b");
  }
  @Cacheable("users") User user(String id) { return null; }
  void g(Jedis jedis) { jedis.setex(String.format(Keys.STOCK.value, id), 60, ""); }
}
