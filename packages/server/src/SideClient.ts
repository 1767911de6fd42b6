/** A client for tables of the server's own, beside those of the storage. */
import { PgClient } from "@effect/sql-pg"
import { Effect, type Redacted } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import type { SqlError } from "effect/sql/SqlError"

export interface SideClientOptions {
  readonly url: Redacted.Redacted
  readonly applicationName: string
  readonly maxConnections: number
  readonly statementTimeoutMillis: number
  /** Makes the tables where they are missing. */
  readonly makeTables: string
}

export const openSideClient = ({ makeTables, statementTimeoutMillis, ...options }: SideClientOptions) => {
  const open = (startupParameters: Readonly<Record<string, string>>) =>
    PgClient.make({ ...options, keepAlive: "10 seconds", startupParameters }).pipe(
      Effect.tap((made) => made.unsafe(makeTables)),
      Effect.provide(Reactivity.layer)
    )
  // Behind PgBouncer its statements have the timeout of the role.
  return Effect.catchIf(open({ statement_timeout: String(statementTimeoutMillis) }), isRefusedParameter, () => open({}))
}

/** https://www.pgbouncer.org/config.html#ignore_startup_parameters */
const isRefusedParameter = ({ reason: { cause } }: SqlError): boolean =>
  cause instanceof Error && cause.message.includes("unsupported startup parameter")
