/**
 * What a provider behind the connector `http` executed, and its answers by the provider protocol. Each id is executed
 * once, as by a provider that keeps idempotency keys.
 */

export type ProviderOperation =
  | "charge"
  | "capture"
  | "void"
  | "refund"
  | "lookUpCharge"
  | "lookUpRefund"
  | "lookUpOperation"
  | "listCharges"
  | "listRefunds"
  | "listDisputes"
  | "listReportRows"

export interface Reply {
  readonly status: number
  readonly body: unknown
}

export interface ExecutedCharge {
  readonly attemptId: string
  readonly paymentId: string
  readonly providerReference: string
  readonly amount: number
  readonly currency: string
  status: "authorized" | "captured" | "canceled"
  capturedAmount: number
  readonly refunds: Map<string, number>
}

export const refusal = (status: number, code: string): Reply => ({
  status,
  body: { error: { code, message: `The provider says ${code}.` } }
})

const neverReceived = (id: Readonly<Record<string, string>>): Reply => ({ status: 404, body: { found: false, ...id } })

export interface Route {
  readonly operation: ProviderOperation
  readonly providerReference?: string
}

export const routeOf = (method: string, url: URL): Route | undefined => {
  const [first, reference, operation, ...more] = url.pathname.split("/").slice(1).map(decodeURIComponent)
  if (more.length > 0) return undefined
  if (method === "GET" && reference === undefined) {
    if (first === "charges" && url.searchParams.has("created_from")) return { operation: "listCharges" }
    if (first === "refunds" && url.searchParams.has("created_from")) return { operation: "listRefunds" }
    if (first === "disputes") return { operation: "listDisputes" }
    if (first === "report_rows") return { operation: "listReportRows" }
    if (first === "operations") return { operation: "lookUpOperation" }
    if (first === "charges" && url.searchParams.has("attempt_id")) return { operation: "lookUpCharge" }
    if (first === "refunds" && url.searchParams.has("refund_id")) return { operation: "lookUpRefund" }
  }
  if (method !== "POST" || first !== "charges") return undefined
  if (reference === undefined) return { operation: "charge" }
  if (operation === "capture" || operation === "void") return { operation, providerReference: reference }
  return operation === "refunds" ? { operation: "refund", providerReference: reference } : undefined
}

export interface ProviderRecord {
  readonly charges: Map<string, ExecutedCharge>
  /** By the attempt's or the refund's id: when it was created, in epoch milliseconds, and what the request said. */
  // biome-ignore lint/suspicious/noExplicitAny: the protocol's body.
  readonly created: Map<string, { readonly at: number; readonly body: any }>
  /** By their ids; `at` in epoch milliseconds. */
  readonly operations: Map<string, { readonly kind: string; readonly attemptId: string; readonly at: number }>
}

export const newRecord = (): ProviderRecord => ({ charges: new Map(), created: new Map(), operations: new Map() })

/** Before the attempt's id, of which the reference is made. */
const referencePrefix = "provider-"

/** Entries of a page of a list. */
const pageSize = 20

const page = <Item>(url: URL, name: string, all: ReadonlyArray<readonly [at: number, item: () => Item]>): Reply => {
  const [from, before] = ["created_from", "created_before"].map((end) => Date.parse(url.searchParams.get(end) ?? ""))
  const start = Number(url.searchParams.get("cursor") ?? 0)
  const found = all.filter(([at]) => at >= (from ?? 0) && at < (before ?? 0)).toSorted(([a], [b]) => a - b)
  const next = start + pageSize < found.length ? String(start + pageSize) : null
  const items = found.slice(start, start + pageSize).map(([, item]) => item())
  return { status: 200, body: { [name]: items, next_cursor: next } }
}

