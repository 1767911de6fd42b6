/** What arrives at the simulated provider: calls and lookups, each handled as was drawn for it, or chosen. */
import type { Environment } from "@pointsman/core"
import { type Found, type NotSent, type Rejected, Unanswered } from "@pointsman/core/ports"
import { Effect } from "effect"
import type { CallHandling, LookUpHandling, ProviderCall } from "./CallHandling.ts"
import { type CallActions, handleCall } from "./HandleCall.ts"
import type { CallRecord } from "./ProviderBooks.ts"
import type { Time } from "./Time.ts"

export interface CallsOptions {
  readonly time: Time
  readonly handlingOf: (call: ProviderCall) => CallHandling
  readonly lookUpOf: (id: string) => LookUpHandling
  /** Runs as a call arrives, before anything is done. */
  readonly onCall: ((call: ProviderCall, environment: Environment) => Effect.Effect<void>) | undefined
}

export interface ProviderCalls {
  readonly time: Time
  readonly calls: ReadonlyArray<CallRecord>
  /** One call, as `handlingOf` says. */
  readonly call: <Answer>(
    about: ProviderCall,
    environment: Environment,
    actions: CallActions<Answer>
  ) => Effect.Effect<Answer | Rejected, NotSent | Unanswered>
  /** One lookup, as `lookUpOf` says; `state` is `undefined` where the books have nothing under the id. */
  readonly lookUp: <State>(id: string, state: () => State | undefined) => Effect.Effect<Found<State>, Unanswered>
  /** One page of a list, as `lookUpOf` says of its `name`. */
  readonly list: <Page>(name: string, page: () => Page) => Effect.Effect<Page, Unanswered>
}

export const providerCalls = ({ handlingOf, lookUpOf, onCall, time }: CallsOptions): ProviderCalls => {
  const calls: Array<CallRecord> = []
  const postponed = new Set<string>()

  const call: ProviderCalls["call"] = (about, environment, actions) =>
    Effect.suspend(() => {
      const handling = handlingOf(about)
      const record: CallRecord = { name: about.name, id: about.id, at: time.now(), doneAt: null }
      const noting = {
        ...actions,
        execute: () => {
          record.doneAt = time.now()
          return actions.execute()
        },
        accept: () => {
          record.doneAt = time.now()
          return actions.accept()
        }
      }
      const goes = Effect.suspend(() => handleCall({ id: about.id, handling, postponed, time }, noting))
      if (handling._tag === "NotSent") return goes
      calls.push(record)
      return onCall === undefined ? goes : Effect.andThen(onCall(about, environment), goes)
    })

  const lookUp: ProviderCalls["lookUp"] = <State>(id: string, state: () => State | undefined) =>
    Effect.suspend(() => {
      const handling = lookUpOf(id)
      if (handling === "silent") return Effect.fail(new Unanswered({ reason: "no lookup today" }))
      const told = Effect.sync((): Found<State> => {
        const known = state()
        if (known !== undefined) return { _tag: "Found", state: known }
        return { _tag: "NotFound", conclusive: handling !== "unsure" && !postponed.has(id) }
      })
      return typeof handling === "string" ? told : Effect.delay(told, handling.takes)
    })

  const list: ProviderCalls["list"] = (name, page) =>
    Effect.suspend(() =>
      lookUpOf(name) === "silent" ? Effect.fail(new Unanswered({ reason: "no list today" })) : Effect.sync(page)
    )

  return { time, calls, call, lookUp, list }
}
