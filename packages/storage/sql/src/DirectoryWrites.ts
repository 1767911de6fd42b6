/** Writes of the directory. Writers take turns, and each notifies the other processes in its transaction. */
import type { Tenant } from "@pointsman/core"
import type {
  ConfigurationChange,
  Directory,
  DirectoryContents,
  directoryReads,
  WebhookEndpoint
} from "@pointsman/core/ports"
import { Clock, Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { makeLogged } from "./Audit.ts"
import { bindJson, type Columns, onConflictReplace, valuesOf } from "./Columns.ts"
import { bindAccount, recordAccount, replaceEndpointSecret, replaceKeyUse } from "./DirectoryRows.ts"
import { isAny, type Query, queryAll, type Sql, type Statement, updateAll } from "./Sql.ts"

/** How one database writes the directory. */
export interface DirectoryForm<V> {
  /** Lets go of the copy that this process keeps. */
  readonly forget: Effect.Effect<void>
  /** Runs first in the transaction: other writers wait for its end, and its commit notifies the other processes. */
  readonly tell: (query: Query<V>) => Effect.Effect<unknown, SqlError>
}

export const selectVersion = "select version from directory_version"
/** To be said inside each write. */
export const newVersion = "update directory_version set version = version + 1"

export const makeDirectoryWrites = <V>(
  sql: Sql<V>,
  form: DirectoryForm<V>,
  resume: Resume<V> = resumeOf(sql)
): Omit<Directory["Service"], keyof ReturnType<typeof directoryReads>> => {
  const { bindText, bindTextOrNull } = sql.rows
  const put = makePut(sql, form, resume)
  const putUses = sql.put("api_key_uses", ["hash", "used_at"], replaceKeyUse)
  const logged = makeLogged(sql)
  const writing: typeof logged = (...write) => Effect.ensuring(logged(...write), form.forget)
  const apply = makeApply(sql, put)
  return {
    write: (contents, audit) => writing("write", audit, (query) => put(query, contents)),
    apply: (change) => writing("apply", change.audit, (query) => apply(query, change)),
    replaceEndpointSecret: (expectedSealed, { id, rotation, sealedPreviousSecret, sealedSecret }, audit) => {
      const secrets = [bindText(sealedSecret), bindTextOrNull(sealedPreviousSecret ?? null)]
      const replacement = [...secrets, bindJson(rotation ?? null), bindText(id), bindText(expectedSealed)]
      const replace = (query: Query<V>) =>
        Effect.andThen(form.tell(query), Effect.map(query(replaceEndpointSecret, replacement), isAny))
      return writing("replaceEndpointSecret", audit, replace)
    },
    recordAccount: ({ account, at, connectionId, sealedCredentials }) => {
      const values = [bindAccount(account), at, bindText(connectionId), bindText(sealedCredentials)]
      return Effect.asVoid(
        writing("recordAccount", undefined, (query) => Effect.andThen(form.tell(query), query(recordAccount, values)))
      )
    },
    recordKeyUses: (uses) => {
      // In one order, so that two processes never wait for each other.
      const last = [...new Map(uses.map(({ at, hash }) => [hash, at]))].sort(([a], [b]) => (a < b ? -1 : 1))
      return Effect.asVoid(updateAll(sql, "recordKeyUses", putUses(last)))
    },
    keyUses: Effect.map(
      sql.read("keyUses", "select hash, used_at from api_key_uses"),
      (found) => new Map(found.map((row) => [row["hash"] as string, Number(row["used_at"])]))
    )
  }
}

/** What was given up because these endpoints were not active is due again, from the time on. */
export type Resume<V> = (
  endpoints: ReadonlyArray<Tenant & Pick<WebhookEndpoint, "id">>,
  at: number
) => ReadonlyArray<Statement<V>>

/** Statements one after the other: the last sees what was recorded while the ones before waited for an endpoint's lock. */
const makePut = <V>(sql: Sql<V>, { tell }: DirectoryForm<V>, resume: Resume<V>) => {
  const tables = Object.entries(sql.rows.directory).map(([name, { columns, key, replaced, table }]) => {
    const names = Object.keys(columns)
    const end = `${onConflictReplace(names, key)} where ${replaced}`
    const [bind, put] = [valuesOf(columns as Columns<never, V>), sql.put(table, names, end)]
    const places = key.map((column) => names.indexOf(column))
    return (contents: DirectoryContents) => {
      const rows = (contents[name as keyof DirectoryContents] as ReadonlyArray<never>).map((record) => bind(record))
      // One statement writes a row once: of two with the same key, the last one.
      return put([...new Map(rows.map((row) => [JSON.stringify(places.map((at) => row[at])), row])).values()])
    }
  })
  return Effect.fnUntraced(function* (query: Query<V>, contents: DirectoryContents) {
    yield* tell(query)
    for (const put of tables) yield* queryAll(query, put(contents))
    const active = contents.webhookEndpoints.filter((endpoint) => endpoint.active)
    yield* queryAll(query, resume(active, yield* Clock.currentTimeMillis))
  })
}

const addConfiguration = "insert into configurations (generation, hash, applied_at) values ($1, $2, $3)"

/** `false`: something was written meanwhile. */
const makeApply = <V>({ locking }: Sql<V>, put: ReturnType<typeof makePut<V>>) =>
  Effect.fnUntraced(function* (query: Query<V>, { configuration, contents, version }: ConfigurationChange) {
    // Another process that writes waits here, and then reads this version.
    const [stored] = yield* query(`${selectVersion} ${locking("for update")}`)
    if (Number(stored?.["version"]) !== version) return false
    yield* put(query, contents)
    if (configuration !== null) {
      yield* query(addConfiguration, [configuration.generation, configuration.hash, configuration.appliedAt])
    }
    return true
  })

export const resumeOf = <V>({ by, every, rows: { bindText } }: Pick<Sql<V>, "by" | "every" | "rows">): Resume<V> => {
  const resume = every(
    1,
    ["text", "text", "text"],
    ([workspace, environment, id], items) => `update ${by("deliveries", "deliveries_by_state")}
      set state = 'Due', due_at = $1::bigint ${items}
      where deliveries.workspace_id = ${workspace} and deliveries.environment = ${environment}
        and deliveries.endpoint_id = ${id} and deliveries.state = 'GivenUp' and deliveries.state <> '' and exists (
          select 1 from delivery_attempts as last
          where last.workspace_id = deliveries.workspace_id and last.environment = deliveries.environment
            and last.delivery_id = deliveries.id and last.number = deliveries.attempts
            and last.failure = 'EndpointWithdrawn'
        )`
  )
  return (endpoints, at) =>
    resume(
      [at],
      endpoints.map(({ environment, id, workspaceId }) => [bindText(workspaceId), environment, bindText(id)])
    )
}
