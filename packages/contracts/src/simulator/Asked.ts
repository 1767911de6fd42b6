/** What callers requested, and the answers that they received: a success that a caller received has to stay true. */
import type { Payment, PaymentState, Pointsman } from "@pointsman/core"
import { Cause, type Effect, Exit } from "effect"
import type { MortalProcess } from "./MortalProcess.ts"
import type { Plan } from "./Plan.ts"
import { wordOf } from "./Words.ts"

/** A request of a merchant to be paid; it may be asked for again, in the same words. */
export interface Order {
  readonly tenant: "sandbox" | "production"
  /** The merchant's own reference, one for each order: the provider is sent it too. */
  readonly reference: string
  readonly idempotencyKey: string | null
  /** Epoch milliseconds. */
  readonly firstAskedAt: number
  /** How often it was asked for, and how often that ended in the word that nothing was sent. */
  asked: number
  unsent: number
}

/** A success that a caller was told. */
export interface Told {
  readonly what: string
  readonly payment: Payment
}

/** What happened to a payment since something was told of it. */
export interface Since {
  readonly isContradicted: boolean
  readonly hasLostRecords: boolean
  /** All of its money was asked for after the loss. */
  readonly isPaidSince: boolean
  /** A charge of it holds money at the provider. */
  readonly isHeldThere: boolean
}

/** Where no money is, and none comes any more. */
const endsWithoutMoney: ReadonlySet<PaymentState> = new Set(["Declined", "Failed", "Cancelled", "Voided"])

/**
 * What is not true any more of what was told; `now` is the payment as it stands at last. A provider that contradicted
 * itself may have moved the payment since. Of a payment whose records the store lost, how it ended without money may be
 * another word, its customer may have paid on the page again, and what cannot be recovered is a review.
 */
export const brokenWord = (
  { payment: told, what }: Told,
  now: Payment | undefined,
  { hasLostRecords, isContradicted, isHeldThere, isPaidSince }: Since
): ReadonlyArray<string> => {
  const said = `${what} was told ${told.state}`
  if (now === undefined) return [`${said}, and the payment is gone`]
  if (isContradicted || (hasLostRecords && now.review !== null)) return []
  const wrong: Array<string> = []
  if (hasLostRecords && endsWithoutMoney.has(told.state) && (endsWithoutMoney.has(now.state) || isPaidSince)) return []
  if (endsWithoutMoney.has(told.state) && now.state !== told.state) wrong.push(`${said}, and it is ${now.state}`)
  // The void was lost with the rest, and the recovered charge is canceled.
  const isReleased = hasLostRecords && !isHeldThere
  if (told.state === "Authorized" && !isReleased && (now.state === "Declined" || now.state === "Failed")) {
    wrong.push(`${said}, and it is ${now.state}`)
  }
  if (told.capturedMinor > 0 && now.capturedMinor !== told.capturedMinor) {
    wrong.push(`${said} with ${told.capturedMinor} captured, and it is ${now.capturedMinor}`)
  }
  if (told.refundedMinor > now.refundedMinor) {
    wrong.push(`${said} with ${told.refundedMinor} refunded, and it is ${now.refundedMinor}`)
  }
  return wrong
}

export type Work<A> = (pointsman: Pointsman["Service"]) => Effect.Effect<A, unknown>

export type Asking = ReturnType<typeof makeAsking>

export const makeAsking = (plan: Plan, listen: (line: string) => void) => {
  /** Every success that a caller received. */
  const told: Array<Told> = []
  /** What could not be explained as it happened. */
  const wrong: Array<string> = []
  return {
    /** `what`: the question in words. */
    ask: <A>(process: MortalProcess, what: string, work: Work<A>, onEnd?: (exit: Exit.Exit<A, unknown>) => void) => {
      plan.note(`process ${process.number}: ${what}`)
      listen(`asks ${process.number} ${what}`)
      process.ask(work, (exit) => {
        listen(`hears ${process.number} ${what}: ${wordOf(exit)}`)
        if (Exit.isFailure(exit) && Cause.hasDies(exit.cause)) {
          wrong.push(`${what} broke: ${String(Cause.squash(exit.cause))}`)
        }
        onEnd?.(exit)
      })
    },
    /** For `onEnd`: a success has to be true for ever. */
    hears: (what: string) => (exit: Exit.Exit<{ readonly payment: Payment }, unknown>) => {
      if (Exit.isSuccess(exit)) told.push({ what, payment: exit.value.payment })
    },
    told,
    wrong
  }
}
