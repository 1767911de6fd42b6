/** What a partner receives, and who is invited, when the store or the notifier fails at any point. */
import { assert, describe } from "@effect/vitest"
import { type Caller, type MerchantDetails, Pointsman } from "@pointsman/core"
import {
  Connectors,
  Directory,
  Ids,
  type Invitation,
  Merchants,
  Notifier,
  type NotifierService,
  Secrets,
  StorageError,
  type StorageServices,
  Transport,
  Unanswered
} from "@pointsman/core/ports"
import { openSecretsLayer } from "@pointsman/core/testing"
import * as MemoryStorage from "@pointsman/storage-memory"
import { Cause, Deferred, Effect, Exit, Fiber, Layer, Logger, Redacted, References } from "effect"
import { CommitUnknown } from "../src/ports/StorageError.ts"
import { itIn } from "./support/ItIn.ts"
import { assertFields } from "./support/Steps.ts"
import { runOut } from "./support/World.ts"

const partner = {
  id: "partner",
  name: "Partner",
  country: "NL",
  category: null,
  suspended: false,
  partner: { allowance: 2 }
}
const caller: Caller = { tenant: { workspaceId: partner.id, environment: "production" }, workspace: partner }
const shop: MerchantDetails = { name: "Corner shop", email: "Owner@Shop.example", country: "NL", category: "food" }

type Fault = "unwritten" | "lost" | "unheard" | undefined

interface Run {
  readonly layer: Layer.Layer<Pointsman | StorageServices | Secrets>
  readonly invitations: Array<Invitation>
  readonly log: Array<string>
  /** What happens to the n-th write, counted from 1; `unheard` writes, and its answer is lost. */
  onWrite: (number: number) => Fault
  /** Happens after each write, before it is answered. */
  afterWrite: Effect.Effect<void>
  writes: number
}

/** Open, and yet a hash is told from what it is of. */
const marked = Layer.effect(
  Secrets,
  Effect.map(Secrets, (secrets) => ({ ...secrets, hash: (text: string) => Effect.succeed(`hash-of-${text}`) }))
).pipe(Layer.provide(openSecretsLayer))

const hashOf = ({ token }: Invitation): string => `hash-of-${Redacted.value(token)}`

const run = (given?: NotifierService | "default"): Run => {
  const faults: Run = {
    invitations: [],
    log: [],
    onWrite: () => undefined,
    afterWrite: Effect.void,
    writes: 0,
    get layer() {
      return layer
    }
  }
  const faulty = <A, E>(write: Effect.Effect<A, E>) =>
    Effect.gen(function* () {
      const fault = faults.onWrite(++faults.writes)
      const failure = { operation: "provision", cause: new Error("told to fail") }
      if (fault === "unwritten") return yield* new StorageError(failure)
      if (fault === "lost") return yield* new CommitUnknown(failure)
      const written = yield* write
      yield* faults.afterWrite
      return fault === "unheard" ? yield* new CommitUnknown(failure) : written
    })
  const faultyMerchants = Layer.effect(
    Merchants,
    Effect.map(Merchants, (merchants) =>
      Merchants.of({
        ...merchants,
        provision: (provision) => faulty(merchants.provision(provision)),
        replaceInvitation: (...order) => faulty(merchants.replaceInvitation(...order))
      })
    )
  )

  const listening: NotifierService = {
    merchantInvited: (invitation) => Effect.sync(() => faults.invitations.push(invitation))
  }
  const notifier = given ?? listening
  const logger = Logger.make<unknown, void>(({ cause, fiber, message }) => {
    const annotations = fiber.getRef(References.CurrentLogAnnotations)
    faults.log.push(`${JSON.stringify(message)} ${JSON.stringify(annotations)} ${Cause.pretty(cause)}`)
  })

  const configured = Layer.effectDiscard(
    Effect.andThen(Directory, (directory) =>
      directory.write({ workspaces: [partner], apiKeys: [], connections: [], routing: [], webhookEndpoints: [] })
    )
  )

  const layer = Pointsman.layer().pipe(
    Layer.provide(notifier === "default" ? Layer.empty : Layer.succeed(Notifier, notifier)),
    Layer.provide(faultyMerchants),
    Layer.provideMerge(configured),
    Layer.provideMerge(MemoryStorage.layer()),
    Layer.provide([
      Ids.layer,
      Connectors.layer([]),
      Layer.succeed(Transport, { send: () => Effect.fail(new Unanswered({ reason: "there is no network here" })) })
    ]),
    Layer.provideMerge([marked, Logger.layer([logger])]),
    Layer.orDie
  )
  return faults
}

