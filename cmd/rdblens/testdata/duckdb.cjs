// Runs the statements of a JSON array on standard input with DuckDB, and writes an
// array with the rows of each, in which numbers above 2^53 are exact: they are texts.
const { DuckDBInstance } = require('@duckdb/node-api');

(async () => {
  const statements = JSON.parse(require('fs').readFileSync(0, 'utf8'));
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  const results = [];
  for (const statement of statements) {
    try {
      results.push((await connection.runAndReadAll(statement)).getRowsJson());
    } catch (e) {
      throw new Error(statement + '\n' + e.message);
    }
  }
  require('fs').writeFileSync(1, JSON.stringify(results));
})().catch((e) => { console.error(e.message); process.exit(1); });
