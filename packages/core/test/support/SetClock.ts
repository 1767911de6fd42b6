/** A machine whose clock a test sets. Its monotonic time goes on. */
import { Clock, Effect, Layer } from "effect"
import { type World, world } from "./World.ts"

export const ahead = (base: Clock.Clock, millis: () => number): Clock.Clock => {
  const currentTimeMillisUnsafe = () => base.currentTimeMillisUnsafe() + millis()
  return { ...base, currentTimeMillisUnsafe, currentTimeMillis: Effect.sync(currentTimeMillisUnsafe) }
}

/** A world whose machine has a clock that a test sets, and processes of it. */
export const given = (options: Parameters<typeof world>[0] = {}) => {
  const own: World = world(options)
  const machine = { aheadMillis: 0 }
  const clock = Effect.map(Clock.Clock, (base) => ahead(base, () => machine.aheadMillis))
  const layer = Layer.unwrap(Effect.map(clock, (set) => Layer.provide(own.layer, Layer.succeed(Clock.Clock, set))))
  const another = Effect.flatMap(clock, (set) => Effect.provideService(own.another, Clock.Clock, set))
  return { own, machine, layer, another }
}
