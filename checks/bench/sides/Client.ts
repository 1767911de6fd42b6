/** A merchant's backend: requests over sockets that stay open, each under an idempotency key of its own. */
import { randomUUID } from "node:crypto"
import { Pool } from "undici"
import { type Load, run } from "../kit/Load.ts"
import { answerOrders } from "../kit/Side.ts"

export interface ClientOrder {
  readonly origin: string
  readonly path: string
  /** Of several, one is drawn for each request. */
  readonly key: string | ReadonlyArray<string>
  /** What each request says, besides its reference. */
  readonly body: object
  /** The status of every answer. */
  readonly expected: number
  readonly load: Load
}

/** More than are ever in flight. */
const connections = 512
let count = 0

answerOrders<unknown, ClientOrder>(async () => {
  const pools = new Map<string, Pool>()
  return ({ body, expected, key, load, origin, path }) => {
    const pool = pools.get(origin) ?? new Pool(origin, { connections, pipelining: 1 })
    pools.set(origin, pool)
    return run(load, async () => {
      const id = randomUUID()
      const answer = await pool.request({
        method: "POST",
        path,
        headers: {
          authorization: `Bearer ${typeof key === "string" ? key : key[Math.floor(Math.random() * key.length)]}`,
          "content-type": "application/json",
          "idempotency-key": id
        },
        body: JSON.stringify({ ...body, reference: `order-${++count}`, attempt_id: id })
      })
      const text = await answer.body.text()
      if (answer.statusCode !== expected) throw new Error(`${origin}${path} answered ${answer.statusCode}: ${text}`)
    })
  }
})
