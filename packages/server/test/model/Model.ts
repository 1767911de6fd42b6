/**
 * The v1 contract as a small program: what every request is answered, in the specification's words alone. It is written
 * from the specification and its decisions, shares no code with what it tests, and can be read as their summary.
 *
 * A request is answered by one `Possibility`, or by several where the specification leaves the answer open; each of
 * those says why. The one that the server took is applied, and from there on it is held to it.
 *
 * Left out: concurrency (requests come one by one), background checks and provider messages (UNKNOWN stays UNKNOWN),
 * rate limits, and circuits (the connections' never open).
 */
import { Name, type Pattern, Such } from "./Pattern.ts"

// Who there is.

export type Mode = "fixed" | "priority" | "failover"
export type Environment = "sandbox" | "production"
export type Scope = "payments:read" | "payments:write" | "refunds:write" | "events:read"

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

const tenantOf = ({ environment, workspace }: Actor): string => `${workspace}/${environment}`

const ownerOf = (tenant: string): ActorName =>
  tenant === "globex/sandbox" ? "globex" : tenant === "acme/production" ? "acmeLive" : "acme"

// What can be asked.

export type Body = { readonly json: unknown } | { readonly text: string } | undefined
type Query = Readonly<Record<string, string>>

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

export interface Answer {
  readonly status: number
  readonly body: Pattern
  /** Whether `Idempotent-Replay: true` is there; `undefined` where the specification does not say. */
  readonly replay?: boolean | undefined
  /** Methods that the header `Allow` names. */
  readonly allow?: ReadonlyArray<string>
}

export interface Possibility {
  readonly answer: Answer
  /** What is so from then on, when this was the answer. */
  readonly so?: (answered: Answered) => void
}

export interface Answered {
  readonly status: number
  readonly body: unknown
}

// What there is.

type Status =
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

const everyStatus = [
  ...["CREATED", "PENDING", "REQUIRES_ACTION", "AUTHORIZED", "CAPTURED", "DECLINED", "FAILED", "UNKNOWN", "CANCELLED"],
  ...["REFUNDED", "PARTIALLY_REFUNDED", "CHARGEBACK", "SETTLED"]
]

interface Payment {
  readonly tenant: string
  readonly id: Name
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  readonly environment: Environment
  readonly request: CreateRequest
  status: Status
  declineCategory: string | null
  declineReason: Name | string | null
  captured: number
  refunded: number
  refundPending: number
  nextAction: Pattern
  /** Keys of each operation on it; a key stands for one amount. */
  readonly kept: Record<"capture" | "void" | "refund", Map<string, Kept>>
}

interface Kept {
  readonly amount: number | undefined
  readonly answered: Answered
  readonly at: number
}

interface Event {
  readonly tenant: string
  /** The payment's id. */
  readonly about: Name
  readonly type: string
  readonly pattern: Pattern
  readonly id: Name
}

/** An idempotency key of create. */
interface Claim {
  readonly request: CreateRequest
  readonly payment: Payment
  readonly answered: Answered
  readonly at: number
}

const minutes = 60_000
const hours = 60 * minutes
/** Of a hosted page. */
const pageLife = 30 * minutes

/** What can be refused, and its status. */
const refusals = {
  idempotency_key_required: 400,
  invalid_idempotency_key: 400,
  invalid_json: 400,
  unauthorized: 401,
  insufficient_scope: 403,
  workspace_suspended: 403,
  not_found: 404,
  method_not_allowed: 405,
  no_provider_ref: 409,
  not_capturable: 409,
  not_refundable: 409,
  not_voidable: 409,
  refund_pending: 409,
  routing_failed: 409,
  payload_too_large: 413,
  idempotency_key_reuse: 422,
  invalid_amount: 422,
  validation_error: 422,
  capture_result_unknown: 502,
  psp_error: 502,
  refund_result_unknown: 502,
  void_result_unknown: 502
} as const
type Code = keyof typeof refusals

const anyText = new Such("a text", (value) => typeof value === "string" && value !== "")

