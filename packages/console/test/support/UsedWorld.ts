import type { ConsoleOptions } from "@pointsman/console"
import { type Duration, Effect, Exit, Scope } from "effect"
import { TestClock } from "effect/testing"
import { afterEach, beforeEach } from "vitest"
import { type World, type WorldParts, world } from "./World.ts"

interface UsedParts extends Omit<WorldParts, "clock"> {
  /** The test's own clock, which `pass` turns. */
  readonly clock?: WorldParts["clock"] | "test"
}

export interface UsedWorld extends World {
  /** In the place of the one before. */
  readonly reopen: (options?: Partial<ConsoleOptions>, parts?: UsedParts) => Promise<void>
  readonly pass: (duration: Duration.Input) => Promise<void>
}

/** A world of its own for each of the tests. */
export const usedWorld = (options: Partial<ConsoleOptions> = {}, parts: UsedParts = {}): UsedWorld => {
  let here: World
  let scope: Scope.Closeable
  let turned: TestClock.TestClock
  const open = async (options: Partial<ConsoleOptions>, { clock, ...parts }: UsedParts) => {
    scope = Scope.makeUnsafe()
    turned = await Effect.runPromise(Scope.provide(TestClock.make({ warningDelay: "1 hour" }), scope))
    here = world(options, clock === undefined ? parts : { ...parts, clock: clock === "test" ? turned : clock })
  }
  const close = async () => {
    await here.close()
    await Effect.runPromise(Scope.close(scope, Exit.void))
  }
  beforeEach(() => open(options, parts))
  afterEach(close)
  const own = {
    reopen: async (options: Partial<ConsoleOptions> = {}, parts: UsedParts = {}) => {
      await close()
      await open(options, parts)
    },
    pass: (duration: Duration.Input) => Effect.runPromise(turned.adjust(duration))
  }
  return new Proxy({} as UsedWorld, {
    get: (_, name) => (name in own ? Reflect.get(own, name) : Reflect.get(here, name))
  })
}
