/**
 * A provider behind the connector `http`, in the test's own process, so that it outlives every server that is killed.
 * It keeps its own record of what it executed and answers from it as the provider protocol says; a test makes it slow,
 * silent or rude for single calls.
 *
 * ```ts
 * const provider = await startProvider()
 * provider.next("charge", (call) => {
 *   call.execute()
 *   return "drop" // executed, and never answered
 * })
 * ```
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { onTestFinished } from "vitest"

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

export interface ProviderCall {
  readonly operation: ProviderOperation
  readonly headers: IncomingMessage["headers"]
  readonly path: string
  // biome-ignore lint/suspicious/noExplicitAny: a test names the fields that it reads.
  readonly body: any
  /** Does what is asked, once for each idempotency key, and gives the answer that a good provider would send. */
  readonly execute: () => Reply
}

export interface Reply {
  readonly status: number
  readonly body: unknown
}

/** `drop`: the connection is cut without an answer. `silent`: it stays open without one. */
export type Reaction = Reply | "drop" | "silent"
export type Behaviour = (call: ProviderCall) => Reaction | Promise<Reaction>

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

export interface Hold {
  /** Resolves when the call has arrived. */
  readonly arrived: Promise<ProviderCall>
  /** Lets the call go on: with this reaction, or with what a good provider does. */
  readonly release: (reaction?: Reaction) => void
}

export interface ScriptedProvider {
  /** For a connection's `credentials.baseUrl`. */
  readonly url: string
  readonly apiKey: string
  readonly port: number
  /** Every call, in the order of arrival. */
  readonly calls: ReadonlyArray<ProviderCall>
  /** What moved money, in the order of execution. */
  readonly charges: ReadonlyArray<ExecutedCharge>
  readonly chargesOf: (paymentId: string) => ReadonlyArray<ExecutedCharge>
  /** For the next call of the operation that has no behaviour waiting yet. */
  readonly next: (operation: ProviderOperation, behaviour: Behaviour) => void
  /** For every call of the operation that `next` says nothing about. */
  readonly always: (operation: ProviderOperation, behaviour: Behaviour) => void
  /** Holds the next call of the operation back. */
  readonly hold: (operation: ProviderOperation) => Hold
  readonly stop: () => Promise<void>
}

/** Listens on a free port, or on the given one, until the test is over. */
export const startProvider = async (
  options: {
    readonly port?: number | undefined
    readonly apiKey?: string | undefined
    /** What it says of its account; it has no such call unless set. */
    readonly account?: string
    /** Whether captures and voids can be looked up; not unless set. */
    readonly looksUpOperations?: boolean | undefined
  } = {}
): Promise<ScriptedProvider> => {
  const apiKey = options.apiKey ?? "provider-api-key"
  const calls: Array<ProviderCall> = []
  const charges = new Map<string, ExecutedCharge>()
  const record: ProviderRecord = { charges, created: new Map(), operations: new Map() }
  const waiting = new Map<ProviderOperation, Array<Behaviour>>()
  const standing = new Map<ProviderOperation, Behaviour>()

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const text = await bodyOf(request)
    const url = new URL(request.url ?? "/", "http://provider")
    const route = routeOf(request.method ?? "", url)
    if (request.headers.authorization !== `Bearer ${apiKey}`) {
      return send(response, refusal(401, "unauthorized"))
    }
    if (url.pathname === "/account") {
      const { account } = options
      return send(response, account === undefined ? refusal(501, "no_account") : { status: 200, body: { account } })
    }
    if (url.pathname === "/operations" && options.looksUpOperations !== true) {
      return send(response, refusal(501, "no_operations"))
    }
    if (route === undefined) return send(response, refusal(404, "no_route"))
    const body = text === "" ? undefined : JSON.parse(text)
    const call: ProviderCall = {
      ...route,
      headers: request.headers,
      path: `${url.pathname}${url.search}`,
      body,
      execute: () => execute(record, route, url, body)
    }
    calls.push(call)
    const behaviour = waiting.get(route.operation)?.shift() ?? standing.get(route.operation)
    const reaction = behaviour === undefined ? call.execute() : await behaviour(call)
    if (reaction === "drop") request.socket.destroy()
    else if (reaction !== "silent") send(response, reaction)
  }

  const server = createServer((request, response) => {
    // A server that is killed cuts its connections: that is no failure of the provider's.
    answer(request, response).catch((cause: unknown) => response.destroy(cause as Error))
  })
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(options.port ?? 0, "127.0.0.1", resolve)
  })
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  onTestFinished(stop)
  const { port } = server.address() as AddressInfo

  const next = (operation: ProviderOperation, behaviour: Behaviour) => {
    waiting.set(operation, [...(waiting.get(operation) ?? []), behaviour])
  }
  return {
    url: `http://127.0.0.1:${port}`,
    apiKey,
    port,
    calls,
    get charges() {
      return [...charges.values()]
    },
    chargesOf: (paymentId) => [...charges.values()].filter((charge) => charge.paymentId === paymentId),
    next,
    always: (operation, behaviour) => {
      standing.set(operation, behaviour)
    },
    hold: (operation) => {
      const arrived = Promise.withResolvers<ProviderCall>()
      const released = Promise.withResolvers<Reaction | undefined>()
      next(operation, async (call) => {
        arrived.resolve(call)
        return (await released.promise) ?? call.execute()
      })
      return { arrived: arrived.promise, release: (reaction) => released.resolve(reaction) }
    },
    stop
  }
}

