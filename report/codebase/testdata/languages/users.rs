use redis::AsyncCommands;
const NS: &str = "users";
async fn save<'a>(con: &'a mut C, id: u64) {
    con.set(format!("{}:{}", NS, id), 1).await?;
    con.hset(format!("{NS}:{id}:h"), "f", 1).await?;
    redis::cmd("SADD").arg("all").arg(id);
}
#[cfg(test)]
mod tests {
    fn t(con: C) { con.set("test:1", 1); }
}
