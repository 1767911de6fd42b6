/** The page of what follows an attempt: by asking the code that decides it in core. */
import { type Attempt, type CaptureMethod, type RoutingMode, statusOf } from "@pointsman/core"
import {
  type AttemptEnd,
  type ChargeFact,
  endAttempt,
  isFollowed,
  lastFact,
  Machine,
  type NothingExecuted,
  openAttempt,
  PaymentMachine,
  unexecutedFact
} from "@pointsman/core/internal"
import { NotSent, Unanswered } from "@pointsman/core/ports"
import { Result } from "effect"
import { code, table } from "./Markdown.ts"

const money = { minorUnits: 1000, currency: "EUR" }
const held = { providerRef: "r1" }
const declined = { _tag: "Declined", providerRef: null, category: "do_not_honor", code: "05" } as const

interface Row {
  readonly name: string
  readonly captureMethod?: CaptureMethod
  /** `null`: it was never sent. */
  readonly end: Exclude<AttemptEnd, { readonly _tag: "CheckoutOpened" }> | null
}

const rows: ReadonlyArray<Row> = [
  { name: "Captured", end: { _tag: "Captured", ...held } },
  { name: "Authorized, to be captured by the merchant", captureMethod: "manual", end: { _tag: "Authorized", ...held } },
  { name: "Authorized, asked to capture", end: { _tag: "Authorized", ...held } },
  { name: "Accepted, and not done yet", end: { _tag: "Pending", ...held } },
  {
    name: "Captured, and more is stated than was asked",
    end: { _tag: "Captured", ...held, stated: { ...money, minorUnits: 1001 } }
  },
  {
    name: "Captured, and another currency is stated",
    end: { _tag: "Captured", ...held, stated: { ...money, currency: "USD" } }
  },
  { name: "Hard decline", end: { ...declined, soft: false } },
  { name: "Soft decline", end: { ...declined, soft: true } },
  { name: "The customer is needed", end: { _tag: "NeedsCustomer", providerRef: null } },
  { name: "Canceled at the provider", end: { _tag: "Canceled", providerRef: null } },
  {
    name: "Rejected: the provider says that it did nothing",
    end: { _tag: "Rejected", code: "E1", message: "Not now." }
  },
  { name: "Not sent: no byte of it left", end: new NotSent({ reason: "the connection was refused" }) },
  { name: "Unanswered: unknown result", end: new Unanswered({ reason: "timed out" }) },
  { name: "Too old to be sent", end: null }
]

const attempt: Attempt = {
  ...openAttempt,
  id: "att",
  claimedBy: null,
  paymentId: "payment",
  number: 1,
  connectionId: "main",
  money,
  timeoutMillis: 30_000,
  sentAt: 0,
  account: null
}

const factOf = ({ captureMethod = "automatic", end }: Row, earlier: ReadonlyArray<Attempt>): ChargeFact => {
  if (end !== null) return lastFact({ money, captureMethod }, earlier, endAttempt(attempt, end, 0), end)
  return earlier.length === 0 ? { on: "ChargeAbandoned" } : unexecutedFact(earlier)
}

const statusAfter = (fact: ChargeFact): string => {
  const row = Result.getOrThrow(Machine.step(PaymentMachine, "Charging", fact.on))
  return code(statusOf[row.to])
}

/** What an earlier attempt can have come to, with the words for it. */
const earlierEnds: ReadonlyArray<readonly [words: string, end: NothingExecuted & AttemptEnd]> = [
  ["rejected or not sent", { _tag: "Rejected", code: "E1", message: "Not now." }],
  ["declined", { ...declined, soft: true }]
]

const abouts: Readonly<Record<RoutingMode, string>> = {
  fixed: "One connection and one attempt, whatever `maxAttempts` is.",
  priority: "Another connection only if the provider was not reached, or states that it did nothing.",
  failover: "As `priority`, and after a soft decline too.",
  auto: "As `failover`; the connections are in the order of their measured success."
}

const modes = Object.keys(abouts) as Array<RoutingMode>

/** The modes in which another connection is tried, whichever attempt this is, while `maxAttempts` leaves one. */
const followedIn = ({ end, name }: Row): ReadonlyArray<RoutingMode> =>
  modes.filter((mode) => {
    const follows = (maxAttempts: number, made: number) => end !== null && isFollowed({ mode, maxAttempts }, made, end)
    const first = follows(2, 1)
    if (follows(2, 2) || follows(3, 3) || [follows(3, 1), follows(3, 2)].some((one) => one !== first)) {
      throw new Error(`${name} in mode ${mode}: what follows depends on the attempt`)
    }
    return first
  })

/** The status where no other connection is tried, also where an earlier attempt ended otherwise. */
const statusOfRow = (row: Row): string => {
  const first = statusAfter(factOf(row, []))
  const others = earlierEnds
    .map(([words, end]) => [words, statusAfter(factOf(row, [endAttempt(attempt, end, 0)]))] as const)
    .filter(([, status]) => status !== first)
  return [first, ...others.map(([words, status]) => `${status} where one before was ${words}`)].join("; ")
}

export const nextStepsPage = (notice: string): string =>
  [
    notice,
    "# What follows an attempt",
    "A payment is charged by sequential attempts, each at another connection, until one has an outcome or none may follow. Nothing follows an unanswered attempt, in any mode: its provider may have charged.",
    modes.map((mode) => `- ${code(mode)}: ${abouts[mode]}`).join("\n"),
    "The table is generated from the code that decides (`packages/core/src/routing/RoutePlan.ts`); a test creates a payment for each cell, mode and attempt.",
    table(
      ["The attempt ended", "Another connection is tried in", "Otherwise the payment is"],
      rows.map((row) => [row.name, followedIn(row).map(code).join(", "), statusOfRow(row)])
    ),
    [
      "- The other connection is the next one in the route's order that has not been tried and whose circuit is not open; of all of them if the route is `degraded`. If none is left, the last column counts.",
      "- The limit is the smaller of `maxAttempts` (default: 2) and the number of eligible connections.",
      "- *Too old to be sent*: it was stored, but could not be sent within five seconds. If it is the first attempt, the response is 503 `internal_error`, and the key is free again."
    ].join("\n"),
    "The customer's choice on a hosted page starts the same attempts. Nothing follows a provider's checkout that was opened, because the customer may pay on it. A checkout that could not be opened is a request that was rejected, not sent or unanswered."
  ].join("\n\n")
