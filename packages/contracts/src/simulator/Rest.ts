/**
 * Everything comes to rest: nobody asks any more, store, provider and endpoints are well, and days pass. All processes
 * end, as after a last restart, and one is left that looks at what is due.
 */
import { Effect } from "effect"
import type { Plan } from "./Plan.ts"
import { redeliverAll } from "./Workload.ts"
import { callers, type World } from "./World.ts"

const minute = 60_000
const hour = 60 * minute

/** Between two looks at what is due: a chain of look-ups takes several, and what a provider accepted may take a day. */
const looks: ReadonlyArray<readonly [millis: number, times: number]> = [
  [10 * minute, 3],
  [hour, 6],
  [12 * hour, 16]
]

export const comeToRest = async (world: World, plan: Plan): Promise<void> => {
  // Who waits, and who is frozen, goes on in the middle of it all.
  await world.time.pass(30 * minute)
  plan.endFaults()
  await world.time.pass(20 * minute)
  for (const process of world.alive()) process.die()
  const last = world.start({ backgroundEveryMillis: 12 * hour })
  const sweepAll = () => last.ask((pointsman) => Effect.repeat(pointsman.sweep, { while: (count) => count > 0 }))
  for (const [millis, times] of looks) {
    for (let time = 0; time < times; time++) {
      sweepAll()
      await world.time.pass(millis)
    }
  }
  // Every event is to arrive: what an endpoint refused while it was unwell is asked for again.
  for (const { tenant } of callers) last.ask(redeliverAll(tenant))
  await world.time.pass(hour)
}
