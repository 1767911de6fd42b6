/**
 * What follows an attempt: every cell of `docs/reference/next-steps.md` is a payment here in each mode, for each attempt.
 * The page is generated from the code, so it is read as what the code promises; the provider's log says what it did.
 */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { type CaptureMethod, Pointsman, type RoutingMode, routingModes, statusOf } from "@pointsman/core"
import { type AttemptEnd, isFollowed, mayFollow, nothingExecuted } from "@pointsman/core/internal"
import { type ChargeAnswer, type ChargeEnd, NotSent, Unanswered } from "@pointsman/core/ports"
import { approve } from "@pointsman/core/testing"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { itIn, itRuns } from "./support/ItIn.ts"
import { caller, request, tenant, world } from "./support/World.ts"

type End = Effect.Effect<ChargeAnswer, NotSent | Unanswered>
const held = { providerRef: "r1" }
const stated = (minorUnits: number, currency: string): End =>
  Effect.succeed({ _tag: "Captured", ...held, stated: { minorUnits, currency } })
const declined = { _tag: "Declined", providerRef: null, category: "do_not_honor", code: "05" } as const
const softly: End = Effect.succeed({ ...declined, soft: true })
const rejected: End = Effect.succeed({ _tag: "Rejected", code: "E1", message: "Not now." })
const unanswered: End = Effect.fail(new Unanswered({ reason: "timed out" }))

const tooOld = "Too old to be sent"
/** What the provider does for each line of the page; the amount asked for is 19.99 EUR. */
const ends: Readonly<Record<string, End>> = {
  Captured: Effect.succeed({ _tag: "Captured", ...held }),
  "Authorized, to be captured by the merchant": Effect.succeed({ _tag: "Authorized", ...held }),
  "Authorized, asked to capture": Effect.succeed({ _tag: "Authorized", ...held }),
  "Accepted, and not done yet": Effect.succeed({ _tag: "Pending", ...held }),
  "Captured, and more is stated than was asked": stated(2000, "EUR"),
  "Captured, and another currency is stated": stated(1999, "USD"),
  "Hard decline": Effect.succeed({ ...declined, soft: false }),
  "Soft decline": softly,
  "The customer is needed": Effect.succeed({ _tag: "NeedsCustomer", providerRef: null }),
  "Canceled at the provider": Effect.succeed({ _tag: "Canceled", providerRef: null }),
  "Rejected: the provider says that it did nothing": rejected,
  "Not sent: no byte of it left": Effect.fail(new NotSent({ reason: "the connection was refused" })),
  "Unanswered: unknown result": unanswered,
  [tooOld]: Effect.die("it was sent")
}

interface Cell {
  readonly mode: RoutingMode
  readonly ended: string
  readonly number: number
  readonly maxAttempts: number
  readonly says: string
}

const page = readFileSync(new URL("../../../docs/reference/next-steps.md", import.meta.url), "utf8")
const [, , ...rows] = page
  .split("\n")
  .filter((line) => line.startsWith("|"))
  .map((line) => line.split("|").map((cell) => cell.trim()))

const nextConnection = "the next connection"
/** Each attempt of as many as the route allows. */
const attempts = [1, 2, 3].flatMap((maxAttempts) =>
  Array.from({ length: maxAttempts }, (_, at) => ({ maxAttempts, number: at + 1 }))
)
/** The page has a row for all attempts in all modes. */
const cells: ReadonlyArray<Cell> = rows.flatMap(([, ended = "", followedIn = "", otherwise = ""]) =>
  routingModes.flatMap((mode) =>
    attempts
      .filter(({ maxAttempts }) => (mode === "fixed") === (maxAttempts === 1))
      .map(({ maxAttempts, number }) => {
        const isFollowed = number < maxAttempts && followedIn.split(", ").includes(`\`${mode}\``)
        return { mode, ended, number, maxAttempts, says: isFollowed ? nextConnection : otherwise }
      })
  )
)

/** A payment whose attempt of that number ends so, and whose earlier ones all ended as given. */
const pay = ({ ended, maxAttempts, mode, number }: Cell, earlier: End) =>
  Effect.suspend(() => {
    const captureMethod: CaptureMethod = ended.endsWith("by the merchant") ? "manual" : "automatic"
    const { ledger, layer, provider } = world({
      // One more than may be asked, so that it is not for want of a connection that none follows.
      connections: ["a", "b", "c", "d"].map((id) => ({ id })),
      routing: { mode, maxAttempts: mode === "fixed" ? 3 : maxAttempts }
    })
    provider.onCharge = (charge) => {
      const asked = provider.charges.length
      if (asked < number) return earlier
      return asked === number ? (ends[ended] ?? Effect.die(`nothing is known of: ${ended}`)) : approve(charge)
    }
    if (ended === tooOld) ledger.onCommit = (commit) => (commit === number ? 5_001 : undefined)
    return Effect.gen(function* () {
      const pointsman = yield* Pointsman
      const created = yield* Effect.forkChild(
        Effect.exit(pointsman.create(caller, request({ details: { captureMethod } })))
      )
      yield* TestClock.adjust(5_001)
      yield* Fiber.join(created)
      const [payment] = (yield* pointsman.payments(tenant, { limit: 10 })).items
      const { length } = provider.charges
      assert.lengthOf(new Set(provider.charges.map(({ connectionId }) => connectionId)), length)
      assert.lengthOf(new Set(provider.charges.map(({ attemptId }) => attemptId)), length)
      if (ended !== tooOld) assert.strictEqual(ledger.calls.commit, length + 1)
      return { calls: length, status: payment === undefined ? "none" : statusOf[payment.state] }
    }).pipe(Effect.provide(layer))
  })

const sentBy = (ended: string, number: number) => (ended === tooOld ? number - 1 : number)

