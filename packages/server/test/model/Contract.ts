/** The tables of the v1 contract: parties, requests and refusals, valid input, and results. */

// Who there is.

export type Mode = "fixed" | "priority" | "failover"
export type Environment = "sandbox" | "production"
type Scope = "payments:read" | "payments:write" | "refunds:write" | "events:read"

export const baseUrl = "https://pay.example"

export const workspaces = [
  { id: "acme", suspended: false },
  { id: "globex", suspended: false },
  { id: "closed", suspended: true }
] as const

/** All at the simulator. `supports` is what a payment is excluded by. */
export const connections = [
  { workspace: "acme", id: "main", name: "Main", priority: 1, supports: { currencies: ["EUR", "USD", "JPY"] } },
  { workspace: "acme", id: "backup", name: "Backup", priority: 2, supports: { currencies: ["EUR"], recurring: false } },
  { workspace: "globex", id: "only", name: "Only", priority: 1, supports: {} }
] as const

interface Actor {
  readonly workspace: "acme" | "globex" | "closed"
  readonly environment: Environment
  readonly key: "good" | "revoked" | "unknown" | "malformed" | "missing"
  /** `null`: all of them. */
  readonly scopes: ReadonlyArray<Scope> | null
}

const sandboxOf = (workspace: Actor["workspace"], change: Partial<Actor> = {}): Actor => ({
  workspace,
  environment: "sandbox",
  key: "good",
  scopes: null,
  ...change
})

export const actors = {
  acme: sandboxOf("acme"),
  acmeToo: sandboxOf("acme"),
  acmeLive: sandboxOf("acme", { environment: "production" }),
  globex: sandboxOf("globex"),
  reader: sandboxOf("acme", { scopes: ["payments:read"] }),
  writer: sandboxOf("acme", { scopes: ["payments:write"] }),
  refunder: sandboxOf("acme", { scopes: ["refunds:write"] }),
  follower: sandboxOf("acme", { scopes: ["events:read"] }),
  closed: sandboxOf("closed"),
  revoked: sandboxOf("acme", { key: "revoked" }),
  unknown: sandboxOf("acme", { key: "unknown" }),
  malformed: sandboxOf("acme", { key: "malformed" }),
  missing: sandboxOf("acme", { key: "missing" })
} as const satisfies Record<string, Actor>
export type ActorName = keyof typeof actors

export const tenantOf = (as: ActorName): string => `${actors[as].workspace}/${actors[as].environment}`

// What can be asked.

export type Body = { readonly json: unknown } | { readonly text: string } | undefined
export type Query = Readonly<Record<string, string>>

export type Asked = { readonly as: ActorName } & (
  | { readonly ask: "create"; readonly key: string | undefined; readonly body: Body }
  | { readonly ask: "retrieve"; readonly id: string }
  | { readonly ask: "list"; readonly query: Query }
  | { readonly ask: "timeline"; readonly id: string; readonly query: Query }
  | { readonly ask: "events"; readonly query: Query }
  | { readonly ask: "capture"; readonly id: string; readonly key: string | undefined; readonly body: Body }
  | { readonly ask: "void"; readonly id: string; readonly key: string | undefined }
  | { readonly ask: "refund"; readonly id: string; readonly key: string | undefined; readonly body: Body }
  | { readonly ask: "stray"; readonly method: string; readonly path: string }
)

// What is answered.

export type Status =
  | "PENDING"
  | "REQUIRES_ACTION"
  | "AUTHORIZED"
  | "CAPTURED"
  | "DECLINED"
  | "FAILED"
  | "UNKNOWN"
  | "CANCELLED"
  | "REFUNDED"
  | "PARTIALLY_REFUNDED"

export const everyStatus = [
  ...["CREATED", "PENDING", "REQUIRES_ACTION", "AUTHORIZED", "CAPTURED", "DECLINED", "FAILED", "UNKNOWN", "CANCELLED"],
  ...["REFUNDED", "PARTIALLY_REFUNDED", "CHARGEBACK", "SETTLED"]
]

const minutes = 60_000
export const hours = 60 * minutes
/** Of a hosted page. */
export const pageLife = 30 * minutes

/** What can be refused, and its status. */
export const refusals = {
  idempotency_key_required: 400,
  invalid_idempotency_key: 400,
  invalid_json: 400,
  unauthorized: 401,
  insufficient_scope: 403,
  workspace_suspended: 403,
  not_found: 404,
  method_not_allowed: 405,
  capture_conflict: 409,
  idempotency_in_progress: 409,
  no_provider_ref: 409,
  not_capturable: 409,
  not_refundable: 409,
  not_voidable: 409,
  refund_conflict: 409,
  refund_pending: 409,
  routing_failed: 409,
  void_conflict: 409,
  payload_too_large: 413,
  idempotency_key_reuse: 422,
  invalid_amount: 422,
  validation_error: 422,
  capture_result_unknown: 502,
  psp_error: 502,
  refund_result_unknown: 502,
  void_result_unknown: 502
} as const
export type Code = keyof typeof refusals

