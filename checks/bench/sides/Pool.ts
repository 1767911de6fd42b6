/** `@effect/sql-pg` with nothing around it, and with the session's settings of the library's storage. */
import { PgClient } from "@effect/sql-pg"
import { Effect, ManagedRuntime, Redacted } from "effect"
import * as Layer from "effect/Layer"
import * as Reactivity from "effect/reactivity/Reactivity"
import { planning } from "../../../packages/storage/postgres/src/Database.ts"
import { type CreateStatements, nextFlow } from "../kit/CreateStatements.ts"

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
  const [first = "", second = ""] = statements.statements.map((statement) => statement.sql)
  const write = (text: string, params: () => ReadonlyArray<string | null>) =>
    Effect.suspend(() => sql.unsafe<{ readonly written: number }>(text, params())).pipe(
      Effect.flatMap(([row]) => (row?.written === 1 ? Effect.void : Effect.die("nothing was written")))
    )
  const drawn = () => {
    const [claim, settle] = nextFlow(statements)
    if (claim === undefined || settle === undefined) throw new Error("a create is two statements")
    return { claim, settle }
  }
  return {
    claim: async () => {
      const { claim, settle } = drawn()
      await runtime.runPromise(write(first, claim))
      return () => runtime.runPromise(write(second, settle))
    },
    flow: () => {
      const { claim, settle } = drawn()
      return runtime.runPromise(Effect.andThen(write(first, claim), write(second, settle)))
    }
  }
}