/** One possibility for each code: more than one where several refusals hold and no order of them is given. */
const refuse = (...codes: ReadonlyArray<Code>): ReadonlyArray<Possibility> => codes.map((code) => refusal(code))

const refusal = (code: Code, more: Record<string, Pattern> = {}): Possibility => ({
  answer: { status: refusals[code], body: { error: { code, message: anyText, ...more } }, replay: false }
})

const success = (status: 200 | 201, body: Pattern, so?: Possibility["so"]): Possibility => ({
  answer: { status, body, replay: false },
  ...(so === undefined ? {} : { so })
})

/** The stored answer, word for word. Only create says by a header that it is one. */
const replay = ({ status, body }: Answered, marked: true | undefined): Possibility => ({
  answer: { status, body: body as Pattern, replay: marked }
})

// Create.

interface Simulation {
  readonly charge: string | ReadonlyArray<string>
  readonly capture: string
  readonly void: string
  readonly refund: string
  readonly lookup: string
}

interface CreateRequest {
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
const softCategories = ["do_not_honor", "issuer_unavailable", "limit_exceeded"]
const chargeOutcomes = [
  ...["approve", "requires_authentication", "technical_error", "no_answer", "pending"],
  ...declineCategories.flatMap((category) => [`decline:${category}`, `soft_decline:${category}`])
]

type Check = (value: unknown) => boolean
const integer =
  (least: number, most: number): Check =>
  (value) =>
    Number.isInteger(value) && Number(value) >= least && Number(value) <= most
const oneOf =
  (...values: ReadonlyArray<unknown>): Check =>
  (value) =>
    values.includes(value)
/** Lengths are counted in Unicode code points. */
const textUpTo =
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
const hold = (checks: Record<string, Check>, fields: Fields): boolean =>
  Object.entries(checks).every(([name, check]) => !(name in fields) || check(fields[name]))

const decodeCreate = (fields: unknown, environment: Environment): CreateRequest | undefined => {
  if (!isObject(fields) || !required.every((name) => name in fields) || !hold(createFields, fields)) return undefined
  const { simulate = {} } = fields
  if ("simulate" in fields && environment === "production") return undefined
  if (!isObject(simulate) || !hold(simulateFields, simulate)) return undefined
  const named = Object.entries(fields).filter(([name]) => name in createFields)
  const simulated = Object.entries(simulate).filter(([name]) => name in simulateFields)
  return {
    ...defaults,
    ...Object.fromEntries(named),
    simulate: { ...defaultSimulation, ...Object.fromEntries(simulated) }
  } as CreateRequest
}

const isSame = (one: CreateRequest, other: CreateRequest): boolean =>
  Object.entries(one).every(([name, value]) => JSON.stringify(value) === JSON.stringify(Reflect.get(other, name))) &&
  JSON.stringify(one.simulate) === JSON.stringify(other.simulate)

interface Ending {
  readonly status: Status
  readonly category?: string
  readonly reason?: string
  /** The modes in which the next connection is asked. */
  readonly next?: ReadonlyArray<Mode>
}

/** What an attempt comes to. */
const endingOf = (outcome: string, { capture_method }: CreateRequest): Ending => {
  const [kind = "", category = ""] = outcome.split(":")
  const endings: Record<string, Ending> = {
    approve: { status: capture_method === "manual" ? "AUTHORIZED" : "CAPTURED" },
    pending: { status: "PENDING" },
    no_answer: { status: "UNKNOWN" },
    requires_authentication: {
      status: "DECLINED",
      category: "authentication_failed",
      reason: "provider_requires_action"
    },
    decline: { status: "DECLINED", category },
    soft_decline: { status: "DECLINED", category, next: ["failover"] },
    technical_error: { status: "FAILED", reason: "provider_error", next: ["priority", "failover"] }
  }
  return endings[kind] as Ending
}

const maxAttempts: Record<Mode, number> = { fixed: 1, priority: 2, failover: 2 }

/** What capture, void and refund come to: the answer, the status, the event. */
interface Result {
  readonly code?: Code
  readonly status?: Status
  readonly event?: string
}
const captureResults: Record<string, Result> = {
  confirm: { status: "CAPTURED", event: "payment.captured" },
  refuse: { code: "psp_error" },
  no_answer: { code: "capture_result_unknown", status: "UNKNOWN", event: "payment.capture_unknown" }
}
const voidResults: Record<string, Result> = {
  confirm: { status: "CANCELLED", event: "payment.cancelled" },
  refuse: { code: "psp_error" },
  no_answer: { code: "void_result_unknown", status: "UNKNOWN", event: "payment.void_unknown" }
}
const refundResults: Record<string, Result> = {
  confirm: { event: "payment.refunded" },
  refuse: { code: "psp_error" },
  no_answer: { code: "refund_result_unknown", event: "payment.refund_unknown" },
  pending: { code: "refund_pending", event: "payment.refund_pending" }
}

const uuid = "[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
const isKey = (key: string): boolean => /^[\u0020-\u007e]{8,200}$/.test(key)
const utf8Length = (text: string): number => new TextEncoder().encode(text).length

const scopeOf: Record<Exclude<Asked["ask"], "stray">, Scope> = {
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
const routes: ReadonlyArray<readonly [path: RegExp, methods: ReadonlyArray<string>]> = [
  [/^\/api\/v1\/payments$/, ["GET", "POST"]],
  [/^\/api\/v1\/payments\/[^/]+$/, ["GET"]],
  [/^\/api\/v1\/payments\/[^/]+\/events$/, ["GET"]],
  [/^\/api\/v1\/payments\/[^/]+\/(capture|void|refunds)$/, ["POST"]],
  [/^\/api\/v1\/events$/, ["GET"]]
]

const readyFor: Record<string, ReadonlyArray<Status>> = {
  capture: ["AUTHORIZED"],
  void: ["AUTHORIZED"],
  refund: ["CAPTURED", "PARTIALLY_REFUNDED"]
}

/** A method or a path that is none of ours. */
const stray = (path: string): ReadonlyArray<Possibility> => {
  const methods = routes.find(([pattern]) => pattern.test(path))?.[1]
  if (methods === undefined) return refuse("not_found")
  return [{ answer: { ...refusal("method_not_allowed").answer, allow: methods } }]
}

export class Model {
  /** Milliseconds since the epoch. */
  now: number
  readonly payments: Array<Payment> = []
  readonly #events: Array<Event> = []
  readonly #claims = new Map<string, Claim>()

  readonly #mode: Mode
  readonly #prefix: string

  /** The prefix is what stands before the ids of connections on the server. */
  constructor(mode: Mode, prefix: string, now: number) {
    this.now = now
    this.#mode = mode
    this.#prefix = prefix
  }

  /** The order of checks is that of decisions.md, section 4. */
  answer(asked: Asked): ReadonlyArray<Possibility> {
    if (asked.ask === "stray") return stray(asked.path)
    const actor: Actor = actors[asked.as]
    if (actor.key !== "good") return refuse("unauthorized")
    const scope = scopeOf[asked.ask]
    if (actor.workspace === "closed") return refuse("workspace_suspended")
    if (actor.scopes !== null && !actor.scopes.includes(scope)) return refuse("insufficient_scope")
    const tenant = tenantOf(actor)
    switch (asked.ask) {
      case "create":
        return this.#create(tenant, actor, asked.key, asked.body)
      case "retrieve":
        return this.#withPayment(tenant, asked.id, (payment) => [this.#retrieve(payment)])
      case "list":
        return this.#list(tenant, asked.query)
      case "timeline":
        return this.#timeline(tenant, asked.id, asked.query)
      case "events":
        return this.#eventsOf(tenant, asked.query)
      case "capture":
        return this.#capture(tenant, asked.id, asked.key, asked.body)
      case "void":
        return this.#void(tenant, asked.id, asked.key)
      case "refund":
        return this.#refund(tenant, asked.id, asked.key, asked.body)
    }
  }

  /** Oldest first: all, the actor's own, or those of them that the operation can be done on. */
  paymentIds(which: "any" | "own" | "ready", as: ActorName, operation = ""): ReadonlyArray<string> {
    const ready = readyFor[operation]
    return this.payments
      .filter(({ tenant }) => which === "any" || tenant === tenantOf(actors[as]))
      .filter(({ status }) => which !== "ready" || ready === undefined || ready.includes(status))
      .flatMap(({ id }) => id.text ?? [])
  }

  /** What has to be read for its status to be certain: see `#retrieve`. */
  overdue(): ReadonlyArray<Asked> {
    return this.payments
      .filter((payment) => this.#isOverdue(payment))
      .map(({ id, tenant }) => ({ as: ownerOf(tenant), ask: "retrieve", id: id.text ?? "" }))
  }

  /** Oldest first, as far as anybody has read them; of the actor's tenant, or of one payment. */
  eventIds(as: ActorName, paymentId?: string): ReadonlyArray<string> {
    const events = this.#events.filter(({ about, tenant }) =>
      paymentId === undefined ? tenant === tenantOf(actors[as]) : about.text === paymentId
    )
    return events.flatMap(({ id }) => id.text ?? [])
  }

  /** What there is to capture or refund. */
  amountOf(paymentId: string, operation: "capture" | "refund"): number {
    const payment = this.payments.find(({ id }) => id.text === paymentId)
    if (payment === undefined) return 100
    return operation === "capture"
      ? payment.request.amount
      : payment.captured - payment.refunded - payment.refundPending
  }

  // Create.

  #create(tenant: string, actor: Actor, key: string | undefined, body: Body): ReadonlyArray<Possibility> {
    if (key === undefined && actor.environment === "production") return refuse("idempotency_key_required")
    if (key !== undefined && !isKey(key)) return refuse("invalid_idempotency_key")
    const text = textOf(body)
    if (utf8Length(text) > 16_384) return refuse("payload_too_large")
    const parsed = parse(text)
    if (parsed === undefined) return refuse("invalid_json")
    const request = decodeCreate(parsed.json, actor.environment)
    if (request === undefined) return refuse("validation_error")
    const claim = key === undefined ? undefined : this.#claims.get(`${tenant} ${key}`)
    if (claim !== undefined && this.#isLive(claim)) {
      return isSame(claim.request, request) ? [replay(claim.answered, true)] : refuse("idempotency_key_reuse")
    }
    const keep = (payment: Payment) => (answered: Answered) => {
      if (key !== undefined) this.#claims.set(`${tenant} ${key}`, { request, payment, answered, at: this.now })
    }
    return request.return_url === null
      ? this.#charge(tenant, actor, request, keep)
      : [this.#awaitCustomer(tenant, actor, request, keep)]
  }

  /** 24 hours after the answer, and as long as the payment is UNKNOWN. */
  #isLive({ at, payment }: Claim): boolean {
    return this.now - at < 24 * hours || payment.status === "UNKNOWN"
  }

  #awaitCustomer(
    tenant: string,
    actor: Actor,
    request: CreateRequest,
    keep: (payment: Payment) => (answered: Answered) => void
  ): Possibility {
    const nextAction = {
      type: "REDIRECT",
      url: new Name(new RegExp(`^${baseUrl}/hosted/[\\w-]+$`)),
      expires_at: new Date(this.now + pageLife).toISOString()
    }
    const payment = this.#payment(tenant, actor, request, { status: "REQUIRES_ACTION" }, nextAction)
    return success(201, { data: view(payment) }, (answered) => {
      this.payments.push(payment)
      this.#tell(payment, "payment.requires_action")
      keep(payment)(answered)
    })
  }

