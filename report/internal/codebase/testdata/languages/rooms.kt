import org.springframework.data.redis.core.RedisTemplate
const val P = "room:"
class A(val redisTemplate: RedisTemplate<String, String>) {
  fun key(id: String) = "$P$id:users"
  fun f(id: String) {
    redisTemplate.opsForSet().add(key(id), "x")
    redisTemplate.opsForValue().set("${P}${id}", "")
  }
  fun g(jedis: Jedis) = with(jedis) { hset("room:meta", "a", "b") }
  fun page() { get("/room:page") { call.respond("") } }
}
