use redis::AsyncCommands;
const NS: &str = "users";
async fn save<'a>(con: &'a mut C, id: u64) {
    con.set(format!("{}:{}", NS, id), 1).await?;
    con.hset(format!("{NS}:{id}:h"), "f", 1).await?;
    redis::cmd("SADD").arg("all").arg(id);
}
enum CacheKey { Fiat(u64), Rates }
impl CacheKey {
    fn key(&self) -> String {
        match self {
            Self::Fiat(id) => format!("fiat:quote:{}", id),
            Self::Rates => "fiat:rates".to_string(),
        }
    }
}
impl RedisPool {
    async fn read<T, U, V, W, X>(&self, namespace: &str, id: &str) -> T where T: Sized {
        let mut c = cmd("INCR");
        redis_args(&mut c, vec![format!("{}:{}", namespace, id)].as_slice());
    }
    async fn read_json(&self, namespace: &str, id: &str) { self.read(namespace, id).await }
}
async fn flows(redis: &RedisPool, id: &str) { redis.read_json("flows", id).await; }
async fn quote(redis: &RedisPool, k: CacheKey) { redis.incr(k.key(), 1).await; }
#[cfg(all(test, feature = "redis"))]
mod more_tests {
    fn t(con: C) { con.hset("test:2", "f", 1); }
}
#[cfg(test)]
mod tests {
    fn t(con: C) { con.set("test:1", 1); }
}