const provision = Effect.fnUntraced(function* (details: MerchantDetails = shop) {
  const pointsman = yield* Pointsman
  return yield* runOut(yield* Effect.forkChild(Effect.exit(pointsman.provisionMerchant(caller, details))))
})

const stored = Effect.gen(function* () {
  const rows = yield* (yield* Merchants).list(partner.id, { limit: 10 })
  return rows.map(({ merchant }) => merchant)
})

const failureTag = <A, E extends { readonly _tag: string }>(exit: Exit.Exit<A, E>): string | undefined =>
  Exit.isFailure(exit) ? (Cause.squash(exit.cause) as E)._tag : undefined

/** One line of the log, of the merchant without its token. */
const logsInvitation = Effect.fnUntraced(function* ({ log }: Run) {
  const [merchant] = yield* stored
  const [line = "", ...others] = log
  assert.deepStrictEqual(others, [])
  assert.include(line, `"merchant_id":"${merchant?.id}"`)
  assert.notInclude(line, merchant?.invitationHash.replace("hash-of-", "") ?? "")
  return line
})
/** Each owner is invited once, by the token whose hash is stored. */
const areInvited = Effect.fnUntraced(function* ({ invitations }: Run) {
  assertFields(yield* stored, "invitationHash", ...invitations.map(hashOf))
  assert.lengthOf(invitations, 1)
})

describe("provisioning", () => {
  itIn("a partner's merchant gets an invited owner; only the token's hash is stored", run(), function* (own) {
    const merchant = Exit.getSuccess(yield* provision())
    assert.strictEqual(merchant._tag, "Some")
    const [invitation] = own.invitations
    assert.strictEqual(own.invitations.length, 1)
    const token = Redacted.value((invitation as Invitation).token)
    // 32 bytes in Base64, without padding.
    assert.match(token, /^[A-Za-z0-9_-]{43}$/u)
    const rows = yield* stored
    assertFields(rows, ["email", "invitationHash", "partnerId"], ["Owner@Shop.example", `hash-of-${token}`, "partner"])
    assert.notInclude(JSON.stringify({ ...invitation, merchant: null }), token)
    assert.match(rows[0]?.id ?? "", /^mer_[0-9a-f-]{36}$/u)
    assert.deepStrictEqual(own.log, [])
  })

  itIn("an address invited in another spelling gets no second invitation", run(), function* (own) {
    yield* provision()
    const again = yield* provision({ ...shop, email: "owner@SHOP.example" })
    assert.strictEqual(failureTag(again), "pointsman/AlreadyInvited")
    yield* provision({ ...shop, email: "other@shop.example" })
    const third = yield* provision({ ...shop, email: "third@shop.example" })
    assert.strictEqual(failureTag(third), "pointsman/AllowanceExhausted")
    assert.strictEqual(own.invitations.length, 2)
  })

  const unnotified = run("default")
  itIn("the log has an invitation without a notifier, and no token above debug", unnotified, function* (own) {
    yield* provision()
    yield* logsInvitation(own)
  })
})

