/**
 * Writes a change inside an open transaction. Most changes are an insert or an update of the payment's row with all that
 * guards it in the condition, the events, and what newly names the payment. Where the row is not written, reads in the
 * port's order find out why; so they do for what is rare.
 *
 * A change is refused before its first write. The only exception is a charge of another payment: `Undo` is thrown, and the
 * batch is written again, with each change checked first.
 */
import { bookAfter, brokenBook, referencesOf } from "@pointsman/core/internal"
import {
  ApiKeyRevoked,
  type Change,
  type CommitFailure,
  KeyTaken,
  type PaymentBook,
  ReferenceTaken,
  Stale,
  StorageError
} from "@pointsman/core/ports"
import { entryKey, list, namesOf, readClaimRow, valuesOf } from "@pointsman/storage-sql"
import { Exit, Result } from "effect"
import { holderOf, readBook, readPayment, selectKeyRow, selectRow } from "./Books.ts"
import type { WriteChange } from "./Committer.ts"
import { type Database, isUniqueViolation } from "./Database.ts"
import { writeDeliveries } from "./Deliveries.ts"
import { writeEvents } from "./Events.ts"
import { bindId, chargeName, keyHash, nameHash, shortChargeName, tenantsOf } from "./Keys.ts"
import { checkMessage, decideMessage } from "./Messages.ts"
import { isWritten, putRow } from "./PaymentRow.ts"
import { guarded } from "./RecordLoss.ts"
import { bindText, rows, upsertInto } from "./Rows.ts"

/** To be undone, and written again with a look at what it conflicts with. */
class Undo extends Error {}

export const writeChange = (db: Database, newDeliveryId: () => string): WriteChange => {
  // A database that lost one of them is refused when it is opened.
  for (const table of ["tenants", "payments", "names"]) db.prepare(`select 1 from ${table}`)
  const refusalOf = refusals(db)
  const putNames = writeNames(db)
  const putMetadata = writeMetadata(db)
  const putDisputes = writeDisputes(db)
  const putEvents = writeEvents(db, writeDeliveries(db, newDeliveryId))

  return (given, eventIds, isLookedAt) => {
    if (given.payment.expected === 0) tenantsOf(db).add(given.tenant)
    const before = storedBook(db, given)
    const change: Change = before === undefined ? given : { ...given, payment: { ...given.payment, before } }
    const book = bookAfter(before, { ...change, payment: change.payment.after })
    const broken = brokenBook(book, before)
    try {
      if (broken !== undefined || isLookedAt || isRare(change) || !isWritten(db, change, book)) {
        const refusal = refusalOf(change)
        if (refusal !== undefined) return Exit.fail(refusal)
        if (broken !== undefined) return brokenCommit(broken)
        takeOver(db, change)
        putRow(db, change, book)
      }
      putNames(change)
      putMetadata(change)
      putDisputes(change)
      return Exit.succeed(putEvents(change, eventIds))
    } catch (cause) {
      if (isLookedAt && isUniqueViolation(cause)) return brokenCommit((cause as Error).message)
      throw cause
    }
  }
}

/** The book that is decided on, where it is stored. */
const storedBook = (db: Database, { payment, tenant }: Change): PaymentBook | undefined => {
  const { after, before, expected } = payment
  if (before !== undefined || expected === 0) return before
  const row = selectRow(db, tenant, after.id)
  return row?.["version"] === expected ? readBook(tenant, row) : undefined
}

/** It decides a message, or takes a key that the row of another payment may have. */
const isRare = ({ claim, message, payment }: Change): boolean =>
  message !== undefined || (claim !== undefined && (claim.expected === 0) !== (payment.expected === 0))

