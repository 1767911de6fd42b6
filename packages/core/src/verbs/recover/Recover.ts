/** Recovers what each connection lost. Until then, while a loss is known, no claim of its workspace is written. */
import { Clock, Effect, Option, Schema } from "effect"
import { OpenConnections } from "../../call/CallProvider.ts"
import type { Connection } from "../../model/Connection.ts"
import type { Tenant } from "../../model/Tenant.ts"
import type { Connector } from "../../ports/Connector.ts"
import { Directory } from "../../ports/Directory.ts"
import { PaymentSettings } from "../../ports/PaymentSettings.ts"
import { type RecordLoss, RecordLosses, type RecordLossOutcome } from "../../ports/RecordLoss.ts"
import { recoverConnection } from "./RecoverRecords.ts"
import { type ConnectionRecovery, type UnaskedFact, unaskedFacts } from "./RecoveryReport.ts"

/** Nothing was asked or written. The reason names what is wrong and what was expected. */
export class RecoveryRefused extends Schema.TaggedError<RecoveryRefused>()("pointsman/RecoveryRefused", {
  reason: Schema.String
}) {}

export interface RecoveryOrder {
  /** Epoch milliseconds: a time before the first lost record; `null` for the beginning of the loss that is known. */
  readonly since: number | null
  /** Only this connection; `null` for all. */
  readonly connectionId: string | null
  /** Whether to report what would be done, and to write nothing. */
  readonly isDryRun: boolean
}

export interface Recovery {
  /** Epoch milliseconds. */
  readonly since: number
  readonly connections: ReadonlyArray<ConnectionRecovery>
  /** The loss as it is afterwards; `null` where none was ever known. */
  readonly loss: RecordLoss | null
}

export const recover = Effect.fnUntraced(function* ({ connectionId, isDryRun, since }: RecoveryOrder) {
  const directory = yield* Directory
  const losses = yield* RecordLosses
  const open = openLoss(yield* losses.newest)
  const from = since ?? open?.since
  const now = yield* Clock.currentTimeMillis
  if (from === undefined) {
    return yield* new RecoveryRefused({ reason: "since: expected a time, because no loss of records is known" })
  }
  if (from > now) return yield* new RecoveryRefused({ reason: "since: expected a time in the past" })
  const { connections } = yield* directory.contents
  const chosen = connections.filter(({ id }) => connectionId === null || id === connectionId)
  if (connectionId !== null && chosen.length === 0) {
    return yield* new RecoveryRefused({ reason: `connection: expected the id of a connection` })
  }
  const loss = isDryRun ? undefined : yield* declare(open, from, now)
  if (loss !== undefined) yield* awaitClaims(loss, connections)
  const recovered: Array<ConnectionRecovery> = []
  for (const connection of chosen) {
    const one = yield* recoverConnection(connection, { since: from, isDryRun }, othersOf(connection, connections))
    recovered.push(one)
    // A loss that began before this was not recovered whole.
    if (loss !== undefined && from <= loss.since && one.end._tag === "Complete") {
      const refundsWait = one.unasked.some((fact) => fact === "refunds" || fact === "disputes")
      yield* losses.markRecovered(loss, one.connectionId, refundsWait)
    }
  }
  if (!isDryRun) yield* endRecovered(connections.map(({ id }) => id))
  return { since: from, connections: recovered, loss: yield* losses.newest } satisfies Recovery
})

/** A connection, and what its provider does not list. */
export interface Unlisted {
  readonly connectionId: string
  readonly facts: ReadonlyArray<UnaskedFact>
}

/** An operator hears of it before anything is asked. A connection that cannot be used is left out: its recovery fails. */
export const unlisted = Effect.fnUntraced(function* (connectionId: string | null) {
  const open = yield* OpenConnections
  const { connections } = yield* (yield* Directory).contents
  const found: Array<Unlisted> = []
  for (const connection of connections) {
    if (connectionId !== null && connection.id !== connectionId) continue
    const connector = Option.getOrUndefined(yield* Effect.option(open.connector(connection)))
    if (connector !== undefined) found.push({ connectionId: connection.id, facts: unlistedBy(connector) })
  }
  return found
})

