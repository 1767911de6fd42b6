/** The store fails as the outcome of a capture, a void or a refund is written, and its client is not to notice. */
import { Unanswered } from "@pointsman/core/ports"
import type { CommitFault } from "@pointsman/core/testing"
import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { stepOf } from "./support/Faults.ts"
import {
  answerOf,
  authorized,
  captured,
  expectOutcome,
  type OperationName,
  type Outcome,
  operate,
  refundOf,
  type Told,
  toldOfAuthorization,
  toldOfCapture
} from "./support/Payments.ts"
import { stores } from "./support/Stores.ts"
import { usedWorld } from "./support/UsedWorld.ts"
import type { World } from "./support/World.ts"

const idempotencyKey = "the-key-that-is-tried-again"

interface Expected {
  readonly outcome: Outcome
  readonly told: ReadonlyArray<Told>
}

/** The state and the timeline of a payment, before the operation and after each end of it. */
interface Course {
  readonly untouched: Expected
  readonly confirmed: Expected
  readonly silent: Expected
}

const held: Expected = { outcome: { status: "AUTHORIZED" }, told: toldOfAuthorization }
const taken: Expected = { outcome: { status: "CAPTURED", captured_amount: 1000 }, told: toldOfCapture }
const reserved = { ...taken.outcome, refund_pending_amount: 1000 }

const courses: Record<OperationName, Course> = {
  capture: {
    untouched: held,
    confirmed: { outcome: taken.outcome, told: [...toldOfAuthorization, ["payment.captured"]] },
    silent: { outcome: { status: "UNKNOWN" }, told: [...toldOfAuthorization, ["payment.capture_unknown"]] }
  },
  void: {
    untouched: held,
    confirmed: { outcome: { status: "CANCELLED" }, told: [...toldOfAuthorization, ["payment.cancelled"]] },
    silent: { outcome: { status: "UNKNOWN" }, told: [...toldOfAuthorization, ["payment.void_unknown"]] }
  },
  refund: {
    untouched: taken,
    confirmed: {
      outcome: { status: "REFUNDED", captured_amount: 1000, refunded_amount: 1000 },
      told: [...toldOfCapture, ["payment.refunded", refundOf(1000, 1000, 0)]]
    },
    silent: { outcome: reserved, told: [...toldOfCapture, ["payment.refund_unknown", refundOf(1000, 0, 1000)]] }
  }
}

type Saying = "confirmed" | "refused" | "no answer"

const say = ({ provider }: World, saying: Saying): void => {
  if (saying === "confirmed") return
  const end =
    saying === "refused"
      ? Effect.succeed({ _tag: "Rejected" as const, code: "E1", message: "Not now." })
      : Effect.fail(new Unanswered({ reason: "timed out" }))
  provider.onCapture = () => end
  provider.onVoid = () => end
  provider.onRefund = () => end
}

const asked = ({ provider }: World): number =>
  provider.captures.length + provider.voids.length + provider.refunds.length

/** Lets the commits of an outcome fail: the first one alone, or all of them. */
const fail = (world: World, fault: CommitFault, times = Number.POSITIVE_INFINITY): void => {
  let left = times
  world.ledger.onCommit = (_number, change) => {
    if (stepOf(change) !== "settle" || left === 0) return undefined
    left -= 1
    return fault
  }
}

const begin = (world: World, name: OperationName) => (name === "refund" ? captured(world) : authorized(world))

const ofName = (fault: CommitFault) => (typeof fault === "object" ? `late by ${fault.landsAfter} ms` : fault)

describe.each(stores)("over %s", (_name, store) => {
  const world = usedWorld(store, { servers: 2, testClock: true })

  const send = (name: OperationName, id: string) => world.runOut(operate(world, name, id, { idempotencyKey }))
  const expectThat = (id: string, { outcome, told }: Expected) => expectOutcome(world, id, outcome, told)

  for (const [name, course] of Object.entries(courses) as Array<[OperationName, Course]>) {
    describe(`the last commit of a ${name}`, () => {
      for (const fault of ["unwritten", "lost", "unheard", { landsAfter: 10 }] satisfies ReadonlyArray<CommitFault>) {
        for (const saying of ["confirmed", "refused", "no answer"] as const) {
          test(`one ${ofName(fault)} commit is not visible when the provider said ${saying}`, async () => {
            const id = await begin(world, name)
            say(world, saying)
            fail(world, fault, 1)
            const first = await send(name, id)
            const answers = { confirmed: "200", refused: "502 psp_error", "no answer": `502 ${name}_result_unknown` }
            expect(answerOf(first)).toBe(answers[saying])
            await world.adjust(2000)
            await expectThat(
              id,
              { confirmed: course.confirmed, refused: course.untouched, "no answer": course.silent }[saying]
            )
            expect(asked(world)).toBe(1)
            if (saying === "refused" && name !== "refund") return
            const retry = await send(name, id)
            expect([retry.status, retry.body]).toEqual([first.status, first.body])
            expect(asked(world)).toBe(1)
          })
        }
      }
    })
  }
})
