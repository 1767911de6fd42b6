/** Writes of the directory. Writers take turns, and each notifies the other processes in its transaction. */
import type { Tenant } from "@pointsman/core"
import {
  type AuditDraft,
  type AuditEntry,
  type ConfigurationChange,
  type Directory,
  type DirectoryContents,
  logEntry,
  type StorageError,
  type WebhookEndpoint
} from "@pointsman/core/ports"
import { Clock, Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { makeAppend } from "./Audit.ts"
import { bindJson } from "./Columns.ts"
import { bindAccount, recordAccount, replaceEndpointSecret } from "./DirectoryRows.ts"
import { type Query, queryAll, repeatable, type Sql } from "./Sql.ts"

/** How one database writes rows of the directory. */
export interface DirectoryForm<V> {
  /** Lets go of the copy that this process keeps. */
  readonly forget: Effect.Effect<void>
  /** Runs first in the transaction: other writers wait for its end, and its commit notifies the other processes. */
  readonly tell: (query: Query<V>) => Effect.Effect<unknown, SqlError>
  /** Adds the rows, or replaces those with the same keys. */
  readonly put: (query: Query<V>, contents: DirectoryContents) => Effect.Effect<unknown, SqlError>
  /** What was given up because these endpoints were not active is due again, from the time on. */
  readonly resume: (
    query: Query<V>,
    endpoints: ReadonlyArray<Tenant & Pick<WebhookEndpoint, "id">>,
    at: number
  ) => Effect.Effect<unknown, SqlError>
}

type Writes = Pick<Directory["Service"], "write" | "apply" | "replaceEndpointSecret" | "recordAccount" | "keyUses">

export const makeDirectoryWrites = <V>(sql: Sql<V>, form: DirectoryForm<V>): Writes => {
  const { bindText, bindTextOrNull } = sql.rows
  const append = makeAppend(sql)
  const writing = <A>(
    operation: string,
    audit: AuditDraft | undefined,
    body: (query: Query<V>) => Effect.Effect<A, SqlError>,
    isWritten: (value: A) => boolean = () => true
  ): Effect.Effect<A, StorageError> =>
    repeatable(sql, operation, (query) =>
      Effect.gen(function* () {
        const value = yield* body(query)
        const entry: AuditEntry | undefined =
          audit !== undefined && isWritten(value) ? yield* append(query, audit) : undefined
        return { value, entry }
      })
    ).pipe(
      Effect.ensuring(form.forget),
      Effect.tap(({ entry }) => (entry === undefined ? Effect.void : logEntry(entry))),
      Effect.map(({ value }) => value)
    )
  const apply = makeApply(sql, form)
  return {
    write: (contents, audit) => writing("write", audit, (query) => put(form, query, contents)),
    apply: (change) => writing("apply", change.audit, (query) => apply(query, change), Boolean),
    replaceEndpointSecret: (expectedSealed, { id, rotation, sealedPreviousSecret, sealedSecret }, audit) => {
      const secrets = [bindText(sealedSecret), bindTextOrNull(sealedPreviousSecret ?? null)]
      const replacement = [...secrets, bindJson(rotation ?? null), bindText(id), bindText(expectedSealed)]
      const replace = (query: Query<V>) =>
        Effect.andThen(
          form.tell(query),
          Effect.map(query(replaceEndpointSecret, replacement), ({ length }) => length === 1)
        )
      return writing("replaceEndpointSecret", audit, replace, Boolean)
    },
    recordAccount: ({ account, at, connectionId, sealedCredentials }) => {
      const values = [bindAccount(account), at, bindText(connectionId), bindText(sealedCredentials)]
      return Effect.asVoid(
        writing("recordAccount", undefined, (query) => Effect.andThen(form.tell(query), query(recordAccount, values)))
      )
    },
    keyUses: Effect.map(
      sql.read("keyUses", "select hash, used_at from api_key_uses"),
      (found) => new Map(found.map((row) => [row["hash"] as string, Number(row["used_at"])]))
    )
  }
}

/** Statements one after the other: the last sees what was recorded while the ones before waited for an endpoint's lock. */
const put = Effect.fnUntraced(function* <V>(form: DirectoryForm<V>, query: Query<V>, contents: DirectoryContents) {
  yield* form.tell(query)
  yield* form.put(query, contents)
  const active = contents.webhookEndpoints.filter((endpoint) => endpoint.active)
  if (active.length > 0) yield* form.resume(query, active, yield* Clock.currentTimeMillis)
})

const isSealedBy = "select 1 as one from webhook_endpoints where id = $1 and sealed_secret = $2"
const addConfiguration = "insert into configurations (generation, hash, applied_at) values ($1, $2, $3)"

/** `false`: another one was applied meanwhile, or a secret was replaced. */
const makeApply = <V>({ each, locking, rows: { bindText } }: Sql<V>, form: DirectoryForm<V>) =>
  Effect.fnUntraced(function* (
    query: Query<V>,
    { after, configuration, contents, seenSecrets = new Map() }: ConfigurationChange
  ) {
    // A process that applies another configuration waits here, and then reads this one.
    yield* query(locking("select version from directory_version for update"))
    const [newest] = yield* query("select max(generation) as generation from configurations")
    if ((newest?.["generation"] ?? 0) !== after) return false
    const seen = [...seenSecrets].map((one) => one.map(bindText))
    const found = yield* queryAll(query, each(isSealedBy, [], seen))
    if (found.flat().length < seen.length) return false
    yield* put(form, query, contents)
    if (configuration !== null) {
      yield* query(addConfiguration, [configuration.generation, configuration.hash, configuration.appliedAt])
    }
    return true
  })

/** Of one endpoint. */
export const resumeOf = <V>({ by, rows: { bindText } }: Pick<Sql<V>, "by" | "rows">): DirectoryForm<V>["resume"] => {
  const resume = `update ${by("deliveries", "deliveries_by_state")} set state = 'Due', due_at = $4
    where workspace_id = $1 and environment = $2 and endpoint_id = $3 and state = 'GivenUp' and state <> ''
      and exists (
        select 1 from delivery_attempts as last
        where last.workspace_id = $1 and last.environment = $2
          and last.delivery_id = deliveries.id and last.number = deliveries.attempts
          and last.failure = 'EndpointWithdrawn'
      )`
  return (query, endpoints, at) =>
    Effect.forEach(
      endpoints,
      ({ environment, id, workspaceId }) => query(resume, [bindText(workspaceId), environment, bindText(id), at]),
      { discard: true }
    )
}
