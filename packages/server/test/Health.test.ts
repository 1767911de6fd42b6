import { assert, describe, it } from "@effect/vitest"
import { type AccountReading, type CircuitReading, Pointsman } from "@pointsman/core"
import {
  Directory,
  type DirectoryState,
  RecordLosses,
  StorageCondition,
  StorageError,
  type StorageReading
} from "@pointsman/core/ports"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import * as Health from "../src/Health.ts"
import { startServerHere } from "./support/ServerHere.ts"

const nothing: DirectoryState = {
  contents: { workspaces: [], apiKeys: [], connections: [], routing: [], webhookEndpoints: [] },
  configurations: [],
  version: 0
}
const configuration = { generation: null, file: null }

const reply = (
  path: string,
  workspace: Directory["Service"]["workspace"],
  circuits: ReadonlyArray<CircuitReading> = [],
  storage: StorageReading = { refusal: null, warnings: [] },
  accounts: ReadonlyArray<AccountReading> = [],
  seesDetails = true
) => {
  const directory: Partial<Directory["Service"]> = { workspace, state: Effect.succeed(nothing) }
  return Effect.acquireUseRelease(
    Effect.sync(() =>
      HttpRouter.toWebHandler(
        Health.layer({ fileHash: null, seesDetails: () => seesDetails }).pipe(
          Layer.provide([
            Layer.succeed(RecordLosses, { known: Effect.succeed(null) } as Partial<RecordLosses> as RecordLosses),
            Layer.succeed(Directory, directory as Directory["Service"]),
            Layer.succeed(StorageCondition, { read: Effect.succeed(storage), admit: Effect.void }),
            Layer.succeed(Pointsman, {
              circuits: Effect.succeed(circuits),
              accounts: Effect.succeed(accounts)
            } as Partial<Pointsman["Service"]> as Pointsman["Service"])
          ]),
          Layer.provideMerge(HttpServer.layerServices)
        ),
        { disableLogger: true }
      )
    ),
    ({ handler }) => Effect.promise(() => handler(new Request(`http://server${path}`))),
    ({ dispose }) => Effect.promise(dispose)
  )
}

const answerOf = (path: string, workspace: Directory["Service"]["workspace"]) =>
  Effect.map(reply(path, workspace), ({ status }) => status)

