/** How many reads of a kind are under way at once: more of one tenant's would take what others pay with. */
import type { Tenant } from "@pointsman/core"
import { isSearch } from "@pointsman/core/internal"
import type { PaymentQuery } from "@pointsman/core/ports"
import { Effect, type Scope } from "effect"

/** Of one tenant in this process. */
const placesOfTenant = { search: 4, export: 2 } as const

/** Those that are taken, by what they are counted for. */
export type ReadPlaces = Map<string, number>

/** A place of so many, until the scope closes. */
export const takePlace = <E>(
  taken: ReadPlaces,
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

export const readPlace = <E>(
  taken: ReadPlaces,
  kind: keyof typeof placesOfTenant,
  { environment, workspaceId }: Tenant,
  refusal: E
) => takePlace(taken, `${kind} of ${environment} ${workspaceId}`, placesOfTenant[kind], refusal)

/** Lists by states need no place. */
export const withSearchPlace =
  <E>(taken: ReadPlaces, tenant: Tenant, query: PaymentQuery, refusal: E) =>
  <A, E2, R>(search: Effect.Effect<A, E2, R>): Effect.Effect<A, E | E2, R> =>
    isSearch(query)
      ? (Effect.scoped(Effect.andThen(readPlace(taken, "search", tenant, refusal), search)) as Effect.Effect<
          A,
          E | E2,
          R
        >)
      : search
