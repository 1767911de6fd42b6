/** Success rates in a map. */
import { type StoredRate, SuccessRates } from "@pointsman/core/ports"
import { Effect } from "effect"
import { copy, tenantKey } from "./State.ts"

export const make = (): SuccessRates["Service"] => {
  const rates = new Map<string, StoredRate>()
  return SuccessRates.of({
    changedSince: (at) => Effect.sync(() => copy([...rates.values()].filter(({ rate }) => rate.at >= at))),
    write: (given) =>
      Effect.sync(() =>
        given.flatMap((rate) => {
          const key = keyOf(rate)
          const stored = rates.get(key)
          if (stored !== undefined && stored.version !== rate.version - 1) return [copy(stored)]
          rates.set(key, copy(rate))
          return []
        })
      ),
    forgetBefore: (at) =>
      Effect.sync(() => {
        const old = [...rates].filter(([, { rate }]) => rate.at < at)
        for (const [key] of old) rates.delete(key)
        return old.length
      })
  })
}

const keyOf = ({ connectionId, segment, tenant }: StoredRate): string =>
  JSON.stringify([tenantKey(tenant), connectionId, segment])
