/**
 * Writes a change inside an open transaction. Most changes are an insert or an update of the payment's row with all that
 * guards it in the condition, the events, and what newly names the payment. Where the row is not written, reads in the
 * port's order find out why; so they do for what is rare.
 *
 * A change is refused before its first write. The only exception is a charge of another payment: `Undo` is thrown, and the
 * batch is written again, with each change checked first.
 */
import type { SQLInputValue } from "node:sqlite"
import { bookAfter, brokenBook, referencesOf } from "@pointsman/core/internal"
import * as Ports from "@pointsman/core/ports"
import {
  type Columns,
  entryKey,
  insertInto,
  list,
  type Owner,
  onConflictReplace,
  readClaimRow,
  valuesOf
} from "@pointsman/storage-sql"
import { Exit } from "effect"
import { holderOf, readBook, readPayment, selectKeyRow, selectRow, versionOf } from "./Books.ts"
import type { WriteChange } from "./Committer.ts"
import { type Database, isUniqueViolation } from "./Database.ts"
import { writeDeliveries } from "./Deliveries.ts"
import { writeEvents } from "./Events.ts"
import { bindId, chargeName, keyHash, nameHash, shortChargeName, tenantHash } from "./Keys.ts"
import { decideMessage, outcomeOf } from "./Messages.ts"
import { isWritten, putRow } from "./PaymentRow.ts"
import { guarded } from "./RecordLoss.ts"
import { bindText, rows } from "./Rows.ts"

/** To be undone, and written again with a look at what it conflicts with. */
class Undo extends Error {}

/** Refused where another tenant has the hash. */
const insertTenant = `insert into tenants (t, workspace_id, environment) values (?, ?, ?)
  on conflict (workspace_id, environment) do nothing`

export const writeChange = (db: Database, newDeliveryId: () => string): WriteChange => {
  // A database that lost one of them is refused when it is opened.
  for (const table of ["payments", "names"]) db.prepare(`select 1 from ${table}`)
  const putTenant = db.prepare(insertTenant)
  const refusalOf = refusals(db)
  const putNames = writeNames(db)
  const putMetadata = writeMetadata(db)
  const putDisputes = upsert(db, "disputes", rows.disputeColumns)
  const putEvidence = upsert(db, "dispute_evidence", rows.evidenceColumns)
  const putEvents = writeEvents(db, writeDeliveries(db, newDeliveryId))

  return (given, eventIds, isLookedAt) => {
    if (given.payment.expected === 0) putTenant.run(tenantHash(given.tenant), ...rows.bindTenant(given.tenant))
    const before = storedBook(db, given)
    const change: Ports.Change = before === undefined ? given : { ...given, payment: { ...given.payment, before } }
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
      putDisputes(change.disputes, change)
      putEvidence(change.evidence, change)
      return Exit.succeed(putEvents(change, eventIds))
    } catch (cause) {
      if (isLookedAt && isUniqueViolation(cause)) return brokenCommit((cause as Error).message)
      throw cause
    }
  }
}

/** The book that is decided on, where it is stored. */
const storedBook = (db: Database, { payment, tenant }: Ports.Change): Ports.PaymentBook | undefined => {
  const { after, before, expected } = payment
  if (before !== undefined || expected === 0) return before
  const row = selectRow(db, tenant, after.id)
  return row?.["version"] === expected ? readBook(tenant, row) : undefined
}

/** It decides a message, or takes a key that the row of another payment may have. */
const isRare = ({ claim, message, payment }: Ports.Change): boolean =>
  message !== undefined || (claim !== undefined && (claim.expected === 0) !== (payment.expected === 0))

const refusals = (db: Database): ((change: Ports.Change) => Ports.CommitFailure | undefined) => {
  const guard = guarded(db)
  const liveKey = db.prepare("select 1 from api_keys where hash = ? and revoked_at is null")
  return (change) => {
    const { tenant } = change
    return Ports.refusalOf(change, {
      isLiveKey: (hash) => liveKey.get(bindText(hash)) !== undefined,
      claim: (key) => {
        const row = selectKeyRow(db, tenant, key)
        return row && readClaimRow(row, readPayment(tenant, row))
      },
      outcome: (message) => outcomeOf(db, tenant, message),
      version: (id) => versionOf(db, tenant, id),
      guarded: guard,
      holder: (charge) => holderOf(db, tenant, charge)
    })
  }
}

const freeKey = `update payments set key = null, claim_version = null, claimed_at = null, claim = null
  where t = ? and key = ?`

/** The message, and the key that another payment's row may have. */
const takeOver = (db: Database, { claim, message, tenant }: Ports.Change): void => {
  if (message !== undefined) decideMessage(db, tenant, message)
  if (claim !== undefined) db.prepare(freeKey).run(tenantHash(tenant), keyHash(claim.after.key))
}

/** What newly names the payment. */
const writeNames = (db: Database) => {
  const addCharge = db.prepare("insert into charges (t, name, payment) values (?, ?, ?) on conflict do nothing")
  return (change: Ports.Change): void => {
    const { after, before } = change.payment
    const t = tenantHash(change.tenant)
    const id = bindId(after.id)
    const names: Array<Uint8Array> = []
    for (const reference of referencesOf(change)) {
      if (reference.isTaken && addCharge.run(t, chargeName(reference), id).changes === 1) continue
      const holder = holderOf(db, change.tenant, reference)
      if (holder === undefined) names.push(shortChargeName(reference))
      if (holder !== undefined && holder !== after.id) throw new Undo()
    }
    const known = before === undefined ? [] : Ports.namesOf(before)
    for (const name of Ports.namesOf(change)) if (!known.includes(name)) names.push(nameHash(name))
    if (names.length === 0) return
    const values = list(names.map(() => "(?, ?, ?)"))
    db.prepare(`insert into names (t, name, payment) values ${values} on conflict do nothing`).run(
      ...names.flatMap((name) => [t, name, id])
    )
  }
}

const writeMetadata = (db: Database) => {
  const add = db.prepare("insert into payment_metadata (t, payment, name, value) values (?, ?, ?, ?)")
  return ({ payment: { after, expected }, tenant }: Ports.Change): void => {
    if (expected !== 0) return
    for (const [name, value] of Object.entries(after.metadata ?? {})) {
      add.run(tenantHash(tenant), bindId(after.id), bindText(name), bindText(value))
    }
  }
}

/** Those of a change, or the evidence that is kept for them. */
const upsert = <A>(db: Database, table: string, columns: Columns<A, SQLInputValue, Owner>) => {
  const names = Object.keys(columns)
  const put = db.prepare(`${insertInto(table, names)} ${onConflictReplace(names, entryKey)}`)
  const bind = valuesOf(columns)
  return (records: ReadonlyArray<A> = [], owner: Owner): void => {
    for (const record of records) put.run(...bind(record, owner))
  }
}

const brokenCommit = (sentence: string): Exit.Exit<never> => Exit.die(new Error(`Ledger.commit: ${sentence}`))
