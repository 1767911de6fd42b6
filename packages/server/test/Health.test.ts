import { assert, describe, it } from "@effect/vitest"
import { Directory, StorageError } from "@pointsman/core"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import * as Health from "../src/Health.ts"
import { startServer, temporaryFolder } from "./support/ServerProcess.ts"

const answerOf = (path: string, workspace: Directory["Service"]["workspace"]) =>
  Effect.acquireUseRelease(
    Effect.sync(() =>
      HttpRouter.toWebHandler(
        Health.layer.pipe(
          Layer.provide(Layer.succeed(Directory, { workspace } as Directory["Service"])),
          Layer.provideMerge(HttpServer.layerServices)
        ),
        { disableLogger: true }
      )
    ),
    ({ handler }) => Effect.promise(() => handler(new Request(`http://server${path}`))),
    ({ dispose }) => Effect.promise(dispose)
  ).pipe(Effect.map(({ status }) => status))

describe("health", () => {
  it.effect("given a storage that answers, when its health is asked for, then it is live and ready", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* answerOf("/health/live", () => Effect.succeedNone), 200)
      assert.strictEqual(yield* answerOf("/health/ready", () => Effect.succeedNone), 200)
    })
  )

  it.live("given a storage that fails or hangs, when its health is asked for, then it is live and not ready", () =>
    Effect.gen(function* () {
      const fails = () =>
        Effect.fail(new StorageError({ operation: "workspace", cause: new Error("the disk is gone") }))
      assert.strictEqual(yield* answerOf("/health/live", fails), 200)
      assert.strictEqual(yield* answerOf("/health/ready", fails), 503)
      assert.strictEqual(yield* answerOf("/health/ready", () => Effect.never), 503)
    })
  )

  it("given a server, when its health is asked for without a key, then it answers outside of the API", async () => {
    const server = await startServer({ folder: temporaryFolder() })
    const live = await server.request("GET", "/health/live", { key: null })
    assert.deepStrictEqual([live.status, live.body], [200, { status: "live" }])
    const ready = await server.request("GET", "/health/ready", { key: null })
    assert.deepStrictEqual([ready.status, ready.body], [200, { status: "ready" }])
    const wrong = await server.request("POST", "/health/ready", { key: null })
    assert.deepStrictEqual([wrong.status, wrong.headers.get("allow")], [405, "GET, HEAD"])
    assert.strictEqual((await server.request("GET", "/api/v1/health/live", { key: null })).status, 404)
  })
})
