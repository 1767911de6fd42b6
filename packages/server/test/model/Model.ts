/**
 * The v1 contract as a small program: what every request is answered, and what is so from then on. It is written from
 * the rules of the API alone, shares no code with what it tests, and can be read as their summary.
 *
 * A request has one possible answer, or several where the rules leave it open; each place says why. The one that the
 * server gave is taken, and from there on the server is held to it.
 *
 * Left out: background checks and provider messages (UNKNOWN stays UNKNOWN), acting on hosted pages, rate limits, and
 * circuits (those of the connections never open).
 */
import {
  type Answered,
  anyText,
  type Possibility,
  page,
  refusal,
  refuse,
  replay,
  success,
  unmarked,
  versionOrNull
} from "./Answers.ts"
import {
  type ActorName,
  type Asked,
  actors,
  attemptsAtMost,
  baseUrl,
  type Code,
  type CreateRequest,
  connections,
  decodeCreate,
  decodeObject,
  type Ending,
  type Environment,
  endingOf,
  everyStatus,
  exclusionCodes,
  hold,
  hours,
  integer,
  isKey,
  isLimit,
  isSame,
  type Mode,
  oneOf,
  pageLife,
  type Query,
  results,
  routes,
  type Status,
  scopeOf,
  softCategories,
  tenantOf,
  textOf,
  textUpTo,
  utf8Length,
  uuid
} from "./Contract.ts"
import { Name, type Pattern, Such } from "./Pattern.ts"

interface Payment {
  readonly tenant: string
  readonly id: Name
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  readonly request: CreateRequest
  readonly declineCategory: string | null
  readonly declineReason: Name | string | null
  status: Status
  captured: number
  refunded: number
  refundPending: number
  nextAction: Pattern
  /** Oldest first. */
  readonly refunds: Array<Refund>
  /** Keys of each operation on it; a key belongs to one amount. */
  readonly kept: Record<"capture" | "void" | "refund", Map<string, Kept>>
}

interface Refund {
  readonly id: Name
  readonly amount: number
  readonly status: "succeeded" | "failed" | "unknown" | "pending"
}

interface Kept {
  readonly amount: number | undefined
  readonly answered: Answered
  readonly at: number
}

/** An idempotency key of create. */
interface Claim {
  readonly request: CreateRequest
  readonly payment: Payment
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

/** At the provider: how many executed charges there may be, and how much money of them was given back. */
interface Moved {
  readonly id: string
  readonly charges: ReadonlyArray<number>
  readonly refunded: { readonly least: number; readonly most: number }
}

type Answers = ReadonlyArray<Possibility>
type Asking<Ask extends Asked["ask"]> = Extract<Asked, { readonly ask: Ask }> & { readonly tenant: string }

export class Model {
  /** Milliseconds since the epoch. */
  now: number
  readonly #mode: Mode
  readonly #prefix: string
  readonly #payments: Array<Payment> = []
  readonly #events: Array<Event> = []
  readonly #claims = new Map<string, Claim>()

  /** The prefix of the ids of connections on the server. */
  constructor(mode: Mode, prefix: string, now: number) {
    this.now = now
    this.#mode = mode
    this.#prefix = prefix
  }

  /**
   * The checks, in their order: key, workspace, scope; then of each request its headers, size, JSON, fields, resource,
   * idempotency and state.
   */
  answer(asked: Asked): Answers {
    if (asked.ask === "stray") return stray(asked.path)
    const { key, scopes, workspace } = actors[asked.as]
    const tenant = tenantOf(asked.as)
    if (key !== "good") return refuse("unauthorized")
    if (workspace === "closed") return refuse("workspace_suspended")
    if (scopes !== null && !scopes.includes(scopeOf[asked.ask])) return refuse("insufficient_scope")
    switch (asked.ask) {
      case "create":
        return this.#create({ ...asked, tenant })
      case "retrieve":
        return this.#withPayment({ ...asked, tenant }, (payment) => [this.#retrieve(payment, shownTo(scopes))])
      case "list":
        return this.#list(tenant, asked.query, shownTo(scopes))
      case "timeline":
        return this.#timeline({ ...asked, tenant })
      case "events":
        return this.#allEvents(tenant, asked.query)
      case "capture":
        return this.#capture({ ...asked, tenant })
      case "void":
        return this.#void({ ...asked, tenant })
      case "refund":
        return this.#refund({ ...asked, tenant })
    }
  }

