/**
 * Clients that pay without a pause, one for each workspace: a payment is authorized, captured and refunded in part. Each
 * answer is timed, and noted for a comparison with the provider's books. A follower for each workspace reads its events as
 * they show.
 */
import { assert } from "vitest"
import type { ScriptedProvider } from "../ScriptedProvider.ts"
import type { JsonAnswer, JsonRequest, ServerProcess } from "../ServerProcess.ts"

export interface Merchant {
  readonly id: string
  readonly key: string
}

const amount = 2000
const captured = 1500
const refunded = 400

/** A request without a right answer for so long is lost. */
const triesWithinMillis = 60_000
const againAfterMillis = 20
/** A client that never waits leaves a small machine no time for the cluster. */
const thinkMillis = 20
const followMillis = 100

/** What may be sent again with the same key, and then ends right. */
const isToRepeat = ({ body, status }: JsonAnswer): boolean =>
  (status >= 500 && body.error?.code === "internal_error") || body.error?.code === "idempotency_in_progress"

const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

export const startBookedLoad = (merchants: ReadonlyArray<Merchant>, servers: ReadonlyArray<ServerProcess>) => {
  const paid: Array<{ readonly merchant: Merchant; readonly paymentId: string }> = []
  const wrong: Array<string> = []
  const repeated = new Map<string, number>()
  const followed = new Map<string, Array<string>>(merchants.map(({ id }) => [id, []]))
  let slowest = { millis: 0, request: "" }
  let answers = 0
  let isOn = true
  let turn = 0

  const timed = async (...[method, path, options]: Parameters<JsonRequest>): Promise<JsonAnswer> => {
    const server = servers[turn++ % servers.length] as ServerProcess
    const began = performance.now()
    const answer = await server.request(method, path, options)
    const millis = performance.now() - began
    answers += 1
    if (millis > slowest.millis) {
      slowest = { millis, request: `${method} ${path} ${answer.status} ${answer.body.error?.code ?? ""}` }
    }
    return answer
  }

  /** Sent again with the same key until it is answered with this status. */
  const send = async (key: string, path: string, idempotencyKey: string, body: object, status: number) => {
    await pause(thinkMillis)
    const began = performance.now()
    for (;;) {
      const answer = await timed("POST", path, { key, idempotencyKey, body })
      if (answer.status === status) return answer.body.data
      const told = `${answer.status} ${answer.body.error?.code}`
      if (!isToRepeat(answer) || performance.now() - began > triesWithinMillis) {
        wrong.push(`${path} ${idempotencyKey}: ${told}`)
        return undefined
      }
      repeated.set(told, (repeated.get(told) ?? 0) + 1)
      await pause(againAfterMillis)
    }
  }

  const pay = async (merchant: Merchant) => {
    const { id, key } = merchant
    for (let number = 0; isOn; number++) {
      const name = `order-${id}-${number}`
      const order = { amount, currency: "EUR", country: "NL", reference: name, capture_method: "manual" }
      const made = await send(key, "/api/v1/payments", `${name}-create`, order, 201)
      if (made === undefined) continue
      const path = `/api/v1/payments/${made.payment_id}`
      const taken = await send(key, `${path}/capture`, `${name}-capture`, { amount: captured }, 200)
      const back = await send(key, `${path}/refunds`, `${name}-refund`, { amount: refunded }, 200)
      if (taken !== undefined && back !== undefined) paid.push({ merchant, paymentId: made.payment_id })
    }
  }

  const eventsOf = async (key: string, after: string | undefined): Promise<ReadonlyArray<string>> => {
    const answer = await timed("GET", `/api/v1/events?limit=100${after === undefined ? "" : `&after=${after}`}`, {
      key
    })
    if (answer.status !== 200) {
      const told = `${answer.status} ${answer.body.error?.code}`
      repeated.set(`events ${told}`, (repeated.get(`events ${told}`) ?? 0) + 1)
      return []
    }
    return answer.body.data.map((event: { readonly id: string }) => event.id)
  }

  const follow = async ({ id, key }: Merchant) => {
    const seen = followed.get(id) as Array<string>
    while (isOn) {
      // Without a cursor the newest come first; the client's first payment is the first one.
      const page = await eventsOf(key, seen.at(-1))
      seen.push(...(seen.length === 0 ? page.slice(-1) : page))
      await pause(followMillis)
    }
  }

  const clients = merchants.flatMap((merchant) => [pay(merchant), follow(merchant)])
  return {
    wrong,
    repeated,
    paid,
    answers: () => answers,
    /** The slowest answer since this was asked before. */
    takeSlowest: () => {
      const taken = slowest
      slowest = { millis: 0, request: "" }
      return taken
    },
    /** Every client has begun two more payments, so that each was answered after this was asked. */
    paysOn: async () => {
      const before = paid.length
      while (paid.length < before + 2 * merchants.length) await pause(20)
    },
    stop: async () => {
      isOn = false
      await Promise.all(clients)
    },
    /** Every payment as its server has it, with the provider's books; every event was followed, once and in order. */
    compare: async (provider: ScriptedProvider) => {
      const [server] = servers as [ServerProcess]
      const charges = Map.groupBy(provider.charges, ({ paymentId }) => paymentId)
      for (const { merchant, paymentId } of paid) {
        const { body } = await server.request("GET", `/api/v1/payments/${paymentId}`, { key: merchant.key })
        const booked = charges.get(paymentId) ?? []
        assert.deepStrictEqual(
          [body.data?.amount, body.data?.captured_amount, body.data?.refunded_amount],
          [amount, captured, refunded],
          paymentId
        )
        assert.deepStrictEqual(
          booked.map((one) => [one.amount, one.capturedAmount, [...one.refunds.values()]]),
          [[amount, captured, [refunded]]],
          paymentId
        )
      }
      assert.strictEqual(provider.charges.length, paid.length, "charges of the provider's, and payments")
      for (const { id, key } of merchants) {
        const [first] = followed.get(id) as ReadonlyArray<string>
        const all: Array<string> = first === undefined ? [] : [first]
        for (;;) {
          const { body } = await server.request("GET", `/api/v1/events?limit=100&after=${all.at(-1)}`, { key })
          all.push(...body.data.map((event: { readonly id: string }) => event.id))
          if (body.data.length === 0) break
        }
        const seen = followed.get(id) as ReadonlyArray<string>
        assert.isAbove(seen.length, 2)
        assert.deepStrictEqual(seen, all.slice(0, seen.length), `events of ${id} that its follower saw`)
      }
    }
  }
}