  #charge(
    tenant: string,
    actor: Actor,
    request: CreateRequest,
    keep: (payment: Payment) => (answered: Answered) => void
  ): ReadonlyArray<Possibility> {
    const all =
      actor.environment === "sandbox" ? connections.filter(({ workspace }) => workspace === actor.workspace) : []
    const exclusions = all.map((connection) => ({ connection, codes: exclusionCodes(connection.supports, request) }))
    const eligible = exclusions.filter(({ codes }) => codes.length === 0).map(({ connection }) => connection)
    const excluded = exclusions
      .filter(({ codes }) => codes.length > 0)
      .map(({ codes, connection }) => ({
        providerId: `${this.#prefix}${connection.id}`,
        name: connection.name,
        // The specification does not say which reason is told when there are several.
        code: new Such(codes.join(" or "), oneOf(...codes)),
        reason: anyText
      }))
    if (eligible.length === 0) return [refusal("routing_failed", request.debug ? { excluded } : {})]

    // decisions.md 3: a category that is soft by default is hard where the connector says so, and whether the
    // simulator's `decline:` says so is not stated.
    const isOpen = JSON.stringify(request.simulate.charge).includes('"decline:') && this.#mode === "failover"
    const readings = isOpen ? [[], softCategories] : [[]]
    return readings.map((soft) => {
      const { attempts, ending } = this.#route(eligible, request, soft)
      const payment = this.#payment(tenant, actor, request, ending, { type: "NONE" })
      const routing = {
        path: "engine",
        strategy: anyText,
        mode: this.#mode,
        rule: null,
        candidates: new Such("a list of objects", (value) => Array.isArray(value) && value.every(isObject)),
        attempts: attempts.map(
          (id) => new Such(`an attempt at ${id}`, (value) => isObject(value) && Object.values(value).includes(id))
        ),
        ...(request.debug ? { excluded, eligibility_version: versionOrNull, degraded: false } : {})
      }
      return success(201, { data: { ...view(payment), routing } }, (answered) => {
        this.payments.push(payment)
        this.#tell({ ...payment, status: "PENDING" }, "payment.created")
        this.#tell(payment, `payment.${payment.status.toLowerCase()}`)
        keep(payment)(answered)
      })
    })
  }

  #route(
    eligible: ReadonlyArray<{ readonly id: string }>,
    request: CreateRequest,
    soft: ReadonlyArray<string>
  ): { readonly attempts: ReadonlyArray<string>; readonly ending: Ending } {
    const attempts: Array<string> = []
    let ending: Ending = { status: "FAILED" }
    for (const { id } of eligible.slice(0, maxAttempts[this.#mode])) {
      const { charge } = request.simulate
      const outcome = (typeof charge === "string" ? charge : charge[attempts.length]) ?? defaultSimulation.charge
      const next = endingOf(String(outcome), request)
      // FAILED is a payment of which every attempt ended in a technical error.
      ending = next.status === "FAILED" && ending.status === "DECLINED" ? { ...ending, next: next.next ?? [] } : next
      attempts.push(`${this.#prefix}${id}`)
      const mayFollow =
        ending.next?.includes(this.#mode) === true ||
        (this.#mode === "failover" && soft.includes(ending.category ?? ""))
      if (!mayFollow) break
    }
    return { attempts, ending }
  }

  #payment(tenant: string, actor: Actor, request: CreateRequest, ending: Ending, nextAction: Pattern): Payment {
    const { category, reason, status } = ending
    return {
      tenant,
      id: new Name(new RegExp(`^${uuid}$`)),
      createdAt: this.now,
      environment: actor.environment,
      request,
      status,
      declineCategory: category ?? null,
      // The provider's raw code of a decline; what the simulator's are is not stated.
      declineReason: reason ?? (status === "DECLINED" ? new Name(/^\w+$/, "shared") : null),
      captured: status === "CAPTURED" ? request.amount : 0,
      refunded: 0,
      refundPending: 0,
      nextAction,
      kept: { capture: new Map(), void: new Map(), refund: new Map() }
    }
  }

  // Reading.

  /** A page whose time ran out is CANCELLED; without background checks, when its payment is read. */
  #retrieve(payment: Payment): Possibility {
    if (!this.#isOverdue(payment)) return success(200, { data: view(payment) })
    const after = { status: "CANCELLED" as const, nextAction: { type: "NONE" } }
    return success(200, { data: view({ ...payment, ...after }) }, () => {
      Object.assign(payment, after)
      this.#tell(payment, "payment.cancelled")
    })
  }

  #isOverdue({ createdAt, status }: Payment): boolean {
    return status === "REQUIRES_ACTION" && this.now >= createdAt + pageLife
  }

  #withPayment(
    tenant: string,
    id: string,
    answer: (payment: Payment) => ReadonlyArray<Possibility>
  ): ReadonlyArray<Possibility> {
    const payment = this.payments.find((one) => one.tenant === tenant && one.id.text === id)
    return payment === undefined ? refuse("not_found") : answer(payment)
  }

  #list(tenant: string, query: Query): ReadonlyArray<Possibility> {
    const status = query["status"]?.toUpperCase()
    if (!isLimit(query["limit"]) || (status !== undefined && !everyStatus.includes(status))) {
      return refuse("validation_error")
    }
    const all = this.payments.filter((one) => one.tenant === tenant).reverse()
    const found = all.filter((one) => status === undefined || one.status === status)
    const from = query["before"]
    return page(
      found.map((one) => ({ id: one.id, pattern: view(one) })),
      all,
      from,
      query["limit"]
    )
  }

  #timeline(tenant: string, id: string, query: Query): ReadonlyArray<Possibility> {
    if (!isLimit(query["limit"])) return refuse("validation_error")
    return this.#withPayment(tenant, id, (payment) => {
      const all = this.#events.filter((event) => event.about === payment.id)
      return page(all, all, query["after"], query["limit"])
    })
  }

  #eventsOf(tenant: string, query: Query): ReadonlyArray<Possibility> {
    if (!isLimit(query["limit"])) return refuse("validation_error")
    const all = this.#events.filter((event) => event.tenant === tenant).reverse()
    const found = all.filter(({ type }) => query["type"] === undefined || type === query["type"])
    if (query["after"] === undefined) return page(found, all, query["before"], query["limit"])
    // A follower reads on from where it was, oldest first; decisions.md has no more of it than the name.
    return page(found.reverse(), all.reverse(), query["after"], query["limit"])
  }

  #tell(payment: Payment, type: string, more: Record<string, Pattern> = {}): void {
    const { declineCategory, declineReason, environment, id, request, status } = payment
    const decline = { decline_category: declineCategory, decline_code: declineReason }
    const event = new Name(new RegExp(`^evt_${uuid}$`))
    this.#events.push({
      tenant: payment.tenant,
      about: id,
      type,
      id: event,
      pattern: {
        id: event,
        type,
        created: new Date(this.now).toISOString(),
        data: {
          payment_id: id,
          reference: request.reference,
          payment_status: status,
          environment,
          amount: request.amount,
          currency: request.currency,
          ...(type === "payment.declined" ? decline : {}),
          ...more
        }
      }
    })
  }

  // Capture, void, refund.

  #capture(tenant: string, id: string, key: string | undefined, body: Body): ReadonlyArray<Possibility> {
    if (key !== undefined && !isKey(key)) return refuse("invalid_idempotency_key")
    const fields = fieldsOf(body)
    if (fields === undefined) return refuse("validation_error")
    if ("amount" in fields && !integer(1, Number.MAX_SAFE_INTEGER)(fields["amount"])) return refuse("invalid_amount")
    const amount = fields["amount"] as number | undefined
    return this.#withPayment(tenant, id, (payment) => {
      const above: ReadonlyArray<Code> =
        amount !== undefined && amount > payment.request.amount ? ["invalid_amount"] : []
      const kept = key === undefined ? undefined : payment.kept.capture.get(key)
      if (kept !== undefined) {
        // Whether "above the authorization" is seen before the key or after it is not stated.
        return kept.amount === amount ? repeated(kept, payment) : refuse("idempotency_key_reuse", ...above)
      }
      if (payment.status !== "AUTHORIZED") return refuse(...refusalOf(payment, "not_capturable"), ...above)
      if (above.length > 0) return refuse(...above)
      return this.#operate(payment, "capture", key, amount, captureResults[payment.request.simulate.capture], () => {
        payment.captured = amount ?? payment.request.amount
      })
    })
  }

  #void(tenant: string, id: string, key: string | undefined): ReadonlyArray<Possibility> {
    if (key !== undefined && !isKey(key)) return refuse("invalid_idempotency_key")
    return this.#withPayment(tenant, id, (payment) => {
      const kept = key === undefined ? undefined : payment.kept.void.get(key)
      if (kept !== undefined) return repeated(kept, payment)
      if (payment.status !== "AUTHORIZED") return refuse(...refusalOf(payment, "not_voidable"))
      return this.#operate(payment, "void", key, undefined, voidResults[payment.request.simulate.void], () => {})
    })
  }

  #operate(
    payment: Payment,
    operation: "capture" | "void",
    key: string | undefined,
    amount: number | undefined,
    { code, event, status }: Result = {},
    confirm: () => void
  ): ReadonlyArray<Possibility> {
    const before = { ...payment }
    if (status !== undefined) payment.status = status
    if (code === undefined) confirm()
    const possibility = code === undefined ? success(200, { data: view(payment) }) : refusal(code)
    const after = { status: payment.status, captured: payment.captured }
    Object.assign(payment, { status: before.status, captured: before.captured })
    return [
      {
        ...possibility,
        so: (answered) => {
          Object.assign(payment, after)
          if (event !== undefined) this.#tell(payment, event)
          // Refused: the key is released. Everything else is kept as long as the payment.
          if (key !== undefined && code !== "psp_error") {
            payment.kept[operation].set(key, { amount, answered, at: this.now })
          }
        }
      }
    ]
  }

  #refund(tenant: string, id: string, key: string | undefined, body: Body): ReadonlyArray<Possibility> {
    if (key !== undefined && !isKey(key)) return refuse("validation_error")
    const fields = fieldsOf(body)
    if (fields === undefined) return refuse("validation_error")
    const wrong: ReadonlyArray<Code> = [
      ...(hold({ reason: textUpTo(200) }, fields) ? [] : (["validation_error"] as const)),
      ...(hold({ amount: integer(1, Number.MAX_SAFE_INTEGER) }, fields) ? [] : (["invalid_amount"] as const))
    ]
    if (wrong.length > 0) return refuse(...wrong)
    const asked = fields["amount"] as number | undefined
    return this.#withPayment(tenant, id, (payment) => {
      const kept = key === undefined ? undefined : payment.kept.refund.get(key)
      if (kept !== undefined) {
        return kept.amount === asked ? this.#repeatedRefund(kept, payment) : refuse("idempotency_key_reuse")
      }
      if (payment.captured === 0) return refuse("not_refundable")
      const balance = payment.captured - payment.refunded - payment.refundPending
      if (balance === 0) return refuse(payment.refundPending > 0 ? "refund_pending" : "invalid_amount")
      return [this.#sendRefund(payment, key, asked, Math.min(asked ?? balance, balance))]
    })
  }

  #sendRefund(payment: Payment, key: string | undefined, asked: number | undefined, amount: number): Possibility {
    const { code, event } = refundResults[payment.request.simulate.refund] ?? {}
    const after = {
      refunded: payment.refunded + (event === "payment.refunded" ? amount : 0),
      refundPending: payment.refundPending + (event === undefined || event === "payment.refunded" ? 0 : amount),
      status: payment.status
    }
    if (after.refunded > 0) after.status = after.refunded === payment.captured ? "REFUNDED" : "PARTIALLY_REFUNDED"
    const possibility = code === undefined ? success(200, { data: view({ ...payment, ...after }) }) : refusal(code)
    return {
      ...possibility,
      so: (answered) => {
        Object.assign(payment, after)
        if (event !== undefined) {
          this.#tell(payment, event, {
            refund_id: new Name(new RegExp(`^rf_${uuid}$`)),
            refund_amount: amount,
            refunded_total: payment.refunded,
            refund_pending_amount: payment.refundPending
          })
        }
        if (key !== undefined) payment.kept.refund.set(key, { amount: asked, answered, at: this.now })
      }
    }
  }

  /** 24 hours long word for word; then as the refund stands, which nothing settles here. */
  #repeatedRefund(kept: Kept, payment: Payment): ReadonlyArray<Possibility> {
    if (this.now - kept.at < 24 * hours) return [replay(kept.answered, undefined)]
    const result = refundResults[payment.request.simulate.refund] ?? {}
    if (result.code === "psp_error") return unmarked(refuse("psp_error"))
    if (result.code !== undefined) return unmarked(refuse("refund_pending"))
    return unmarked([success(200, { data: view(payment) })])
  }
}