// The fields of a create, and their effect.

interface Simulation {
  readonly charge: string | ReadonlyArray<string>
  readonly capture: string
  readonly void: string
  readonly refund: string
  readonly lookup: string
}

export interface CreateRequest {
  readonly amount: number
  readonly currency: string
  readonly country: string
  readonly method: string
  readonly card_brand: string | null
  readonly reference: string | null
  readonly initiator: string
  readonly capture_method: string
  readonly return_url: string | null
  readonly cancel_url: string | null
  readonly debug: boolean
  readonly simulate: Simulation
}

const defaults = {
  method: "card",
  card_brand: null,
  reference: null,
  initiator: "cit",
  capture_method: "automatic",
  return_url: null,
  cancel_url: null,
  debug: false
}
const defaultSimulation: Simulation = {
  charge: "approve",
  capture: "confirm",
  void: "confirm",
  refund: "confirm",
  lookup: "executed"
}

const declineCategories = [
  ...["insufficient_funds", "do_not_honor", "expired_card", "invalid_card", "lost_or_stolen", "suspected_fraud"],
  ...["limit_exceeded", "authentication_failed", "not_permitted", "issuer_unavailable", "invalid_request"],
  ...["cancelled_by_customer", "other"]
]
export const softCategories = ["do_not_honor", "issuer_unavailable", "limit_exceeded"]
const chargeOutcomes = [
  ...["approve", "requires_authentication", "technical_error", "no_answer", "pending"],
  ...declineCategories.flatMap((category) => [`decline:${category}`, `soft_decline:${category}`])
]

type Check = (value: unknown) => boolean
export const integer =
  (least: number, most = Number.MAX_SAFE_INTEGER): Check =>
  (value) =>
    Number.isInteger(value) && Number(value) >= least && Number(value) <= most
export const oneOf =
  (...values: ReadonlyArray<unknown>): Check =>
  (value) =>
    values.includes(value)
/** Lengths are counted in Unicode code points. */
export const textUpTo =
  (most: number): Check =>
  (value) =>
    typeof value === "string" && [...value].length <= most
const webAddress: Check = (value) =>
  typeof value === "string" && URL.canParse(value) && ["http:", "https:"].includes(new URL(value).protocol)

/** The ISO codes that the generators know; every other that they send is unreal. */
const createFields: Record<string, Check> = {
  amount: integer(50, 100_000_000),
  currency: oneOf("EUR", "USD", "JPY", "KWD"),
  country: oneOf("NL", "US"),
  method: oneOf("card", "bank", "wallet", "crypto"),
  card_brand: textUpTo(20),
  reference: textUpTo(64),
  initiator: oneOf("cit", "mit"),
  capture_method: oneOf("automatic", "manual"),
  return_url: webAddress,
  cancel_url: webAddress,
  debug: oneOf(true, false)
}
const simulateFields: Record<keyof Simulation, Check> = {
  charge: (value) => (Array.isArray(value) ? value : [value]).every(oneOf(...chargeOutcomes)),
  capture: oneOf("confirm", "refuse", "no_answer"),
  void: oneOf("confirm", "refuse", "no_answer"),
  refund: oneOf("confirm", "refuse", "no_answer", "pending"),
  lookup: oneOf("executed", "not_executed", "no_answer")
}
const required = ["amount", "currency", "country"]

type Fields = { readonly [name: string]: unknown }
const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Fields that are not in the table are ignored. */
export const hold = (checks: Record<string, Check>, fields: Fields): boolean =>
  Object.entries(checks).every(([name, check]) => !(name in fields) || check(fields[name]))

/** The request with its defaults, or why it is invalid. */
export const decodeCreate = (body: Body, environment: Environment): CreateRequest | Code => {
  const parsed = parse(textOf(body))
  if (parsed === undefined) return "invalid_json"
  const { json } = parsed
  if (!isObject(json) || !required.every((name) => name in json) || !hold(createFields, json)) return "validation_error"
  const { simulate = {} } = json
  if ("simulate" in json && environment === "production") return "validation_error"
  if (!isObject(simulate) || !hold(simulateFields, simulate)) return "validation_error"
  const only = (checks: Record<string, Check>, fields: Fields) =>
    Object.fromEntries(Object.entries(fields).filter(([name]) => name in checks))
  return {
    ...defaults,
    ...only(createFields, json),
    simulate: { ...defaultSimulation, ...only(simulateFields, simulate) }
  } as CreateRequest
}

