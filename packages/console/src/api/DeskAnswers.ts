/** How the endpoints of an area answer with what its desk says. */
import { Effect } from "effect"
import type { DeskServices } from "../gate/Caller.ts"
import type { ConsoleSettings } from "../gate/Settings.ts"

export const deskAnswers = Effect.map(Effect.context<DeskServices | ConsoleSettings>(), (services) => {
  /** As it is. */
  const run = <A, E, R>(desk: Effect.Effect<A, E, R>) => Effect.provideContext(desk, services)
  /** As the `data` of the response. */
  const answer = <A, E, R>(desk: Effect.Effect<A, E, R>) => run(Effect.map(desk, (data) => ({ data })))
  return { answer, run }
})
