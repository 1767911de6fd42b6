/** A `Pointsman` with scripted answers that records its calls. */
import {
  type ApiKey,
  type Caller,
  type CreateRequest,
  KeyRefused,
  type MerchantWithStatus,
  MessageRefused,
  PageNotFound,
  type Payment,
  PaymentNotFound,
  Pointsman,
  type RoutingDecision,
  type Scope,
  type Workspace
} from "@pointsman/core"
import { Effect, Layer } from "effect"

const workspace: Workspace = {
  id: "acme",
  name: "Acme",
  country: "NL",
  category: null,
  suspended: false,
  partner: null
}

export const routing: RoutingDecision = {
  path: "engine",
  strategy: "order",
  mode: "failover",
  rule: null,
  maxAttempts: 2,
  candidates: [{ connectionId: "main", name: "Main", priority: 1, score: null, rates: null }],
  attempts: [{ attemptId: "att_1", connectionId: "main", outcome: "NotSent", code: null }],
  excluded: [{ connectionId: "backup", name: "Backup", code: "CIRCUIT_OPEN", reason: "Its circuit is open." }],
  eligibilityVersion: "1",
  degraded: false,
  draws: [],
  note: null,
  given: { merchantCountry: "NL", merchantCategory: null, instruments: null, unable: [], circuits: [] }
}

export const paymentId = "019a8c3e-7b1d-7c64-8f5e-2f6d9f1f0a01"

export const payment: Payment = {
  id: paymentId,
  tenant: { workspaceId: "acme", environment: "sandbox" },
  version: 2,
  state: "Captured",
  money: { minorUnits: 1999, currency: "EUR" },
  country: "NL",
  method: "card",
  cardBrand: null,
  initiator: "cit",
  captureMethod: "automatic",
  reference: "order-1",
  metadata: null,
  purchase: null,
  declineCategory: null,
  declineReason: null,
  authorizedMinor: 1999,
  capturedMinor: 1999,
  refundedMinor: 0,
  refundPendingMinor: 0,
  connectionId: "main",
  providerRef: "ch_1",
  idempotencyKey: null,
  hosted: null,
  routing,
  simulation: null,
  createdAt: Date.UTC(2026, 10, 21, 11, 0, 0, 7),
  updatedAt: Date.UTC(2026, 10, 21, 11, 0, 1),
  settledAt: Date.UTC(2026, 10, 21, 11, 0, 1),
  reported: null,
  review: null
}

const merchant: MerchantWithStatus = {
  id: "mer_019a8c3e-7b1d-7c64-8f5e-2f6d9f1f0a01",
  partnerId: "acme",
  workspaceId: "mer_019a8c3e-7b1d-7c64-8f5e-2f6d9f1f0a01",
  name: "Corner shop",
  email: "owner@shop.example",
  country: "NL",
  category: null,
  status: "invited",
  invitationHash: "hash-of-the-token",
  createdAt: Date.UTC(2026, 10, 21, 11, 0, 0, 7)
}

/** Keys of the script: any text is a key here, since only core knows how one looks. */
const keyOf = (options: { environment?: "sandbox" | "production"; scopes?: ReadonlyArray<Scope> | null }): ApiKey => ({
  hash: "hash-of-the-key",
  workspaceId: "acme",
  environment: options.environment ?? "sandbox",
  scopes: options.scopes ?? null,
  name: null,
  expiresAt: null,
  networks: null,
  revokedAt: null,
  source: "operator",
  createdAt: 0
})

const partnerWorkspace: Workspace = { ...workspace, partner: { allowance: 2 } }

const keys = {
  sandbox: { apiKey: keyOf({}), workspace },
  production: { apiKey: keyOf({ environment: "production" }), workspace },
  readOnly: { apiKey: keyOf({ scopes: ["payments:read"] }), workspace },
  writeOnly: { apiKey: keyOf({ scopes: ["payments:write"] }), workspace },
  eventsOnly: { apiKey: keyOf({ scopes: ["events:read"] }), workspace },
  partner: { apiKey: keyOf({ environment: "production" }), workspace: partnerWorkspace },
  partnerReader: {
    apiKey: keyOf({ environment: "production", scopes: ["merchants:read"] }),
    workspace: partnerWorkspace
  },
  suspended: { apiKey: keyOf({}), workspace: { ...workspace, suspended: true } },
  suspendedAndScopeless: { apiKey: keyOf({ scopes: [] }), workspace: { ...workspace, suspended: true } }
} as const

export interface Script {
  readonly layer: Layer.Layer<Pointsman>
  readonly created: Array<{ readonly caller: Caller; readonly request: CreateRequest }>
  /** Every other call, by name, with its arguments. */
  readonly asked: Array<ReadonlyArray<unknown>>
}

type Service = Pointsman["Service"]

const paid = () => Effect.succeed({ payment, isReplay: false })
const noPage = () => new PageNotFound()
const nothing = () => Effect.succeed({ items: [], hasMore: false })

/** What is answered unless a test says otherwise. */
const usual: Partial<Service> = {
  circuits: Effect.succeed([]),
  capture: paid,
  void: paid,
  refund: paid,
  payment: (_, id) => (id === paymentId ? Effect.succeed(payment) : new PaymentNotFound()),
  payments: () => Effect.succeed({ items: [payment], hasMore: false }),
  timeline: nothing,
  events: nothing,
  provisionMerchant: (_, details) => Effect.succeed({ ...merchant, ...details }),
  inviteMerchantAgain: () => Effect.succeed(merchant),
  merchants: () => Effect.succeed({ items: [merchant], hasMore: false }),
  pageToken: (id) => Effect.succeed(`token-of-${id}`),
  hostedPage: noPage,
  actOnHostedPage: noPage,
  openCheckout: noPage,
  returnFromCheckout: noPage,
  verifyMessage: () => new MessageRefused(),
  recordMessage: () => Effect.void,
  // Of reconciliation, reads of a payment ask for these alone.
  reconciliation: {
    payoutStatuses: () => Effect.succeed(() => null),
    entriesOf: () => Effect.succeed([])
  } as Partial<Service["reconciliation"]> as Service["reconciliation"],
  authenticate: (key) => (Object.hasOwn(keys, key) ? Effect.succeed(keys[key as keyof typeof keys]) : new KeyRefused())
}

const unrecorded: ReadonlySet<unknown> = new Set(["create", "paymentWithRefunds", "authenticate"])

export const scripted = (answers: Partial<Service> = {}): Script => {
  const created: Script["created"] = []
  const asked: Script["asked"] = []
  const script: Partial<Service> = {
    ...usual,
    ...answers,
    create: (caller, request) => {
      created.push({ caller, request })
      return answers.create?.(caller, request) ?? paid()
    },
    paymentWithRefunds: (tenant, id) => Effect.map(service.payment(tenant, id), (payment) => ({ payment, refunds: [] }))
  }
  const service: Service = new Proxy(script as Service, {
    get: (_, name) => {
      const answer: unknown = Reflect.get(script, name)
      if (answer === undefined) return () => Effect.die(`${String(name)} is not scripted`)
      if (typeof answer !== "function" || unrecorded.has(name)) return answer
      return (...given: ReadonlyArray<unknown>): unknown => {
        asked.push([String(name), ...given])
        return answer(...given)
      }
    }
  })
  return { layer: Layer.succeed(Pointsman, service), created, asked }
}