const unlistedBy = ({ listCharges, listDisputes, listRefunds }: Connector): ReadonlyArray<UnaskedFact> => {
  const lists = { charges: listCharges, refunds: listRefunds, disputes: listDisputes, payouts: undefined }
  return unaskedFacts.filter((fact) => lists[fact] === undefined)
}

/**
 * Accepts what is missing at a connection, or at all of them (`null`), which ends the loss that is known: from then on requests
 * and refunds go there, and a lost key may charge there again. `None` where nothing is missing.
 */
export const acceptLoss = Effect.fnUntraced(function* (connectionId: string | null) {
  const losses = yield* RecordLosses
  const newest = yield* losses.newest
  if (newest === null) return Option.none<RecordLoss>()
  const { connections } = yield* (yield* Directory).contents
  const isKnown = connectionId === null || connections.some(({ id }) => id === connectionId)
  const isOpen = isKnown && openLoss(newest) !== undefined
  // Extended meanwhile: that is another loss than the one that was accepted.
  const isAccepted = isOpen && (yield* acceptOpen(newest, connectionId))
  const isReleased = (isAccepted || !isOpen) && (yield* losses.releaseRefunds(newest.number, connectionId))
  if (isAccepted && connectionId !== null) {
    yield* endRecovered(
      connections.map(({ id }) => id),
      "accepted"
    )
  }
  return isAccepted || isReleased ? Option.fromNullishOr(yield* losses.newest) : Option.none<RecordLoss>()
})

const acceptOpen = Effect.fnUntraced(function* (loss: RecordLoss, connectionId: string | null) {
  const losses = yield* RecordLosses
  if (connectionId !== null) return yield* losses.markRecovered(loss, connectionId, false)
  return yield* losses.end(loss, { outcome: "accepted", at: yield* Clock.currentTimeMillis })
})

/** The other tenants with a connection to the same kind of provider. */
const othersOf = (connection: Connection, all: ReadonlyArray<Connection>): ReadonlyArray<Tenant> =>
  all
    .filter(({ connector }) => connector === connection.connector)
    .map(({ environment, workspaceId }) => ({ environment, workspaceId }))
    .filter((tenant, index, tenants) => tenants.findIndex((one) => isSame(one, tenant)) === index)
    .filter((tenant) => !isSame(tenant, connection))

const isSame = (a: Tenant, b: Tenant): boolean => a.workspaceId === b.workspaceId && a.environment === b.environment

const openLoss = (loss: RecordLoss | null): RecordLoss | undefined =>
  loss === null || loss.ended !== null ? undefined : loss

/** Declares a loss that the servers did not notice, after a cold restore: until it ends, servers send nothing. */
const declare = Effect.fnUntraced(function* (open: RecordLoss | undefined, since: number, now: number) {
  if (open !== undefined && open.since <= since) return open
  const losses = yield* RecordLosses
  return yield* losses.declare({ since, reason: "an operator recovers records", declaredAt: now })
})

/** Claims from before the loss was declared are sent within seconds, and end by their timeout: then lists have all. */
const awaitClaims = Effect.fnUntraced(function* (loss: RecordLoss, connections: ReadonlyArray<Connection>) {
  const { sendWithinMillis } = yield* PaymentSettings
  const { timeoutMillis } = yield* OpenConnections
  const longestMillis = sendWithinMillis + Math.max(0, ...connections.map((connection) => timeoutMillis(connection)))
  const passedMillis = Math.max(0, (yield* Clock.currentTimeMillis) - loss.declaredAt)
  yield* Effect.sleep(Math.max(0, longestMillis - passedMillis))
})

const endRecovered = Effect.fnUntraced(function* (
  connectionIds: ReadonlyArray<string>,
  outcome: RecordLossOutcome = "recovered"
) {
  const losses = yield* RecordLosses
  const loss = openLoss(yield* losses.newest)
  if (loss === undefined || connectionIds.some((id) => !loss.recovered.includes(id))) return
  yield* losses.end(loss, { outcome, at: yield* Clock.currentTimeMillis })
})
