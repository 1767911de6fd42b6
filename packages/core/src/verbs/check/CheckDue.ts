/** The background: takes due payments by lease and checks each. What a process does not finish is due again. */
import { Clock, Effect, Latch, Option } from "effect"
import { commitOnce } from "../../commit/DecideAndCommit.ts"
import { makePlaces } from "../../commit/Places.ts"
import { nextCheckAt } from "../../decide/CheckSchedule.ts"
import { overdue } from "../../decide/WithReview.ts"
import { movedPayment } from "../../model/PaymentBook.ts"
import type { Tenant } from "../../model/Tenant.ts"
import { type DuePayment, Ledger } from "../../ports/Ledger.ts"
import { ConnectionShares, PaymentSettings } from "../../ports/PaymentSettings.ts"
import { StorageCondition } from "../../ports/StorageCondition.ts"
import { checkDisputes } from "../dispute/CheckDisputes.ts"
import { noticeLosses } from "../receive/NoticeLoss.ts"
import { matchMessages } from "../receive/StoredMessages.ts"
import { checkPayment } from "./CheckPayment.ts"

/** What is taken at once, so that no process has much under lease that it has not begun. */
const batch = 16
/** Payments at once: most wait for a provider, and dozens of providers may hang at the same time. */
const placesForAll = { atOnce: 64, atOnceWithSlow: 1_024, slowAfterMillis: 1_000 }
/** Between two searches for kept messages, in milliseconds: each walks all that found no charge. */
const matchEveryMillis = 5 * 60_000

/** Checks one batch of due payments and all due disputes, and gives how many there were; applies the kept messages whose charge is known by now. */
export const checkDue = Effect.fnUntraced(function* () {
  if (yield* isRefused) return 0
  yield* matchMessages()
  yield* noticed(null)
  const due = yield* take(batch)
  yield* Effect.forEach(due, checkOne, { concurrency: "unbounded", discard: true })
  return due.length + (yield* checkDisputes())
})

/**
 * Checks what is due, and looks again after `everyMillis` when nothing is; then it also applies kept messages, every
 * five minutes. It takes more while earlier checks are under way. A provider that hangs takes no more than its
 * connection's share, and does not block the payments of other connections.
 */
export const keepChecking = Effect.fnUntraced(function* (everyMillis: number) {
  const scope = yield* Effect.scope
  const { lookUps } = yield* ConnectionShares
  const places = makePlaces<DuePayment>(placesForAll)
  // As many as connections exist.
  const underWay = new Map<string | null, number>()
  const hasRoom = Latch.makeUnsafe()
  let isFull = false
  let matchAt = 0
  let noticedUntil: number | null = null
  const begin = (due: DuePayment, now: number) => {
    places.take(due, now)
    underWay.set(due.connectionId, (underWay.get(due.connectionId) ?? 0) + 1)
  }
  const leave = (due: DuePayment) =>
    Effect.sync(() => {
      places.leave(due)
      const left = (underWay.get(due.connectionId) ?? 0) - 1
      if (left > 0) underWay.set(due.connectionId, left)
      else underWay.delete(due.connectionId)
      // More of this connection may wait. Half of its share is taken at once, rather than one by one.
      if (isFull || left === Math.floor(lookUps / 2)) hasRoom.openUnsafe()
    })
  for (;;) {
    hasRoom.closeUnsafe()
    const now = yield* Clock.currentTimeMillis
    const limit = Math.min(batch, places.at(now).free)
    const due =
      limit === 0
        ? []
        : yield* Effect.catchCause(take(limit, underWay), (cause) =>
            Effect.as(Effect.logError("the background jobs could not read the due payments", cause), [])
          )
    for (const payment of due) {
      begin(payment, now)
      yield* Effect.forkIn(Effect.ensuring(checkOne(payment), leave(payment)), scope)
    }
    if (limit > 0 && due.length === limit) continue
    if (now >= matchAt && !(yield* isRefused)) {
      matchAt = now + matchEveryMillis
      yield* Effect.catchCause(matchMessages(), (cause) =>
        Effect.logError("the background jobs could not apply kept messages", cause)
      )
      noticedUntil = yield* noticed(noticedUntil)
    }
    const { free, moreAfterMillis } = places.at(now)
    isFull = free === 0
    yield* Effect.timeoutOption(hasRoom.await, isFull ? Math.min(everyMillis, moreAfterMillis) : everyMillis)
  }
})

/** Where it fails, the same messages are searched again. */
const noticed = (after: number | null) =>
  Effect.catchCause(noticeLosses(after), (cause) =>
    Effect.as(Effect.logError("the background jobs could not check unmatched messages for lost records", cause), after)
  )

/** Nothing is begun while the storage takes no new work. */
const isRefused = Effect.gen(function* () {
  return (yield* (yield* StorageCondition).read).refusal !== null
})

const take = Effect.fnUntraced(function* (limit: number, underWay: ReadonlyMap<string | null, number> = new Map()) {
  if (yield* isRefused) return []
  const ledger = yield* Ledger
  const { lookUps: limitPerConnection } = yield* ConnectionShares
  const { claimWindowMillis: leaseMillis } = yield* PaymentSettings
  const now = yield* Clock.currentTimeMillis
  // No provider call lasts longer than the claim window.
  return yield* ledger.takeDue({ now, leaseMillis, limit, limitPerConnection, underWay })
})

const checkOne = ({ paymentId, tenant }: DuePayment) => {
  // One payment that cannot be checked does not block the others.
  const safely = Effect.catchCause((cause) => Effect.logError(`payment ${paymentId} could not be checked`, cause))
  // Where the store fails for a moment, or the process is stopped, the lookup counts as one without an answer.
  return Effect.ensuring(safely(checkPayment(tenant, paymentId)), safely(lookLater(tenant, paymentId)))
}

/** Where this fails, the payment is due again when its lease is over. */
const lookLater = Effect.fnUntraced(function* (tenant: Tenant, paymentId: string) {
  const ledger = yield* Ledger
  const { checkIntervals, claimWindowMillis } = yield* PaymentSettings
  const book = yield* ledger.book(tenant, paymentId)
  if (Option.isNone(book)) return
  const { payment, refunds } = book.value
  const now = yield* Clock.currentTimeMillis
  const waiting = overdue(book.value, now)
  if (waiting !== undefined) {
    const step = { tenant, payment: movedPayment(book.value, waiting), events: [] }
    return yield* Effect.catchTag(commitOnce(step), "Contended", () => Effect.void)
  }
  yield* ledger.postpone(payment, nextCheckAt(payment, refunds, checkIntervals, claimWindowMillis, now))
})