describe("health", () => {
  it.effect("a server whose storage answers is live and ready", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* answerOf("/health/live", () => Effect.succeedNone), 200)
      assert.strictEqual(yield* answerOf("/health/ready", () => Effect.succeedNone), 200)
    })
  )

  it.live("a server whose storage fails or hangs is live and not ready", () =>
    Effect.gen(function* () {
      const fails = () =>
        Effect.fail(new StorageError({ operation: "workspace", cause: new Error("the disk is gone") }))
      assert.strictEqual(yield* answerOf("/health/live", fails), 200)
      assert.strictEqual(yield* answerOf("/health/ready", fails), 503)
      assert.strictEqual(yield* answerOf("/health/ready", () => Effect.never), 503)
    })
  )

  it.effect("a server is ready with circuits that are not closed, and names them", () =>
    Effect.gen(function* () {
      const seen = { failures: 5, openedAt: 1_000, probeAt: 31_000 }
      const answer = yield* reply("/health/ready", () => Effect.succeedNone, [
        { ...seen, connectionId: "a", state: "open", isOpen: true },
        { connectionId: "b", state: "closed", isOpen: false, failures: 1, openedAt: null, probeAt: null },
        { ...seen, connectionId: "c", state: "half-open", isOpen: false }
      ])
      assert.strictEqual(answer.status, 200)
      const told = { failures: 5, open_until: "1970-01-01T00:00:31.000Z" }
      assert.deepStrictEqual(yield* Effect.promise(() => answer.json()), {
        status: "ready",
        configuration,
        circuits: [
          { connection: "a", state: "open", ...told },
          { connection: "c", state: "half-open", ...told }
        ]
      })
    })
  )

  it.effect("a storage with warnings is ready and lists them; one without new work is not", () =>
    Effect.gen(function* () {
      const warnings = ["the database has standbys that no commit waits for"]
      const ready = yield* reply("/health/ready", () => Effect.succeedNone, [], { refusal: null, warnings })
      assert.strictEqual(ready.status, 200)
      assert.deepStrictEqual(yield* Effect.promise(() => ready.json()), {
        status: "ready",
        configuration,
        circuits: [],
        warnings
      })
      const refusal = "fsync is off in the database"
      const unavailable = yield* reply("/health/ready", () => Effect.succeedNone, [], { refusal, warnings: [] })
      assert.strictEqual(unavailable.status, 503)
      assert.deepStrictEqual(yield* Effect.promise(() => unavailable.json()), {
        status: "unavailable",
        reason: refusal,
        configuration,
        circuits: []
      })
    })
  )

  it.live("a caller that must not see details gets only the status in every case", () =>
    Effect.gen(function* () {
      const seen = { failures: 5, openedAt: 1_000, probeAt: 31_000 }
      const circuits: ReadonlyArray<CircuitReading> = [{ ...seen, connectionId: "a", state: "open", isOpen: true }]
      const accounts: ReadonlyArray<AccountReading> = [
        { connectionId: "a", standing: "unverified", first: null, current: null }
      ]
      const fails = Effect.fail(new StorageError({ operation: "workspace", cause: new Error("the disk is gone") }))
      const warnings = ["the database has standbys that no commit waits for"]
      for (const [workspace, refusal, status, state] of [
        [Effect.succeedNone, null, 200, "ready"],
        [Effect.succeedNone, "fsync is off in the database", 503, "unavailable"],
        [fails, null, 503, "unavailable"]
      ] as const) {
        const storage = { refusal, warnings }
        const answer = yield* reply("/health/ready", () => workspace, circuits, storage, accounts, false)
        assert.strictEqual(answer.status, status)
        assert.deepStrictEqual(yield* Effect.promise(() => answer.json()), { status: state })
      }
    })
  )

  it.effect("a server is ready and names connections with changed or unverified accounts", () =>
    Effect.gen(function* () {
      const first = { id: "acct_1", mode: "live" } as const
      const current = { id: "acct_2", mode: null } as const
      const answer = yield* reply("/health/ready", () => Effect.succeedNone, [], undefined, [
        { connectionId: "a", standing: "verified", first, current: first },
        { connectionId: "b", standing: "changed", first, current },
        { connectionId: "c", standing: "unanswered", first, current: first },
        { connectionId: "d", standing: "unverified", first: null, current: null },
        { connectionId: "e", standing: "none", first: null, current: null }
      ])
      assert.strictEqual(answer.status, 200)
      const known = "acct_1 (live)"
      assert.deepStrictEqual(yield* Effect.promise(() => answer.json()), {
        status: "ready",
        configuration,
        circuits: [],
        accounts: [
          { connection: "b", state: "changed", account: known, current_account: "acct_2" },
          { connection: "c", state: "unanswered", account: known, current_account: known },
          { connection: "d", state: "unverified", account: null, current_account: null }
        ]
      })
    })
  )

  it("a server's health without a key answers outside of the API", async () => {
    const server = await startServerHere()
    const live = await server.request("GET", "/health/live", { key: null })
    assert.deepStrictEqual([live.status, live.body], [200, { status: "live" }])
    const ready = await server.request("GET", "/health/ready", { key: null })
    assert.deepStrictEqual([ready.status, ready.body], [200, { status: "ready", configuration, circuits: [] }])
    const wrong = await server.request("POST", "/health/ready", { key: null })
    assert.deepStrictEqual([wrong.status, wrong.headers.get("allow")], [405, "GET, HEAD"])
    assert.strictEqual((await server.request("GET", "/api/v1/health/live", { key: null })).status, 404)
  })
})
