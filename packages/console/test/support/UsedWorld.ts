import type { ConsoleOptions } from "@pointsman/console"
import { afterEach, beforeEach } from "vitest"
import { type World, type WorldParts, world } from "./World.ts"

/** A world of its own for each of the tests. */
export const usedWorld = (options: Partial<ConsoleOptions> = {}, parts: WorldParts = {}): World => {
  let here: World
  beforeEach(() => {
    here = world(options, parts)
  })
  afterEach(() => here.close())
  return new Proxy({} as World, { get: (_, name) => Reflect.get(here, name) })
}
