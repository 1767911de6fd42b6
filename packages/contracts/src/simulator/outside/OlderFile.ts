/**
 * A newer configuration file is rolled out, and processes still start with an older one. What the newer file removed
 * stays removed, and what it added keeps working: its key works, and its endpoints receive every event.
 */
import { type Event, formatApiKey } from "@pointsman/core"
import { Effect, Exit, Schedule } from "effect"
import { drawFrom } from "../Draw.ts"
import { type ApplyFile, callers, endpoints, lateEndpoints, urlOf, worldFile } from "../Furnish.ts"
import type { MortalProcess } from "../MortalProcess.ts"
import type { Fault } from "../Plan.ts"
import { readAll } from "../ReadAll.ts"
import { second } from "../Time.ts"
import { tagOf } from "../Words.ts"
import type { World } from "../World.ts"
import { nothingActs, nothingOutside, type Outside, type OutsideOptions, type Running } from "./Outside.ts"

const keyWith = (byte: number): string => formatApiKey("production", new Uint8Array(64).fill(byte))
const removedKey = keyWith(1)
const newKey = keyWith(2)

const fileStream = -7

/** How many of the processes that start after a roll-out have an older file. */
const olderShare = 0.6

/** What is asked of a process that serves, and what it may answer. */
const asked = [
  { key: removedKey, words: "the key that a newer file removed", isTaken: false },
  { key: newKey, words: "the key of the newer file", isTaken: true }
]

export const startingWithOlderFiles = (apply: ApplyFile, { plan, seed, steps }: OutsideOptions): Outside => {
  const draw = drawFrom(seed, fileStream)
  const files = filesOf(draw.chance(0.5))
  const rolledOutAt = [2 + draw.below(Math.ceil(steps / 2)), draw.chance(0.5) ? steps - draw.below(4) : null]
  /** The newest file that is rolled out, and the newest that a process applied. */
  let newest = 0
  let applied = 0
  /** What was written before the newer file was surely applied. */
  let before: ReadonlySet<string> | undefined
  const wrong: Array<string> = []

  const starting = Effect.suspend(() => {
    const older = plan.fault(newest === 0 ? 0 : olderShare, (drawn): Fault<number> => {
      const is = drawn.below(newest)
      return { is, words: `a process starts with file ${is + 1} of ${newest + 1}` }
    })
    const number = older ?? newest
    return Effect.map(apply(files[number] ?? files[0]), () => {
      applied = Math.max(applied, number)
    })
  }).pipe(
    // As a supervisor does, which starts what did not come up.
    Effect.retry(Schedule.spaced(second)),
    Effect.orDie
  )

  const askFor = (process: MortalProcess, onAnswer: () => void = () => {}) => {
    for (const { isTaken, key, words } of asked) {
      process.ask(
        (pointsman) => pointsman.authenticate(key),
        (exit) => {
          const isRefused = Exit.isFailure(exit) && tagOf(exit.cause) === "pointsman/KeyRefused"
          if (isTaken ? isRefused : Exit.isSuccess(exit)) wrong.push(`${words} is ${isTaken ? "refused" : "taken"}`)
          if (Exit.isSuccess(exit) || isRefused) onAnswer()
        }
      )
    }
  }

  const begin = async ({ start, world }: Running) => {
    let answers = 0
    await world.run(apply(files[0]))
    return {
      ...nothingActs,
      before: async (step: number) => {
        if (applied > 0) {
          before ??= new Set((await eventsOf(world)).map(({ id }) => id))
          for (const process of world.alive()) askFor(process)
        }
        if (!rolledOutAt.includes(step)) return
        if (plan.fault(1, () => ({ is: true, words: "a newer file is rolled out" })) !== true) return
        // A file that no process applied is older than nothing.
        newest = applied + 1
        world.alive()[0]?.die()
        start()
      },
      endAfterAll: async (process: MortalProcess) => {
        if (applied > 0) askFor(process, () => void answers++)
      },
      judge: async () => {
        if (applied > 0 && answers !== asked.length) wrong.push("no process answered which keys are taken")
        if (before === undefined) return wrong
        const late = (await eventsOf(world)).filter(({ id }) => before?.has(id) === false)
        return [...wrong, ...late.flatMap((event) => undelivered(world, event))]
      }
    }
  }
  return { ...nothingOutside, starting, begin }
}

/**
 * The first file, one that replaces its key and has more endpoints, and one that names the removed key once more.
 * `areNumbered`: whether they say which is newer.
 */
const filesOf = (areNumbered: boolean) => {
  const file = (number: number) => (areNumbered ? number : null)
  const all = [...endpoints, ...lateEndpoints]
  return [
    worldFile(file(1), [removedKey], endpoints),
    worldFile(file(2), [newKey], all),
    worldFile(file(3), [newKey, removedKey], all)
  ] as const
}

const eventsOf = async (world: World): Promise<ReadonlyArray<Event>> =>
  (await Promise.all(callers.map(({ tenant }) => world.run(readAll(world, tenant))))).flatMap(({ events }) => events)

/** What an endpoint of the newer file has not received. */
const undelivered = ({ receiver }: World, { data, id, type }: Event): ReadonlyArray<string> =>
  lateEndpoints.flatMap((endpoint) => {
    if (endpoint.environment !== data["environment"]) return []
    const url = urlOf(endpoint.id)
    const isReceived = receiver.received.some((one) => one.url === url && one.eventId === id)
    return isReceived ? [] : [`${url} of the newer file never received ${type} ${id}`]
  })
