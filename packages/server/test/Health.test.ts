import { assert, describe, it } from "@effect/vitest"
import { type AccountReading, type CircuitReading, Pointsman } from "@pointsman/core"
import { Directory, type DirectoryState, RecordLosses, StorageCondition, StorageError } from "@pointsman/core/ports"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import * as Health from "../src/Health.ts"

const nothing: DirectoryState = {
  contents: { workspaces: [], apiKeys: [], connections: [], routing: [], webhookEndpoints: [] },
  configurations: [],
  version: 0
}
const configuration = { generation: null, file: null }

interface Given {
  readonly path?: string
  readonly workspace?: Directory["Service"]["workspace"]
  readonly circuits?: ReadonlyArray<CircuitReading>
  readonly refusal?: string
  readonly warnings?: ReadonlyArray<string>
  readonly accounts?: ReadonlyArray<AccountReading>
  readonly seesDetails?: boolean
}

/** The status and the body. Of a server whose storage answers, unless something else is given. */
const reply = (given: Given) => {
  const { accounts = [], circuits = [], path = "/health/ready", refusal = null, warnings = [] } = given
  const { seesDetails = true, workspace = () => Effect.succeedNone } = given
  const directory: Partial<Directory["Service"]> = { workspace, state: Effect.succeed(nothing) }
  return Effect.acquireUseRelease(
    Effect.sync(() =>
      HttpRouter.toWebHandler(
        Health.layer({ fileHash: null, seesDetails: () => seesDetails }).pipe(
          Layer.provide([
            Layer.succeed(RecordLosses, { known: Effect.succeed(null) } as Partial<RecordLosses> as RecordLosses),
            Layer.succeed(Directory, directory as Directory["Service"]),
            Layer.succeed(StorageCondition, { read: Effect.succeed({ refusal, warnings }), admit: Effect.void }),
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
    ({ handler }) =>
      Effect.promise(async () => {
        const answer = await handler(new Request(`http://server${path}`))
        return [answer.status, await answer.json()]
      }),
    ({ dispose }) => Effect.promise(dispose)
  )
}

const fails = () => Effect.fail(new StorageError({ operation: "workspace", cause: new Error("the disk is gone") }))
const refusal = "fsync is off in the database"
const warnings = ["the database has standbys that no commit waits for"]

const seen = { failures: 5, openedAt: 1_000, probeAt: 31_000 }
const circuits: ReadonlyArray<CircuitReading> = [
  { ...seen, connectionId: "a", state: "open", isOpen: true },
  { connectionId: "b", state: "closed", isOpen: false, failures: 1, openedAt: null, probeAt: null },
  { ...seen, connectionId: "c", state: "half-open", isOpen: false }
]
const shownCircuits = ["open", "half-open"].map((state, at) => {
  return { connection: at === 0 ? "a" : "c", state, failures: 5, open_until: "1970-01-01T00:00:31.000Z" }
})

const first = { id: "acct_1", mode: "live" } as const
const current = { id: "acct_2", mode: null } as const
const accounts: ReadonlyArray<AccountReading> = [
  { connectionId: "a", standing: "verified", first, current: first },
  { connectionId: "b", standing: "changed", first, current },
  { connectionId: "c", standing: "unanswered", first, current: first },
  { connectionId: "d", standing: "unverified", first: null, current: null },
  { connectionId: "e", standing: "none", first: null, current: null }
]
const known = "acct_1 (live)"
const shownAccounts = [
  { connection: "b", state: "changed", account: known, current_account: "acct_2" },
  { connection: "c", state: "unanswered", account: known, current_account: known },
  { connection: "d", state: "unverified", account: null, current_account: null }
]

describe("health", () => {
  const ready = { status: "ready", configuration, circuits: [] }

  it.live.each<[string, Given, number, object]>([
    ["a storage that answers", {}, 200, ready],
    ["circuits that are not closed", { circuits }, 200, { ...ready, circuits: shownCircuits }],
    ["warnings", { warnings }, 200, { ...ready, warnings }],
    ["changed or unverified accounts", { accounts }, 200, { ...ready, accounts: shownAccounts }],
    ["a storage without new work", { refusal }, 503, { ...ready, status: "unavailable", reason: refusal }]
  ])("a server with %s is ready or not, and says so", ([, given, status, body]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* reply(given), [status, body])
      const hidden = { circuits, accounts, warnings, ...given, seesDetails: false }
      const said = status === 200 ? "ready" : "unavailable"
      assert.deepStrictEqual(yield* reply(hidden), [status, { status: said }])
    })
  )

  it.live("a server whose storage fails or hangs is live and not ready", () =>
    Effect.gen(function* () {
      const live = yield* reply({ path: "/health/live", workspace: fails })
      assert.deepStrictEqual(live, [200, { status: "live" }])
      for (const workspace of [fails, () => Effect.never]) assert.strictEqual((yield* reply({ workspace }))[0], 503)
      const hidden = yield* reply({ workspace: fails, seesDetails: false })
      assert.deepStrictEqual(hidden, [503, { status: "unavailable" }])
    })
  )
})
