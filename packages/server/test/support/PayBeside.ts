/** What the flood of one client costs the payments of another, beside payments of a quiet server. */
import { setTimeout as sleep } from "node:timers/promises"
import { assert } from "vitest"
import { payingKey } from "./FloodedServer.ts"
import type { JsonRequest, ServerProcess } from "./ServerProcess.ts"

/** The flooded p99 may be so many times the quiet one, and always this many milliseconds. */
const timesQuiet = 2
export const leastLimitMillis = 50
/** A key may ask no more often. */
const everyMillis = 15
/** What else runs on the machine may disturb a measurement: one of these has to be within the limit. */
export const turnsAtMost = 3

/** How many answers had each status. */
export type Statuses = Readonly<Record<string, number>>

/** Sends requests until the function that it returns is called. */
export type Flood = () => () => Promise<Statuses>

export const pay = async (server: { readonly request: JsonRequest }, key: string) => {
  const body = { amount: 1000, currency: "EUR", country: "NL", simulate: { charge: "approve" } }
  return await server.request("POST", "/api/v1/payments", { key, body })
}

/** Payments one after the other, not more often than each `everyMillis`; gives the time of each in milliseconds, in order. */
export const payFor = async (
  server: ServerProcess,
  millis: number,
  everyMillis: number
): Promise<ReadonlyArray<number>> => {
  const took: Array<number> = []
  const end = performance.now() + millis
  while (performance.now() < end) {
    const began = performance.now()
    assert.strictEqual((await pay(server, payingKey)).status, 201)
    const millis = performance.now() - began
    took.push(millis)
    if (everyMillis > 0) await sleep(Math.max(0, everyMillis - millis))
  }
  return took.toSorted((a, b) => a - b)
}

export const percentile = (sorted: ReadonlyArray<number>, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN

/** Requests of many clients at once, each of which waits where it is refused for now: at most so many a second, if set. */
export const floodOf =
  (clients: number, ask: (turn: number) => Promise<Response>, perSecond = Number.POSITIVE_INFINITY): Flood =>
  () => {
    let isOver = false
    let turns = 0
    const began = performance.now()
    const statuses: Record<string, number> = {}
    const client = async () => {
      while (!isOver) {
        const turn = turns++
        const at = began + (1_000 * turn) / perSecond
        await sleep(Math.max(0, at - performance.now()))
        const answer = await ask(turn)
        await answer.arrayBuffer()
        statuses[answer.status] = (statuses[answer.status] ?? 0) + 1
        if (answer.status === 429) await sleep(1_000 * Number(answer.headers.get("retry-after") ?? 1))
      }
    }
    const all = Promise.all(Array.from({ length: clients }, client))
    return async () => {
      isOver = true
      await all
      return statuses
    }
  }

/** Fails where the payments are slow in every turn; none may be refused. */
export const payBeside = async (
  server: ServerProcess,
  name: string,
  seconds: number,
  flood: Flood,
  check: (statuses: Statuses) => void
): Promise<void> => {
  const wrong: Array<string> = []
  for (let turn = 0; turn < turnsAtMost; turn++) {
    const before = await payFor(server, 500 * seconds, everyMillis)
    const end = flood()
    const flooded = await payFor(server, 1_000 * seconds, everyMillis)
    const statuses = await end()
    const quiet = [...before, ...(await payFor(server, 500 * seconds, everyMillis))].toSorted((a, b) => a - b)
    const limit = Math.max(leastLimitMillis, timesQuiet * percentile(quiet, 0.99))
    const measured =
      `payments ${quiet.length} quiet, ${flooded.length} beside ${JSON.stringify(statuses)} requests; p50 ` +
      `${percentile(quiet, 0.5).toFixed(1)} and ${percentile(flooded, 0.5).toFixed(1)} ms; p99 ` +
      `${percentile(quiet, 0.99).toFixed(1)} and ${percentile(flooded, 0.99).toFixed(1)} ms (at most ` +
      `${limit.toFixed(0)}); slowest ${flooded.at(-1)?.toFixed(0)} ms`
    process.stderr.write(`${name}: ${measured}\n`)
    check(statuses)
    if (percentile(flooded, 0.99) <= limit) return
    wrong.push(measured)
  }
  assert.fail(`${name}: ${wrong.join("; ")}`)
}
