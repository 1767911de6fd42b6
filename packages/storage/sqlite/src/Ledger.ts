/** Payments in SQLite: one change is a few prepared statements, one read is one. */
import type { Refund, Tenant } from "@pointsman/core"
import { brokenBalance } from "@pointsman/core/internal"
import {
  ApiKeyRevoked,
  brokenChange,
  type Change,
  type CommitFailure,
  Ids,
  KeyTaken,
  Ledger,
  type MessageSubject,
  type PaymentQuery,
  type ReviewQuery,
  Stale,
  type UsageQuery
} from "@pointsman/core/ports"
import { afterAll, type BookRows, type Row } from "@pointsman/storage-sql"
import { Effect, Exit, Option, Result } from "effect"
import { postpone, takeDue, watched } from "./Checks.ts"
import * as Statement from "./CommitStatement.ts"
import { type CommitterOptions, make as makeCommitter, type WriteChange } from "./Committer.ts"
import { type Database, isUniqueViolation, read, snapshot } from "./Database.ts"
import { writeDeliveries } from "./Deliveries.ts"
import { eventIdAfter } from "./EventIds.ts"
import {
  decideMessage,
  keepMessage,
  selectMessage,
  selectMessages,
  selectSubjects,
  selectTold,
  storeMessage
} from "./Messages.ts"
import { forgetClaims, selectOldClaims } from "./OldClaims.ts"
import { takeReferences } from "./References.ts"
import { bindTenant, bindText, rows } from "./Rows.ts"

/*
 * Where a read needs an index it names it: the primary key also leads with the tenant, and without statistics SQLite
 * walks all that the tenant has in the order of ids, rather than the few rows of one payment, state or type.
 */

const ofTenant = "workspace_id = ? and environment = ?"
const selectPayment = `select * from payments where ${ofTenant} and id = ?`
const selectAttempts = `select * from attempts where ${ofTenant} and payment_id = ? order by number`
const selectOperations = `select * from operations where ${ofTenant} and payment_id = ? order by id`
const selectRefunds = `select * from refunds where ${ofTenant} and payment_id = ? order by id`
const selectClaim = `select * from claims where ${ofTenant} and key = ?`

