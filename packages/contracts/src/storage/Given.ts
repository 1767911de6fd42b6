/** What the chapters are made of: tenants, payments and the changes that move them along core's tables. */
import { expect } from "@effect/vitest"
import {
  type ApiKey,
  type Attempt,
  type AttemptOutcome,
  type Claim,
  type Connection,
  type Environment,
  type Event,
  type EventDraft,
  type EventType,
  money,
  type OperationKind,
  type OperationOutcome,
  type Payment,
  type Tenant,
  type Workspace
} from "@pointsman/core"
import {
  Machine,
  movedPayment,
  newClaim,
  openAttempt,
  type PaymentEvent,
  PaymentMachine,
  type PaymentRow,
  paymentEvent,
  withReview
} from "@pointsman/core/internal"
import {
  type Change,
  Directory,
  type DirectoryContents,
  Ids,
  Ledger,
  type PaymentBook,
  type WebhookEndpoint
} from "@pointsman/core/ports"
import { Clock, Effect, Exit, Option, Result } from "effect"
import { newOperation, newRefund, withEntries } from "./GivenEntries.ts"

/** No other test has the id. */
export const fresh = (prefix: string) =>
  Effect.flatMap(Ids, ({ payment }) => Effect.map(payment, (id) => `${prefix}${id}`))

export const newTenant = (environment: Environment = "sandbox") =>
  Effect.map(fresh("ws_"), (workspaceId): Tenant => ({ workspaceId, environment }))

/** A payment with everything that it has written so far. */
export type Walked = PaymentBook

/** Before the first move: version 0 is stored nowhere. */
export const blank = Effect.fnUntraced(function* (tenant: Tenant) {
  const ids = yield* Ids
  const now = yield* Clock.currentTimeMillis
  const payment: Payment = {
    id: yield* ids.payment,
    tenant,
    version: 0,
    state: "Charging",
    money: money(1000, "EUR"),
    country: "DE",
    method: "card",
    cardBrand: "visa",
    initiator: "cit",
    captureMethod: "manual",
    reference: "order-1",
    metadata: null,
    purchase: null,
    declineCategory: null,
    declineReason: null,
    authorizedMinor: 0,
    capturedMinor: 0,
    refundedMinor: 0,
    refundPendingMinor: 0,
    connectionId: null,
    providerRef: null,
    idempotencyKey: null,
    hosted: null,
    routing: {
      path: "engine",
      strategy: "priority",
      mode: "failover",
      rule: null,
      maxAttempts: 2,
      candidates: [
        {
          connectionId: "first",
          name: "First",
          priority: 1,
          score: 0.9412,
          rates: {
            connection: {
              succeeded: 81.25,
              failed: 3.125,
              memory: { short: { succeeded: 81.25, failed: 3.125 }, long: { succeeded: 212.5, failed: 11.062 } }
            },
            segment: {
              succeeded: 0,
              failed: 0,
              memory: { short: { succeeded: 0.5, failed: 0.25 }, long: { succeeded: 0.5, failed: 0.25 } }
            }
          },
          value: { fee: { feeMinor: 40, rule: 2 }, approvalPpm: 928_825, expectedMicros: 891_672_000 }
        }
      ],
      attempts: [],
      excluded: [{ connectionId: "second", name: "Second", code: "CIRCUIT_OPEN", reason: "Its circuit is open." }],
      eligibilityVersion: "1",
      degraded: false,
      draws: [{ purpose: "explore", drawn: 0.734_112_98 }],
      note: null,
      given: {
        merchantCountry: "NL",
        merchantCategory: null,
        instruments: ["first"],
        unable: [],
        circuits: [{ connectionId: "second", failures: 5, openedAt: now, probeAt: now + 30_000, isOpen: true }]
      },
      maxApprovalLossPpm: 10_000
    },
    simulation: { charge: ["soft_decline:do_not_honor", "approve"] },
    createdAt: now,
    updatedAt: now,
    settledAt: null,
    reported: null,
    review: null
  }
  return { payment, attempts: [], operations: [], refunds: [] } satisfies Walked
})

/** What a fact about a charge makes of the attempt that is in flight. */
const outcomes: Partial<Record<PaymentEvent, AttemptOutcome>> = {
  AttemptFollowed: "Rejected",
  ChargeAbandoned: "Abandoned",
  ChargeAccepted: "Pending",
  ChargeAuthorized: "Authorized",
  ChargeCaptured: "Captured",
  ChargeDeclined: "Declined",
  ChargeFailed: "Rejected",
  ChargeCancelled: "Canceled",
  ChargeUnanswered: "Unanswered",
  MismatchStated: "Mismatched"
}

