/** Writes a change inside an open transaction: the checks of the port, then the rows, by statements prepared once. */
import type { Payment, Refund } from "@pointsman/core"
import { brokenBalance, keepsCreated } from "@pointsman/core/internal"
import { ApiKeyRevoked, type Change, type CommitFailure, KeyTaken, Stale, StorageError } from "@pointsman/core/ports"
import type { Row } from "@pointsman/storage-sql"
import { Exit, Result } from "effect"
import { type ClaimRows, readClaim, selectClaim } from "./Claims.ts"
import * as Statement from "./CommitStatement.ts"
import type { WriteChange } from "./Committer.ts"
import { type Database, isUniqueViolation } from "./Database.ts"
import { writeDeliveries } from "./Deliveries.ts"
import { writeDisputes } from "./Disputes.ts"
import { eventIdAfter } from "./EventIds.ts"
import { decideMessage } from "./Messages.ts"
import { guarded } from "./RecordLoss.ts"
import { takeReferences } from "./References.ts"
import { bindTenant, bindText, readText, rows } from "./Rows.ts"

/** The checks in the port's order, each inside the write that it guards. */
export const writeChange = (db: Database, newDeliveryId: () => string): WriteChange => {
  const liveKey = db.prepare("select 1 from api_keys where hash = ? and revoked_at is null")
  const storedClaim = selectClaim(db)
  const claimKey = db.prepare(Statement.insertClaim)
  const moveClaim = db.prepare(Statement.updateClaim)
  const storedRefunds = db.prepare(Statement.selectRefunds)
  const addPayment = db.prepare(Statement.insertPayment)
  const move = movePayment(db)
  const putAttempt = db.prepare(Statement.upsertAttempt)
  const putOperation = db.prepare(Statement.upsertOperation)
  const putRefund = db.prepare(Statement.upsertRefund)
  const putDisputes = writeDisputes(db)
  const addMetadata = writeMetadata(db)
  const putReference = db.prepare(Statement.updateReference)
  const putTotals = db.prepare(Statement.updateRefundTotals)
  const lastEvent = db.prepare(Statement.selectLastEvent)
  const addEvent = db.prepare(Statement.insertEvent)
  const decide = decideMessage(db)
  const take = takeReferences(db)
  const guard = guarded(db)
  const addDeliveries = writeDeliveries(db, newDeliveryId)

  const write = (change: Change, eventIds: ReadonlyArray<string>): Exit.Exit<void, CommitFailure> => {
    const { apiKeyHash, attempts, claim, events, message, operations = [], payment, refunds = [], tenant } = change
    if (apiKeyHash !== undefined && liveKey.get(bindText(apiKeyHash)) === undefined) {
      return Exit.fail(new ApiKeyRevoked())
    }
    if (claim !== undefined) {
      const values = Statement.bindClaim(claim.after, change)
      if (claim.expected === 0) {
        if (claimKey.run(...values).changes === 0) {
          const stored = storedClaim(tenant, claim.after.key) as ClaimRows
          return Exit.fail(new KeyTaken({ claim: readClaim(stored) }))
        }
      } else if (moveClaim.run(...values, claim.expected).changes === 0) {
        return Exit.fail(new Stale())
      }
    }
    const decided = message === undefined ? Result.void : decide(tenant, message)
    if (Result.isFailure(decided)) return Exit.fail(decided.failure)
    const references = take(change)
    const { after, expected } = payment
    const moved = expected === 0 ? undefined : move(change)
    const isWritten =
      expected === 0 ? addPayment.run(...Statement.bindNewPayment(after, change)).changes > 0 : moved !== undefined
    if (!isWritten) return Exit.fail(new Stale())
    const changed = moved && changedForGood(moved, after)
    if (changed !== undefined) return brokenCommit(changed)
    const refusal = guard(change)
    if (refusal !== undefined) return Exit.fail(new StorageError({ operation: "commit", cause: refusal }))
    if (Result.isFailure(references)) return Exit.fail(references.failure)
    references.success()
    const key = [...bindTenant(tenant), bindText(after.id)]
    if (moved !== undefined && readTextOrNull(moved["reference"]) !== after.reference) {
      putReference.run(after.reference === null ? null : bindText(after.reference), ...key)
    }
    if (expected === 0) addMetadata(after)
    const stored =
      hasNoRefunds(moved) && refunds.length === 0
        ? []
        : storedRefunds.all(...key).map((row) => rows.readRefund(row, payment.after))
    const all = replaced(stored, refunds)
    const unbalanced = brokenBalance(payment.after, all)
    if (unbalanced !== undefined) return brokenCommit(unbalanced)
    for (const refund of refunds) putRefund.run(...Statement.bindRefund(refund, change))
    // Without refunds, the totals are 0 and were 0.
    if (all.length > 0) putTotals.run(payment.after.refundedMinor, payment.after.refundPendingMinor, ...key)
    for (const attempt of attempts) putAttempt.run(...Statement.bindAttempt(attempt, change))
    for (const operation of operations) putOperation.run(...Statement.bindOperation(operation, change))
    putDisputes(change)
    if (events.length > 0) {
      let last = (lastEvent.get(...bindTenant(tenant))?.["id"] as string | null) ?? undefined
      events.forEach((event, index) => {
        last = eventIdAfter(last, eventIds[index] as string)
        const written = { ...event, id: last }
        addEvent.run(...Statement.bindEvent(written, change))
        addDeliveries(tenant, written, change.deliverAt ?? event.createdAt)
      })
    }
    return Exit.void
  }

  return (change, eventIds) => {
    try {
      return write(change, eventIds)
    } catch (cause) {
      if (isUniqueViolation(cause)) return brokenCommit((cause as Error).message)
      throw cause
    }
  }
}

