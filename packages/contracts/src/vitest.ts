import { it } from "@effect/vitest"
import { Effect, type Scope } from "effect"

type Test = () => Generator<Effect.Effect<unknown, unknown, Scope.Scope>, unknown, never>

/** Registers a test of the effect that its body describes, on a clock that the test sets. */
export const itRuns = (title: string, test: Test): void => it.effect(title, () => Effect.gen(test))

/** As `itRuns`, on the clock of the machine. */
export const itRunsLive = (title: string, test: Test): void => it.live(title, () => Effect.gen(test))