/** The fields of an optional body; `undefined` when it is not an object of JSON. */
export const decodeObject = (body: Body): Fields | undefined => {
  if (body === undefined) return {}
  const json = parse(textOf(body))?.json
  return isObject(json) ? json : undefined
}

export const textOf = (body: Body): string =>
  body === undefined ? "" : "text" in body ? body.text : JSON.stringify(body.json)

const parse = (text: string): { readonly json: unknown } | undefined => {
  try {
    return { json: JSON.parse(text) }
  } catch {
    return undefined
  }
}

/** Two requests are the same when they are equal with their defaults. */
export const isSame = (one: CreateRequest, other: CreateRequest): boolean =>
  Object.entries(one).every(([name, value]) => JSON.stringify(value) === JSON.stringify(Reflect.get(other, name)))

export interface Ending {
  readonly status: Status
  readonly category?: string
  readonly reason?: string
  /** The modes in which the next connection is asked. */
  readonly next?: ReadonlyArray<Mode>
}

const requiresAction = "provider_requires_action"

/** What an attempt comes to. */
export const endingOf = (outcome: string, { capture_method }: CreateRequest): Ending => {
  const [kind = "", category = ""] = outcome.split(":")
  const endings: Record<string, Ending> = {
    approve: { status: capture_method === "manual" ? "AUTHORIZED" : "CAPTURED" },
    pending: { status: "PENDING" },
    no_answer: { status: "UNKNOWN" },
    requires_authentication: { status: "DECLINED", category: "authentication_failed", reason: requiresAction },
    decline: { status: "DECLINED", category },
    soft_decline: { status: "DECLINED", category, next: ["failover"] },
    technical_error: { status: "FAILED", reason: "provider_error", next: ["priority", "failover"] }
  }
  return endings[kind] as Ending
}

export const attemptsAtMost: Record<Mode, number> = { fixed: 1, priority: 2, failover: 2 }

/** What capture, void and refund come to: the answer, the status, the event. */
interface Result {
  readonly code?: Code
  readonly status?: Status
  readonly event?: string
}
export const results: Record<"capture" | "void" | "refund", Record<string, Result>> = {
  capture: {
    confirm: { status: "CAPTURED", event: "payment.captured" },
    refuse: { code: "psp_error" },
    no_answer: { code: "capture_result_unknown", status: "UNKNOWN", event: "payment.capture_unknown" }
  },
  void: {
    confirm: { status: "CANCELLED", event: "payment.cancelled" },
    refuse: { code: "psp_error" },
    no_answer: { code: "void_result_unknown", status: "UNKNOWN", event: "payment.void_unknown" }
  },
  refund: {
    confirm: { event: "payment.refunded" },
    refuse: { code: "psp_error" },
    no_answer: { code: "refund_result_unknown", event: "payment.refund_unknown" },
    pending: { code: "refund_pending", event: "payment.refund_pending" }
  }
}

export const uuid = "[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
export const isKey = (key: string): boolean => /^[\u0020-\u007e]{8,200}$/.test(key)
export const utf8Length = (text: string): number => new TextEncoder().encode(text).length

export const scopeOf: Record<Exclude<Asked["ask"], "stray">, Scope> = {
  create: "payments:write",
  capture: "payments:write",
  void: "payments:write",
  refund: "refunds:write",
  retrieve: "payments:read",
  list: "payments:read",
  timeline: "payments:read",
  events: "events:read"
}

/** The paths of payments and events, and their methods. */
export const routes: ReadonlyArray<readonly [path: RegExp, methods: ReadonlyArray<string>]> = [
  [/^\/api\/v1\/payments$/, ["GET", "POST"]],
  [/^\/api\/v1\/payments\/[^/]+$/, ["GET"]],
  [/^\/api\/v1\/payments\/[^/]+\/events$/, ["GET"]],
  [/^\/api\/v1\/payments\/[^/]+\/(capture|void|refunds)$/, ["POST"]],
  [/^\/api\/v1\/events$/, ["GET"]]
]

export const isLimit = (limit: string | undefined): boolean =>
  limit === undefined || (/^\d+$/.test(limit) && integer(1, 100)(Number(limit)))

/** Every reason that excludes the payment. */
export const exclusionCodes = (
  supports: { readonly currencies?: ReadonlyArray<string>; readonly recurring?: boolean },
  { currency, initiator }: CreateRequest
): ReadonlyArray<string> => [
  ...(supports.currencies?.includes(currency) === false ? ["CURRENCY_NOT_SUPPORTED"] : []),
  ...(supports.recurring === false && initiator === "mit" ? ["RECURRING_NOT_SUPPORTED"] : [])
]
