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
import type { IncomingMessage, ServerResponse } from "node:http"
import { sendJson, serveHttp } from "./HttpHere.ts"
import {
  type ExecutedCharge,
  execute,
  newRecord,
  type ProviderOperation,
  type Reply,
  refusal,
  routeOf
} from "./ProviderRecord.ts"

export type { ExecutedCharge, ProviderOperation, Reply } from "./ProviderRecord.ts"

export interface ProviderCall {
  readonly operation: ProviderOperation
  readonly headers: IncomingMessage["headers"]
  readonly path: string
  // biome-ignore lint/suspicious/noExplicitAny: a test names the fields that it reads.
  readonly body: any
  /** Does what is asked, once for each idempotency key, and gives the answer that a good provider would send. */
  readonly execute: () => Reply
}

/** `drop`: the connection is cut without an answer. `silent`: it stays open without one. */
export type Reaction = Reply | "drop" | "silent"
export type Behaviour = (call: ProviderCall) => Reaction | Promise<Reaction>

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
  const record = newRecord()
  const { charges } = record
  const waiting = new Map<ProviderOperation, Array<Behaviour>>()
  const standing = new Map<ProviderOperation, Behaviour>()

  const answer = async (request: IncomingMessage, response: ServerResponse, text: Buffer) => {
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
    const body = text.length === 0 ? undefined : JSON.parse(String(text))
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

  const { port, stop, url } = await serveHttp(answer, options.port)
  const next = (operation: ProviderOperation, behaviour: Behaviour) => {
    waiting.set(operation, [...(waiting.get(operation) ?? []), behaviour])
  }
  return {
    url,
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

const send = (response: ServerResponse, { body, status }: Reply): void => sendJson(response, status, body)
