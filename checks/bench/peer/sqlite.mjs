import "./source.mjs"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const { openFlow } = await import("./Flow.ts")
const SqliteStorage = await import("@pointsman/storage-sqlite")

export const name = "pointsman-sqlite"
export const engine = "sqlite"

export const setup = async () => {
  const folder = mkdtempSync(join(tmpdir(), "pointsman-peer-"))
  const flow = await openFlow(SqliteStorage.layer({ filename: join(folder, "pointsman.db") }))
  return {
    ...flow,
    close: async () => {
      await flow.close()
      rmSync(folder, { recursive: true })
    }
  }
}
