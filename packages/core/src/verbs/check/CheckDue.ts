/**
 * The background: takes payments whose time has come, by lease, and checks each. Any number of processes may do so;
 * what one of them took and did not finish is due again when the lease is over.
 */
import { Clock, Deferred, Effect, Option } from "effect"
import { commitOnce } from "../../commit/DecideAndCommit.ts"
import { nextCheckAt } from "../../decide/CheckSchedule.ts"
import { overdue } from "../../decide/Overdue.ts"
import { type DuePayment, Ledger } from "../../ports/Ledger.ts"
import { PaymentSettings } from "../../ports/PaymentSettings.ts"
import { StorageCondition } from "../../ports/StorageCondition.ts"
import { matchMessages } from "../receive/StoredMessages.ts"
import { checkPayment } from "./CheckPayment.ts"

/** What is taken at once, so that no process has much under lease that it has not begun. */
const batch = 16
/** Payments at once: each waits for a provider most of the time, and those of one that hangs for its whole time-out. */
const inFlightAtMost = 64
/** Between two searches for kept messages, in milliseconds: each walks all that found no charge. */
const matchEveryMillis = 5 * 60_000

/** Checks one batch of what is due, and gives how many there were; applies the kept messages whose charge is known by now. */
export const checkDue = Effect.fnUntraced(function* () {
  if (yield* isRefused) return 0
  yield* matchMessages()
  const due = yield* take(batch)
  yield* Effect.forEach(due, checkOne, { concurrency: "unbounded", discard: true })
  return due.length
})

/**
 * Checks what is due, and looks again after `everyMillis` when nothing is; then it also applies kept messages, every five
 * minutes. It takes more while earlier checks are under
 * way: a provider that hangs keeps nobody from the payments of others, as long as there is room.
 */
export const keepChecking = Effect.fnUntraced(function* (everyMillis: number) {
  const scope = yield* Effect.scope
  let inFlight = 0
  let room = Deferred.makeUnsafe<void>()
  let matchAt = 0
  const leave = Effect.suspend(() => {
    inFlight -= 1
    const left = room
    room = Deferred.makeUnsafe<void>()
    return Deferred.succeed(left, undefined)
  })
  for (;;) {
    if (inFlight >= inFlightAtMost) {
      yield* Deferred.await(room)
      continue
    }
    const limit = Math.min(batch, inFlightAtMost - inFlight)
    const due = yield* Effect.catchCause(take(limit), (cause) =>
      Effect.as(Effect.logError("the background jobs could not read the due payments", cause), [])
    )
    for (const payment of due) {
      inFlight += 1
      yield* Effect.forkIn(Effect.ensuring(checkOne(payment), leave), scope)
    }
    if (due.length < limit) {
      const now = yield* Clock.currentTimeMillis
      if (now >= matchAt && !(yield* isRefused)) {
        matchAt = now + matchEveryMillis
        yield* Effect.catchCause(matchMessages(), (cause) =>
          Effect.logError("the background jobs could not apply kept messages", cause)
        )
      }
      yield* Effect.sleep(everyMillis)
    }
  }
})

/** Nothing is begun while the storage takes no new work. */
const isRefused = Effect.gen(function* () {
  return (yield* (yield* StorageCondition).read).refusal !== null
})

const take = Effect.fnUntraced(function* (limit: number) {
  if (yield* isRefused) return []
  const ledger = yield* Ledger
  const { claimWindowMillis } = yield* PaymentSettings
  const now = yield* Clock.currentTimeMillis
  // No provider call lasts longer than the claim window.
  return yield* ledger.takeDue({ now, leaseMillis: claimWindowMillis, limit })
})

const checkOne = Effect.fnUntraced(
  function* ({ paymentId, tenant }: DuePayment) {
    const ledger = yield* Ledger
    const { checkIntervals, claimWindowMillis } = yield* PaymentSettings
    yield* checkPayment(tenant, paymentId)
    const book = yield* ledger.book(tenant, paymentId)
    if (Option.isNone(book)) return
    const { payment, refunds } = book.value
    const now = yield* Clock.currentTimeMillis
    const waiting = overdue(book.value, now)
    if (waiting !== undefined) {
      const step = { tenant, payment: { expected: payment.version, after: waiting }, attempts: [], events: [] }
      return yield* Effect.catchTag(commitOnce(step), "Contended", () => Effect.void)
    }
    yield* ledger.postpone(payment, nextCheckAt(payment, refunds, checkIntervals, claimWindowMillis, now))
  },
  // One payment that cannot be checked keeps nobody from the others; it is due again when its lease is over.
  (check, { paymentId }) =>
    Effect.catchCause(check, (cause) => Effect.logError(`payment ${paymentId} could not be checked`, cause))
)
