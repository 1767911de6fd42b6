/** The world of one run: a store, a provider's books, and processes of Pointsman that follow one another. */
import type { Payment, Pointsman } from "@pointsman/core"
import type { ConnectorDefinition } from "@pointsman/core/ports"
import { Effect, type Exit, Option, Result } from "effect"
import type { MortalProcess } from "../simulator/MortalProcess.ts"
import type { Time } from "../simulator/Time.ts"
import { makeWorld, production, type Storage } from "../simulator/World.ts"
import { type Books, openBooks } from "./Books.ts"
import type { Rest } from "./Judge.ts"
import { makePointLabels, type PointLabels } from "./PointLabels.ts"

/** What a run runs on. */
export interface Ground {
  /** One is built for each run. */
  readonly storage: Storage
  /** A connector around the provider's, to show that the matrix finds what a connector does wrong. */
  readonly connector?: ((definition: ConnectorDefinition) => ConnectorDefinition) | undefined
}

export interface Stage {
  readonly time: Time
  readonly books: Books
  /** The one before has to be dead, or to have nothing more to do. */
  readonly start: (life: Life) => Promise<Process>
  readonly records: () => Promise<Rest["records"]>
  readonly close: () => Promise<void>
}

export interface Process {
  readonly isDead: () => boolean
  /** Asks, and lets the time pass that an answer takes; `undefined` where the process ended before it. */
  readonly ask: <A, E>(
    work: (pointsman: Pointsman["Service"]) => Effect.Effect<A, E>
  ) => Promise<Exit.Exit<A, E> | undefined>
}

/** An answer takes no longer than a provider's time-out, and what core adds to it; in milliseconds. */
const longestAnswerMillis = 60_000

/** What was on its way to the store arrives after a client that asks again at once; in milliseconds. */
const lateCommitMillis = 2_000

interface Newcomer {
  readonly life: Life
  readonly labels: PointLabels
  process: MortalProcess | undefined
}

const newcomer = (life: Life): Newcomer => ({ life, labels: makePointLabels(), process: undefined })

/** Beyond the process: it dies before it hears of anything more. */
const diesAt = ({ life, process }: Newcomer, point: string): boolean => {
  const isEnd = life.endsAt(point)
  if (isEnd) process?.die()
  return isEnd
}

export const openStage = async ({ connector = (own) => own, storage }: Ground): Promise<Stage> => {
  const books = openBooks()
  let current = newcomer(lifeUntil(null))
  const definition: ConnectorDefinition = {
    name: "simulated",
    environments: ["sandbox", "production"],
    supports: {},
    // Each process connects for itself, and its requests are its own, also when it is dead.
    connect: ({ connectionId }) => {
      const its = current
      return Result.succeed(
        books.connectorFor(connectionId, (then) => diesAt(its, its.labels.between("request", then)))
      )
    }
  }
  const world = await makeWorld({
    storage,
    definition: connector(definition),
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
  const { ledger, time } = world

  const recordOf = Effect.fnUntraced(function* ({ id, tenant }: Payment) {
    const book = Option.getOrThrow(yield* ledger.book(tenant, id))
    const events = yield* ledger.timeline(tenant, id, { limit: 500 })
    const disputes = yield* ledger.disputes(tenant, { paymentId: id, limit: 10 })
    return { ...book, events, disputes }
  })

  return {
    time,
    books,
    start: async (its) => {
      current = newcomer(its)
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
          for (let waited = 0; waited < longestAnswerMillis; waited += 1_000) {
            if (end !== undefined || started.isDead()) break
            await time.pass(1_000)
          }
          return end
        }
      }
    },
    records: () =>
      world.run(
        Effect.flatMap(ledger.payments(production.tenant, { limit: 10 }), (payments) =>
          Effect.forEach(payments, recordOf)
        )
      ),
    close: world.end
  }
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