export const make = Effect.fnUntraced(function* (db: Database, options: CommitterOptions = {}) {
  const ids = yield* Ids
  const context = yield* Effect.context<never>()
  // How many are needed is known inside the transaction alone, which does not pause.
  const newDeliveryId = () => Effect.runSyncWith(context)(ids.delivery)
  // Its statements are prepared here, which a database that lost a table refuses.
  const write = yield* read("open", () => writeChange(db, newDeliveryId))
  const enqueue = yield* makeCommitter(db, write, options)

  return Ledger.of({
    commit: (change) =>
      Effect.suspend(() => {
        const broken = brokenChange(change)
        return broken === undefined ? enqueue(change) : Effect.die(new Error(`Ledger.commit: ${broken}`))
      }),
    payment: (tenant, id) =>
      Effect.map(
        read("payment", () => db.prepare(selectPayment).get(...bindTenant(tenant), bindText(id))),
        (row) => Option.map(Option.fromUndefinedOr(row), rows.readPayment)
      ),
    book: (tenant, id) =>
      Effect.map(
        read("book", () => selectBook(db, tenant, id)),
        (book) => Option.map(Option.fromUndefinedOr(book), rows.readBook)
      ),
    bookOf: (tenant, subject) =>
      Effect.map(
        read("bookOf", () => selectBookOf(db, tenant, subject)),
        (found) =>
          Option.map(Option.fromUndefinedOr(found), ({ book, others, told }) => ({
            book: rows.readBook(book),
            told: told.map(rows.readNote),
            others
          }))
      ),
    storeMessage: (tenant, message) => storeMessage(db, tenant, message),
    keepMessage: (tenant, message, seen) => keepMessage(db, tenant, message, seen),
    message: (tenant, connectionId, eventId) =>
      Effect.map(
        read("message", () => selectMessage(db, tenant, connectionId, eventId)),
        (row) => Option.map(Option.fromUndefinedOr(row), rows.readMessage)
      ),
    messages: (query) =>
      Effect.map(
        read("messages", () => selectMessages(db, query)),
        (found) => found.map(rows.readTenantMessage)
      ),
    paymentOfPage: (tokenHash) =>
      Effect.map(
        read("paymentOfPage", () => db.prepare("select * from payments where page_token_hash = ?").get(tokenHash)),
        (row) => Option.map(Option.fromUndefinedOr(row), rows.readPayment)
      ),
    takeDue: (query) => read("takeDue", () => takeDue(db, query)),
    postpone: (payment, checkAt) => read("postpone", () => postpone(db, payment, checkAt)),
    watched: (limit) => read("watched", () => watched(db, limit)),
    reviews: (query) =>
      Effect.map(
        read("reviews", () => selectReviews(db, query)),
        (found) => found.map(rows.readPayment)
      ),
    usage: (query) => read("usage", () => countUsage(db, query)),
    payments: (tenant, query) =>
      Effect.map(
        read("payments", () => selectPayments(db, tenant, query)),
        (found) => found.map(rows.readPayment)
      ),
    attempts: (tenant, paymentId) =>
      Effect.map(
        read("attempts", () => db.prepare(selectAttempts).all(...bindTenant(tenant), bindText(paymentId))),
        (found) => found.map(rows.readAttempt)
      ),
    claim: (tenant, key) =>
      Effect.map(
        read("claim", () => db.prepare(selectClaim).get(...bindTenant(tenant), bindText(key))),
        (row) => Option.map(Option.fromUndefinedOr(row), rows.readClaim)
      ),
    oldClaims: (query) =>
      Effect.map(
        read("oldClaims", () => selectOldClaims(db, query)),
        (found) =>
          found.map(({ claim, payment }) => ({
            tenant: rows.readTenant(claim),
            claim: rows.readClaim(claim),
            payment: rows.readPayment(payment)
          }))
      ),
    forgetClaims: (claims) => forgetClaims(db, claims),
    timeline: (tenant, paymentId, { after, limit }) =>
      Effect.map(
        read("timeline", () =>
          db
            .prepare(`select * from events indexed by events_by_payment
              where ${ofTenant} and payment_id = ? and id > ? order by id limit ?`)
            .all(...bindTenant(tenant), bindText(paymentId), after ?? "", limit)
        ),
        (found) => found.map(rows.readEvent)
      ),
    events: (tenant, { after, before, limit, type }) =>
      Effect.map(
        read("events", () =>
          db
            .prepare(
              `select * from events ${type === undefined ? "" : "indexed by events_by_type"}
              where ${ofTenant} ${type === undefined ? "" : "and type = ?"}
              ${after === undefined ? "" : "and id > ?"}
              ${before === undefined ? "" : "and id < ?"}
              order by id ${after !== undefined && before === undefined ? "asc" : "desc"} limit ?`
            )
            .all(...bindTenant(tenant), ...[type, after, before].filter((value) => value !== undefined), limit)
        ),
        (found) => found.map(rows.readEvent)
      )
  })
})

/** The checks in the port's order, each inside the write that it guards. */
const writeChange = (db: Database, newDeliveryId: () => string): WriteChange => {
  const liveKey = db.prepare("select 1 from api_keys where hash = ? and revoked_at is null")
  const storedClaim = db.prepare(selectClaim)
  const claimKey = db.prepare(Statement.insertClaim)
  const moveClaim = db.prepare(Statement.updateClaim)
  const storedRefunds = db.prepare(selectRefunds)
  const addPayment = db.prepare(Statement.insertPayment)
  const movePayment = db.prepare(Statement.updatePayment)
  const putAttempt = db.prepare(Statement.upsertAttempt)
  const putOperation = db.prepare(Statement.upsertOperation)
  const putRefund = db.prepare(Statement.upsertRefund)
  const putTotals = db.prepare(Statement.updateRefundTotals)
  const lastEvent = db.prepare(`select max(id) as id from events where ${ofTenant}`)
  const addEvent = db.prepare(Statement.insertEvent)
  const decide = decideMessage(db)
  const take = takeReferences(db)
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
          const stored = storedClaim.get(...bindTenant(tenant), bindText(claim.after.key)) as Row
          return Exit.fail(new KeyTaken({ claim: rows.readClaim(stored) }))
        }
      } else if (moveClaim.run(...values, claim.expected).changes === 0) {
        return Exit.fail(new Stale())
      }
    }
    const decided = message === undefined ? Result.void : decide(tenant, message)
    if (Result.isFailure(decided)) return Exit.fail(decided.failure)
    const references = take(change)
    const values = Statement.bindPayment(payment.after, change)
    const moved = payment.expected === 0 ? undefined : movePayment.get(...values, payment.expected)
    const isWritten = payment.expected === 0 ? addPayment.run(...values).changes > 0 : moved !== undefined
    if (!isWritten) return Exit.fail(new Stale())
    if (Result.isFailure(references)) return Exit.fail(references.failure)
    references.success()
    // Most payments have no refunds: what is stored adds up to nothing, so there is nothing to add up.
    const hasNone = (moved?.["refunded_minor"] ?? 0) === 0 && (moved?.["refund_pending_minor"] ?? 0) === 0
    const key = [...bindTenant(tenant), bindText(payment.after.id)]
    const stored = hasNone && refunds.length === 0 ? [] : storedRefunds.all(...key).map(rows.readRefund)
    const all = replaced(stored, refunds)
    const unbalanced = brokenBalance(payment.after, all)
    if (unbalanced !== undefined) return brokenCommit(unbalanced)
    for (const refund of refunds) putRefund.run(...Statement.bindRefund(refund, change))
    // Without refunds, the totals are 0 and were 0.
    if (all.length > 0) putTotals.run(payment.after.refundedMinor, payment.after.refundPendingMinor, ...key)
    for (const attempt of attempts) putAttempt.run(...Statement.bindAttempt(attempt, change))
    for (const operation of operations) putOperation.run(...Statement.bindOperation(operation, change))
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

