/** How the endpoints of an area answer with what its desk says. */
import { Context, Effect, Scope } from "effect"
import type { DeskServices } from "../gate/Caller.ts"
import type { ConsoleSettings } from "../gate/Settings.ts"

export const deskAnswers = Effect.map(Effect.context<DeskServices | ConsoleSettings>(), (built) => {
  // The scope here is the console's. What a response holds ends with the scope of its request.
  const services = Context.omit(Scope.Scope)(built)
  /** As it is. */
  const run = <A, E, R>(desk: Effect.Effect<A, E, R>) => Effect.provideContext(desk, services)
  /** As the `data` of the response. */
  const answer = <A, E, R>(desk: Effect.Effect<A, E, R>) => run(Effect.map(desk, (data) => ({ data })))
  return { answer, run }
})
