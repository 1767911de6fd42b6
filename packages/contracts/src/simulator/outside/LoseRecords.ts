/**
 * The store loses records, as after a restore or the promotion of a lagging standby: it is put back to an earlier state.
 * The loss is declared as the storages declare it, and a recovery from the provider's lists runs later; it may fail, and
 * is repeated until it ends the loss.
 */

import { StorageSnapshots } from "@pointsman/core/internal"
import { RecordLosses } from "@pointsman/core/ports"
import { Effect } from "effect"
import { drawFrom } from "../Draw.ts"
import type { MortalProcess } from "../MortalProcess.ts"
import { type Contents, readAll } from "../ReadAll.ts"
import { hour, minute, second } from "../Time.ts"
import { callers } from "../World.ts"
import {
  type Acting,
  type LosingFault,
  type Lost,
  nothingActs,
  nothingOutside,
  type Outside,
  type OutsideOptions,
  type Running
} from "./Outside.ts"

/** How much earlier than the last record that is left a storage says that records are missing. */
const marginMillis = 30 * second

/** Recoveries at the end, before the loss counts as one that cannot be ended. */
const recoveriesAtMost = 20

const lossStream = -3
const midnightStream = -6

export const losingRecords = (kind: LosingFault, options: OutsideOptions): Outside => ({
  ...nothingOutside,
  begin: async (running) => {
    // What is repeated after a loss may be of the day before.
    const isBeforeMidnight = drawFrom(options.seed, midnightStream).chance(0.5)
    if (isBeforeMidnight) await running.world.time.pass(23.5 * hour)
    return losing(kind, options, running)
  }
})

const losing = (
  kind: LosingFault,
  { isChosen, plan, seed, steps }: OutsideOptions,
  { start, world }: Running
): Acting => {
  const provided = world.service(StorageSnapshots)
  const snapshots = kind === "restore" || provided?.startsHistory === true ? provided : undefined
  if (snapshots === undefined && isChosen) {
    throw new Error(`the storage provides no StorageSnapshots that put it back to an earlier state as "${kind}" does`)
  }
  const losses = world.service(RecordLosses)
  const draw = drawFrom(seed, lossStream)
  const lossAt = 3 + draw.below(steps - 3)
  const snapshotAt = kind !== "restore" ? lossAt - 1 : 2 + draw.below(lossAt - 2)
  let snapshot: { readonly putBack: Effect.Effect<void>; readonly at: number } | undefined
  let lost: Lost | undefined
  /** The clock of the standby that is promoted. */
  const jumpsBy = kind === "restore" ? 0 : draw.pick([0, 65 * second, 10 * minute])
  let clock: { readonly aheadMillis: number; readonly agesFrom: number | null } = { aheadMillis: 0, agesFrom: null }
  /** `closed`: no call of a process arrives. */
  let state: "first" | "closed" | "replaced" = "first"

  const recover = (process: MortalProcess, since: number | null = null) =>
    process.ask((pointsman) => pointsman.recover({ since, connectionId: null, isDryRun: false }))

  const isOpen = async () => {
    const loss = await world.run(losses.newest)
    return loss !== null && loss.ended === null
  }

  const lose = async ({ at, putBack }: NonNullable<typeof snapshot>) => {
    const alive = kind === "promote-alive" ? [] : world.alive()
    for (const process of alive) process.die()
    state = "closed"
    // What had arrived is written first, and lost with the rest.
    await world.time.settle()
    const before = await Promise.all(callers.map(({ tenant }) => world.run(readAll(world, tenant))))
    await world.run(putBack)
    state = "replaced"
    if (jumpsBy > 0) clock = { aheadMillis: jumpsBy, agesFrom: world.time.now() + jumpsBy }
    const after = await Promise.all(callers.map(({ tenant }) => world.run(readAll(world, tenant))))
    const now = world.time.now()
    lost = { from: at, at: now, ...lostRecordsOf(before, after) }
    await world.run(losses.declare({ since: at - marginMillis, reason: `${kind} of a simulation`, declaredAt: now }))
    for (const _ of alive) start()
    world.time.after(draw.pick([minute, 20 * minute, 3 * hour]), () => {
      const process = world.alive()[0]
      if (process !== undefined && !plan.isOver()) recover(process)
    })
  }

  return {
    ...nothingActs,
    lost: () => lost,
    ...(jumpsBy > 0 ? { storeClock: { aheadMillis: () => clock.aheadMillis, agesFrom: () => clock.agesFrom } } : {}),
    replacements: () => (state === "closed" ? Number.NaN : state === "replaced" ? 1 : 0),
    isMissing: (connectionId) => {
      const loss = lost === undefined ? null : Effect.runSync(losses.newest)
      return loss !== null && loss.ended === null && !loss.recovered.includes(connectionId)
    },
    before: async (step) => {
      if (snapshots === undefined) return
      if (step === snapshotAt) {
        snapshot = { putBack: await world.run(snapshots.take), at: world.time.now() }
      }
      if (step !== lossAt || snapshot === undefined) return
      const { at } = snapshot
      const words = `${kind}: what was written in the last ${(world.time.now() - at) / second} s is lost`
      if (plan.fault(1, () => ({ is: true, words })) === true) await lose(snapshot)
    },
    end: async (process) => {
      for (let tries = 0; tries < recoveriesAtMost && (await isOpen()); tries++) {
        recover(process)
        await world.time.pass(10 * minute)
      }
    },
    // A provider may execute what it had received when the loss is recovered: its message is unmatched, and an operator
    // who sees that recovers once more.
    endAfterAll: async (process) => {
      if (lost === undefined) return
      recover(process, lost.from - marginMillis)
      await world.time.pass(10 * minute)
    }
  }
}

const lostRecordsOf = (before: ReadonlyArray<Contents>, after: ReadonlyArray<Contents>) => {
  const left = after.flatMap(({ books }) => books)
  const versions = new Map(left.map(({ payment: { id, version } }) => [id, version]))
  const eventsLeft = new Set(after.flatMap(({ events }) => events.map(({ id }) => id)))
  const books = before.flatMap((one) => one.books)
  const lost = books.filter(({ payment: { id, version } }) => versions.get(id) !== version)
  // Under the same key an earlier payment, of which nothing was sent, has the same attempt.
  const attempts = new Set(lost.flatMap((book) => book.attempts.map(({ id }) => id)))
  const alike = left.filter((book) => book.attempts.some(({ id }) => attempts.has(id)))
  return {
    payments: new Set([...lost, ...alike].map(({ payment }) => payment.id)),
    events: new Set(before.flatMap(({ events }) => events.flatMap(({ id }) => (eventsLeft.has(id) ? [] : [id])))),
    calls: new Set(books.flatMap((book) => [...book.attempts, ...book.operations, ...book.refunds].map(({ id }) => id)))
  }
}
