/** `@pointsman/node/postgres`: storage in PostgreSQL. */
import { citus } from "@pointsman/storage-citus"
import { postgres as open } from "@pointsman/storage-postgres"
import type { Storage } from "./Settings.ts"

export interface PostgresOptions {
  /** Opens a database that acknowledges commits which are not on its disk. `false` unless set. */
  readonly allowAsyncCommit?: boolean
  /** `true` for a database of Citus, whose nodes share the workspaces; the URL names any node. `false` unless set. */
  readonly distributed?: boolean
  /** Connections at once. */
  readonly maxConnections?: number
  readonly statementTimeoutMillis?: number
  readonly lockTimeoutMillis?: number
  /**
   * A streaming standby, as `url`. The console's lists and exports and `GET /events` are read there, and say of which moment
   * they are.
   */
  readonly readUrl?: string
  /** A standby that is further behind is not read: 30,000 milliseconds unless set. */
  readonly maxReadLagMillis?: number
}

/** `url`: `postgres://user:password@host:port/database`. */
export const postgres = (url: string, { distributed = false, ...options }: PostgresOptions = {}): Storage =>
  distributed ? citus(url, options) : open(url, options)
