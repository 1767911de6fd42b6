/** A submission under a clock that jumps ahead: "never received" is not believed before its age. */
import { assert, describe } from "@effect/vitest"
import { Pointsman } from "@pointsman/core"
import { StorageClock, Unanswered } from "@pointsman/core/ports"
import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { answer, begin, day, disputed, keep, read } from "./support/Disputes.ts"
import { itIn } from "./support/ItIn.ts"
import { ahead, given } from "./support/SetClock.ts"

const minute = 60_000
const check = Effect.flatMap(Pointsman, (pointsman) => pointsman.checkDue)
const stageOf = (id: string) => Effect.map(read(id), ({ submissions }) => submissions.at(-1)?.stage)
const unanswered = Effect.fail(new Unanswered({ reason: "no answer" }))

describe("submissions under a clock that jumps ahead", () => {
  for (const clockOf of ["machine", "store"] as const) {
    const early = given()
    const jumped = { agesFrom: null as number | null }
    const layer =
      clockOf === "machine"
        ? early.layer
        : Layer.unwrap(
            Effect.map(Clock.Clock, (base) =>
              Layer.provide(
                early.own.layer,
                Layer.succeed(StorageClock, {
                  clock: ahead(base, () => early.machine.aheadMillis),
                  agesFrom: () => jumped.agesFrom
                })
              )
            )
          )
    itIn(`"never received" waits for its age though the clock of the ${clockOf} jumps days`, { layer }, function* () {
      const { dispute } = yield* disputed()
      yield* keep(dispute.id)
      early.own.provider.onSubmitDispute = () => unanswered
      early.own.provider.onLookUpDispute = () => Effect.succeed({ _tag: "NotFound", conclusive: true })
      yield* answer(dispute.id)
      early.machine.aheadMillis = 2 * day
      jumped.agesFrom = begin + 2 * day
      yield* check
      assert.strictEqual(yield* stageOf(dispute.id), "Unknown")
      yield* TestClock.adjust(30 * minute)
      yield* check
      assert.strictEqual(yield* stageOf(dispute.id), "Refused")
    })
  }
})
