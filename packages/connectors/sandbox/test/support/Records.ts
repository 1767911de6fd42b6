/** Records of a simulated provider, and connections to it. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Connector } from "@pointsman/core/connector"
import { Effect, Result } from "effect"
import { SandboxConnector, SandboxRecords } from "../../src/index.ts"

/** Of a file that is not there yet, in a folder that is not there either. */
export const newPath = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "pointsman-sandbox-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
  ),
  (folder) => join(folder, "made-here", "sandbox.db")
)

export const newFile = Effect.flatMap(newPath, (path) => Effect.orDie(SandboxRecords.file(path)))

/** Over a transport of which any use fails the test: the simulator is on this side of the wire. */
export const connected = (records: SandboxRecords["Service"], connectionId = "sandbox-a"): Connector =>
  Result.getOrThrow(
    SandboxConnector.make(records).connect(
      { connectionId, environment: "sandbox", credentials: {}, timeoutMillis: 1000 },
      { send: () => Effect.die(new Error("the transport was used")) }
    )
  )