describe("a store that fails", () => {
  itIn("a write that surely failed invites no owner, and may be sent again", run(), function* (own) {
    own.onWrite = (number) => (number === 1 ? "unwritten" : undefined)
    assert.strictEqual(failureTag(yield* provision()), "pointsman/StorageError")
    assert.deepStrictEqual([own.writes, own.invitations.length], [1, 0])
    assert.isTrue(Exit.isSuccess(yield* provision()))
    assert.strictEqual(own.invitations.length, 1)
  })

  itIn("a written merchant whose answer was lost has one record and one invitation", run(), function* (own) {
    own.onWrite = (number) => (number === 1 ? "unheard" : number === 2 ? "unwritten" : undefined)
    assert.isTrue(Exit.isSuccess(yield* provision()))
    yield* areInvited(own)
  })

  itIn("a store that never answers leaves the merchant unknown, without an invitation", run(), function* (own) {
    own.onWrite = (number) => (number === 1 ? "unheard" : "unwritten")
    assert.strictEqual(failureTag(yield* provision()), "pointsman/CommitUnknown")
    assert.deepStrictEqual([own.writes, own.invitations.length], [8, 0])
    // It was written after all: it is in the list, and its owner can be invited again.
    own.onWrite = () => undefined
    const [merchant] = yield* stored
    const pointsman = yield* Pointsman
    yield* pointsman.inviteMerchantAgain(partner.id, merchant?.id ?? "")
    assert.strictEqual(own.invitations.length, 1)
  })
})

describe("a notifier that fails", () => {
  for (const [what, merchantInvited] of [
    ["fails", () => Effect.fail("the queue is full")],
    ["dies", () => Effect.die(new Error("the queue is full"))],
    ["throws", () => assert.fail("the queue is full")],
    ["never returns", () => Effect.never]
  ] satisfies ReadonlyArray<readonly [string, NotifierService["merchantInvited"]]>) {
    const own = run({ merchantInvited })
    itIn(`a notifier that ${what} leaves the merchant, and the log asks for another`, own, function* () {
      assert.isTrue(Exit.isSuccess(yield* provision()))
      assert.include(yield* logsInvitation(own), "invite the merchant again")
    })
  }
})

describe("a caller that goes away", () => {
  itIn("the owner of a written merchant is invited although the caller is interrupted", run(), function* (own) {
    const pointsman = yield* Pointsman
    const written = yield* Deferred.make<void>()
    const answered = yield* Deferred.make<void>()
    own.afterWrite = Effect.andThen(Deferred.succeed(written, undefined), Deferred.await(answered))
    const fiber = yield* Effect.forkChild(pointsman.provisionMerchant(caller, shop))
    yield* Deferred.await(written)
    const interruption = yield* Effect.forkChild(Fiber.interrupt(fiber), { startImmediately: true })
    yield* Deferred.succeed(answered, undefined)
    yield* Fiber.join(interruption)
    yield* areInvited(own)
  })
})

describe("inviting again", () => {
  itIn("a second invitation stores the new token in place of the old one", run(), function* (own, pointsman) {
    yield* provision()
    const [before] = yield* stored
    own.onWrite = (number) => (number === 2 ? "unheard" : undefined)
    const invited = yield* runOut(yield* Effect.forkChild(pointsman.inviteMerchantAgain(partner.id, before?.id ?? "")))
    const [after] = yield* stored
    assert.deepStrictEqual(own.invitations.map(hashOf), [before?.invitationHash, after?.invitationHash])
    assert.notStrictEqual(before?.invitationHash, after?.invitationHash)
    assert.strictEqual(invited.status, "invited")
  })

  itIn("another partner's or no merchant is not found, and no invitation is sent", run(), function* (own, pointsman) {
    yield* provision()
    const [merchant] = yield* stored
    for (const [owner, id] of [
      ["another", merchant?.id ?? ""],
      [partner.id, "mer_of_nobody"]
    ] as const) {
      const exit = yield* Effect.exit(pointsman.inviteMerchantAgain(owner, id))
      assert.strictEqual(failureTag(exit), "pointsman/MerchantNotFound")
    }
    assert.strictEqual(own.invitations.length, 1)
  })
})
