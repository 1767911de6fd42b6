/**
 * A shop that pays by the API, and knows what to do when it gets no answer: it sends the same request again, under the same
 * key, until it learns the outcome.
 */
import { request } from "node:http"
import { setTimeout as pause } from "node:timers/promises"

export interface Payment {
  readonly id: string
  readonly reference: string
  readonly status: string
  readonly amount: number
}

export interface Answer {
  readonly status: number
  readonly isReplay: boolean
  readonly body: {
    readonly data?: unknown
    readonly has_more?: boolean
    readonly error?: { readonly code: string }
  }
}

/** What happened before the shop got a response: how often it received each answer. */
export interface Troubles {
  /** The connection ended without an answer. */
  unanswered: number
  /** A request under this key is still being worked on: by a server that is no more. */
  inProgress: number
  /** Not known yet. */
  unknown: number
  /** It is known that nothing was charged. */
  nothingCharged: number
}

export interface Paid {
  readonly id: string
  /** Under which it was paid. */
  readonly key: string
}

/** Longer than the claim window of the example's servers, after which a request that died is looked up. */
const triesAtMost = 100
const pauseMillis = 250

/** A new key is a new payment: it is taken only where it is known that nothing was charged under the one before. */
export const pay = async (
  url: string,
  apiKey: string,
  order: string,
  troubles: Troubles,
  signal: AbortSignal
): Promise<Paid> => {
  for (let purchase = 1; purchase <= 5; purchase++) {
    // The order makes the key, so that a shop that starts again makes the same.
    const key = `${order}-${purchase}`
    const { id, status } = await insist(url, apiKey, order, key, troubles, signal)
    if (status === "CAPTURED") return { id, key }
    if (status !== "FAILED") throw new Error(`${order} is ${status}`)
    troubles.nothingCharged += 1
  }
  throw new Error(`${order} could not be paid`)
}

/** Sends one request repeatedly under one key, until its outcome is known. */
const insist = async (
  url: string,
  apiKey: string,
  order: string,
  key: string,
  troubles: Troubles,
  signal: AbortSignal
): Promise<Payment> => {
  for (let tried = 0; tried < triesAtMost; tried++) {
    if (tried > 0) await pause(pauseMillis, undefined, { signal })
    const answer = await create(url, apiKey, order, key).catch(() => undefined)
    if (answer === undefined) {
      troubles.unanswered += 1
    } else if (answer.body.error?.code === "idempotency_in_progress") {
      troubles.inProgress += 1
    } else if (answer.status === 201) {
      const payment = answer.body.data as Payment
      if (payment.status !== "UNKNOWN") return payment
      troubles.unknown += 1
      return await settled(url, apiKey, payment.id, signal)
    } else {
      throw new Error(`${order} was answered ${answer.status} ${answer.body.error?.code}`)
    }
  }
  throw new Error(`${order} got no answer`)
}

/** A replay shows what was answered the first time; its current state is read. */
const settled = async (url: string, apiKey: string, id: string, signal: AbortSignal): Promise<Payment> => {
  for (let tried = 0; tried < triesAtMost; tried++) {
    const answer = await call(url, apiKey, "GET", `/api/v1/payments/${id}`).catch(() => undefined)
    const payment = answer?.body.data as Payment | undefined
    if (payment !== undefined && payment.status !== "UNKNOWN") return payment
    await pause(pauseMillis, undefined, { signal })
  }
  throw new Error(`the result of ${id} is still unknown`)
}

export const create = (url: string, apiKey: string, order: string, key: string): Promise<Answer> =>
  call(url, apiKey, "POST", "/api/v1/payments", {
    headers: { "content-type": "application/json", "idempotency-key": key },
    body: JSON.stringify({ amount: 1_000, currency: "EUR", country: "NL", reference: order })
  })

/** Each call uses its own connection, so that each may reach another server. */
export const call = (
  url: string,
  apiKey: string,
  method: string,
  path: string,
  more: { readonly headers?: Readonly<Record<string, string>>; readonly body?: string } = {}
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const headers = { ...more.headers, authorization: `Bearer ${apiKey}` }
    const sent = request(url + path, { method, headers, agent: false, timeout: 10_000 }, (response) => {
      let text = ""
      response.setEncoding("utf8")
      response.on("data", (chunk: string) => {
        text += chunk
      })
      response.once("error", reject)
      response.once("end", () => {
        const isReplay = response.headers["idempotent-replay"] === "true"
        try {
          resolve({ status: response.statusCode ?? 0, isReplay, body: JSON.parse(text) })
        } catch (cause) {
          reject(cause)
        }
      })
    })
    sent.once("timeout", () => sent.destroy(new Error("no answer in time")))
    sent.once("error", reject)
    sent.end(more.body)
  })
