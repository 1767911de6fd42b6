/** What the server holds of the machine's memory after many payments, and whether it grows with them. */
import { join } from "node:path"
import { createAt } from "../kit/CreateRequest.ts"
import { closed } from "../kit/Load.ts"
import { type Measure, row, short } from "../kit/Result.ts"
import { keysOf, residentMegabytes, startServer } from "../kit/Server.ts"
import { startClient, startProvider } from "../kit/Sides.ts"

const inFlight = 16
/** Looks at the memory in a run, evenly over its payments. */
const looks = 10

export const memory: Measure = async ({ folder, seconds, smoke, tell }) => {
  const payments = smoke ? 100 : 100_000
  const provider = await startProvider()
  const client = await startClient()
  const providers = { agreeing: `${provider.url}/0` }
  const server = await startServer({ folder: join(folder, "memory"), providers })
  const create = createAt(server.url, keysOf(providers).agreeing)
  const held: Array<number> = []
  let done = 0
  while (held.length < looks) {
    done += (await client.ask({ ...create, load: closed(inFlight, seconds / 4) })).done
    if (done < (payments * (held.length + 1)) / looks) continue
    held.push(residentMegabytes(server.pid))
    tell(`after ${done} payments: ${short(held.at(-1) as number)} MB`)
  }
  const half = held[looks / 2 - 1] as number
  const last = held[looks - 1] as number
  const after = `resident memory after ${payments} payments`
  return {
    id: "memory",
    title: `Memory of the server on SQLite, one process, ${inFlight} payments at once`,
    rows: [
      row("memory-after", after, last, "MB", held.map((megabytes) => megabytes.toFixed(0)).join(", "), { atMost: 220 }),
      row(
        "memory-growth",
        `${after}, of what it was after half of them`,
        last / half,
        "times",
        `${short(last)} MB of ${short(half)} MB`,
        { atMost: 1.1 }
      )
    ],
    note: "One run. Memory is read from /proc."
  }
}
