/**
 * A merchant's backend under load while its database fails over. Each order is a create and what follows it, and each
 * request has a key: it is sent again under that key until it has an answer that will not change.
 *
 * An order that has to be worked through again begins at its create, as a job that is restarted does: what follows uses
 * the id that the create returns then.
 */
import { setTimeout as sleep } from "node:timers/promises"
import type { Draw } from "../kill/Draw.ts"
import type { JsonAnswer, ServerProcess } from "../ServerProcess.ts"

const path = "/api/v1/payments"

export interface Order {
  /** The payment's reference, of which all keys are made. */
  readonly name: string
  readonly amount: number
  readonly isManual: boolean
  readonly captures: boolean
  /** Minor units; 0 for none. */
  readonly refunds: number
  /** The ids that its create returned: more than one where the store lost the first. */
  readonly ids: Set<string>
  /** The last answer of each step; `done` for a 2xx. */
  readonly answers: Map<Step, string>
}

export type Step = "create" | "capture" | "refund"

const lanes = 16
const retryMillis = 100
/** The longest that a request is sent again: longer than a failover with its recovery. */
const answeredWithinMillis = 40_000

export const ordersOf = (run: string, key: string, draw: Draw, servers: ReadonlyArray<ServerProcess>) => {
  const all: Array<Order> = []
  /** Answers that were not the last ones, counted by status and code. */
  const refusals = new Map<string, number>()
  /** When requests were answered 2xx, in milliseconds of `performance.now()`. */
  const servedAt: Array<number> = []
  /** When requests were answered 5xx, in the same way. */
  const failedAt: Array<number> = []

  /** Sends it until it has an answer that does not change; `lost` where the payment is not found, so that the order begins anew. */
  const ask = async (order: Order, step: Step, to: string, body: object): Promise<JsonAnswer | "lost"> => {
    const until = performance.now() + answeredWithinMillis
    for (;;) {
      const server = draw.one(servers) as ServerProcess
      const answer = await server
        .request("POST", to, { key, idempotencyKey: `${step}-${order.name}`, body })
        .catch((cause: Error) => {
          throw new Error(`${server.url} did not answer ${step} of ${order.name}\n${server.stderr()}`, { cause })
        })
      const code = String(answer.body.error?.code ?? answer.status)
      if (answer.status >= 500) failedAt.push(performance.now())
      if (answer.status < 300) servedAt.push(performance.now())
      else refusals.set(`${step} ${answer.status} ${code}`, (refusals.get(`${step} ${answer.status} ${code}`) ?? 0) + 1)
      if (answer.status === 404) return "lost"
      if (!forLater.has(code) || performance.now() > until) {
        order.answers.set(step, answer.status < 300 ? "done" : `${answer.status} ${code}`)
        return answer
      }
      await sleep(retryMillis)
    }
  }

  const workThrough = async (order: Order): Promise<void> => {
    const { amount, isManual, name } = order
    // Twice at most for each failover: the payment is lost, and then it is recovered.
    for (let turn = 0; turn < answeredWithinMillis / retryMillis; turn++) {
      const created = await ask(order, "create", path, {
        amount,
        currency: "EUR",
        country: "NL",
        reference: name,
        capture_method: isManual ? "manual" : "automatic"
      })
      if (created === "lost" || created.status >= 300) return
      const id = String(created.body.data.payment_id)
      order.ids.add(id)
      const captured = order.captures ? await ask(order, "capture", `${path}/${id}/capture`, {}) : undefined
      const refund = { amount: order.refunds, reason: name }
      const refunded =
        captured !== "lost" && order.refunds > 0
          ? await ask(order, "refund", `${path}/${id}/refunds`, refund)
          : undefined
      if (captured !== "lost" && refunded !== "lost") return
      await sleep(retryMillis)
    }
    throw new Error(`${name} was never found`)
  }

  const newOrder = (): Order => {
    const amount = draw.between(1_000, 90_000)
    const isManual = draw.chance(0.4)
    const captures = isManual && draw.chance(0.8)
    const order: Order = {
      name: `${run}-${all.length}`,
      amount,
      isManual,
      captures,
      refunds: (captures || !isManual) && draw.chance(0.4) ? draw.between(1, Math.floor(amount / 2)) : 0,
      ids: new Set(),
      answers: new Map()
    }
    all.push(order)
    return order
  }

  return {
    all,
    refusals,
    servedAt,
    failedAt,
    /** New orders, one after the other on each lane, until it is over. */
    work: async (isOver: () => boolean) => {
      const lane = async () => {
        while (!isOver()) await workThrough(newOrder())
      }
      await Promise.all(Array.from({ length: lanes }, lane))
    },
    /** Works through these orders again, from their creates. */
    again: async (orders: ReadonlyArray<Order>) => {
      const left = [...orders]
      const lane = async () => {
        for (let order = left.pop(); order !== undefined; order = left.pop()) await workThrough(order)
      }
      await Promise.all(Array.from({ length: lanes }, lane))
    }
  }
}

/** The same request has to be sent again, with the same key: any other code is an answer that does not change. */
const forLater: ReadonlySet<string> = new Set([
  "internal_error",
  "idempotency_in_progress",
  "payment_result_unknown",
  "refund_pending"
])

/** Answers that do not change either: the payment shows the result later. */
export const unknownResults: ReadonlyArray<string> = [
  "502 capture_result_unknown",
  "502 refund_result_unknown",
  "500 state_unconfirmed"
]