describe("the table of next steps", () => {
  it("the page has every end once, and no mode that does not exist", () => {
    assert.deepStrictEqual(rows.map(([, ended = ""]) => ended).toSorted(), Object.keys(ends).toSorted())
    const named = rows.flatMap(([, , followedIn = ""]) => followedIn.match(/\w+/gu) ?? [])
    assert.deepStrictEqual(new Set(named), new Set(["priority", "failover", "auto"]))
    assert.lengthOf(cells, Object.keys(ends).length * (1 + 3 * 5))
  })

  for (const mode of routingModes) {
    for (const ended of Object.keys(ends)) {
      itRuns(`mode ${mode} after ${ended} follows the table`, function* () {
        const mine = cells.filter((cell) => cell.mode === mode && cell.ended === ended)
        for (const cell of mine) {
          const [says = "", afterDecline = says] = cell.says.split("; ")
          const status = (text: string) => text.replace(/^`([A-Z]+)`.*$/u, "$1")
          const isFollowed = says === nextConnection
          const expected = (text: string) =>
            isFollowed
              ? { calls: cell.number + 1, status: "CAPTURED" }
              : { calls: sentBy(ended, cell.number), status: status(text) }
          assert.deepStrictEqual(yield* pay(cell, rejected), expected(says), JSON.stringify(cell))
          // Earlier declines exist only in modes that go on after one.
          if (cell.number === 1 || mode === "priority") continue
          assert.deepStrictEqual(yield* pay(cell, softly), expected(afterDecline), JSON.stringify(cell))
        }
      })
    }
  }

  for (const mode of routingModes) {
    const connections = Array.from({ length: 20 }, (_, at) => ({ id: `c${at}` }))
    const wide = world({ connections, routing: { mode, maxAttempts: 20 } })
    itIn(`none of 20 connections is asked in mode ${mode} after a first without an answer`, wide, function* () {
      wide.provider.onCharge = () => unanswered
      const { payment } = yield* (yield* Pointsman).create(caller, request())
      assert.deepStrictEqual([wide.provider.charges.length, statusOf[payment.state]], [1, "UNKNOWN"])
    })
  }

  const hard: End = Effect.succeed({ ...declined, code: "54", soft: false })
  for (const [name, first, second, state, declineReason] of [
    ["the last decline", softly, Effect.succeed({ ...declined, code: "61", soft: true }), "Declined", "61"],
    ["a decline before a rejection", softly, rejected, "Declined", "05"],
    ["a decline after a rejection", rejected, hard, "Declined", "54"],
    ["an error after two rejections", rejected, rejected, "Failed", "provider_error"],
    ["an unknown result after a rejection", rejected, unanswered, "ChargeUnknown", null]
  ] as const) {
    const route = world({ routing: { mode: "failover", maxAttempts: 3 } })
    itIn(`${name} is the outcome of fewer connections than attempts`, route, function* ({ provider }, pointsman) {
      provider.onCharge = ({ connectionId }) => (connectionId === "main" ? first : second)
      const { payment } = yield* pointsman.create(caller, request())
      assert.deepInclude(payment, { state, declineReason })
      assert.lengthOf(provider.charges, 2)
    })
  }
})

describe("what may be followed, by its type", () => {
  const notSent = new NotSent({ reason: "the connection was refused" })
  /** The tags of all ends that `mayFollow` takes. */
  type Followed = Parameters<typeof mayFollow>[1]["_tag"]

  it("asking after ends that certainly executed nothing compiles", () => {
    assert.isTrue(mayFollow("failover", { _tag: "Declined", soft: true }))
    assert.isTrue(mayFollow("failover", { _tag: "Rejected", code: "E1", message: "Not now." }))
    assert.isTrue(mayFollow("failover", notSent))
    const followed: ReadonlyArray<Followed> = ["Declined", "Rejected", "pointsman/NotSent"]
    assert.lengthOf(followed, 3)
  })

  it("asking after any other end does not compile", () => {
    const soft: boolean = declined.code === "05"
    // Never called: these lines are for the compiler, which fails where one of them is no mistake any more.
    const mistakes = () => [
      // @ts-expect-error a hard decline is the outcome.
      mayFollow("failover", { ...declined, soft: false }),
      // @ts-expect-error a decline of which nobody looked whether it is soft.
      mayFollow("failover", { ...declined, soft }),
      // @ts-expect-error it was executed.
      mayFollow("failover", { _tag: "Authorized", providerRef: "r1" }),
      // @ts-expect-error it was executed.
      mayFollow("failover", { _tag: "Captured", providerRef: "r1" }),
      // @ts-expect-error it is being executed.
      mayFollow("failover", { _tag: "Pending", providerRef: "r1" }),
      // @ts-expect-error the customer may be at it.
      mayFollow("failover", { _tag: "NeedsCustomer", providerRef: null }),
      // @ts-expect-error an outcome.
      mayFollow("failover", { _tag: "Canceled", providerRef: null })
    ]
    assert.isFunction(mistakes)
    // @ts-expect-error an unanswered attempt may have been executed.
    const silence: Followed = "pointsman/Unanswered"
    // @ts-expect-error an end of whichever kind has to be looked at first.
    const whichever: Followed = notSent._tag as ChargeEnd["_tag"]
    assert.notStrictEqual<string>(silence, whichever)
  })

  it("nothing follows a checkout that was opened, in any mode", () => {
    const opened: AttemptEnd = { _tag: "CheckoutOpened", reference: "co", url: "https://p.example", expiresAt: null }
    assert.isUndefined(nothingExecuted(opened))
    for (const mode of routingModes) assert.isFalse(isFollowed({ mode, maxAttempts: 20 }, 1, opened))
  })
})