/** What a fact about a capture or a void makes of the one that was asked for last. */
const operationOutcomes: Partial<Record<PaymentEvent, Partial<Record<OperationKind, OperationOutcome>>>> = {
  ChargeCaptured: { capture: "Confirmed", void: "Conflicted" },
  CaptureAccepted: { capture: "Accepted" },
  CaptureConfirmed: { capture: "Confirmed", void: "Conflicted" },
  CaptureRefused: { capture: "Refused" },
  CaptureUnanswered: { capture: "Unanswered" },
  CaptureMismatched: { capture: "Unanswered" },
  CaptureNotFound: { capture: "NotFound" },
  CaptureFailed: { capture: "Failed" },
  CaptureRetried: { capture: "Accepted" },
  VoidFailed: { void: "Failed" },
  VoidAccepted: { void: "Accepted" },
  VoidConfirmed: { void: "Confirmed" },
  VoidRefused: { void: "Refused" },
  VoidUnanswered: { void: "Unanswered" },
  VoidMismatched: { void: "Unanswered" },
  VoidNotFound: { void: "NotFound" },
  AuthorizationLapsed: { capture: "Conflicted" }
}

/** What a fact does to the fields of a payment, besides its state. */
const fields = (payment: Payment, on: PaymentEvent, now: number): Partial<Payment> => {
  const all = payment.money.minorUnits
  switch (on) {
    case "ChargeAuthorized":
    case "ChargeCaptured":
      return {
        authorizedMinor: all,
        capturedMinor: on === "ChargeCaptured" ? all : payment.capturedMinor,
        connectionId: "first",
        providerRef: `ref-${payment.id}`,
        settledAt: now,
        declineCategory: null,
        declineReason: null
      }
    case "ChargeDeclined":
    case "CustomerDeclined":
      return { declineCategory: "do_not_honor", declineReason: "05", settledAt: now }
    case "CaptureConfirmed":
      return { capturedMinor: all - 100 }
    case "RefundedInPart":
      // Half of what is left leaves something for the next part.
      return { refundedMinor: payment.refundedMinor + Math.floor((payment.capturedMinor - payment.refundedMinor) / 2) }
    case "RefundedInFull":
      return { refundedMinor: payment.capturedMinor }
    case "RefundReversedInFull":
    case "RefundReversedSettled":
      return { refundedMinor: 0 }
    case "RefundReversedInPart":
      return { refundedMinor: Math.floor(payment.refundedMinor / 2) }
    case "CaptureFailed":
    case "CaptureRetried":
      return { capturedMinor: 0 }
    case "CaptureFailedInPart":
      return payment.state === "ChargedBack" ? { capturedMinor: 0 } : {}
    case "CaptureCorrected":
      // Of a refund in full something is left then.
      return { capturedMinor: payment.authorizedMinor }
    default:
      return {}
  }
}

/** The change that a row of the table is, decided on the current payment, with its attempts and events. */
export const moveAlong = Effect.fnUntraced(function* (before: Walked, row: PaymentRow) {
  const ids = yield* Ids
  const now = yield* Clock.currentTimeMillis
  const moved: Payment = {
    ...before.payment,
    ...fields(before.payment, row.on, now),
    version: before.payment.version + 1,
    state: row.to,
    updatedAt: now
  }
  const payment = withReview(moved, { events: row.emits, isDoubleCharge: row.on === "SecondChargeReported" })
  const changed: Array<Attempt> = []
  const last = before.attempts.at(-1)
  const outcome = outcomes[row.on]
  if (last !== undefined && outcome !== undefined) {
    changed.push({ ...last, outcome, answeredAt: now, providerRef: payment.providerRef, code: payment.declineReason })
  }
  if (row.on === "ChargeSent" || row.on === "AttemptFollowed") {
    changed.push({
      ...openAttempt,
      id: yield* ids.attempt,
      claimedBy: yield* ids.claim,
      paymentId: payment.id,
      number: before.attempts.length + 1,
      connectionId: "first",
      money: payment.money,
      timeoutMillis: 30_000,
      sentAt: now,
      account: { id: "acct_1", mode: null }
    })
  }
  const operations = yield* operationsOf(before, payment, row.on, now)
  const refunded = payment.refundedMinor - before.payment.refundedMinor
  const taken = refunded < 0 ? yield* reversal(before, payment, now) : { refunds: [], events: [] }
  const refunds = refunded > 0 ? [yield* succeededRefund(payment, refunded, now)] : taken.refunds
  const change: Change = {
    tenant: payment.tenant,
    payment: movedPayment(before, payment),
    attempts: changed,
    operations,
    refunds,
    events: [
      ...row.emits.map((type) =>
        type === "payment.refunded"
          ? refundEvent(type, payment, refunds[0]?.id ?? null, refunded)
          : paymentEvent(type, payment, {})
      ),
      ...taken.events
    ]
  }
  const after: Walked = {
    payment,
    attempts: withEntries(before.attempts, changed),
    operations: withEntries(before.operations, operations),
    refunds: withEntries(before.refunds, refunds)
  }
  return { change, after }
})

