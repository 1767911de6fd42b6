import { afterAll, beforeAll, beforeEach } from "vitest"
import type { Store } from "./Stores.ts"
import { openWorld, type World, type WorldOptions } from "./World.ts"

/** The world of a group of tests: as at the start before each of them, but what is stored. */
export const usedWorld = (store: Store, options: WorldOptions = {}): World => {
  let world: World
  beforeAll(async () => {
    world = await openWorld(store, options)
  })
  beforeEach(() => world.reset())
  afterAll(() => world.close())
  return new Proxy({} as World, { get: (_, name) => Reflect.get(world, name) })
}