const brokenCommit = (sentence: string): Exit.Exit<never> => Exit.die(new Error(`Ledger.commit: ${sentence}`))

/** The refunds as they are after the change: replaced by id where they were, added where they are new. */
const replaced = (stored: ReadonlyArray<Refund>, written: ReadonlyArray<Refund>): ReadonlyArray<Refund> => [
  ...new Map([...stored, ...written].map((refund) => [refund.id, refund])).values()
]

const selectPayments = (db: Database, tenant: Tenant, query: PaymentQuery): ReadonlyArray<Row> => {
  const before = query.before ?? afterAll
  if (query.states === undefined) {
    return db
      .prepare(`select * from payments where ${ofTenant} and id < ? order by id desc limit ?`)
      .all(...bindTenant(tenant), before, query.limit)
  }
  const states = [...new Set(query.states)]
  if (states.length === 0) return []
  // One walk along the index for each state, none longer than the page: `state in (...)` would sort all that match.
  const ofState = `select * from (select * from payments indexed by payments_by_state
    where ${ofTenant} and state = ? and id < ? order by id desc limit ?)`
  return db
    .prepare(`${states.map(() => ofState).join(" union all ")} order by id desc limit ?`)
    .all(...states.flatMap((state) => [...bindTenant(tenant), state, before, query.limit]), query.limit)
}

/** A walk along the payments that wait, which are few: the others are not in the index. */
const selectReviews = (db: Database, { after, limit, paymentId, tenant }: ReviewQuery): ReadonlyArray<Row> =>
  db
    .prepare(`select * from payments indexed by payments_reviewed where review_since is not null
      ${after === undefined ? "" : "and (review_since, id) > (?, ?)"}
      ${paymentId === undefined ? "" : "and id = ?"}
      ${tenant === undefined ? "" : `and ${ofTenant}`}
      order by review_since, id limit ?`)
    .all(
      ...(after === undefined ? [] : [after.since, bindText(after.paymentId)]),
      ...(paymentId === undefined ? [] : [bindText(paymentId)]),
      ...(tenant === undefined ? [] : bindTenant(tenant)),
      limit
    )

const selectBook = (db: Database, tenant: Tenant, id: string): BookRows | undefined =>
  snapshot(db, () => selectBookRows(db, tenant, id))

const selectBookRows = (db: Database, tenant: Tenant, id: string): BookRows | undefined => {
  const key = [...bindTenant(tenant), bindText(id)]
  const payment = db.prepare(selectPayment).get(...key)
  if (payment === undefined) return undefined
  return {
    payment,
    attempts: db.prepare(selectAttempts).all(...key),
    operations: db.prepare(selectOperations).all(...key),
    refunds: db.prepare(selectRefunds).all(...key)
  }
}

const selectBookOf = (db: Database, tenant: Tenant, subject: MessageSubject) =>
  snapshot(db, () => {
    const [paymentId, ...others] = selectSubjects(db, tenant, subject)
    const book = paymentId === undefined ? undefined : selectBookRows(db, tenant, paymentId)
    return paymentId === undefined || book === undefined
      ? undefined
      : { book, told: selectTold(db, tenant, paymentId), others }
  })

const countUsage = (db: Database, { from, until, workspaceId }: UsageQuery): number =>
  db
    .prepare(`select count(*) as count from payments indexed by payments_by_creation
      where ${ofTenant} and created_at >= ? and created_at < ? and exists (
        select 1 from attempts
        where attempts.workspace_id = payments.workspace_id and attempts.environment = payments.environment
          and payment_id = payments.id and outcome is not null and outcome not in ('NotSent', 'Abandoned')
      )`)
    .get(...bindTenant({ workspaceId, environment: "production" }), from, until)?.["count"] as number