/** In the port's order: the API key, the key, the message, the version, the guard, the references of charges. */
const refusals = (db: Database): ((change: Change) => CommitFailure | undefined) => {
  const guard = guarded(db)
  const liveKey = db.prepare("select 1 from api_keys where hash = ? and revoked_at is null")
  const claimRefusal = ({ claim, tenant }: Change): CommitFailure | undefined => {
    if (claim === undefined) return undefined
    const keyed = selectKeyRow(db, tenant, claim.after.key)
    if (claim.expected === 0 && keyed !== undefined) {
      return new KeyTaken({ claim: readClaimRow(keyed, readPayment(tenant, keyed)) })
    }
    return claim.expected === (keyed?.["claim_version"] ?? 0) ? undefined : new Stale()
  }
  return (change) => {
    const { apiKeyHash, message, payment, tenant } = change
    if (apiKeyHash !== undefined && liveKey.get(bindText(apiKeyHash)) === undefined) return new ApiKeyRevoked()
    const ofClaim = claimRefusal(change)
    if (ofClaim !== undefined) return ofClaim
    const undecided = message === undefined ? Result.void : checkMessage(db, tenant, message)
    if (Result.isFailure(undecided)) return undecided.failure
    if (payment.expected !== (selectRow(db, tenant, payment.after.id)?.["version"] ?? 0)) return new Stale()
    const cause = guard(change)
    if (cause !== undefined) return new StorageError({ operation: "commit", cause })
    for (const { connectionId, providerRef } of referencesOf(change)) {
      const paymentId = holderOf(db, tenant, { connectionId, providerRef })
      if (paymentId !== undefined && paymentId !== payment.after.id) {
        return new ReferenceTaken({ connectionId, providerRef, paymentId })
      }
    }
    return undefined
  }
}

const freeKey = `update payments set key = null, claim_version = null, claimed_at = null, claim = null
  where t = ? and key = ?`

/** The message, and the key that another payment's row may have. */
const takeOver = (db: Database, { claim, message, tenant }: Change): void => {
  if (message !== undefined) decideMessage(db, tenant, message)
  if (claim !== undefined) db.prepare(freeKey).run(tenantsOf(db).find(tenant), keyHash(claim.after.key))
}

/** What newly names the payment. */
const writeNames = (db: Database) => {
  const addCharge = db.prepare("insert into charges (t, name, payment) values (?, ?, ?) on conflict do nothing")
  return (change: Change): void => {
    const { after, before } = change.payment
    const t = tenantsOf(db).find(change.tenant)
    const id = bindId(after.id)
    const names: Array<Uint8Array> = []
    for (const reference of referencesOf(change)) {
      if (reference.isTaken && addCharge.run(t, chargeName(reference), id).changes === 1) continue
      const holder = holderOf(db, change.tenant, reference)
      if (holder === undefined) names.push(shortChargeName(reference))
      if (holder !== undefined && holder !== after.id) throw new Undo()
    }
    const known = before === undefined ? [] : namesOf(before)
    for (const name of namesOf(change)) if (!known.includes(name)) names.push(nameHash(name))
    if (names.length === 0) return
    const values = list(names.map(() => "(?, ?, ?)"))
    db.prepare(`insert into names (t, name, payment) values ${values} on conflict do nothing`).run(
      ...names.flatMap((name) => [t, name, id])
    )
  }
}

const writeMetadata = (db: Database) => {
  const add = db.prepare("insert into payment_metadata (t, payment, name, value) values (?, ?, ?, ?)")
  return ({ payment: { after, expected }, tenant }: Change): void => {
    if (expected !== 0) return
    for (const [name, value] of Object.entries(after.metadata ?? {})) {
      add.run(tenantsOf(db).find(tenant), bindId(after.id), bindText(name), bindText(value))
    }
  }
}

const upsertDispute = upsertInto("disputes", Object.keys(rows.disputeColumns), entryKey)
const bindDispute = valuesOf(rows.disputeColumns)
const upsertEvidence = upsertInto("dispute_evidence", Object.keys(rows.evidenceColumns), entryKey)
const bindEvidence = valuesOf(rows.evidenceColumns)

/** Those of a change, and the evidence that is kept for them. */
const writeDisputes = (db: Database): ((change: Change) => void) => {
  const putDispute = db.prepare(upsertDispute)
  const putEvidence = db.prepare(upsertEvidence)
  return (change) => {
    for (const dispute of change.disputes ?? []) putDispute.run(...bindDispute(dispute, change))
    for (const kept of change.evidence ?? []) putEvidence.run(...bindEvidence(kept, change))
  }
}

const brokenCommit = (sentence: string): Exit.Exit<never> => Exit.die(new Error(`Ledger.commit: ${sentence}`))