/** Where the specification does not say whether a replay is marked. */
const unmarked = (possibilities: ReadonlyArray<Possibility>): ReadonlyArray<Possibility> =>
  possibilities.map((one) => ({ ...one, answer: { ...one.answer, replay: undefined } }))

/**
 * A capture or void under a key that has an answer. A failure is answered again as it was; of a success it is not
 * stated whether the payment is shown as it was then or as it is now.
 */
const repeated = (kept: Kept, payment: Payment): ReadonlyArray<Possibility> => [
  replay(kept.answered, undefined),
  ...(kept.answered.status === 200 ? unmarked([success(200, { data: view(payment) })]) : [])
]

/** A payment whose charge nobody took may be refused for that as well, and no order of the two is given. */
const refusalOf = (payment: Payment, code: Code): ReadonlyArray<Code> =>
  payment.status === "FAILED" || payment.status === "UNKNOWN" || payment.status === "REQUIRES_ACTION"
    ? [code, "no_provider_ref"]
    : [code]

const versionOrNull = new Such("a version or null", (value) => value === null || anyText.holds(value))

/** Every reason that holds. */
const exclusionCodes = (
  supports: { readonly currencies?: ReadonlyArray<string>; readonly recurring?: boolean },
  { currency, initiator }: CreateRequest
): ReadonlyArray<string> => [
  ...(supports.currencies?.includes(currency) === false ? ["CURRENCY_NOT_SUPPORTED"] : []),
  ...(supports.recurring === false && initiator === "mit" ? ["RECURRING_NOT_SUPPORTED"] : [])
]

