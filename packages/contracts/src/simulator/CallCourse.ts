/** How one call to the simulated provider goes, as its course says. */
import { NotSent, type Rejected, Unanswered } from "@pointsman/core/ports"
import { Effect } from "effect"
import { type Course, type LaterOn, timeoutMillis } from "./Course.ts"
import type { Time } from "./Time.ts"

/** What a provider can do with a call. */
export interface Handling<Answer> {
  /** Does what is asked. */
  readonly execute: () => Answer
  /** Takes it, and gives what finishes it. */
  readonly accept: () => { readonly answer: Answer; readonly finish: (end: LaterOn) => void }
  readonly decline: (soft: boolean) => Answer
}

export interface Arrived {
  /** The idempotency key of the call. */
  readonly id: string
  readonly course: Course
  /** Received, and not looked at yet: of these the provider cannot say that they never come. */
  readonly postponed: Set<string>
  readonly time: Time
}

const silence = (millis: number) =>
  Effect.delay(Effect.fail(new Unanswered({ reason: "the provider did not answer" })), millis)

export const goesAs = <Answer>(
  { course, id, postponed, time }: Arrived,
  { accept, decline, execute }: Handling<Answer>
): Effect.Effect<Answer | Rejected, NotSent | Unanswered> => {
  switch (course._tag) {
    case "NotSent":
      return Effect.fail(new NotSent({ reason: "refused" }))
    case "Answered":
      return Effect.succeed(execute())
    case "Slow":
      if (course.takes <= timeoutMillis) return Effect.delay(Effect.sync(execute), course.takes)
      time.after(course.takes, execute)
      return silence(timeoutMillis)
    case "Late":
      return Effect.delay(Effect.succeed(execute()), course.answers)
    case "Unheard":
      if (course.doneAfter === 0) execute()
      else if (course.doneAfter !== null) time.after(course.doneAfter, execute)
      return silence(course.silentFor)
    case "Postponed":
      postponed.add(id)
      time.after(course.doneAfter, () => {
        postponed.delete(id)
        execute()
      })
      return silence(0)
    case "Rejected":
      return Effect.succeed({ _tag: "Rejected", code: "down", message: "not now" })
    case "Accepted": {
      const { answer, finish } = accept()
      time.after(course.after, () => finish(course.becomes))
      return Effect.succeed(answer)
    }
    case "Declined":
      return Effect.succeed(decline(course.soft))
  }
}
