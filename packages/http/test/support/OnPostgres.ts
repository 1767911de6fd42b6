/** Which stores the suites run over: memory and SQLite unless `POINTSMAN_HTTP_STORAGE` names one. */
const named = process.env["POINTSMAN_HTTP_STORAGE"] ?? ""
if (!["", "memory", "sqlite", "postgres", "citus"].includes(named))
  throw new Error(`POINTSMAN_HTTP_STORAGE is "memory", "sqlite", "postgres", "citus" or not set, not "${named}"`)

export const isOnMemory = named === "memory"
export const isOnSqlite = named === "sqlite"
/** In one database, or distributed. */
export const isOnPostgres = ["postgres", "citus"].includes(named)
export const isOnCitus = named === "citus"
