/** What arrives at the simulated provider: calls and lookups, each handled as was drawn for it, or chosen. */
import type { Environment } from "@pointsman/core"
import { type Found, type NeverReceived, NotSent, type Rejected, Unanswered } from "@pointsman/core/ports"
import { Effect } from "effect"
import {
  type CallHandling,
  type LaterOn,
  type ProviderCall,
  type ProviderOptions,
  timeoutMillis
} from "./CallHandling.ts"
import type { CallRecord } from "./ProviderBooks.ts"
import type { Time } from "./Time.ts"

/** What a provider can do with a call. */
interface CallActions<Answer> {
  /** Does what is asked. */
  readonly execute: () => Answer
  /** Takes it, and gives what finishes it. */
  readonly accept: () => { readonly answer: Answer; readonly finish: (end: LaterOn) => void }
  readonly decline: (soft: boolean) => Answer
}

export type ProviderCalls = ReturnType<typeof providerCalls>

export const providerCalls = ({ handlingOf, lookUpOf, onCall, time }: ProviderOptions) => {
  const calls: Array<CallRecord> = []
  /** Received, and not looked at yet: of these the provider cannot say that they never come. */
  const postponed = new Set<string>()

  return {
    time,
    calls: calls as ReadonlyArray<CallRecord>,
    /** One call, as `handlingOf` says. */
    call: <Answer>(about: ProviderCall, environment: Environment, { accept, decline, execute }: CallActions<Answer>) =>
      Effect.suspend((): Effect.Effect<Answer | Rejected, NotSent | Unanswered> => {
        const handling = handlingOf(about)
        if (handling._tag === "NotSent") return Effect.fail(new NotSent({ reason: "refused" }))
        const record: CallRecord = { name: about.name, id: about.id, at: time.now(), doneAt: null }
        calls.push(record)
        const noting =
          <A>(act: () => A) =>
          () => {
            record.doneAt = time.now()
            return act()
          }
        const actions = { execute: noting(execute), accept: noting(accept), decline }
        const goes = Effect.suspend(() => handled(about.id, handling, actions, postponed, time))
        return onCall === undefined ? goes : Effect.andThen(onCall(about, environment), goes)
      }),
    /** One lookup, as `lookUpOf` says; `undefined` where the books have nothing under the id. */
    lookUp: <State>(id: string, booked: () => Omit<Exclude<Found<State>, NeverReceived>, "_tag"> | undefined) =>
      Effect.suspend((): Effect.Effect<Found<State>, Unanswered> => {
        const handling = lookUpOf(id)
        if (handling === "silent") return Effect.fail(new Unanswered({ reason: "no lookup today" }))
        const told = Effect.sync((): Found<State> => {
          const known = booked()
          if (known !== undefined) return { _tag: "Found", ...known }
          return { _tag: "NotFound", conclusive: handling !== "unsure" && !postponed.has(id) }
        })
        return typeof handling === "string" ? told : Effect.delay(told, handling.takes)
      }),
    /** One page of a list, as `lookUpOf` says of its `name`. */
    list: <Page>(name: string, page: () => Page): Effect.Effect<Page, Unanswered> =>
      Effect.suspend(() =>
        lookUpOf(name) === "silent" ? Effect.fail(new Unanswered({ reason: "no list today" })) : Effect.sync(page)
      )
  }
}

const silence = (millis: number) =>
  Effect.delay(Effect.fail(new Unanswered({ reason: "the provider did not answer" })), millis)

const handled = <Answer>(
  id: string,
  handling: Exclude<CallHandling, { readonly _tag: "NotSent" }>,
  { accept, decline, execute }: CallActions<Answer>,
  postponed: Set<string>,
  time: Time
): Effect.Effect<Answer | Rejected, Unanswered> => {
  switch (handling._tag) {
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
