/**
 * The store fails at each commit of a capture, a void and a refund, in each way that a store can. What is answered, what
 * the provider is asked, what a retry under the same key gets, and what is stored in the end.
 */
import { Unanswered } from "@pointsman/core/ports"
import type { CommitFault } from "@pointsman/core/testing"
import { Effect } from "effect"
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest"
import { type Step, stepOf } from "./support/Faults.ts"
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
import { openWorld, type World } from "./support/World.ts"

const idempotencyKey = "the-key-that-is-tried-again"
const minute = 60_000

interface Expected {
  readonly outcome: Outcome
  readonly told: ReadonlyArray<Told>
}

/** The state and the timeline of a payment, before the operation and after each end of it. */
interface Course {
  readonly untouched: Expected
  /** After a refusal that its request was not told. */
  readonly refusedLate: Expected
  readonly inFlight: Expected
  readonly confirmed: Expected
  readonly silent: Expected
  /** What the key is answered while the operation is in flight. */
  readonly meanwhile: string
}

const held: Expected = { outcome: { status: "AUTHORIZED" }, told: toldOfAuthorization }
const waiting: Expected = { outcome: { status: "PENDING" }, told: toldOfAuthorization }
const taken: Expected = { outcome: { status: "CAPTURED", captured_amount: 1000 }, told: toldOfCapture }
const reserved: Outcome = { status: "CAPTURED", captured_amount: 1000, refund_pending_amount: 1000 }

