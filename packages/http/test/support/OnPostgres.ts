/** Which stores the suites run over: memory and SQLite unless `POINTSMAN_HTTP_STORAGE` says `postgres`. */
const named = process.env["POINTSMAN_HTTP_STORAGE"] ?? ""
if (!["", "postgres"].includes(named))
  throw new Error(`POINTSMAN_HTTP_STORAGE is "postgres" or not set, not "${named}"`)

export const isOnPostgres = named === "postgres"
