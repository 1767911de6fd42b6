/**
 * What the guards are for: many requests under one key, through the whole of core and over the store under test,
 * while the provider takes its time. One provider call, however often it is tried; and over a ledger without the
 * guard, several.
 */
import { expect } from "@effect/vitest"
import { type Caller, credentialsContext, NotAdmitted, Pointsman, RequestInProgress } from "@pointsman/core"
import {
  Connectors,
  Directory,
  Ids,
  Ledger,
  RecordLosses,
  StorageError,
  Transport,
  Unanswered
} from "@pointsman/core/ports"
import {
  approve,
  openSecretsLayer,
  type ScriptedProvider,
  sampleRequest,
  scriptedProvider
} from "@pointsman/core/testing"
import { Deferred, Effect, Exit, Layer } from "effect"
import { TestClock } from "effect/testing"
import { connectionOf, newTenant, workspaceOf, writeDirectory } from "./Given.ts"
import { chapter } from "./StorageTest.ts"
import { atOnce, controlRacers, racers, retryRefused, rounds, unguarded } from "./Unguarded.ts"

export const racingCreates = chapter("racing creates", (it) => {
  it(
    `${racers} requests under one slow key make one provider call, ${rounds} times`,
    function* ({ ledger }) {
      const { caller, pointsman, provider } = yield* open(ledger)
      for (let round = 0; round < rounds; round++) {
        const exits = yield* raceUnder(`the-key-of-round-${round}`, racers, caller, pointsman, provider)
        expect(provider.charges).toHaveLength(1)
        const created = exits.flatMap((exit) => (Exit.isSuccess(exit) ? [exit.value] : []))
        expect(created.map(({ isReplay }) => isReplay)).toEqual([false])
        const inProgress = exits.filter((exit) => Exit.isFailure(exit) && isInProgress(exit))
        expect(inProgress).toHaveLength(racers - 1)
      }
      expect(yield* pointsman.payments(caller.tenant, { limit: rounds })).toMatchObject({ hasMore: false })
    },
    60_000 + rounds * 2_000
  )

  it("control: without a guard, the provider is called several times under one key", function* ({ ledger }) {
    const { caller, pointsman, provider } = yield* open(unguarded(ledger))
    yield* raceUnder("the-only-key", controlRacers, caller, pointsman, provider)
    expect(provider.charges).toHaveLength(controlRacers)
  })
})

const isInProgress = (exit: Exit.Failure<unknown, unknown>): boolean =>
  exit.cause.reasons.some((reason) => reason._tag === "Fail" && reason.error instanceof RequestInProgress)

/**
 * All at once; the provider answers when every request has either ended or reached the provider. A busy store refuses
 * some of them, before they begin or when they wait for a lock too long, as it refuses clients: they come again.
 */
const raceUnder = Effect.fnUntraced(function* (
  key: string,
  requests: number,
  caller: Caller,
  pointsman: Pointsman["Service"],
  provider: ScriptedProvider
) {
  provider.charges.length = 0
  const released = yield* Deferred.make<void>()
  let ended = 0
  const look = Effect.suspend(() =>
    ended + provider.charges.length < requests ? Effect.void : Effect.asVoid(Deferred.succeed(released, undefined))
  )
  provider.onCharge = (charge) => look.pipe(Effect.andThen(Deferred.await(released)), Effect.andThen(approve(charge)))
  const end = Effect.suspend(() => {
    ended++
    return look
  })
  const request = retryRefused(
    pointsman.create(caller, sampleRequest({ idempotencyKey: key })),
    (failure) => failure instanceof NotAdmitted || failure instanceof StorageError
  )
  return yield* atOnce(Array(requests).keys(), () => Effect.tap(Effect.exit(request), () => end)).pipe(
    Effect.raceFirst(Effect.andThen(Deferred.await(released), passTime))
  )
})

/**
 * The test's clock moves with the real one: core pauses between the tries of a commit that a busy store did not take. It
 * stands before the provider answers, because core sends nothing on a claim that took a busy store some seconds.
 */
const passTime = TestClock.withLive(Effect.sleep("50 millis")).pipe(
  Effect.andThen(TestClock.adjust("50 millis")),
  Effect.forever
)

/** Core over the store, for a tenant of its own with one connection, and without the losses that other tests declare. */
const open = Effect.fnUntraced(function* (ledger: Ledger["Service"]) {
  const tenant = yield* newTenant()
  const directory = yield* Directory
  const ids = yield* Ids
  const losses = yield* RecordLosses
  const provider = scriptedProvider()
  const caller: Caller = { tenant, workspace: workspaceOf(tenant) }
  const id = `connection-of-${tenant.workspaceId}`
  const sealedCredentials = `${credentialsContext(id)}|{}`
  const connections = [connectionOf(tenant, { id, connector: provider.definition.name, sealedCredentials })]
  yield* writeDirectory({ workspaces: [caller.workspace], connections })
  const pointsman = yield* Effect.provide(
    Pointsman,
    Pointsman.layer().pipe(
      Layer.provide([
        Layer.succeed(Ledger, ledger),
        Layer.succeed(Directory, directory),
        Layer.succeed(Ids, ids),
        Layer.succeed(RecordLosses, { ...losses, known: Effect.succeed(null), newest: Effect.succeed(null) }),
        Connectors.layer([provider.definition]),
        openSecretsLayer,
        Layer.succeed(Transport, { send: () => Effect.fail(new Unanswered({ reason: "there is no network here" })) })
      ])
    )
  )
  return { caller, pointsman, provider }
})
