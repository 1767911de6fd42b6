/** A `Pointsman` with scripted answers that records its calls. */
import {
  type ApiKey,
  type Caller,
  type CreateRequest,
  DeliveryNotFound,
  KeyRefused,
  type MerchantWithStatus,
  MessageNotFound,
  MessageRefused,
  PageNotFound,
  type Payment,
  PaymentNotFound,
  Pointsman,
  ReviewNotFound,
  type RoutingDecision,
  type Scope,
  type Workspace
} from "@pointsman/core"
import { Effect, Layer, Stream } from "effect"

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

export const scripted = (answers: Partial<Pointsman["Service"]> = {}): Script => {
  const created: Script["created"] = []
  const asked: Script["asked"] = []
  const service = Pointsman.of({
    circuits: answers.circuits ?? Effect.succeed([]),
    create: (caller, request) => {
      created.push({ caller, request })
      return answers.create?.(caller, request) ?? Effect.succeed({ payment, isReplay: false })
    },
    capture: (caller, order) => {
      asked.push(["capture", caller, order])
      return answers.capture?.(caller, order) ?? Effect.succeed({ payment, isReplay: false })
    },
    void: (caller, order) => {
      asked.push(["void", caller, order])
      return answers.void?.(caller, order) ?? Effect.succeed({ payment, isReplay: false })
    },
    refund: (caller, order) => {
      asked.push(["refund", caller, order])
      return answers.refund?.(caller, order) ?? Effect.succeed({ payment, isReplay: false })
    },
    refundByOperator: () => Effect.die("not scripted"),
    draftRefund: () => Effect.die("not scripted"),
    dispute: () => Effect.die("not scripted"),
    disputes: () => Effect.die("not scripted"),
    evidenceTaken: () => Effect.die("not scripted"),
    keepEvidence: () => Effect.die("not scripted"),
    submitDispute: () => Effect.die("not scripted"),
    keepCheckingDisputes: () => Effect.never,
    payment: (tenant, id) => {
      asked.push(["payment", tenant, id])
      return answers.payment?.(tenant, id) ?? (id === paymentId ? Effect.succeed(payment) : new PaymentNotFound())
    },
    paymentWithRefunds: (tenant, id) => {
      asked.push(["payment", tenant, id])
      const found =
        answers.payment?.(tenant, id) ?? (id === paymentId ? Effect.succeed(payment) : new PaymentNotFound())
      return Effect.map(found, (payment) => ({ payment, refunds: [] }))
    },
    payments: (tenant, query) => {
      asked.push(["payments", tenant, query])
      return answers.payments?.(tenant, query) ?? Effect.succeed({ items: [payment], hasMore: false })
    },
    timeline: (tenant, id, query) => {
      asked.push(["timeline", tenant, id, query])
      return answers.timeline?.(tenant, id, query) ?? Effect.succeed({ items: [], hasMore: false })
    },
    events: (tenant, query) => {
      asked.push(["events", tenant, query])
      return answers.events?.(tenant, query) ?? Effect.succeed({ items: [], hasMore: false })
    },
    provisionMerchant: (caller, details) => {
      asked.push(["provisionMerchant", caller, details])
      return answers.provisionMerchant?.(caller, details) ?? Effect.succeed({ ...merchant, ...details })
    },
    createInvitation: () => Effect.die("not scripted"),
    draftApiKey: () => Effect.die("not scripted"),
    createDraftedApiKey: () => Effect.die("not scripted"),
    auditEntries: () => Effect.die("not scripted"),
    inviteMerchantAgain: (partnerId, id) => {
      asked.push(["inviteMerchantAgain", partnerId, id])
      return answers.inviteMerchantAgain?.(partnerId, id) ?? Effect.succeed(merchant)
    },
    merchants: (partnerId, query) => {
      asked.push(["merchants", partnerId, query])
      return answers.merchants?.(partnerId, query) ?? Effect.succeed({ items: [merchant], hasMore: false })
    },
    pageToken: (id) => {
      asked.push(["pageToken", id])
      return answers.pageToken?.(id) ?? Effect.succeed(`token-of-${id}`)
    },
    hostedPage: (token) => {
      asked.push(["hostedPage", token])
      return answers.hostedPage?.(token) ?? new PageNotFound()
    },
    actOnHostedPage: (token, action) => {
      asked.push(["actOnHostedPage", token, action])
      return answers.actOnHostedPage?.(token, action) ?? new PageNotFound()
    },
    openCheckout: (token, returnUrl) => {
      asked.push(["openCheckout", token, returnUrl])
      return answers.openCheckout?.(token, returnUrl) ?? new PageNotFound()
    },
    returnFromCheckout: (token) => {
      asked.push(["returnFromCheckout", token])
      return answers.returnFromCheckout?.(token) ?? new PageNotFound()
    },
    checkDue: Effect.succeed(0),
    keepChecking: () => Effect.never,
    askAccounts: Effect.void,
    keepAskingAccounts: () => Effect.never,
    accounts: Effect.succeed([]),
    keepDelivering: () => Effect.never,
    keepLearning: () => Effect.never,
    keepFetching: () => Effect.never,
    successRates: () => Effect.succeed([]),
    explainRouting: () => Effect.die("not asked for here"),
    replayRouting: () => Stream.die("not asked for here"),
    routingConfiguration: () => Effect.die("not asked for here"),
    previewRouting: () => Effect.die("not asked for here"),
    successHistory: () => Effect.die("not asked for here"),
    connectionHealth: () => Effect.die("not asked for here"),
    forgetKeys: Effect.succeed(0),
    sweepStore: () => Effect.never,
    sweepInTurn: Effect.void,
    proveClosed: Effect.succeed({ agreed: 0, differs: 0, unanswered: 0, unsupported: 0 }),
    deliveries: () => Effect.succeed({ items: [], hasMore: false }),
    deliveryAttempts: () => new DeliveryNotFound(),
    deliveredEvents: () => Effect.succeed(new Map()),
    deliveryFile: () => new DeliveryNotFound(),
    rotateEndpointSecret: () => Effect.die("not scripted"),
    redeliver: () => new DeliveryNotFound(),
    reviews: () => Effect.succeed({ items: [], hasMore: false }),
    reviewOf: () => new ReviewNotFound(),
    exportPayments: () => Stream.empty,
    journal: () => Stream.empty,
    exportJournal: () => Stream.die("not scripted"),
    balances: () => Effect.die("not scripted"),
    paymentFile: () => new PaymentNotFound(),
    reviewFile: () => new PaymentNotFound(),
    createApiKey: () => Effect.die("not asked for here"),
    revokeApiKey: () => Effect.die("not asked for here"),
    proposals: () => Effect.succeed([]),
    approveCorrection: () => new PaymentNotFound(),
    rejectCorrection: () => new PaymentNotFound(),
    withdrawCorrection: () => new PaymentNotFound(),
    resolveReview: () => new PaymentNotFound(),
    restoreApiKey: () => Effect.die("not asked for here"),
    erasePayments: () => Effect.die("not asked for here"),
    verifyMessage: (incoming) => {
      asked.push(["verifyMessage", incoming])
      return answers.verifyMessage?.(incoming) ?? new MessageRefused()
    },
    recordMessage: (verified) => {
      asked.push(["recordMessage", verified])
      return answers.recordMessage?.(verified) ?? Effect.void
    },
    messages: () => Effect.succeed({ items: [], hasMore: false }),
    message: () => new MessageNotFound(),
    applyMessage: () => new MessageNotFound(),
    usage: () => Effect.succeed(0),
    recover: () => Effect.never,
    unlisted: () => Effect.succeed([]),
    acceptLoss: () => Effect.never,
    recordLoss: Effect.never,
    reconciliation: {
      run: () => Effect.die("not scripted"),
      beginFile: () => Effect.die("not scripted"),
      fetch: () => Effect.die("not scripted"),
      find: () => Effect.die("not scripted"),
      list: () => Effect.die("not scripted"),
      differences: () => Effect.die("not scripted"),
      close: () => Effect.die("not scripted"),
      accept: () => Effect.die("not scripted"),
      balance: () => Effect.die("not scripted"),
      payouts: () => Effect.die("not scripted"),
      payout: () => Effect.die("not scripted"),
      payoutStatuses: () => Effect.succeed(() => null),
      payoutEntries: () => Effect.die("not scripted"),
      exportPayout: () => Stream.die("not scripted"),
      entriesOf: () => Effect.succeed([]),
      open: Effect.succeed([])
    },
    configure: {
      markOf: () => Effect.die("not asked for here"),
      connectors: () => Effect.succeed([]),
      changeRouting: () => Effect.die("not asked for here"),
      addConnection: () => Effect.die("not asked for here"),
      changeConnection: () => Effect.die("not asked for here"),
      addEndpoint: () => Effect.die("not asked for here"),
      changeEndpoint: () => Effect.die("not asked for here")
    },
    operators: {
      passkeys: {
        list: () => Effect.die("not asked for here"),
        begin: () => Effect.die("not asked for here"),
        add: () => Effect.die("not asked for here"),
        remove: () => Effect.die("not asked for here"),
        beginSignIn: () => Effect.die("not asked for here"),
        signIn: () => Effect.die("not asked for here")
      },
      add: () => Effect.die("not asked for here"),
      list: Effect.succeed([]),
      edit: () => Effect.die("not asked for here"),
      remove: () => Effect.die("not asked for here"),
      createLink: () => Effect.die("not asked for here"),
      signInWithPassword: () => Effect.die("not asked for here"),
      signInWithLink: () => Effect.die("not asked for here"),
      signInWithOidc: () => Effect.die("not asked for here"),
      session: () => Effect.die("not asked for here"),
      signOut: () => Effect.die("not asked for here"),
      signOutEverywhere: () => Effect.die("not asked for here"),
      setPassword: () => Effect.die("not asked for here")
    },
    authenticate: (key) =>
      answers.authenticate?.(key) ??
      (Object.hasOwn(keys, key) ? Effect.succeed(keys[key as keyof typeof keys]) : new KeyRefused())
  })
  return { layer: Layer.succeed(Pointsman, service), created, asked }
}