/**
 * A reversal takes every refund back; where the payment stays refunded in part, another refund accounts for that part.
 */
const reversal = Effect.fnUntraced(function* (before: Walked, payment: Payment, now: number) {
  const reversed = before.refunds
    .filter(({ stage }) => stage === "Succeeded")
    .map((refund) => ({ ...refund, stage: "Reversed" as const, settledAt: now }))
  const leftMinor = payment.refundedMinor
  const left = yield* succeededRefund(payment, leftMinor, now)
  return {
    refunds: leftMinor === 0 ? reversed : [...reversed, left],
    events: [
      ...reversed.map(({ id, money }) => refundEvent("payment.refund_failed", payment, id, money.minorUnits, 0)),
      ...(leftMinor === 0 ? [] : [refundEvent("payment.refunded", payment, left.id, leftMinor)])
    ]
  }
})

const refundEvent = (
  type: EventType,
  payment: Payment,
  refundId: string | null,
  amountMinor: number,
  totalMinor = payment.refundedMinor
): EventDraft =>
  paymentEvent(type, payment, {
    refund_id: refundId,
    refund_amount: amountMinor,
    refunded_total: totalMinor,
    refund_pending_amount: payment.refundPendingMinor
  })

const succeededRefund = (payment: Payment, minorUnits: number, now: number) =>
  newRefund(payment, {
    stage: "Succeeded",
    money: { ...payment.money, minorUnits },
    requestedMinor: minorUnits,
    answeredAt: now,
    settledAt: now
  })

/** The capture or void that a fact begins, or the one that it says something of. */
const operationsOf = Effect.fnUntraced(function* (before: Walked, payment: Payment, on: PaymentEvent, now: number) {
  if (on === "CaptureClaimed") return [yield* newOperation(payment)]
  if (on === "VoidClaimed") return [yield* newOperation(payment, { kind: "void" })]
  const last = before.operations.at(-1)
  const outcome = last && operationOutcomes[on]?.[last.kind]
  return last === undefined || outcome === undefined ? [] : [{ ...last, outcome, answeredAt: now }]
})

/** Writes what is decided, and gives it. */
export const written = <A extends { readonly change: Change }, E, R>(deciding: Effect.Effect<A, E, R>) =>
  Effect.tap(deciding, ({ change }) => Effect.flatMap(Ledger, ({ commit }) => commit(change)))

/** Walks the table's shortest way to a state, each move committed. Also returns the events on the way. */
export const reach = (tenant: Tenant, state: PaymentRow["from"]) => follow(tenant, wayTo(state))

/**
 * To where a row begins. A dispute that is won puts back what was there before: the refunds or the settlement that
 * such a row speaks of must have happened first.
 */
export const reachRow = (tenant: Tenant, row: PaymentRow) =>
  follow(tenant, row.on === "CaptureCorrected" ? byPartialCapture(wayFor(row)) : wayFor(row))

const wayFor = (row: PaymentRow): ReadonlyArray<PaymentRow> => {
  if (row.on === "DisputeWonUncaptured") return [...wayTo("ChargedBack"), rowOf("ChargedBack", "CaptureFailedInPart")]
  return row.from === "ChargedBack" && row.to !== "ChargedBack"
    ? [...wayTo(row.to), rowOf(row.to, "DisputeOpened")]
    : wayTo(row.from)
}

/** A greater captured amount needs an authorization of which a part was captured. */
const byPartialCapture = (way: ReadonlyArray<PaymentRow>): ReadonlyArray<PaymentRow> => [
  ...wayTo("Capturing"),
  rowOf("Capturing", "CaptureConfirmed"),
  ...way.slice(way.findIndex(({ to }) => to === "Captured") + 1)
]

const wayTo = (state: PaymentRow["from"]): ReadonlyArray<PaymentRow> => {
  const way = Machine.walk(PaymentMachine).get(state)
  if (way === undefined) throw new Error(`the table does not lead to ${state}`)
  return way
}

const follow = Effect.fnUntraced(function* (tenant: Tenant, way: ReadonlyArray<PaymentRow>) {
  let walked: Walked = yield* blank(tenant)
  const told: Array<EventDraft> = []
  for (const row of way) {
    const { after, change } = yield* written(moveAlong(walked, row))
    walked = after
    told.push(...change.events)
  }
  return { walked, told }
})

