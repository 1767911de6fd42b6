/**
 * Payments as requests were answered, for replays: only what may differ from the payment's own row. The rest of an answer
 * is read from the payment.
 *
 * The rule that a reader would otherwise break: what the payment's row may change after the answer is stored here, except
 * for the texts that an erasure takes from both. Names are short, and a value that most answers have is left out.
 */
import type { Payment, RoutingAttempt, RoutingDecision } from "@pointsman/core"
import { attemptsOf, shortAttempts } from "./ShortDecision.ts"

/** An answer with only the fields that differ from the usual. It has no `id`, by which a whole payment is known. */
export type ShortAnswer = { readonly [name: string]: unknown }

export type StoredAnswer = Payment | ShortAnswer

/** What the answer is stored with. */
export interface Answered {
  /** Epoch milliseconds. */
  readonly at: number | null
  /** The payment's idempotency key. */
  readonly key: string | null
}

/** Never used for something else: answers with them are stored. */
const names: Readonly<Record<Exclude<keyof Payment, "id" | "hosted" | "routing" | "corrections">, string>> = {
  tenant: "tenant",
  version: "v",
  state: "s",
  money: "money",
  country: "country",
  method: "method",
  paymentMethod: "paymentMethod",
  cardBrand: "cardBrand",
  initiator: "initiator",
  captureMethod: "captureMethod",
  reference: "reference",
  metadata: "metadata",
  purchase: "purchase",
  declineCategory: "declineCategory",
  declineReason: "declineReason",
  authorizedMinor: "a",
  capturedMinor: "c",
  refundedMinor: "r",
  refundPendingMinor: "rp",
  connectionId: "n",
  providerRef: "p",
  idempotencyKey: "key",
  simulation: "simulation",
  reported: "reported",
  review: "review",
  createdAt: "createdAt",
  updatedAt: "u",
  settledAt: "d"
}
const fields = Object.entries(names) as ReadonlyArray<readonly [keyof typeof names, string]>
/** The attempts of its routing decision, and the connections that were skipped. */
const attemptsName = "t"
const skippedName = "k"

type Attempts = ReadonlyArray<RoutingAttempt>

/**
 * Instead of the attempts: the payment was captured by its first attempt, and answered with the reference that it had
 * first. Attempts are numbered and only added to, so that the first one remains; and the storage keeps a reference that
 * is replaced.
 */
const firstCaptured = 1

/** What a payment that `firstCaptured` describes was captured by. */
const capturedBy = ({
  attemptId,
  connectionId
}: Pick<RoutingAttempt, "attemptId" | "connectionId">): RoutingAttempt => ({
  attemptId,
  connectionId,
  outcome: "Captured",
  code: null
})

/** Only of the first change of a payment: no reference was replaced before it. */
const isFirstCaptured = (answer: Payment, payment: Payment): boolean => {
  const [first, ...others] = answer.routing?.attempts ?? []
  return (
    first !== undefined &&
    others.length === 0 &&
    isEqual(first, capturedBy(first)) &&
    isEqual(first, payment.routing?.attempts[0]) &&
    answer.version === 2 &&
    payment.version === 2 &&
    answer.providerRef !== null &&
    answer.providerRef === payment.providerRef
  )
}

/** What a direct payment keeps, and what a captured one was answered with. */
const usual = ({ corrections: _, ...payment }: Payment, attempts: Attempts, { at, key }: Answered): Payment => ({
  ...payment,
  version: 2,
  state: "Captured",
  declineCategory: null,
  declineReason: null,
  authorizedMinor: payment.money.minorUnits,
  capturedMinor: payment.money.minorUnits,
  refundedMinor: 0,
  refundPendingMinor: 0,
  connectionId: attempts.at(-1)?.connectionId ?? null,
  providerRef: null,
  idempotencyKey: key,
  reported: null,
  review: null,
  updatedAt: at ?? payment.createdAt,
  settledAt: at
})

/**
 * `payment`: as it is stored. A hosted payment is routed later, so that its answers are stored whole. `isDerived`: see
 * `Owner`.
 */
export const shortAnswer = (answer: Payment, answered: Answered, payment: Payment, isDerived = false): StoredAnswer => {
  if (answer.hosted !== null || payment.hosted !== null) return answer
  const short: Record<string, unknown> = {}
  if (answer.routing !== null) {
    const attempts = shortAttempts(answer.routing.attempts)
    if (attempts === undefined || !isSameDecision(answer.routing, payment.routing)) return answer
    short[attemptsName] = isDerived && isFirstCaptured(answer, payment) ? firstCaptured : attempts
    if (answer.routing.skipped !== undefined) short[skippedName] = answer.routing.skipped
  }
  const base = usual(payment, answer.routing?.attempts ?? [], answered)
  for (const [field, name] of fields) {
    const value = answer[field]
    if (value !== base[field] && !isEqual(value, base[field])) short[name] = value
  }
  if (short[attemptsName] === firstCaptured) delete short[names.providerRef]
  // A payment that was recovered without its key may get it later.
  if (answer.idempotencyKey === null) short[names.idempotencyKey] = null
  return short
}

/** `replacedRef`: the first reference of the payment, where it has another one now. */
export const answerOf = (
  stored: StoredAnswer,
  answered: Answered,
  payment: Payment | undefined,
  replacedRef: string | null = null
): Payment => {
  if ("id" in stored) return stored as Payment
  if (payment === undefined) throw new Error("Ledger: a stored answer has no payment")
  const own: Record<string, unknown> = {}
  for (const [field, name] of fields) if (name in stored) own[field] = (stored as ShortAnswer)[name]
  const routing = routingOf(stored, payment.routing)
  if ((stored as ShortAnswer)[attemptsName] === firstCaptured) own["providerRef"] = replacedRef ?? payment.providerRef
  return { ...usual(payment, routing?.attempts ?? [], answered), ...own, routing } as Payment
}

const routingOf = (stored: ShortAnswer, decision: RoutingDecision | null): RoutingDecision | null => {
  const attempts = stored[attemptsName] as ReadonlyArray<ReadonlyArray<unknown>> | typeof firstCaptured | undefined
  if (attempts === undefined) return null
  if (decision === null) throw new Error("Ledger: a stored answer has a routing decision, and its payment has none")
  const { skipped: _, ...rest } = decision
  const skipped = stored[skippedName] as RoutingDecision["skipped"]
  return {
    ...rest,
    attempts: attempts === firstCaptured ? decision.attempts.slice(0, 1).map(capturedBy) : attemptsOf(attempts),
    ...(skipped === undefined ? {} : { skipped })
  }
}

/** Attempts and skipped connections are all that a decision gets later. */
const isSameDecision = (one: RoutingDecision, other: RoutingDecision | null): boolean =>
  one === other || (other !== null && isEqual(withoutLater(one), withoutLater(other)))

const withoutLater = ({ attempts: _a, skipped: _s, ...decision }: RoutingDecision) => decision

const isEqual = (one: unknown, other: unknown): boolean =>
  typeof one === "object" && one !== null && typeof other === "object" && JSON.stringify(one) === JSON.stringify(other)
