/** A storage that fails, under every page and endpoint: what is answered names no cause. */
import { StorageError } from "@pointsman/core/ports"
import * as MemoryStorage from "@pointsman/storage-memory"
import { Context, Effect, Layer } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { checked } from "./fuzz/Answers.ts"
import { type Planted, plantedWorld } from "./fuzz/PlantedWorld.ts"
import { sendTarget, type Target, targetsOf } from "./fuzz/Targets.ts"

const cause = "the cause of a failure"
let fails = false

/** Every operation fails while `fails` is set. Sessions are read all the same, so that a handler is reached. */
const failing = (service: object): object =>
  new Proxy(service, {
    get: (target, name) => {
      const value = Reflect.get(target, name)
      const guarded = (effect: Effect.Effect<unknown, unknown, unknown>): Effect.Effect<unknown, unknown, unknown> =>
        Effect.suspend(() => (fails ? Effect.fail(new StorageError({ operation: String(name), cause })) : effect))
      if (name === "session" || name === "seen") return value
      if (Effect.isEffect(value)) return guarded(value)
      if (typeof value !== "function") return value
      return (...given: ReadonlyArray<unknown>) => {
        const result = value.apply(target, given)
        return Effect.isEffect(result) ? guarded(result) : result
      }
    }
  })

const storage = Layer.effectContext(
  Effect.map(Layer.build(MemoryStorage.layer()), (context) =>
    Context.makeUnsafe(new Map([...context.mapUnsafe].map(([key, service]) => [key, failing(service)])))
  )
) as ReturnType<typeof MemoryStorage.layer>

let planted: Planted
let targets: ReadonlyArray<Target>
beforeAll(async () => {
  planted = await plantedWorld(storage)
  targets = await targetsOf(planted)
})
afterAll(() => planted.here.close())

describe("a storage that fails", () => {
  it("every page and endpoint answers in words, without the cause", async () => {
    const cookie = await planted.admin()
    fails = true
    const failed = new Set<string>()
    for (const target of targets) {
      const { method } = target
      const response = await sendTarget(planted, target, cookie)
      const text = await checked(response, method, [...planted.secrets, cause])
      if (response.status === 500) failed.add(method)
      assert.notInclude(text, "Internal server error.", `${method} ${target.path}: ${planted.here.log.at(-1)}`)
    }
    fails = false
    assert.includeMembers([...failed], ["GET", "POST", "PUT", "DELETE"])
  })
})