  /** What the second of two equal requests may also return: the first is still in progress. */
  underWay(asked: Asked): Answers {
    const isKeyed = "key" in asked && asked.key !== undefined
    switch (asked.ask) {
      case "create":
        return isKeyed ? refuse("idempotency_in_progress") : []
      case "capture":
        return isKeyed ? refuse("idempotency_in_progress") : refuse("not_capturable", "capture_conflict")
      case "void":
        return isKeyed ? refuse("idempotency_in_progress") : refuse("not_voidable", "void_conflict")
      case "refund":
        return isKeyed ? refuse("refund_pending") : refuse("refund_pending", "refund_conflict")
      default:
        return []
    }
  }

  // Create.

  #create(asked: Asking<"create">): Answers {
    const { as, body, key, tenant } = asked
    const { environment } = actors[as]
    if (key === undefined && environment === "production") return refuse("idempotency_key_required")
    if (key !== undefined && !isKey(key)) return refuse("invalid_idempotency_key")
    if (utf8Length(textOf(body)) > 16_384) return refuse("payload_too_large")
    const request = decodeCreate(body, environment)
    if (typeof request === "string") return refuse(request)
    const claim = this.#claims.get(`${tenant} ${key}`)
    if (claim !== undefined && this.#isLive(claim)) {
      return isSame(claim.request, request) ? [replay(claim.answered, true)] : refuse("idempotency_key_reuse")
    }
    const created = request.return_url === null ? this.#charge(tenant, request) : [this.#awaitCustomer(tenant, request)]
    return created.map(({ answer, payment, types }) => ({
      answer,
      so: (answered) => {
        if (payment === undefined) return
        this.#payments.push(payment)
        for (const type of types) this.#tell(payment, type)
        if (key !== undefined) this.#claims.set(`${tenant} ${key}`, { request, payment, answered, at: this.now })
      }
    }))
  }

