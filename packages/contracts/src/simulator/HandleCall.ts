/** Handles one call to the simulated provider as was drawn for it, or chosen. */
import { NotSent, type Rejected, Unanswered } from "@pointsman/core/ports"
import { Effect } from "effect"
import { type CallHandling, type LaterOn, timeoutMillis } from "./CallHandling.ts"
import type { Time } from "./Time.ts"

/** What a provider can do with a call. */
export interface CallActions<Answer> {
  /** Does what is asked. */
  readonly execute: () => Answer
  /** Takes it, and gives what finishes it. */
  readonly accept: () => { readonly answer: Answer; readonly finish: (end: LaterOn) => void }
  readonly decline: (soft: boolean) => Answer
}

export interface Arrived {
  /** The idempotency key of the call. */
  readonly id: string
  readonly handling: CallHandling
  /** Received, and not looked at yet: of these the provider cannot say that they never come. */
  readonly postponed: Set<string>
  readonly time: Time
}

const silence = (millis: number) =>
  Effect.delay(Effect.fail(new Unanswered({ reason: "the provider did not answer" })), millis)

export const handleCall = <Answer>(
  { handling, id, postponed, time }: Arrived,
  { accept, decline, execute }: CallActions<Answer>
): Effect.Effect<Answer | Rejected, NotSent | Unanswered> => {
  switch (handling._tag) {
    case "NotSent":
      return Effect.fail(new NotSent({ reason: "refused" }))
    case "Answered":
      return Effect.succeed(execute())
    case "Slow":
      if (handling.takes <= timeoutMillis) return Effect.delay(Effect.sync(execute), handling.takes)
      time.after(handling.takes, execute)
      return silence(timeoutMillis)
    case "Late":
      return Effect.delay(Effect.succeed(execute()), handling.answers)
    case "Unheard":
      if (handling.doneAfter === 0) execute()
      else if (handling.doneAfter !== null) time.after(handling.doneAfter, execute)
      return silence(handling.silentFor)
    case "Postponed":
      postponed.add(id)
      time.after(handling.doneAfter, () => {
        postponed.delete(id)
        execute()
      })
      return silence(0)
    case "Rejected":
      return Effect.succeed({ _tag: "Rejected", code: "down", message: "not now" })
    case "Accepted": {
      const { answer, finish } = accept()
      time.after(handling.after, () => finish(handling.becomes))
      return Effect.succeed(answer)
    }
    case "Declined":
      return Effect.succeed(decline(handling.soft))
  }
}
