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
        const line = makeGatheringLine({ answerMillis: 100 }, () => {})
        for (let count = 0; count < 300; count++) {
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
        // 20 milliseconds for each of them: ten in the time that a statement may take.
        expect([taken(1_280), taken(150), taken(150)]).toEqual([64, 10, 10])
        // Fewer would not be faster where the disk is slow.
        expect([taken(2_000), taken(300), taken(10), taken(10)]).toEqual([10, 8, 8, 16])
      }).pipe(Effect.provide(Ids.layer))
  )
})
