/**
 * Merchants of several workspaces, each with the same number of clients: each client creates one payment after the other,
 * at any of the servers. After an answer that tells it to come again it pauses. It sends every other one of those that were
 * refused again under its key, and gives the others up: of a payment that was refused nothing may have been sent.
 */
import { setTimeout as sleep } from "node:timers/promises"
import type { Draw } from "../kill/Draw.ts"
import type { ServerProcess } from "../ServerProcess.ts"

const path = "/api/v1/payments"

export interface Asked {
  readonly workspace: string
  /** The payment's reference and its idempotency key. */
  readonly name: string
  /** By `performance.now()`. */
  readonly sentAt: number
  readonly answeredAt: number
  readonly status: number
  /** Of an error; `null` for a payment. */
  readonly code: string | null
  /** Of a payment. */
  readonly state: string | null
}

/** Minor units. */
export const amount = 1_999

const pauseMillis = 100

/** The same request has to be sent again, with the same key. */
const forLater: ReadonlySet<string> = new Set(["internal_error", "idempotency_in_progress", "payment_result_unknown"])

/** `keys`: of each workspace. */
export const startLoad = (
  keys: ReadonlyMap<string, string>,
  servers: ReadonlyArray<ServerProcess>,
  draw: Draw,
  clients: number
) => {
  /** In the order of the answers. */
  const asked: Array<Asked> = []
  let isOver = false

  const create = async (workspace: string, name: string): Promise<string | null> => {
    const server = draw.one(servers) as ServerProcess
    const sentAt = performance.now()
    const { body, status } = await server
      .request("POST", path, {
        key: keys.get(workspace),
        idempotencyKey: name,
        body: { amount, currency: "EUR", country: "NL", reference: name }
      })
      .catch((cause: unknown) => {
        throw new Error(`${server.url} did not answer ${name}\n${server.stderr()}`, { cause })
      })
    const code = body.error?.code ?? null
    asked.push({
      workspace,
      name,
      sentAt,
      answeredAt: performance.now(),
      status,
      code,
      state: body.data?.status ?? null
    })
    return code
  }

  const client = async (workspace: string, number: number): Promise<void> => {
    for (let order = 0; !isOver; order++) {
      const name = `${workspace}-${number}-${order}`
      // Bounded by the outage: the test ends with the node back.
      for (;;) {
        const code = await create(workspace, name)
        if (code === null || !forLater.has(code)) break
        await sleep(pauseMillis)
        if (code === "internal_error" && (order % 2 === 1 || isOver)) break
      }
    }
  }

  const numbers = Array.from({ length: clients }, (_, number) => number)
  const done = Promise.all([...keys.keys()].flatMap((workspace) => numbers.map((number) => client(workspace, number))))
  /** Resolves when each client has its last answer. It fails where a server did not answer. */
  const over = done.then(() => {})
  // A failure is reported where it is waited for.
  over.catch(() => {})
  return {
    asked,
    done: over,
    end: () => {
      isOver = true
    }
  }
}
