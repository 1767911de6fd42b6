/**
 * Everything comes to rest: requests have stopped, store, provider and endpoints are well, and days pass. All processes
 * end, as after a last restart, and one is left that looks at what is due.
 */
import { statusOf } from "@pointsman/core"
import { Effect } from "effect"
import type { Acting } from "./outside/Outside.ts"
import type { Plan } from "./Plan.ts"
import type { ReportReading } from "./ReadReports.ts"
import { day, hour, minute } from "./Time.ts"
import { isAtRest } from "./Truth.ts"
import { redeliverAll } from "./Workload.ts"
import { callers, type World } from "./World.ts"

/** Between two looks at what is due: a chain of lookups takes several, and what a provider accepted may take a day. */
const looks: ReadonlyArray<number> = [
  ...Array<number>(3).fill(10 * minute),
  ...Array<number>(6).fill(hour),
  ...Array<number>(16).fill(12 * hour)
]

/** When nothing is open any more, the background still has every chance to spoil it. */
const looksAfterwards: ReadonlyArray<number> = [day, day]

export interface Resting {
  readonly world: World
  readonly plan: Plan
  readonly outside: Acting
  readonly reading: ReportReading
  /** The step in which every report is read. */
  readonly lastStep: number
}

export const comeToRest = async ({ lastStep, outside, plan, reading, world }: Resting): Promise<void> => {
  // Waiting and frozen processes continue in the middle of it.
  await world.time.pass(30 * minute)
  plan.endFaults()
  await world.time.pass(20 * minute)
  const restart = () => {
    for (const process of world.alive()) process.die()
    return world.start({ backgroundEveryMillis: 12 * hour })
  }
  let last = restart()
  await outside.end(last)
  const look = (millis: number) => {
    last.ask((pointsman) => Effect.repeat(pointsman.checkDue, { while: (count) => count > 0 }))
    return world.time.pass(millis)
  }
  for (const millis of looks) {
    await look(millis)
    if (world.time.expected() === 0 && (await world.run(isNothingOpen(world)))) break
  }
  await outside.endAfterAll(last)
  // Processes die and stores fail while reports are read; then one reads those again that were not read to the end.
  if (reading.isReading) {
    plan.step(lastStep)
    plan.note("every report is read")
    plan.endFaults(false)
    await reading.readAll()
    plan.endFaults()
    await world.time.pass(20 * minute)
    last = restart()
    await reading.readAll()
  }
  for (const millis of looksAfterwards) await look(millis)
  // Every event is to arrive: what an endpoint refused while it was unwell is asked for again.
  for (const { tenant } of callers) last.ask(redeliverAll(tenant))
  await world.time.pass(hour)
}

const isNothingOpen = Effect.fnUntraced(function* ({ deliveries, ledger }: World) {
  for (const { tenant } of callers) {
    for (const { refundPendingMinor, review, state } of yield* ledger.payments(tenant, { limit: 100 })) {
      // Only a person ends what a mismatch left unknown.
      const isLeft = review?.reasons.includes("amount_mismatch") === true && statusOf[state] === "UNKNOWN"
      if ((!isAtRest(state) && !isLeft) || refundPendingMinor > 0) return false
    }
    const disputes = yield* ledger.disputes(tenant, { limit: 100 })
    if (disputes.some(({ checkAt }) => checkAt !== null)) return false
    for (const state of ["Due", "Sending"] as const) {
      if ((yield* deliveries.list(tenant, { state, limit: 1 })).length > 0) return false
    }
  }
  return true
})
