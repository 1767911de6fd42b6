import { describe, type Vitest } from "@effect/vitest"
import {
  Audit,
  Deliveries,
  Directory,
  Ids,
  Ledger,
  Merchants,
  Operators,
  Passkeys,
  RecordLosses,
  Retention,
  SealedTexts,
  Settlements,
  type StorageServices,
  SuccessRates
} from "@pointsman/core/ports"
import { Effect, type Scope } from "effect"
import { newTenant } from "./Given.ts"

const given = Effect.all({
  audit: Audit,
  deliveries: Deliveries,
  directory: Directory,
  ids: Ids,
  ledger: Ledger,
  losses: RecordLosses,
  merchants: Merchants,
  operators: Operators,
  passkeys: Passkeys,
  retention: Retention,
  sealed: SealedTexts,
  settlements: Settlements,
  successRates: SuccessRates,
  /** No other test has it. */
  tenant: Effect.suspend(newTenant)
})
type Given = Effect.Success<typeof given>

type Services = StorageServices | Ids

/** What a chapter registers its tests with. */
export type StorageTest<More = unknown> = (
  title: string,
  test: (all: Given & More) => Generator<Effect.Effect<unknown, unknown, Services | Scope.Scope>, unknown, never>,
  timeoutMillis?: number
) => void

/** Registers tests that are given more than the services and a tenant. */
export const itWith =
  <More>(
    it: StorageTest,
    more: (all: Given) => Effect.Effect<More, unknown, Services | Scope.Scope>
  ): StorageTest<More> =>
  (title, test) =>
    it(title, function* (all) {
      const its = { ...all, ...(yield* more(all)) }
      yield* Effect.gen(() => test(its))
    })

/** A part of the suite. No function, which could be given a runner of tests that ignores what a test returns. */
export interface Chapter {
  readonly name: string
  readonly tests: (it: StorageTest) => void
}

/** Its tests have the storage under test and a tenant of their own. */
export const chapter = (name: string, tests: Chapter["tests"]): Chapter => ({ name, tests })

export const register = (it: Vitest.MethodsNonLive<Services>, { name, tests }: Chapter): void => {
  describe(name, () =>
    tests((title, test, timeoutMillis) =>
      it.effect(title, () => Effect.flatMap(given, (all) => Effect.gen(() => test(all))), timeoutMillis)
    )
  )
}
