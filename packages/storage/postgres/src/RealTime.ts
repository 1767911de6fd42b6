import { Clock, Effect } from "effect"

/** The network's time passes by itself, whatever clock the program is given. */
export const inRealTime = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(effect, Clock.Clock, Clock.Clock.defaultValue())
