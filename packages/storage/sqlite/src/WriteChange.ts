/**
 * Writes a change inside an open transaction. Most changes are an insert or an update of the payment's row with all that
 * guards it in the condition, the events, and what newly names the payment. Where the row is not written, reads in the
 * port's order find out why; so they do for what is rare.
 *
 * A change is refused before its first write. The only exception is a charge of another payment: `Undo` is thrown, and the
 * batch is written again, with each change checked first.
 */
import type { SQLInputValue } from "node:sqlite"
import type { Event, Tenant } from "@pointsman/core"
import { bookAfter, brokenBook, referencesOf } from "@pointsman/core/internal"
import * as Ports from "@pointsman/core/ports"
import {
  type Columns,
  entryKey,
  insertInto,
  list,
  numberOfType,
  type Owner,
  onConflictReplace,
  readClaimRow,
  uuidOf,
  valuesOf
} from "@pointsman/storage-sql"
import { Exit } from "effect"
import { holderOf, readBook, readPayment, selectKeyRow, selectRow, versionOf } from "./Books.ts"
import type { WriteChange } from "./Committer.ts"
import { type Database, isUniqueViolation } from "./Database.ts"
import { writeDeliveries } from "./Deliveries.ts"
import { decideMessage, outcomeOf } from "./Messages.ts"
import { isWritten, putRow } from "./PaymentRow.ts"
import { guarded } from "./RecordLoss.ts"
import {
  bindEventId,
  bindId,
  bindTenant,
  bindText,
  chargeName,
  keyHash,
  nameHash,
  readEventId,
  rows,
  shortChargeName,
  tenantHash
} from "./Rows.ts"

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

// The order of the ids of events is the order of commits, also where several processes write one file: their clocks and
// counters know nothing of each other, and a clock may be set back.

/**
 * Not where an id of the tenant is greater. Gives whether an endpoint of the tenant may want the event; the endpoints are
 * those of the table, not of a copy: one that another process has withdrawn is sent nothing.
 */
const insertEvent = `insert into events (t, id, type, payment, created_at, data) select ?1, ?2, ?3, ?4, ?5, ?6
  where not exists (select 1 from events where t = ?1 and id >= ?2)
  returning exists (
    select 1 from webhook_endpoints indexed by webhook_endpoints_by_tenant
    where workspace_id = ?7 and environment = ?8 and active = 1
  ) as is_followed`
const selectLastEvent = "select max(id) as id from events where t = ?"

/** Gives whether an endpoint may want one of them. `addDeliveries`: of an event, when they are due. */
const writeEvents = (db: Database, addDeliveries: (tenant: Tenant, event: Event, dueAt: number) => void) => {
  const add = db.prepare(insertEvent)
  const last = db.prepare(selectLastEvent)
  return (change: Ports.Change, ids: ReadonlyArray<string>): boolean => {
    const { events, tenant } = change
    const t = tenantHash(tenant)
    const owner = bindTenant(tenant)
    const write = ({ createdAt, paymentId, type, ...event }: Event) =>
      add.get(
        ...[t, bindEventId(event.id), numberOfType(type), bindId(paymentId), createdAt],
        rows.bindData({ ...event, paymentId, type }, change),
        ...owner
      )
    let isFollowed = false
    events.forEach((draft, index) => {
      let event = { ...draft, id: ids[index] as string }
      let written = write(event)
      if (written === undefined) {
        event = { ...event, id: eventIdAfter(readEventId(last.get(t)?.["id"]), event.id) }
        written = write(event)
      }
      if (written?.["is_followed"] === 1) {
        isFollowed = true
        addDeliveries(tenant, event, change.deliverAt ?? event.createdAt)
      }
    })
    return isFollowed
  }
}

/** The id to write after `last`: the fresh one, or the next one after `last` where the fresh one is not greater. */
const eventIdAfter = (last: string | undefined, fresh: string): string =>
  last === undefined || fresh > last ? fresh : successor(last)

/** The smallest greater UUIDv7, behind the same prefix. */
const successor = (id: string): string => {
  const start = id.length - 36
  let next = BigInt(`0x${id.slice(start).replaceAll("-", "")}`) + 1n
  // The bits of the variant (2) and of the version (7) do not count: what reaches them is carried over them.
  if (((next >> 62n) & 3n) === 3n) next += 3n << 62n
  if (((next >> 76n) & 15n) === 8n) next += 15n << 76n
  return id.slice(0, start) + uuidOf(Buffer.from(next.toString(16).padStart(32, "0"), "hex"))
}
