import { it } from "@effect/vitest"
import { Effect, type Scope } from "effect"

/** Registers a test of the effect that its body describes. */
export const itRuns = (
  title: string,
  test: () => Generator<Effect.Effect<unknown, unknown, Scope.Scope>, unknown, never>
): void => it.effect(title, () => Effect.gen(test))
