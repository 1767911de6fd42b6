/**
 * The end of a fiber world. Everything that a process does is a step of one of its fibers, and every step passes here
 * first: once the process is dead no step is taken any more, so neither a continuation nor a finalizer runs, even when
 * a fiber is woken or interrupted. As after `kill -9`, it sends no sign.
 */
import { Effect, Tracer } from "effect"

export const makeMortality = () => {
  let life: "runs" | "frozen" | "dead" = "runs"
  let waiting: Array<() => void> = []

  /** Takes the place of a step, and gives it back when the process is thawed. */
  const later = (step: unknown) =>
    asStep(
      Effect.callback<never>((resume) => {
        waiting.push(() => resume(step as Effect.Effect<never>))
      })
    )

  /** To be in the context of every fiber of the process. */
  const tracer = Tracer.make({
    span: (options) => new Tracer.NativeSpan(options),
    context: (step, fiber) => {
      if (life === "runs") return step["~effect/Effect/evaluate"](fiber)
      const instead = life === "dead" ? never : later(step)
      return instead["~effect/Effect/evaluate"](fiber) as ReturnType<(typeof step)["~effect/Effect/evaluate"]>
    }
  })

  return {
    tracer,
    isDead: () => life === "dead",
    die: () => {
      life = "dead"
      waiting = []
    },
    /** Until it is thawed every step waits, as under `kill -STOP`. */
    freeze: () => {
      if (life === "runs") life = "frozen"
    },
    thaw: () => {
      if (life !== "frozen") return
      life = "runs"
      const woken = waiting
      waiting = []
      for (const wake of woken) wake()
    }
  }
}

/** Every effect is a step; the types of Effect keep to themselves that it is. */
const asStep = (effect: Effect.Effect<never>) => effect as unknown as Tracer.EffectPrimitive<unknown>

const never = asStep(Effect.never)