  /** 24 hours after the answer, and as long as the payment is PENDING or UNKNOWN. */
  #isLive({ at, payment }: Claim): boolean {
    return this.now - at < 24 * hours || payment.status === "UNKNOWN" || payment.status === "PENDING"
  }

  #awaitCustomer(tenant: string, request: CreateRequest): Creation {
    const payment = this.#payment(tenant, request, { status: "REQUIRES_ACTION" })
    payment.nextAction = {
      type: "REDIRECT",
      url: new Name(new RegExp(`^${baseUrl}/hosted/[\\w-]+$`)),
      expires_at: new Date(this.now + pageLife).toISOString()
    }
    return { ...success(201, { data: view(payment) }), payment, types: ["payment.requires_action"] }
  }

  #charge(tenant: string, request: CreateRequest): ReadonlyArray<Creation> {
    const all = connections.filter(({ workspace }) => tenant === `${workspace}/sandbox`)
    const eligible = all.filter(({ supports }) => exclusionCodes(supports, request).length === 0)
    const excluded = all
      .filter((connection) => !eligible.includes(connection))
      .map(({ id, name, supports }) => ({
        providerId: `${this.#prefix}${id}`,
        name,
        // No rule says which of several reasons is returned.
        code: new Such("a reason that holds", oneOf(...exclusionCodes(supports, request))),
        reason: anyText
      }))
    if (eligible.length === 0) {
      return [{ ...refusal("routing_failed", request.debug ? { excluded } : {}), payment: undefined, types: [] }]
    }
    // A category that is soft by default is hard where the connector says so; whether the simulator's `decline:` says
    // so is not stated.
    const readings = JSON.stringify(request.simulate.charge).includes('"decline:') ? [[], softCategories] : [[]]
    return readings.map((soft) => {
      const { attempts, ending } = this.#route(eligible, request, soft)
      const payment = this.#payment(tenant, request, ending)
      const routing = {
        path: "engine",
        strategy: anyText,
        mode: this.#mode,
        rule: null,
        candidates: new Such("a list", Array.isArray),
        attempts: attempts.map((id) => new Such(`an attempt at ${id}`, (one) => JSON.stringify(one).includes(id))),
        ...(request.debug ? { excluded, eligibility_version: versionOrNull, degraded: false } : {})
      }
      return {
        ...success(201, { data: { ...view(payment), routing } }),
        payment,
        types: ["payment.created", `payment.${payment.status.toLowerCase()}`]
      }
    })
  }

  #route(
    eligible: ReadonlyArray<{ readonly id: string }>,
    request: CreateRequest,
    soft: ReadonlyArray<string>
  ): { readonly attempts: ReadonlyArray<string>; readonly ending: Ending } {
    const { charge } = request.simulate
    const attempts: Array<string> = []
    let ending: Ending | undefined
    for (const { id } of eligible.slice(0, attemptsAtMost[this.#mode])) {
      const outcome = typeof charge === "string" ? charge : charge[attempts.length]
      const one = endingOf(outcome ?? "approve", request)
      attempts.push(`${this.#prefix}${id}`)
      // FAILED is a payment of which every attempt ended in a technical error: an earlier decline takes precedence.
      if (one.status !== "FAILED" || ending === undefined) ending = one
      const isSoft = one.status === "DECLINED" && soft.includes(one.category ?? "")
      if (!(isSoft ? ["failover"] : (one.next ?? [])).includes(this.#mode)) break
    }
    return { attempts, ending: ending ?? { status: "FAILED" } }
  }

  #payment(tenant: string, request: CreateRequest, { category, reason, status }: Ending): Payment {
    return {
      tenant,
      id: new Name(new RegExp(`^${uuid}$`)),
      createdAt: this.now,
      request,
      declineCategory: category ?? null,
      // The provider's raw code of a decline; what the simulator's are is not stated.
      declineReason: reason ?? (status === "DECLINED" ? new Name(/^\w+$/, "shared") : null),
      status,
      captured: status === "CAPTURED" ? request.amount : 0,
      refunded: 0,
      refundPending: 0,
      nextAction: { type: "NONE" },
      refunds: [],
      kept: { capture: new Map(), void: new Map(), refund: new Map() }
    }
  }

  // Reading.

  #withPayment(
    { id, tenant }: { readonly id: string; readonly tenant: string },
    answer: (payment: Payment) => Answers
  ) {
    const payment = this.#payments.find((one) => one.tenant === tenant && one.id.text === id)
    return payment === undefined ? refuse("not_found") : answer(payment)
  }

  /** A page whose time ran out is CANCELLED; without background checks, as soon as its payment is read. */
  #retrieve(payment: Payment, shown: typeof view): Possibility {
    if (!this.#isOverdue(payment)) return success(200, { data: alone(payment, shown) })
    const after = { status: "CANCELLED" as const, nextAction: { type: "NONE" } }
    return {
      ...success(200, { data: alone({ ...payment, ...after }, shown) }),
      so: () => {
        Object.assign(payment, after)
        this.#tell(payment, "payment.cancelled")
      }
    }
  }

  #isOverdue({ createdAt, status }: Payment): boolean {
    return status === "REQUIRES_ACTION" && this.now >= createdAt + pageLife
  }

  /** Newest first. */
  #list(tenant: string, query: Query, shown: typeof view): Answers {
    const status = query["status"]?.toUpperCase()
    if (!isLimit(query["limit"]) || (status !== undefined && !everyStatus.includes(status))) {
      return refuse("validation_error")
    }
    const all = this.#payments.filter((one) => one.tenant === tenant).reverse()
    const isFound = (payment: Payment) => status === undefined || payment.status === status
    return page(all, isFound, shown, query["before"], query["limit"])
  }

  /** Oldest first. */
  #timeline(asked: Asking<"timeline">): Answers {
    const { after, limit } = asked.query
    if (!isLimit(limit)) return refuse("validation_error")
    return this.#withPayment(asked, (payment) => {
      const all = this.#events.filter(({ about }) => about === payment.id)
      return page(all, () => true, told, after, limit)
    })
  }

  /** Newest first. */
  #allEvents(tenant: string, { after, before, limit, type }: Query): Answers {
    if (!isLimit(limit)) return refuse("validation_error")
    const isFound = (event: Event) => type === undefined || type === event.type
    const all = this.#events.filter((event) => event.tenant === tenant)
    // No rule says whether an unknown type is a mistake.
    if (type === "payment.paid") return [...refuse("validation_error"), ...page([], isFound, told, before, limit)]
    // Of `after` it is only said that it is for followers: who reads on from where they were, and so oldest first.
    return after === undefined
      ? page(all.reverse(), isFound, told, before, limit)
      : page(all, isFound, told, after, limit)
  }

  #tell(payment: Payment, type: string, more: Record<string, Pattern> = {}): void {
    const { declineCategory, declineReason, id, request, tenant } = payment
    const event = new Name(new RegExp(`^evt_${uuid}$`))
    const data = {
      payment_id: id,
      reference: request.reference,
      payment_status: type === "payment.created" ? "PENDING" : payment.status,
      environment: environmentOf(tenant),
      amount: request.amount,
      currency: request.currency,
      ...(type === "payment.declined"
        ? { decline_category: declineCategory, decline_code: declineReason, ...declineOf(payment) }
        : {}),
      ...more
    }
    const pattern = { id: event, type, created: new Date(this.now).toISOString(), data }
    this.#events.push({ tenant, about: id, type, id: event, pattern })
  }

  // Capture and void.

  #capture(asked: Asking<"capture">): Answers {
    const { body, key } = asked
    if (key !== undefined && !isKey(key)) return refuse("invalid_idempotency_key")
    const fields = decodeObject(body)
    if (fields === undefined) return refuse("validation_error")
    if (!hold({ amount: integer(1) }, fields)) return refuse("invalid_amount")
    const amount = fields["amount"] as number | undefined
    return this.#withPayment(asked, (payment) => {
      const isAbove = amount !== undefined && amount > payment.request.amount
      // Whether an amount above the authorization is seen before the key and the state, or after, is not stated.
      const above: ReadonlyArray<Code> = isAbove ? ["invalid_amount"] : []
      const kept = payment.kept.capture.get(key ?? "")
      if (kept !== undefined) {
        return kept.amount === amount ? again(kept, payment) : refuse("idempotency_key_reuse", ...above)
      }
      if (payment.status !== "AUTHORIZED") return refuse("not_capturable", ...noReference(payment), ...above)
      return isAbove ? refuse("invalid_amount") : [this.#operate(payment, "capture", key, amount)]
    })
  }

  #void(asked: Asking<"void">): Answers {
    const { key } = asked
    if (key !== undefined && !isKey(key)) return refuse("invalid_idempotency_key")
    return this.#withPayment(asked, (payment) => {
      const kept = payment.kept.void.get(key ?? "")
      if (kept !== undefined) return again(kept, payment)
      if (payment.status !== "AUTHORIZED") return refuse("not_voidable", ...noReference(payment))
      return [this.#operate(payment, "void", key, undefined)]
    })
  }

  #operate(
    payment: Payment,
    operation: "capture" | "void",
    key: string | undefined,
    amount: number | undefined
  ): Possibility {
    const { request } = payment
    const { code, event, status = "AUTHORIZED" } = results[operation][request.simulate[operation]] ?? {}
    const after = { status, captured: status === "CAPTURED" ? (amount ?? request.amount) : 0 }
    return {
      ...(code === undefined ? success(200, { data: view({ ...payment, ...after }) }) : refusal(code)),
      so: (answered) => {
        Object.assign(payment, after)
        const isPart = event === "payment.captured" && after.captured !== request.amount
        if (event !== undefined) this.#tell(payment, event, isPart ? { captured_amount: after.captured } : {})
        // Refused by the provider: the key is released. Every other answer is kept as long as the payment.
        if (key !== undefined && code !== "psp_error") {
          payment.kept[operation].set(key, { amount, answered, at: this.now })
        }
      }
    }
  }

  // Refund.

  #refund(asked: Asking<"refund">): Answers {
    const { body, key } = asked
    if (key !== undefined && !isKey(key)) return refuse("validation_error")
    const fields = decodeObject(body)
    if (fields === undefined) return refuse("validation_error")
    const wrong: ReadonlyArray<Code> = [
      ...(hold({ reason: textUpTo(200) }, fields) ? [] : (["validation_error"] as const)),
      ...(hold({ amount: integer(1) }, fields) ? [] : (["invalid_amount"] as const))
    ]
    // No rule says which of two mistakes is returned.
    if (wrong.length > 0) return refuse(...wrong)
    const amount = fields["amount"] as number | undefined
    return this.#withPayment(asked, (payment) => {
      const kept = payment.kept.refund.get(key ?? "")
      if (kept !== undefined) {
        return kept.amount === amount ? [this.#refundAgain(kept, payment)] : refuse("idempotency_key_reuse")
      }
      if (payment.captured === 0) return refuse("not_refundable")
      const balance = refundable(payment)
      if (balance === 0) return refuse(payment.refundPending > 0 ? "refund_pending" : "invalid_amount")
      return [this.#sendRefund(payment, key, amount, Math.min(amount ?? balance, balance))]
    })
  }

  #sendRefund(payment: Payment, key: string | undefined, asked: number | undefined, amount: number): Possibility {
    const { code, event } = results.refund[payment.request.simulate.refund] ?? {}
    const refunded = payment.refunded + (code === undefined ? amount : 0)
    const refundPending = payment.refundPending + (code === undefined || code === "psp_error" ? 0 : amount)
    const confirmed = refunded === payment.captured ? "REFUNDED" : "PARTIALLY_REFUNDED"
    const after = { refunded, refundPending, status: code === undefined ? confirmed : payment.status } as const
    const id = new Name(refundId)
    const totals = {
      refund_id: id,
      origin: "api",
      refund_amount: amount,
      refunded_total: refunded,
      refund_pending_amount: refundPending
    }
    return {
      ...(code === undefined ? success(200, { data: view({ ...payment, ...after }) }) : refusal(code)),
      so: (answered) => {
        Object.assign(payment, after)
        payment.refunds.push({ id, amount, status: statusOfRefund(code) })
        if (event !== undefined) this.#tell(payment, event, totals)
        if (key !== undefined) payment.kept.refund.set(key, { amount: asked, answered, at: this.now })
      }
    }
  }

  /** For 24 hours verbatim; then the current refund, which nothing settles here. */
  #refundAgain(kept: Kept, payment: Payment): Possibility {
    if (this.now - kept.at < 24 * hours) return replay(kept.answered, undefined)
    const { code } = results.refund[payment.request.simulate.refund] ?? {}
    if (code === undefined) return unmarked(success(200, { data: view(payment) }))
    return unmarked(refusal(code === "psp_error" ? "psp_error" : "refund_pending"))
  }

  // What the generators and the comparison ask.

  /** Oldest first: all, the actor's own, or those of them that the operation can be done on. */
  paymentIds(which: "any" | "own" | "ready", as: ActorName, operation = ""): ReadonlyArray<string> {
    const ready = readyFor[operation]
    return this.#payments
      .filter(({ tenant }) => which === "any" || tenant === tenantOf(as))
      .filter(({ status }) => which !== "ready" || ready === undefined || ready.includes(status))
      .flatMap(({ id }) => id.text ?? [])
  }

  /** Oldest first, as far as anybody has read them; of the actor's tenant, or of one payment. */
  eventIds(as: ActorName, paymentId?: string): ReadonlyArray<string> {
    return this.#events
      .filter(({ about, tenant }) => (paymentId === undefined ? tenant === tenantOf(as) : about.text === paymentId))
      .flatMap(({ id }) => id.text ?? [])
  }

  /** What there is to capture or refund; anything for a payment that does not exist. */
  amountOf(paymentId: string, operation: "capture" | "refund"): number {
    const payment = this.#payments.find(({ id }) => id.text === paymentId)
    if (payment === undefined) return 100
    return operation === "capture" ? payment.request.amount : refundable(payment)
  }

  /** What has to be read for its status to be certain: see `#retrieve`. */
  overdue(): ReadonlyArray<Asked> {
    return this.#payments
      .filter((payment) => this.#isOverdue(payment))
      .map(({ id, tenant }) => ({ as: ownerOf(tenant), ask: "retrieve", id: id.text ?? "" }))
  }

  /** What may have happened at the provider to each payment. */
  moved(): ReadonlyArray<Moved> {
    return this.#payments.map(({ captured, id, refundPending, refunded, status }) => ({
      id: id.text ?? "",
      charges: captured > 0 || status === "AUTHORIZED" ? [1] : [0, 1],
      refunded: { least: refunded, most: refunded + refundPending }
    }))
  }
}

