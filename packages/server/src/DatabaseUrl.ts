/** Which database the server keeps its data in, and how its URL is read. */
import { Option, Redacted, Result } from "effect"

/** Where the server keeps what it must not forget. */
export type Database = SqliteDatabase | PostgresDatabase

export type SqliteDatabase = { readonly _tag: "SqliteFile"; readonly path: string } | { readonly _tag: "SqliteMemory" }

export interface PostgresDatabase {
  readonly _tag: "Postgres"
  /** With its user and password. */
  readonly url: Redacted.Redacted
  /** `postgres://host:port/database`: what messages call it. */
  readonly name: string
  /** Whether workspaces lie on the nodes of a cluster, of which the URL names one. */
  readonly isDistributed: boolean
}

export const databaseExpected = "`sqlite:<path>`, `sqlite::memory:` or `postgres://user:password@host:port/database`"

export const postgresExpected =
  "`postgres://user:password@host:port/database`, with reserved characters percent-encoded, such as " + "`%40` for @"

/**
 * What it is called is made of host, port and database alone. Where those are not plainly to be seen, as with an "@" or
 * a "/" in the password, a part of the password would be taken for one of them, and shown.
 */
const readPostgres = (text: string): Option.Option<PostgresDatabase> => {
  const url = URL.parse(text)
  if (url === null || url.hash !== "" || !/^\/\/[^/]/u.test(text.slice(url.protocol.length))) return Option.none()
  const isPlain = url.hostname !== "" && /^\/[^/@]+$/u.test(url.pathname) && !url.search.includes("@")
  if (!isPlain || ![url.username, url.password, url.hostname, url.pathname].every(isDecodable)) return Option.none()
  return Option.some({
    _tag: "Postgres",
    url: Redacted.make(text, { label: "database URL" }),
    name: `postgres://${url.host}${url.pathname}`,
    isDistributed: false
  })
}

const isDecodable = (text: string): boolean => {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/** As `@effect/sql-pg` reads the URL: the last of several parameters wins, and a host of a parameter over that before. */
const parametersOf = (url: URL) => ({
  host: url.searchParams.getAll("host").at(-1) ?? decodeURIComponent(url.hostname),
  mode: url.searchParams.getAll("sslmode").at(-1) ?? "disable"
})

const isOnThisMachine = (host: string): boolean => /^(?:\/.*|localhost|127(?:\.\d+){3}|\[?::1\]?)$/iu.test(host)

/**
 * What the `sslmode` of the URL leaves open to who is between this machine and the database, in words; `undefined` for
 * `verify-full`, and for a database on this machine.
 */
export const connectionFault = (
  { name, url }: PostgresDatabase,
  setting = "POINTSMAN_DATABASE_URL (--database-url)"
): string | undefined => {
  const { host, mode } = parametersOf(new URL(Redacted.value(url)))
  if (mode === "verify-full" || isOnThisMachine(host)) return undefined
  const remedy = `set sslmode=verify-full in ${setting}`
  if (mode === "disable") return `the connection to ${name} is not encrypted: ${remedy}`
  if (mode === "allow" || mode === "prefer") {
    return `the connection to ${name} is not encrypted if the other end declines TLS: ${remedy}`
  }
  // The client refuses another word.
  if (mode !== "require" && mode !== "verify-ca") return undefined
  return `sslmode=${mode} protects the connection to ${name} from Pointsman, but not those of other clients: ${remedy}`
}

/** Of every connection that the settings ask for. */
export const connectionFaults = ({
  database,
  readDatabase
}: {
  readonly database: Database
  readonly readDatabase: PostgresDatabase | null
}): ReadonlyArray<string> =>
  [
    database._tag === "Postgres" ? connectionFault(database) : undefined,
    readDatabase === null
      ? undefined
      : connectionFault(readDatabase, "POINTSMAN_DATABASE_READ_URL (--database-read-url)")
  ].filter((fault) => fault !== undefined)

export const readDatabase = (text: string): Result.Result<Database, string> => {
  if (/^postgres(ql)?:/u.test(text)) {
    return Result.fromOption(readPostgres(text), () => postgresExpected)
  }
  if (text === "sqlite::memory:") return Result.succeed({ _tag: "SqliteMemory" })
  const path = /^sqlite:(?!\/\/[^/])(?!:)(.+)$/u.exec(text)?.[1]
  return path === undefined || path.trim() === "" || path.includes("\0")
    ? Result.fail(databaseExpected)
    : Result.succeed({ _tag: "SqliteFile", path: path.replace(/^\/{2,}/u, "/") })
}
