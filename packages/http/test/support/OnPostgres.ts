/** Which stores the suites run over: memory and SQLite unless `POINTSMAN_HTTP_STORAGE` says `postgres` or `citus`. */
const named = process.env["POINTSMAN_HTTP_STORAGE"] ?? ""
if (!["", "postgres", "citus"].includes(named))
  throw new Error(`POINTSMAN_HTTP_STORAGE is "postgres", "citus" or not set, not "${named}"`)

/** In one database, or distributed. */
export const isOnPostgres = named !== ""
export const isOnCitus = named === "citus"
