/** What the server holds of the machine's memory while an operator exports every payment from the console. */
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { Pointsman } from "@pointsman/core"
import { AuditLog } from "@pointsman/core/ports"
import * as SqliteStorage from "@pointsman/storage-sqlite"
import { Effect, ManagedRuntime, Redacted } from "effect"
import { fillSqlite } from "../kit/FillStores.ts"
import { type Measure, row, short } from "../kit/Result.ts"
import { residentMegabytes, startServer } from "../kit/Server.ts"
import { caller, worldLayer } from "../World.ts"

/** The megabytes that an export may add. */
const mostAdded = 100
const lookEveryMillis = 100

export const exports: Measure = async ({ folder, smoke, tell }) => {
  const payments = smoke ? 20_000 : 1_000_000
  const served = join(folder, "export")
  const filename = join(served, "export.db")
  mkdirSync(served)
  await fillSqlite(filename, payments)
  tell(`filled with ${payments} payments`)
  const token = await signInToken(filename)
  const server = await startServer({ folder: served, databaseUrl: `sqlite:${filename}` })
  const held = () => residentMegabytes(server.pid)
  const signedIn = await fetch(`${server.url}/console/api/session/link`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: server.url },
    body: JSON.stringify({ token })
  })
  const cookie = (signedIn.headers.get("set-cookie") ?? "").split(";", 1)[0] ?? ""
  const { environment, workspaceId } = caller.tenant
  const page = `${server.url}/console/payments/${workspaceId}/${environment}`
  // So that what a first page needs is not counted.
  await (await fetch(page, { headers: { cookie } })).text()
  const before = held()
  const began = performance.now()
  let most = before
  const looking = setInterval(() => {
    most = Math.max(most, held())
  }, lookEveryMillis)
  const rows = await linesOf(`${page}/export.csv`, cookie)
  clearInterval(looking)
  const seconds = (performance.now() - began) / 1_000
  if (rows !== payments + 1) throw new Error(`the export has ${rows} lines of ${payments} payments`)
  const added = Math.max(most, held()) - before
  return {
    id: "export",
    title: `An export of ${payments.toLocaleString("en-US")} payments as CSV, from SQLite`,
    rows: [
      row("export-memory", "resident memory that the export adds at most", added, "MB", `${short(before)} MB before`, {
        atMost: mostAdded
      }),
      row("export-rate", "payments", payments / seconds, "per second", `${short(seconds)} s for all of them`)
    ],
    note: "One run. Memory is read from /proc."
  }
}

const signInToken = async (filename: string): Promise<string> => {
  const runtime = ManagedRuntime.make(worldLayer(SqliteStorage.layer({ filename })))
  try {
    const { token } = await runtime.runPromise(
      Effect.gen(function* () {
        const { operators } = yield* Pointsman
        const grants = [{ workspaceId: null, role: "viewer" as const }]
        yield* operators.add({ login: "bench", displayName: "Bench", grants })
        return yield* operators.createLink("bench")
      }).pipe(Effect.provideService(AuditLog, () => Effect.void))
    )
    return Redacted.value(token)
  } finally {
    await runtime.dispose()
  }
}

const newline = 10

/** Counted as they come: this process does not hold them either. */
const linesOf = async (url: string, cookie: string): Promise<number> => {
  const response = await fetch(url, { headers: { cookie } })
  if (response.status !== 200 || response.body === null) throw new Error(`the export was answered ${response.status}`)
  let lines = 0
  for await (const chunk of response.body) for (const byte of chunk) if (byte === newline) lines++
  return lines
}