interface Creation extends Possibility {
  /** `undefined`: nothing is recorded. */
  readonly payment: Payment | undefined
  /** Of the events that are written. */
  readonly types: ReadonlyArray<string>
}

/** Drawn, or derived from the merchant's key. */
const refundId = new RegExp(`^rf_${uuid.replace("-7", "-[78]")}$`)

const readyFor: Record<string, ReadonlyArray<Status>> = {
  capture: ["AUTHORIZED"],
  void: ["AUTHORIZED"],
  refund: ["CAPTURED", "PARTIALLY_REFUNDED"]
}

/** An unknown method or path. */
const stray = (path: string): Answers => {
  const methods = routes.find(([pattern]) => pattern.test(path))?.[1]
  if (methods === undefined) return refuse("not_found")
  return [{ answer: { ...refusal("method_not_allowed").answer, allow: methods } }]
}

const environmentOf = (tenant: string): Environment => (tenant.endsWith("/production") ? "production" : "sandbox")

const ownerOf = (tenant: string): ActorName =>
  tenant === "globex/sandbox" ? "globex" : tenant === "acme/production" ? "acmeLive" : "acme"

const refundable = ({ captured, refundPending, refunded }: Payment): number => captured - refunded - refundPending

/**
 * A capture or void under a key that has an answer. A failure is answered again as it was; of a success it is not
 * stated whether the payment is shown as it was then or as it is now.
 */