const view = (payment: Omit<Payment, "kept">): { readonly [key: string]: Pattern } => ({
  id: payment.id,
  payment_id: payment.id,
  reference: payment.request.reference,
  payment_status: payment.status,
  status: payment.status,
  environment: payment.environment,
  amount: payment.request.amount,
  currency: payment.request.currency,
  country: payment.request.country,
  method: payment.request.method,
  card_brand: payment.request.card_brand,
  initiator: payment.request.initiator,
  capture_method: payment.request.capture_method,
  decline_category: payment.declineCategory,
  decline_reason: payment.declineReason,
  captured_amount: payment.captured,
  refunded_amount: payment.refunded,
  refund_pending_amount: payment.refundPending,
  next_action: payment.nextAction,
  created: new Date(payment.createdAt).toISOString()
})

const isLimit = (limit: string | undefined): boolean =>
  limit === undefined || (/^\d+$/.test(limit) && integer(1, 100)(Number(limit)))

interface Item {
  readonly id: Name
  readonly pattern: Pattern
}

/**
 * The page behind a cursor. A cursor is the last id of the page before; what any other text does is not stated, so the
 * generators send none but ids of the caller's own.
 */
const page = (
  found: ReadonlyArray<Item>,
  all: ReadonlyArray<{ readonly id: Name }>,
  cursor: string | undefined,
  limit = "50"
): ReadonlyArray<Possibility> => {
  const start = cursor === undefined ? -1 : all.findIndex(({ id }) => id.text === cursor)
  const behind = new Set(all.slice(start + 1).map(({ id }) => id))
  const left = found.filter(({ id }) => behind.has(id))
  const items = left.slice(0, Number(limit))
  const hasMore = left.length > items.length
  return [
    success(200, {
      data: items.map(({ pattern }) => pattern),
      has_more: hasMore,
      next_cursor: hasMore ? (items.at(-1)?.id ?? null) : null
    })
  ]
}

const textOf = (body: Body): string =>
  body === undefined ? "" : "text" in body ? body.text : JSON.stringify(body.json)

const parse = (text: string): { readonly json: unknown } | undefined => {
  try {
    return { json: JSON.parse(text) }
  } catch {
    return undefined
  }
}

/** Of an optional body. */
const fieldsOf = (body: Body): Fields | undefined => {
  if (body === undefined) return {}
  const json = parse(textOf(body))?.json
  return isObject(json) ? json : undefined
}