const listed = ({ charges, created }: ProviderRecord, url: URL, name: "charges" | "refunds"): Reply => {
  const all = [...charges.values()].flatMap((charge) => {
    const ids = name === "charges" ? [charge.attemptId] : [...charge.refunds.keys()]
    return ids.map((id) => {
      const { at, body } = created.get(id) ?? { at: 0, body: {} }
      const time = new Date(at).toISOString()
      const item = () =>
        name === "charges"
          ? { ...body, ...bodyOfReply(chargeReply(charge)), idempotency_key: id, created: time }
          : {
              ...bodyOfReply(refundReply(id, charge)),
              refund_id: id,
              provider_reference: charge.providerReference,
              created: time
            }
      return [at, item] as const
    })
  })
  return page(url, name, all)
}

const bodyOfReply = ({ body }: Reply) => body as object

// biome-ignore lint/suspicious/noExplicitAny: the protocol's body, from the connector under test.
export const execute = (record: ProviderRecord, route: Route, url: URL, body: any): Reply => {
  const { charges, created, operations } = record
  switch (route.operation) {
    case "listCharges":
      return listed(record, url, "charges")
    case "listRefunds":
      return listed(record, url, "refunds")
    case "listDisputes":
      return page(url, "disputes", [])
    case "listReportRows":
      return refusal(501, "no_report_rows")
    case "lookUpOperation": {
      const id = url.searchParams.get("operation_id") ?? ""
      const found = operations.get(id)
      if (found === undefined) return neverReceived({ operation_id: id })
      const updated = new Date(found.at).toISOString()
      return { status: 200, body: { operation_id: id, kind: found.kind, status: "confirmed", updated } }
    }
    case "charge": {
      const known = charges.get(body.attempt_id)
      if (known !== undefined) return chargeReply(known)
      const charge: ExecutedCharge = {
        attemptId: body.attempt_id,
        paymentId: body.payment_id,
        providerReference: `${referencePrefix}${body.attempt_id}`,
        amount: body.amount,
        currency: body.currency,
        status: body.capture ? "captured" : "authorized",
        capturedAmount: body.capture ? body.amount : 0,
        refunds: new Map()
      }
      charges.set(charge.attemptId, charge)
      created.set(charge.attemptId, { at: Date.now(), body })
      return chargeReply(charge)
    }
    case "lookUpCharge": {
      const attemptId = url.searchParams.get("attempt_id") ?? ""
      const charge = charges.get(attemptId)
      return charge === undefined ? neverReceived({ attempt_id: attemptId }) : chargeReply(charge)
    }
    case "lookUpRefund": {
      const refundId = url.searchParams.get("refund_id") ?? ""
      const charge = [...charges.values()].find((one) => one.refunds.has(refundId))
      return charge === undefined ? neverReceived({ refund_id: refundId }) : refundReply(refundId, charge)
    }
    default: {
      const charge = charges.get(route.providerReference?.slice(referencePrefix.length) ?? "")
      if (charge === undefined) return refusal(404, "not_found")
      if (route.operation === "refund") {
        if (!charge.refunds.has(body.refund_id)) {
          charge.refunds.set(body.refund_id, body.amount)
          created.set(body.refund_id, { at: Date.now(), body })
        }
        return refundReply(body.refund_id, charge)
      }
      const after = route.operation === "capture" ? "captured" : "canceled"
      if (charge.status !== "authorized" && charge.status !== after) return refusal(422, "wrong_state")
      if (after === "captured" && charge.status === "authorized") charge.capturedAmount = body.amount
      charge.status = after
      if (!operations.has(body.operation_id)) {
        operations.set(body.operation_id, { kind: route.operation, attemptId: charge.attemptId, at: Date.now() })
      }
      return chargeReply(charge)
    }
  }
}

const chargeReply = (charge: ExecutedCharge): Reply => ({
  status: 200,
  body: {
    provider_reference: charge.providerReference,
    status: charge.status,
    captured_amount: charge.capturedAmount,
    amount: charge.amount,
    currency: charge.currency
  }
})

const refundReply = (refundId: string, charge: ExecutedCharge): Reply => ({
  status: 200,
  body: {
    provider_refund_id: `provider-${refundId}`,
    status: "succeeded",
    amount: charge.refunds.get(refundId),
    currency: charge.currency
  }
})
