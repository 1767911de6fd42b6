/** `@effect/sql-pg` with nothing around it, and with the session's settings of the library's storage. */
import { PgClient } from "@effect/sql-pg"
import { Effect, ManagedRuntime, Redacted } from "effect"
import * as Layer from "effect/Layer"
import * as Reactivity from "effect/reactivity/Reactivity"
import { planning } from "../../../packages/storage/postgres/src/Database.ts"
import { type CreateStatements, nextFlow, type RecordedStatement } from "../kit/CreateStatements.ts"

export interface BareSettings {
  readonly url: string
  readonly connections: number
  readonly statements: CreateStatements
}

/** `claim` sends the first statement of a create, and gives what sends the second one. */
export interface BarePool {
  readonly claim: () => Promise<() => Promise<void>>
  /** Both, one after the other. */
  readonly flow: () => Promise<void>
}

export const openPool = async ({ connections, statements, url }: BareSettings): Promise<BarePool> => {
  const client = PgClient.layer({
    url: Redacted.make(url),
    maxConnections: connections,
    startupParameters: {
      default_transaction_isolation: "read committed",
      ...planning
    }
  })
  const runtime = ManagedRuntime.make(Layer.provide(client, Reactivity.layer))
  const sql = await runtime.runPromise(PgClient.PgClient)
  const [first, second] = statements.statements
  const write = (statement: RecordedStatement, paramsOf: ReturnType<typeof nextFlow>) =>
    Effect.suspend(() => sql.unsafe<{ readonly written: number }>(statement.sql, paramsOf(statement))).pipe(
      Effect.flatMap(([row]) => (row?.written === 1 ? Effect.void : Effect.die("nothing was written")))
    )
  const claim = async () => {
    const paramsOf = nextFlow(statements)
    await runtime.runPromise(write(first, paramsOf))
    return () => runtime.runPromise(write(second, paramsOf))
  }
  const flow = () => {
    const paramsOf = nextFlow(statements)
    return runtime.runPromise(Effect.andThen(write(first, paramsOf), write(second, paramsOf)))
  }
  return { claim, flow }
}
