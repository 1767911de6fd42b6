/** Messages that name a lost charge, while the store is recovered. */
import { assert, describe } from "@effect/vitest"
import { Pointsman } from "@pointsman/core"
import { Ledger, type ProviderMessage } from "@pointsman/core/ports"
import { Effect } from "effect"
import { itRuns } from "./support/ItIn.ts"
import { listingProvider } from "./support/ListingProvider.ts"
import { hearing, ofAttempt, providerWith, say } from "./support/Messages.ts"
import { created } from "./support/Operations.ts"
import { recovered, tenant, type World, world } from "./support/World.ts"

const recovery = Effect.flatMap(Pointsman, ({ recover }) =>
  recovered(recover({ since: 0, connectionId: null, isDryRun: false }))
).pipe(Effect.orDie)
const recoverAll = Effect.asVoid(recovery)

/** A provider whose messages are all `about`, and a store of it that has nothing of what the one before had. */
const losing = (hasLists: boolean) => {
  const provider = listingProvider()
  if (!hasLists) Object.assign(provider, { onListCharges: undefined, onListRefunds: undefined })
  let message: ProviderMessage | undefined
  const read = () => (message === undefined ? Effect.die("no message") : Effect.succeed(message))
  providerWith({ readMessage: read, readStored: read }, provider)
  const inNewStore = <A, E>(work: (own: World) => Effect.Effect<A, E, Pointsman | Ledger>) =>
    Effect.suspend(() => {
      const own = world({ provider, connections: hearing })
      return Effect.provide(work(own), own.layer)
    })

  /** The charge of a payment is lost, a connection's message states it, and everything is recovered: `work` does it. */
  const statedTo = <E>(
    connectionId: string,
    work: (own: World) => Effect.Effect<void, E, Pointsman> = () => recoverAll
  ) =>
    Effect.gen(function* () {
      const { id, money } = yield* inNewStore(() => created())
      const [attemptId = ""] = provider.books.charges.keys()
      const about = ofAttempt({ id: attemptId }, { _tag: "Captured", providerRef: "stated", stated: money })
      message = { id: "msg_1", at: 0, about }
      return yield* inNewStore((own) =>
        Effect.gen(function* () {
          yield* say(about, { connectionId, id: "msg_1" })
          yield* work(own)
          const payments = yield* (yield* Ledger).payments(tenant, { limit: 10 })
          return { id, payments: payments.map((one) => [one.id, one.connectionId, one.providerRef, one.review]) }
        })
      )
    })
  return statedTo
}

describe("a message about a charge that was lost", () => {
  itRuns("a charge is of the connection that lists it if a message came to another", function* () {
    const { id, payments } = yield* losing(true)("backup")
    assert.deepStrictEqual(
      payments.map(([paymentId, connectionId]) => [paymentId, connectionId]),
      [[id, "main"]]
    )
  })

  itRuns("the next recovery recovers a connection whose store failed while applying", function* () {
    const { payments } = yield* losing(true)("main", ({ ledger }) =>
      Effect.gen(function* () {
        ledger.canRead = (method) => method !== "message"
        assert.deepInclude((yield* recovery).loss, { recovered: ["backup"], ended: null })
        ledger.canRead = () => true
        assert.strictEqual((yield* recovery).loss?.ended?.outcome, "recovered")
      })
    )
    assert.lengthOf(payments, 1)
  })

  itRuns("the statement of a message is adopted at a provider without lists", function* () {
    const { payments } = yield* losing(false)("main")
    assert.deepStrictEqual(
      payments.map(([, connectionId, providerRef, review]) => [connectionId, providerRef, review]),
      [["main", "stated", null]]
    )
  })
})
