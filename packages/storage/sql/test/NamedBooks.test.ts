/** Which of the payments that were read a message about a charge is about. */
import { describe, expect, it } from "@effect/vitest"
import { mostNamed } from "@pointsman/core/internal"
import { Ids, ofCharge, type PaymentBook } from "@pointsman/core/ports"
import { Effect } from "effect"
import { newChange } from "./Given.ts"

const charge = { connectionId: "first", providerRef: "ch-1" }

/** A payment with an attempt of the reference. */
const naming = Effect.fnUntraced(function* (providerRef: string) {
  const { attempts, payment } = yield* newChange()
  const named = attempts.map((one) => ({ ...one, ...charge, providerRef }))
  return { payment: payment.after, attempts: named, operations: [], refunds: [] } satisfies PaymentBook
}, Effect.provide(Ids.layer))

const idsOf = (books: ReadonlyArray<PaymentBook>) => books.map(({ payment }) => payment.id)

describe("the payments of a charge", () => {
  for (const [count, others] of [
    [mostNamed - 1, 0],
    [mostNamed, 1]
  ] as const) {
    it.effect(`of ${count} read names one that is still named comes with ${others} others`, () =>
      Effect.gen(function* () {
        const renamed = yield* Effect.forEach(Array(count - 1), () => naming("ch-2"))
        const own = yield* naming("ch-1")
        expect(idsOf(ofCharge([...renamed, own], charge))).toEqual(idsOf([own, ...renamed.slice(0, others)]))
      })
    )
  }

  it.effect("only the one that has it is meant of as many as may be read", () =>
    Effect.gen(function* () {
      const others = yield* Effect.forEach(Array(mostNamed), () => naming("ch-1"))
      const { payment, ...book } = yield* naming("ch-1")
      const own = { ...book, payment: { ...payment, ...charge } }
      expect(ofCharge([...others, own], charge)).toEqual([own])
    })
  )

  it.effect("none is meant if as many as may be read no longer name it", () =>
    Effect.gen(function* () {
      const renamed = yield* Effect.forEach(Array(mostNamed), () => naming("ch-2"))
      expect(ofCharge(renamed, charge)).toEqual([])
    })
  )
})