const courses: Record<OperationName, Course> = {
  capture: {
    untouched: held,
    refusedLate: held,
    inFlight: waiting,
    confirmed: { outcome: taken.outcome, told: [...toldOfAuthorization, ["payment.captured"]] },
    silent: { outcome: { status: "UNKNOWN" }, told: [...toldOfAuthorization, ["payment.capture_unknown"]] },
    meanwhile: "409 idempotency_in_progress"
  },
  void: {
    untouched: held,
    refusedLate: held,
    inFlight: waiting,
    confirmed: { outcome: { status: "CANCELLED" }, told: [...toldOfAuthorization, ["payment.cancelled"]] },
    silent: { outcome: { status: "UNKNOWN" }, told: [...toldOfAuthorization, ["payment.void_unknown"]] },
    meanwhile: "409 idempotency_in_progress"
  },
  refund: {
    untouched: taken,
    refusedLate: {
      outcome: taken.outcome,
      told: [
        ...toldOfCapture,
        ["payment.refund_unknown", refundOf(1000, 0, 0)],
        ["payment.refund_failed", { ...refundOf(1000, 0, 0), failure_reason: "Not now." }]
      ]
    },
    inFlight: { outcome: reserved, told: toldOfCapture },
    confirmed: {
      outcome: { status: "REFUNDED", captured_amount: 1000, refunded_amount: 1000 },
      told: [...toldOfCapture, ["payment.refunded", refundOf(1000, 1000, 0)]]
    },
    silent: { outcome: reserved, told: [...toldOfCapture, ["payment.refund_unknown", refundOf(1000, 0, 1000)]] },
    meanwhile: "409 refund_pending"
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

/** Lets the commits of a step fail: the first one alone, or all of them. */
const failAt = (world: World, step: Step, fault: CommitFault, times = Number.POSITIVE_INFINITY): void => {
  let left = times
  world.ledger.onCommit = (_number, change) => {
    if (stepOf(change) !== step || left === 0) return undefined
    left -= 1
    return fault
  }
}

const begin = (world: World, name: OperationName) => (name === "refund" ? captured(world) : authorized(world))

const ofName = (fault: CommitFault) => (typeof fault === "object" ? `late by ${fault.landsAfter} ms` : fault)

describe.each(stores)("over %s", (_name, store) => {
  let world: World
  beforeAll(async () => {
    world = await openWorld(store, { servers: 2, testClock: true })
  })
  beforeEach(() => world.reset())
  afterAll(() => world.close())

  const send = (name: OperationName, id: string) => world.runOut(operate(world, name, id, { idempotencyKey }))
  const expectThat = (id: string, { outcome, told }: Expected) => expectOutcome(world, id, outcome, told)

  for (const [name, course] of Object.entries(courses) as Array<[OperationName, Course]>) {
    describe(`the claim of a ${name}`, () => {
      for (const fault of ["unwritten", "lost", "unheard", { landsAfter: 1000 }] satisfies ReadonlyArray<CommitFault>) {
        test(`a first commit that is ${ofName(fault)} sends nothing, and its key may be reused`, async () => {
          const id = await begin(world, name)
          failAt(world, "claim", fault, 1)
          expect(answerOf(await send(name, id))).toBe("500 internal_error")
          expect(asked(world)).toBe(0)
          await expectThat(id, course.untouched)
          // What is late has had its time by now.
          await world.adjust(2000)
          await expectThat(id, course.untouched)
          expect(answerOf(await send(name, id))).toBe("200")
          expect(asked(world)).toBe(1)
          await expectThat(id, course.confirmed)
        })
      }

      test("a commit without an answer is given back once the store is there; a free key", async () => {
        const id = await begin(world, name)
        let isClaimed = false
        world.ledger.onCommit = () => {
          if (isClaimed) return "unwritten"
          isClaimed = true
          return "unheard"
        }
        world.ledger.canRead = () => !isClaimed
        expect(answerOf(await send(name, id))).toBe("500 internal_error")
        world.reset()
        // Without turning the clock: it is given back as soon as time passes.
        expect(answerOf(await operate(world, name, id, { idempotencyKey }))).toBe(course.meanwhile)
        expect(asked(world)).toBe(0)
        // A database that takes its time begins its next pause after the clock was turned, so it is turned again.
        await vi.waitFor(async () => {
          await world.adjust(2 * minute)
          await expectThat(id, course.untouched)
        })
        expect(answerOf(await send(name, id))).toBe("200")
        await expectThat(id, course.confirmed)
        expect(asked(world)).toBe(1)
      })
    })

    describe(`the last commit of a ${name}`, () => {
      for (const fault of ["unwritten", "lost", "unheard", { landsAfter: 10 }] satisfies ReadonlyArray<CommitFault>) {
        for (const saying of ["confirmed", "refused", "no answer"] as const) {
          test(`one ${ofName(fault)} commit is not visible when the provider said ${saying}`, async () => {
            const id = await begin(world, name)
            say(world, saying)
            failAt(world, "settle", fault, 1)
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

      const ends: ReadonlyArray<readonly [saying: Saying, answer: string, recorded: Expected]> = [
        ["confirmed", "500 state_unconfirmed", course.confirmed],
        ["refused", name === "refund" ? "502 refund_result_unknown" : "500 state_unconfirmed", course.refusedLate],
        ["no answer", name === "refund" ? "502 refund_result_unknown" : "500 state_unconfirmed", course.silent]
      ]
      for (const [saying, answer, recorded] of ends) {
        test(`${saying} without any commit is ${answer}, and recorded in the end`, async () => {
          const id = await begin(world, name)
          say(world, saying)
          failAt(world, "settle", "unwritten")
          const first = await send(name, id)
          expect(answerOf(first)).toBe(answer)
          if (answer === "500 state_unconfirmed") expect(first.body.error.message).toContain(saying)
          await expectThat(id, course.inFlight)
          expect(answerOf(await send(name, id))).toBe(course.meanwhile)

          world.ledger.onCommit = () => undefined
          await world.adjust(minute)
          await vi.waitFor(() => expectThat(id, recorded))
          const retry = await send(name, id)
          expect([retry.status, retry.body]).toEqual([first.status, first.body])
          expect(asked(world)).toBe(1)
        })
      }

      test("another process records it as unknown after 15 minutes if one died unwritten", async () => {
        const own = await openWorld(store, { servers: 2, testClock: true })
        const id = await begin(own, name)
        failAt(own, "settle", "unwritten")
        expect(answerOf(await own.runOut(operate(own, name, id, { idempotencyKey })))).toBe("500 state_unconfirmed")
        await own.kill(0)
        own.reset()
        const retry = () => operate(own, name, id, { idempotencyKey, server: 1 })
        expect(answerOf(await retry())).toBe(course.meanwhile)
        await own.adjust(15 * minute)
        for (let times = 0; times < 2; times++) expect(answerOf(await retry())).toBe(`502 ${name}_result_unknown`)
        await expectOutcome(own, id, course.silent.outcome, course.silent.told)
        expect(asked(own)).toBe(0)
        await own.close()
      })
    })
  }
})
