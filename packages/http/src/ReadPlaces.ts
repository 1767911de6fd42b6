/** How many searches and exports of one tenant are under way in this process: more would take what others pay with. */
import type { Tenant } from "@pointsman/core"
import { isSearch } from "@pointsman/core/internal"
import type { PaymentQuery } from "@pointsman/core/ports"
import { Context, Effect, type Scope } from "effect"

const atMost = { search: 4, export: 2 } as const

const ReadPlaces = Context.Reference<Map<string, number>>("pointsman/http/ReadPlaces", {
  defaultValue: () => new Map()
})

/** A place of so many, until the scope closes. */
export const takePlace = <E>(
  taken: Map<string, number>,
  key: string,
  most: number,
  refusal: E
): Effect.Effect<void, E, Scope.Scope> => {
  const count = () => taken.get(key) ?? 0
  const take = Effect.suspend(() =>
    count() < most ? Effect.sync(() => void taken.set(key, count() + 1)) : Effect.fail(refusal)
  )
  return Effect.acquireRelease(take, () =>
    Effect.sync(() => (count() > 1 ? void taken.set(key, count() - 1) : void taken.delete(key)))
  )
}

export const readPlace = Effect.fnUntraced(function* <E>(
  kind: keyof typeof atMost,
  { environment, workspaceId }: Tenant,
  refusal: E
) {
  yield* takePlace(yield* ReadPlaces, `${kind} ${environment} ${workspaceId}`, atMost[kind], refusal)
})

/** Lists by states need no place. */
export const withSearchPlace =
  <E>(tenant: Tenant, query: PaymentQuery, refusal: E) =>
  <A, E2, R>(search: Effect.Effect<A, E2, R>): Effect.Effect<A, E | E2, R> =>
    isSearch(query)
      ? (Effect.scoped(Effect.andThen(readPlace("search", tenant, refusal), search)) as Effect.Effect<A, E | E2, R>)
      : search