/** Gives what is stored of a payment that moved; `undefined` where it has another version than was expected. */
const movePayment = (db: Database) => {
  const moved = db.prepare(Statement.updatePayment)
  const kept = db.prepare(Statement.updateKeptPayment)
  return (change: Change): Row | undefined => {
    const { after, expected } = change.payment
    return keepsCreated(change.payment)
      ? kept.get(...Statement.bindKeptPayment(after, change), expected)
      : moved.get(...Statement.bindMovedPayment(after, change), expected)
  }
}

const writeMetadata = (db: Database) => {
  const add = db.prepare(Statement.insertMetadata)
  return ({ id, metadata, tenant }: Payment) => {
    for (const [name, value] of Object.entries(metadata ?? {})) {
      add.run(...bindTenant(tenant), bindText(id), bindText(name), bindText(value))
    }
  }
}

/** As most payments: what is stored adds up to nothing, so there is nothing to add up. */
const hasNoRefunds = (moved: Row | undefined): boolean =>
  (moved?.["refunded_minor"] ?? 0) === 0 && (moved?.["refund_pending_minor"] ?? 0) === 0

/** What a payment keeps from its beginning. */
const changedForGood = (stored: Row, { createdAt, money }: Payment): string | undefined => {
  if (stored["created_at"] !== createdAt) return "the payment was created at another time"
  if (stored["amount_minor"] === money.minorUnits && stored["currency"] === money.currency) return undefined
  return "the payment was created for another amount"
}

const readTextOrNull = (value: unknown): string | null => (value === null ? null : readText(value))

const brokenCommit = (sentence: string): Exit.Exit<never> => Exit.die(new Error(`Ledger.commit: ${sentence}`))

/** The refunds as they are after the change: replaced by id where they were, added where they are new. */
const replaced = (stored: ReadonlyArray<Refund>, written: ReadonlyArray<Refund>): ReadonlyArray<Refund> => [
  ...new Map([...stored, ...written].map((refund) => [refund.id, refund])).values()
]
