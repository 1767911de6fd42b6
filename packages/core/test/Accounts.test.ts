/**
 * Whose account a connection's credentials open: what is asked, what is recorded, and that a connection whose account
 * changed takes no new payments.
 */

import { assert, describe } from "@effect/vitest"
import { type Connection, type Payment, Pointsman, RoutingFailed } from "@pointsman/core"
import { Directory, NotSent, Unanswered } from "@pointsman/core/ports"
import { type Duration, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { at, changeCredentials, ours, theirs } from "./support/Accounts.ts"
import { itHere, itIn } from "./support/ItIn.ts"
import { ofAttempt, say } from "./support/Messages.ts"
import { authorized, created, operate, payable, told } from "./support/Operations.ts"
import { attemptsOf, stored } from "./support/Pages.ts"
import { assertFields } from "./support/Steps.ts"
import { caller, request, tenant, type World, world } from "./support/World.ts"

const ask = Effect.flatMap(Pointsman, ({ askAccounts }) => askAccounts)
const wait = TestClock.adjust

const connection = (id: string): Effect.Effect<Connection | undefined, unknown, Directory> =>
  Effect.gen(function* () {
    return (yield* (yield* Directory).connections(tenant)).find((one) => one.id === id)
  })

const standings = Effect.gen(function* () {
  const accounts = yield* (yield* Pointsman).accounts
  return Object.fromEntries(accounts.map(({ connectionId, standing }) => [connectionId, standing]))
})

/** The credentials of `main` become those of another account, which is asked for. */
const becomeTheirs = (own: World) => {
  at(own, theirs)
  return Effect.andThen(changeCredentials("main", '{"key":"theirs"}'), ask)
}

const silence = Effect.fail(new Unanswered({ reason: "no answer" }))

const single = () => world({ connections: [{ id: "main" }] })

describe("the account of a connection", () => {
  itHere("a provider with accounts is asked once, and each new attempt keeps the account", function* (own) {
    at(own, ours)
    const before = yield* created()
    assert.isNull((yield* attemptsOf(before))[0]?.account)
    assert.deepStrictEqual(yield* standings, { backup: "unverified", main: "unverified" })
    yield* ask
    yield* ask
    assert.deepStrictEqual(own.provider.accounts.toSorted(), ["backup", "main"])
    assert.deepStrictEqual((yield* connection("main"))?.account, { first: ours, current: ours, changedAt: null })
    assert.deepStrictEqual(yield* standings, { backup: "verified", main: "verified" })
    assert.deepStrictEqual((yield* attemptsOf(yield* created()))[0]?.account, ours)
    // Nobody is asked for it to create a payment.
    assert.lengthOf(own.provider.accounts, 2)
  })

  itIn("a provider without accounts gets payments as before, and nothing is recorded", single(), function* () {
    yield* ask
    assert.isUndefined((yield* connection("main"))?.account)
    assert.deepStrictEqual(yield* standings, { main: "none" })
    assert.strictEqual((yield* created()).state, "Captured")
  })

  itIn("a provider that does not answer is asked again after a minute, and not before", single(), function* (own) {
    own.provider.onAccount = () => silence
    yield* ask
    yield* wait(59_000)
    yield* ask
    assert.lengthOf(own.provider.accounts, 1)
    assert.deepStrictEqual(yield* standings, { main: "unverified" })
    at(own, ours)
    yield* wait(1_000)
    yield* ask
    assert.lengthOf(own.provider.accounts, 2)
    assert.deepStrictEqual((yield* connection("main"))?.account?.current, ours)
  })

  itIn("a known account counts under other credentials, and while its provider is silent", single(), function* (own) {
    at(own, ours)
    yield* ask
    yield* changeCredentials("main", '{"key":"rotated"}')
    yield* ask
    assert.lengthOf(own.provider.accounts, 2)
    assert.strictEqual((yield* created()).state, "Captured")
    own.provider.onAccount = () => Effect.fail(new NotSent({ reason: "no connection" }))
    const restarted = yield* own.another
    yield* restarted.askAccounts
    assertFields(yield* restarted.accounts, ["current", "standing"], [ours, "unanswered"])
    const payment = yield* Effect.provideService(created(), Pointsman, restarted)
    assert.strictEqual(payment.state, "Captured")
    assert.deepStrictEqual((yield* attemptsOf(payment))[0]?.account, ours)
  })
})

describe("a change of the account", () => {
  itHere("only the connection with another account's credentials takes no new payments", function* (own) {
    at(own, ours)
    yield* ask
    yield* becomeTheirs(own)
    assert.deepStrictEqual(yield* standings, { backup: "verified", main: "changed" })
    const payment = yield* created()
    assert.strictEqual(payment.connectionId, "backup")
    assertFields(payment.routing?.excluded, ["connectionId", "code"], ["main", "ACCOUNT_CHANGED"])
  })

  itIn("creates without another connection are refused, for old and new accounts", single(), function* (own) {
    at(own, ours)
    yield* ask
    yield* becomeTheirs(own)
    const refused = Effect.fnUntraced(function* (pointsman: Pointsman["Service"]) {
      const failure = yield* Effect.flip(pointsman.create(caller, request()))
      assert.instanceOf(failure, RoutingFailed)
      assertFields((failure as RoutingFailed).excluded, "code", "ACCOUNT_CHANGED")
    })
    yield* refused(yield* Pointsman)
    yield* refused(yield* own.another)
    at(own, ours)
    yield* changeCredentials("main", '{"key":"ours again"}')
    const restarted = yield* own.another
    yield* restarted.askAccounts
    assert.deepStrictEqual((yield* connection("main"))?.account?.current, ours)
    yield* refused(restarted)
    assert.lengthOf(own.provider.charges, 0)
  })

  itIn("a late answer to the credentials before is not recorded", single(), function* (own) {
    own.provider.onAccount = () => Effect.as(Effect.sleep(100), ours)
    const asking = yield* Effect.forkChild(ask)
    yield* wait(50)
    yield* becomeTheirs(own)
    yield* wait(50)
    yield* Fiber.join(asking)
    assert.deepStrictEqual((yield* connection("main"))?.account, { first: theirs, current: theirs, changedAt: null })
  })
})

describe("what another account says", () => {
  const never = { _tag: "NotFound", conclusive: true } as const
  const checkAfter = Effect.fnUntraced(function* (duration: Duration.Input) {
    yield* TestClock.adjust(duration)
    yield* Effect.repeat((yield* Pointsman).checkDue, { while: (count) => count > 0 })
  })

  /** A payment of the first account, after which the credentials open another one. */
  const moved = Effect.fnUntraced(function* (
    own: World,
    of: "unanswered" | "authorized" | "captured" | "capturing" | "refunding"
  ) {
    at(own, ours)
    yield* ask
    if (of === "unanswered") own.provider.onCharge = () => silence
    const payment = yield* payable(of === "captured" || of === "refunding" ? "refund" : "capture")
    if (of === "capturing") {
      own.provider.onCapture = ({ providerRef }) => Effect.succeed({ _tag: "Pending", providerRef })
      yield* operate("capture", payment.id)
    }
    if (of === "refunding") {
      own.provider.onRefund = () => Effect.succeed({ _tag: "RefundPending", providerRefundId: "re_1" })
      yield* operate("refund", payment.id)
    }
    at(own, theirs)
    yield* changeCredentials("main", '{"key":"theirs"}')
    own.provider.onLookUpCharge = () => Effect.succeed(never)
    own.provider.onLookUpRefund = () => Effect.succeed(never)
    return payment
  })

  const conflicts = Effect.fnUntraced(function* (payment: Payment) {
    const { items } = yield* (yield* Pointsman).timeline(tenant, payment.id, { limit: 100 })
    return items.filter(({ type }) => type === "payment.conflict").map(({ data }) => data)
  })

  const evidence = { connection_id: "main", stated: "other_account", account: ours.id, current_account: theirs.id }

  const cases = [
    ["unanswered", "ChargeUnknown", "unknown"],
    ["authorized", "Authorized", undefined],
    ["capturing", "CapturePending", undefined],
    ["refunding", "Captured", undefined]
  ] as const
  for (const [of, state, reason] of cases) {
    itIn(`a payment that is ${of} does not move at a lookup there, and is reviewed once`, single(), function* (own) {
      const payment = yield* moved(own, of)
      const before = yield* stored(payment)
      yield* checkAfter("25 hours")
      yield* checkAfter("25 hours")
      assert.lengthOf(own.provider.lookUps, 0)
      assert.lengthOf(own.provider.refundLookUps, 0)
      const after = yield* stored(payment)
      assert.strictEqual(after.state, state)
      assert.strictEqual(after.refundPendingMinor, before.refundPendingMinor)
      assert.deepStrictEqual(
        after.review?.reasons.filter((one) => one !== "overdue"),
        reason === undefined ? ["conflict"] : [reason, "conflict"]
      )
      const [conflict, ...more] = yield* conflicts(payment)
      assert.deepInclude(conflict, evidence)
      assert.isEmpty(more)
    })
  }

  itIn("the provider's word counts at a lookup once the first account is back", single(), function* (own) {
    const payment = yield* moved(own, "unanswered")
    yield* checkAfter("2 minutes")
    at(own, ours)
    yield* changeCredentials("main", '{"key":"ours again"}')
    own.provider.onLookUpCharge = () => Effect.succeed({ _tag: "Found", state: { _tag: "Captured", providerRef: "r" } })
    yield* checkAfter("1 hour")
    assert.strictEqual((yield* stored(payment)).state, "Captured")
  })

  itIn("a provider that names no account may have what is not found in the one before", single(), function* (own) {
    const payment = yield* moved(own, "unanswered")
    own.provider.onAccount = () => silence
    yield* checkAfter("2 hours")
    assert.isNotEmpty(own.provider.lookUps)
    assert.strictEqual((yield* stored(payment)).state, "ChargeUnknown")
    at(own, ours)
    yield* checkAfter("2 hours")
    assert.strictEqual((yield* stored(payment)).state, "Failed")
  })

  for (const [kind, of] of [
    ["capture", "authorized"],
    ["void", "authorized"],
    ["refund", "captured"]
  ] as const) {
    itIn(`a ${kind} of a payment of the first account is not sent to another`, single(), function* (own) {
      const payment = yield* moved(own, of)
      yield* ask
      const before = yield* stored(payment)
      for (const idempotencyKey of ["one", "one", "two"]) {
        assert.strictEqual(told(yield* operate(kind, payment.id, { idempotencyKey })), "pointsman/ProviderRefused")
      }
      assert.isEmpty([...own.provider.captures, ...own.provider.voids, ...own.provider.refunds])
      const after = yield* stored(payment)
      assert.strictEqual(after.state, before.state)
      assert.strictEqual(after.refundPendingMinor, 0)
      assert.deepStrictEqual(after.review?.reasons, ["conflict"])
      const [conflict, ...more] = yield* conflicts(payment)
      assert.deepInclude(conflict, evidence)
      assert.isEmpty(more)
    })
  }

  itIn("a message through another account moves nothing, and is reviewed", single(), function* (own, pointsman) {
    const payment = yield* moved(own, "unanswered")
    yield* ask
    const [attempt] = yield* attemptsOf(payment)
    yield* say(ofAttempt(attempt, { _tag: "Captured", providerRef: "ref" }), { id: "evt_1", at: null })
    const after = yield* stored(payment)
    assert.strictEqual(after.state, "ChargeUnknown")
    assert.deepStrictEqual(after.review?.reasons, ["unknown", "conflict"])
    assert.deepInclude((yield* conflicts(payment))[0], { ...evidence, attempt_id: attempt?.id })
    const { items } = yield* pointsman.messages({ outcome: "contradicts", limit: 10 })
    assertFields(items, "eventId", "evt_1")
  })

  itIn("attempts without an account are in the first one that is recorded", single(), function* (own) {
    own.provider.onAccount = () => silence
    const payment = yield* authorized
    at(own, ours)
    yield* ask
    yield* becomeTheirs(own)
    assert.isNull((yield* attemptsOf(payment))[0]?.account)
    assert.strictEqual(told(yield* operate("capture", payment.id)), "pointsman/ProviderRefused")
  })
})
