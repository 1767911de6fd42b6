/** The page of what follows an attempt: by asking the code that decides it in core. */
import { type Attempt, type CaptureMethod, type RoutingMode, statusOf } from "@pointsman/core"
import {
  type AttemptEnd,
  type ChargeFact,
  endAttempt,
  isFollowed,
  lastFact,
  Machine,
  mayFollow,
  type NothingExecuted,
  openAttempt,
  PaymentMachine,
  unexecutedFact
} from "@pointsman/core/internal"
import { NotSent, Unanswered } from "@pointsman/core/ports"
import { Result } from "effect"

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

const code = (text: string) => `\`${text}\``
const statusAfter = (fact: ChargeFact): string => {
  const row = Result.getOrThrow(Machine.step(PaymentMachine, "Charging", fact.on))
  return code(statusOf[row.to])
}

/** What an earlier attempt can have come to, with the words for it. */
const earlierEnds: ReadonlyArray<readonly [words: string, end: NothingExecuted & AttemptEnd]> = [
  ["rejected or not sent", { _tag: "Rejected", code: "E1", message: "Not now." }],
  ["declined", { ...declined, soft: true }]
]

const nextConnection = "the next connection"

const cellOf = (row: Row, plan: { readonly mode: RoutingMode; readonly maxAttempts: number }, made: number): string => {
  if (row.end !== null && isFollowed(plan, made, row.end)) return nextConnection
  if (made === 1) return statusAfter(factOf(row, []))
  const statuses = earlierEnds
    .filter(([, end]) => mayFollow(plan.mode, end))
    .map(([words, end]) => [words, statusAfter(factOf(row, [endAttempt(attempt, end, 0)]))] as const)
  const [first, ...others] = statuses
  if (first === undefined) throw new Error(`nothing leads to attempt ${made} in mode ${plan.mode}`)
  const different = others.filter(([, status]) => status !== first[1])
  return [first[1], ...different.map(([words, status]) => `${status} where one before was ${words}`)].join("; ")
}

const tableOf = (mode: RoutingMode): string => {
  const columns = (mode === "fixed" ? [1] : [2, 3]).flatMap((maxAttempts) =>
    Array.from({ length: maxAttempts }, (_, at) => ({ maxAttempts, made: at + 1 }))
  )
  return [
    ["The attempt ended", ...columns.map(({ made, maxAttempts }) => `Attempt ${made} of ${maxAttempts}`)],
    ["---", ...columns.map(() => "---")],
    ...rows.map((row) => [
      row.name,
      ...columns.map(({ made, maxAttempts }) => cellOf(row, { mode, maxAttempts }, made))
    ])
  ]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n")
}

const abouts: Readonly<Record<RoutingMode, string>> = {
  fixed: "One connection and one attempt, whatever `maxAttempts` is.",
  priority: "Another connection only if the provider was not reached, or states that it did nothing.",
  failover: "As `priority`, and after a soft decline too.",
  auto: "As `failover`; the connections are in the order of their measured success."
}

export const nextStepsPage = (notice: string): string =>
  [
    notice,
    "# What follows an attempt",
    "A payment is charged by sequential attempts, each at another connection, until one has an outcome or none may follow. Two conditions decide whether another connection is tried: the mode of the route, and whether it is certain that nothing was executed. No attempt follows an unanswered one, in any mode, however many connections are left: its provider may have charged. In the code it is not a `NothingExecuted`, so requesting a follower does not compile.",
    "The tables are generated from the code that decides (`packages/core/src/routing/NextStep.ts`), and a test creates a payment for every cell of them.",
    "## How to read it",
    [
      "- *The next connection*: the next one in the route's order that has not been tried and whose circuit is not open; of all of them if the route is `degraded`. If none is left, the payment ends as in the last column.",
      "- A status is that of the payment, and no other connection is tried. If it depends on the results of earlier attempts, both are named.",
      "- *Attempt 1 of 2*: `maxAttempts` is 2, the default. The limit is the smaller of `maxAttempts` and the number of eligible connections.",
      "- *Too old to be sent*: it was stored, but could not be sent within five seconds. If it is the first attempt, the response is 503 `storage_unavailable`, and the key is free again."
    ].join("\n"),
    ...(Object.keys(abouts) as Array<RoutingMode>).flatMap((mode) => [`## ${code(mode)}`, abouts[mode], tableOf(mode)]),
    "## On a hosted page",
    "The customer's choice there starts the same attempts, by the same tables. Nothing follows a provider's checkout that was opened, because the customer may pay on it. A checkout that could not be opened is a request that was rejected, not sent or unanswered."
  ].join("\n\n")