const again = (kept: Kept, payment: Payment): Answers => [
  replay(kept.answered, undefined),
  ...(kept.answered.status === 200 ? [unmarked(success(200, { data: view(payment) }))] : [])
]

/** A payment of whose charge no reference came may be refused for that as well, and no order of the two is given. */
const noReference = ({ status }: Payment): ReadonlyArray<Code> =>
  ["FAILED", "UNKNOWN", "REQUIRES_ACTION", "CANCELLED"].includes(status) ? ["no_provider_ref"] : []

const told = ({ pattern }: Event): Pattern => pattern

/** A key that cannot act on the payment does not get the address of its page. */
const shownTo = (scopes: ReadonlyArray<string> | null): typeof view =>
  scopes === null || scopes.includes("payments:write")
    ? view
    : (payment) => {
        const { url: _, ...nextAction } = payment.nextAction as { readonly [key: string]: Pattern }
        return { ...view(payment), next_action: nextAction }
      }

/** Which code and which advice a simulated decline has is not stated. */
const declineOf = ({ declineCategory, declineReason, status }: Payment): { readonly [key: string]: Pattern } =>
  status !== "DECLINED"
    ? {}
    : {
        decline: {
          category: declineCategory,
          code: new Such("the name of a reason", (value) => typeof value === "string" && /^[a-z_]+$/u.test(value)),
          provider_code: declineReason,
          advice: new Such("one of the advices", (value) =>
            ["retry_later", "use_another_method", "do_not_retry"].some((advice) => advice === value)
          )
        }
      }

