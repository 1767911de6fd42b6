import { describe, expect, it } from "@effect/vitest"
import { Ids } from "@pointsman/core/ports"
import { Effect } from "effect"
import { drawnChange } from "../src/DrawnChange.ts"
import { makeGatheringLine } from "../src/GatheringLine.ts"
import { newChange } from "./Given.ts"

describe("makeGatheringLine", () => {
  it.live(
    "given fast statements that are full, then the next take more; and given a slow one, then they take few",
    () =>
      Effect.gen(function* () {
        const line = makeGatheringLine({ answerMillis: 10_000 }, () => {})
        for (let count = 0; count < 200; count++) {
          const change = yield* newChange()
          yield* Effect.forkChild(line.join(drawnChange(change, []), [change.payment.after.id]), {
            startImmediately: true
          })
        }
        const taken = (tookMillis: number) => {
          const batch = line.take()
          line.release(batch, tookMillis)
          return batch.length
        }
        expect([taken(10), taken(10), taken(10), taken(10)]).toEqual([8, 16, 32, 64])
        // 50 milliseconds for each of them: four in the time that a statement may take.
        expect([taken(3_200), taken(150), taken(150)]).toEqual([64, 4, 4])
        // One that takes longer than that goes by itself.
        expect([taken(2_000), taken(300), taken(10), taken(10)]).toEqual([4, 1, 1, 2])
      }).pipe(Effect.provide(Ids.layer))
  )
})
