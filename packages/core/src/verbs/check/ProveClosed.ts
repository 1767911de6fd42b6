/**
 * Compares closed payments with their providers' records: a message that was lost, or a change that a person made at the
 * provider, is found although no request waits for it.
 *
 * Every hour one process of all on the store makes the hour's lookups of each connection. It holds a lease until the end of
 * the hour, so that no number of processes and restarts exceeds the budget of a day; what a process that dies did not ask
 * is left out. The sample is drawn anew each time: no state of it is stored.
 */
import { Clock, Effect, Metric, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import {
  aboutCharge,
  aboutRefund,
  aboutRefundsOf,
  canLookUpRefunds,
  lookUpRefund,
  proveCharge
} from "../../call/LookUp.ts"
import { adoptAnswer } from "../../commit/AdoptAnswer.ts"
import { recordLookup } from "../../commit/RecordLookup.ts"
import { holdingAttempt } from "../../decide/Holding.ts"
import { interpret } from "../../decide/interpret/Interpret.ts"
import { type ProofResult, proofHour, proofResultOf, proofResults, provableStates } from "../../decide/ProofPlan.ts"
import { proofLookUps } from "../../metrics/Metrics.ts"
import type { Attempt } from "../../model/Attempt.ts"
import type { Connection } from "../../model/Connection.ts"
import type { Payment } from "../../model/Payment.ts"
import type { PaymentBook } from "../../model/PaymentBook.ts"
import type { Refund } from "../../model/Refund.ts"
import { Directory } from "../../ports/Directory.ts"
import { Ids } from "../../ports/Ids.ts"
import { Ledger } from "../../ports/Ledger.ts"
import { ProofSettings } from "../../ports/PaymentSettings.ts"
import { Retention } from "../../ports/Retention.ts"
import { StorageClock } from "../../ports/StorageClock.ts"
import { StorageCondition } from "../../ports/StorageCondition.ts"

/** Lookups by their result. */
export type ProofCounts = Readonly<Record<ProofResult, number>>

const none: ProofCounts = { agreed: 0, differs: 0, unanswered: 0, unsupported: 0 }

/** Payments among which one is drawn. */
const drawnFrom = 50
/** Connections at once: a provider that hangs holds up few others. */
const connectionsAtOnce = 8
/** Between two lookups of a connection: its provider has payments to serve. */
const pace = "1 second"
/** After so many lookups without an answer the rest of the hour's lookups of the connection are left out. */
const unansweredAtMost = 3

/** Where the hour's lookups were made, or are being made, or none are due, nothing is asked. */
export const proveClosed = Effect.gen(function* () {
  const { lookUpsPerDay } = yield* ProofSettings
  if (lookUpsPerDay === 0 || (yield* (yield* StorageCondition).read).refusal !== null) return none
  const now = yield* Clock.currentTimeMillis
  const { quota, until } = proofHour(now, lookUpsPerDay)
  if (quota === 0) return none
  const holder = yield* (yield* Ids).request
  if (!(yield* (yield* Retention).lease({ what: "proof", holder, now, until }))) return none
  const { connections } = yield* (yield* Directory).contents
  const counts = yield* Effect.forEach(
    connections.filter(({ active }) => active),
    (connection) => proveConnection(connection, quota),
    { concurrency: connectionsAtOnce }
  )
  return counts.reduce(sum, none)
})

const sum = (one: ProofCounts, other: ProofCounts): ProofCounts =>
  Object.fromEntries(proofResults.map((result) => [result, one[result] + other[result]])) as Record<ProofResult, number>

const proveConnection = Effect.fnUntraced(
  function* (connection: Connection, quota: number) {
    let counts = none
    for (let made = 0; made < quota; made++) {
      if (made > 0) yield* Effect.sleep(pace)
      const payment = yield* draw(connection)
      if (payment === undefined) break
      const result = yield* provePayment(payment)
      if (result === undefined) continue
      counts = { ...counts, [result]: counts[result] + 1 }
      yield* Metric.update(proofLookUps(connection.id, result), 1)
      if (result === "unsupported" || counts.unanswered >= unansweredAtMost) break
    }
    return counts
  },
  (prove, { id }) =>
    Effect.catchCause(prove, (cause) =>
      Effect.as(Effect.logError(`closed payments of connection ${id} could not be compared`, cause), none)
    )
)

/** A number of at least 0 and below `below`. */
const drawBelow = Effect.fnUntraced(function* (below: number) {
  const bytes = yield* Effect.orDie((yield* SecureRandom.SecureRandom).randomBytes(6))
  return Math.floor((bytes.reduce((value, byte) => value * 256 + byte, 0) / 2 ** 48) * below)
})

/** One of the payments that were created before a random time; of the newest where none was. */
const draw = Effect.fnUntraced(function* ({ environment, id, workspaceId }: Connection) {
  const ledger = yield* Ledger
  const { createdWithinMillis, restsForMillis } = yield* ProofSettings
  const now = yield* Clock.currentTimeMillis
  const from = now - createdWithinMillis
  const until = now - restsForMillis
  const find = (createdBefore: number) =>
    Effect.map(
      ledger.payments(
        { workspaceId, environment },
        { connectionId: id, states: provableStates, createdFrom: from, createdBefore, limit: drawnFrom }
      ),
      // What operations have to look at anyway needs no lookup.
      (found) => found.filter(({ review, updatedAt }) => review === null && updatedAt < until)
    )
  const before = from + 1 + (yield* drawBelow(Math.max(1, until - from)))
  const some = yield* find(before)
  const found = some.length > 0 ? some : yield* find(until)
  return found[yield* drawBelow(found.length)]
})

type Subject =
  | { readonly _tag: "Charge"; readonly attempt: Attempt }
  | { readonly _tag: "Refund"; readonly refund: Refund; readonly attempt: Attempt }

/** One lookup: of the charge, or of one of the refunds that succeeded. `undefined`: the payment is gone, or moved on. */
const provePayment = Effect.fnUntraced(function* ({ id, tenant }: Payment) {
  const ledger = yield* Ledger
  const book = Option.getOrUndefined(yield* ledger.book(tenant, id))
  const attempt = book === undefined ? undefined : holdingAttempt(book)
  if (book === undefined || attempt === undefined || !isProvable(book.payment)) return undefined
  const subjects: Array<Subject> = [{ _tag: "Charge", attempt }]
  if (yield* canLookUpRefunds(tenant, attempt.connectionId)) {
    for (const refund of book.refunds)
      if (refund.stage === "Succeeded") subjects.push({ _tag: "Refund", refund, attempt })
  }
  const subject = subjects[yield* drawBelow(subjects.length)]
  return subject === undefined ? undefined : yield* compare(book, subject)
})

const provable: ReadonlySet<string> = new Set(provableStates)
const isProvable = ({ state }: Payment): boolean => provable.has(state)

const compare = Effect.fnUntraced(function* (book: PaymentBook, subject: Subject) {
  const askedAt = yield* Clock.currentTimeMillis
  const answers = yield* ask(book.payment, subject)
  if (answers === "unsupported") return answers
  const agesFrom = (yield* StorageClock)?.agesFrom() ?? null
  const source = { via: "lookup" as const, at: null, askedAt, agesFrom }
  const results: Array<ProofResult> = []
  let recorded = book
  for (const { about, connectionId } of answers) {
    // The provider was not asked, so this says nothing about the payment.
    if (about._tag === "OtherAccount") return "unanswered" as const
    const now = yield* Clock.currentTimeMillis
    results.push(proofResultOf(interpret(recorded, connectionId, { ...source, about }, now)))
    recorded = yield* recordLookup(recorded, { about, connectionId, askedAt })
    if (about._tag === "AnotherAttempt") yield* adoptAnswer(book.payment.tenant, connectionId, about.named)
  }
  const [connection] = answers
  const differs = results.includes("differs")
  if (differs && connection !== undefined) yield* warn(book.payment, connection.connectionId)
  return differs ? ("differs" as const) : (results[0] ?? ("unanswered" as const))
})

const ask = Effect.fnUntraced(function* (payment: Payment, subject: Subject) {
  if (subject._tag === "Refund") {
    const found = yield* lookUpRefund(payment, subject.refund, subject.attempt)
    return found === undefined ? [] : [aboutRefund(subject.refund, found)]
  }
  const { attempt } = subject
  const found = yield* proveCharge(payment, attempt)
  if (found === "Unsupported") return "unsupported" as const
  return found === undefined ? [] : [aboutCharge(attempt, found), ...(yield* aboutRefundsOf(payment, attempt, found))]
})

const warn = ({ id, state }: Payment, connection: string) =>
  Effect.annotateLogs(Effect.logWarning("the provider's record of a closed payment differs from the stored one"), {
    payment_id: id,
    connection,
    state
  })