const statusOfRefund = (code: string | undefined): Refund["status"] => {
  if (code === undefined) return "succeeded"
  if (code === "psp_error") return "failed"
  return code === "refund_pending" ? "pending" : "unknown"
}

/** A payment that is read by itself. */
const alone = (payment: Payment, shown: typeof view): { readonly [key: string]: Pattern } => ({
  ...shown(payment),
  refunds: payment.refunds.toReversed().map(({ amount, id, status }) => ({
    ...{ refund_id: id, amount, status, origin: "api" },
    created: new Such("a time", (value) => typeof value === "string" && !Number.isNaN(Date.parse(value)))
  }))
})

const view = (payment: Payment): { readonly [key: string]: Pattern } => ({
  id: payment.id,
  payment_id: payment.id,
  reference: payment.request.reference,
  payment_status: payment.status,
  status: payment.status,
  environment: environmentOf(payment.tenant),
  amount: payment.request.amount,
  currency: payment.request.currency,
  country: payment.request.country,
  method: payment.request.method,
  card_brand: payment.request.card_brand,
  initiator: payment.request.initiator,
  capture_method: payment.request.capture_method,
  decline_category: payment.declineCategory,
  decline_reason: payment.declineReason,
  ...declineOf(payment),
  captured_amount: payment.captured,
  refunded_amount: payment.refunded,
  refund_pending_amount: payment.refundPending,
  next_action: payment.nextAction,
  created: new Date(payment.createdAt).toISOString()
})