/** The row that leads out of a state; the table must have it. */
export const rowOf = (from: PaymentRow["from"], on: PaymentEvent): PaymentRow =>
  Result.getOrThrow(Machine.step(PaymentMachine, from, on))

/** A first move with everything that a change can carry: payment, attempt, event and claim. */
export const firstChange = Effect.fnUntraced(function* (
  tenant: Tenant,
  options: { readonly key?: string; readonly payment?: Partial<Payment> } = {}
) {
  const ids = yield* Ids
  const start = yield* blank(tenant)
  const key = options.key ?? `key-${yield* ids.payment}`
  const payment = { ...start.payment, idempotencyKey: key, ...options.payment }
  const { after, change } = yield* moveAlong({ ...start, payment }, rowOf(Machine.Start, "ChargeSent"))
  const claim = newClaim({ key, fingerprint: `fp-${key}`, paymentId: payment.id, claimedAt: payment.createdAt })
  return { change: { ...change, claim: { expected: 0, after: claim } }, after, claim }
})

/** Reads every trace that a change could have left: everything that is stored of one payment and its key. */
export const traceOf = Effect.fnUntraced(function* (change: Change) {
  const ledger = yield* Ledger
  const { tenant } = change
  const { id } = change.payment.after
  return {
    payment: yield* ledger.payment(tenant, id),
    attempts: yield* ledger.attempts(tenant, id),
    book: yield* ledger.book(tenant, id),
    timeline: yield* ledger.timeline(tenant, id, { limit: 100 }),
    claim: change.claim === undefined ? Option.none<Claim>() : yield* ledger.claim(tenant, change.claim.after.key)
  }
})
export type Trace = Effect.Success<ReturnType<typeof traceOf>>

/** A commit that dies, and writes nothing. */
export const dies = Effect.fnUntraced(function* (change: Change) {
  const before = yield* traceOf(change)
  expect(Exit.hasDies(yield* Effect.exit((yield* Ledger).commit(change)))).toBe(true)
  expect(yield* traceOf(change)).toStrictEqual(before)
})

export const noTrace: Trace = {
  payment: Option.none(),
  attempts: [],
  book: Option.none(),
  timeline: [],
  claim: Option.none()
}

/** Events without the ids that the ledger stamped. */
export const drafts = (events: ReadonlyArray<Event>): ReadonlyArray<EventDraft> =>
  events.map(({ id: _, ...draft }) => draft)

export const workspaceOf = (tenant: Tenant, fields: Partial<Workspace> = {}): Workspace => ({
  id: tenant.workspaceId,
  name: "Acme",
  country: "DE",
  category: "retail",
  suspended: false,
  partner: null,
  ...fields
})

export const apiKeyOf = (tenant: Tenant, fields: Partial<ApiKey> = {}): ApiKey => ({
  hash: `hash-${tenant.workspaceId}-${tenant.environment}`,
  ...tenant,
  scopes: null,
  name: null,
  expiresAt: null,
  networks: null,
  revokedAt: null,
  source: "operator",
  createdAt: 1,
  ...fields
})

export const connectionOf = (tenant: Tenant, fields: Partial<Connection> = {}): Connection => ({
  id: `connection-${tenant.workspaceId}-${tenant.environment}`,
  ...tenant,
  name: "First",
  connector: "sandbox",
  active: true,
  priority: 1,
  sealedCredentials: "sealed",
  sealedWebhookSecret: null,
  timeoutMillis: null,
  supports: {},
  restrictions: [],
  circuitBreaker: null,
  ...fields
})

export const endpointOf = (tenant: Tenant, fields: Partial<WebhookEndpoint> = {}): WebhookEndpoint => ({
  id: `endpoint-${tenant.workspaceId}`,
  ...tenant,
  url: "https://merchant.example/hooks?a=1&b=ü",
  events: ["*"],
  sealedSecret: "sealed",
  active: true,
  ...fields
})

/** Stores another endpoint of the tenant. */
export const endpointFor = Effect.fnUntraced(function* (tenant: Tenant, fields: Partial<WebhookEndpoint> = {}) {
  const id = yield* fresh("whe_")
  const endpoint = endpointOf(tenant, { id, url: `https://merchant.example/${id}`, ...fields })
  yield* writeDirectory({ webhookEndpoints: [endpoint] })
  return endpoint
})

export const nothing: DirectoryContents = {
  workspaces: [],
  apiKeys: [],
  connections: [],
  routing: [],
  webhookEndpoints: []
}

/** Writes what is given to the directory, and nothing else. */
export const writeDirectory = (contents: Partial<DirectoryContents>) =>
  Effect.flatMap(Directory, ({ write }) => write({ ...nothing, ...contents }))
