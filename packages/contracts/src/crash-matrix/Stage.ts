/** The world of one run: a store, a provider with a script, and processes of Pointsman that follow one another. */
import type { Pointsman } from "@pointsman/core"
import type { ConnectorDefinition } from "@pointsman/core/ports"
import type { Effect, Exit } from "effect"
import type { MortalProcess } from "../simulator/MortalProcess.ts"
import { readAll } from "../simulator/ReadAll.ts"
import { minute, second } from "../simulator/Time.ts"
import { makeWorld, production, type Storage, type World } from "../simulator/World.ts"
import type { Rest } from "./Judge.ts"
import { makePointLabels } from "./PointLabels.ts"
import { scriptProvider } from "./ScriptedProvider.ts"

/** What a run runs on. */
export interface Ground {
  /** One is built for each run. */
  readonly storage: Storage
  /** A connector around the provider's, to show that the matrix finds what a connector does wrong. */
  readonly connector?: ((definition: ConnectorDefinition) => ConnectorDefinition) | undefined
}

export type Stage = Awaited<ReturnType<typeof openStage>>

export interface Process {
  readonly isDead: () => boolean
  /** Asks, and lets the time pass that an answer takes; `undefined` where the process ended before it. */
  readonly ask: <A, E>(
    work: (pointsman: Pointsman["Service"]) => Effect.Effect<A, E>
  ) => Promise<Exit.Exit<A, E> | undefined>
}

/** An answer takes no longer than a provider's time-out, and what core adds to it. */
const longestAnswerMillis = minute

/** What was on its way to the store arrives after a client that asks again at once. */
const lateCommitMillis = 2 * second

const newcomer = (life: Life) => ({ life, labels: makePointLabels(), process: undefined as MortalProcess | undefined })

/** Beyond the process: it dies before it hears of anything more. */
const diesAt = ({ life, process }: ReturnType<typeof newcomer>, point: string): boolean => {
  const isEnd = life.endsAt(point)
  if (isEnd) process?.die()
  return isEnd
}

export const openStage = async ({ connector = (own) => own, storage }: Ground) => {
  let current = newcomer(lifeUntil(null))
  const scripted = scriptProvider(() => world.provider)
  const world: World = await makeWorld({
    storage,
    handlingOf: scripted.handlingOf,
    lookUpOf: scripted.lookUpOf,
    reached: (definition) => {
      const its = current
      return connector(scripted.reached(definition, (then) => diesAt(its, its.labels.between("request", then))))
    },
    hooks: {
      onBoundary: (boundary) => {
        const point = current.labels.of(boundary)
        return point !== undefined && current.life.endsAt(point) ? "dies" : undefined
      },
      onStorage: (crossing) =>
        crossing === "ledger.commit" && diesAt(current, current.labels.between("commit", "on its way"))
          ? { landsAfter: lateCommitMillis }
          : undefined
    }
  })
  const { provider, time } = world

  /** Another process, where the one before is dead or has nothing more to do. */
  const start = async (life: Life): Promise<Process> => {
    current = newcomer(life)
    const started = world.start()
    current.process = started
    await time.settle()
    return {
      isDead: started.isDead,
      ask: async (work) => {
        let end: Exit.Exit<Effect.Success<ReturnType<typeof work>>, Effect.Error<ReturnType<typeof work>>> | undefined
        started.ask(work, (exit) => {
          end = exit
        })
        await time.settle()
        // Not a moment longer than it takes: what is on its way when it dies is still on its way when it returns.
        for (let waited = 0; waited < longestAnswerMillis; waited += second) {
          if (end !== undefined || started.isDead()) break
          await time.pass(second)
        }
        return end
      }
    }
  }

  const records = async (): Promise<Rest["records"]> => {
    const { books, disputes, events } = await world.run(readAll(world, production.tenant))
    const of = <A extends { readonly paymentId: string }>(all: ReadonlyArray<A>, id: string) =>
      all.filter(({ paymentId }) => paymentId === id)
    return books.map((book) => {
      const { id } = book.payment
      return { ...book, events: of(events, id), disputes: of(disputes, id) }
    })
  }

  return { provider, scripted, time, start, records, close: world.end }
}

// The points of one process's life: whatever it does to the outside is one before it and one after it. Which points
// there are the run itself tells, so a new call in core is a new point without anybody naming it here.

export interface Life {
  /** The points that it came to, in order; where it ended, the last one is the end. */
  readonly points: ReadonlyArray<string>
  /** `true` where the life ends at this point. */
  readonly endsAt: (point: string) => boolean
}

/** A life that ends at its n-th point, counted from 1; `null` for one without an end. */
export const lifeUntil = (end: number | null): Life => {
  const points: Array<string> = []
  const times = new Map<string, number>()
  return {
    points,
    endsAt: (point) => {
      // Nothing comes after the end.
      if (points.length === end) return false
      const time = (times.get(point) ?? 0) + 1
      times.set(point, time)
      points.push(time === 1 ? point : `${point} (${time})`)
      return points.length === end
    }
  }
}