const refusal = (status: number, code: string): Reply => ({
  status,
  body: { error: { code, message: `The provider says ${code}.` } }
})

const neverReceived = (id: Readonly<Record<string, string>>): Reply => ({ status: 404, body: { found: false, ...id } })

interface Route {
  readonly operation: ProviderOperation
  readonly providerReference?: string
}

const routeOf = (method: string, url: URL): Route | undefined => {
  const [first, reference, operation, ...more] = url.pathname.split("/").slice(1).map(decodeURIComponent)
  if (more.length > 0) return undefined
  if (method === "GET" && reference === undefined) {
    if (first === "charges" && url.searchParams.has("created_from")) return { operation: "listCharges" }
    if (first === "refunds" && url.searchParams.has("created_from")) return { operation: "listRefunds" }
    if (first === "operations") return { operation: "lookUpOperation" }
    if (first === "charges" && url.searchParams.has("attempt_id")) return { operation: "lookUpCharge" }
    if (first === "refunds" && url.searchParams.has("refund_id")) return { operation: "lookUpRefund" }
  }
  if (method !== "POST" || first !== "charges") return undefined
  if (reference === undefined) return { operation: "charge" }
  if (operation === "capture" || operation === "void") return { operation, providerReference: reference }
  return operation === "refunds" ? { operation: "refund", providerReference: reference } : undefined
}

interface ProviderRecord {
  readonly charges: Map<string, ExecutedCharge>
  /** By the attempt's or the refund's id: when it was created, in epoch milliseconds, and what the request said. */
  // biome-ignore lint/suspicious/noExplicitAny: the protocol's body.
  readonly created: Map<string, { readonly at: number; readonly body: any }>
  /** By their ids. */
  readonly operations: Map<string, { readonly kind: string; readonly at: number }>
}

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
const execute = (record: ProviderRecord, route: Route, url: URL, body: any): Reply => {
  const { charges, created, operations } = record
  switch (route.operation) {
    case "listCharges":
      return listed(record, url, "charges")
    case "listRefunds":
      return listed(record, url, "refunds")
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
        providerReference: `provider-${body.attempt_id}`,
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
      const charge = [...charges.values()].find((one) => one.providerReference === route.providerReference)
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
        operations.set(body.operation_id, { kind: route.operation, at: Date.now() })
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

const send = (response: ServerResponse, reply: Reply): void => {
  response.writeHead(reply.status, { "content-type": "application/json" })
  response.end(JSON.stringify(reply.body))
}

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString("utf8")
}
