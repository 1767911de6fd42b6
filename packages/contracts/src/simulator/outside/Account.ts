/**
 * The credentials of one connection open another account for a time: what was charged in the first one is not found there,
 * and the provider is sure of that. Asked for it, the provider states the account; now and then it does not answer.
 */
import { credentialsContext } from "@pointsman/core"
import {
  type Connector,
  Directory,
  type Found,
  type NeverReceived,
  type ProviderAccount,
  type Rejected,
  Secrets,
  Unanswered
} from "@pointsman/core/ports"
import { Effect, Option, Redacted, Result } from "effect"
import { drawFrom } from "../Draw.ts"
import { noCharge } from "../ProviderCharges.ts"
import { connectionIds } from "../World.ts"
import { nothingActs, type Outside, type OutsideOptions } from "./Outside.ts"

/** How often the provider does not name its account; and how often it never names the second one. */
const silence = 0.2
const silenceOfSecond = 0.5

const accountStream = -4

type Account = "first" | "second"

/** Which account has what, by the id of an attempt or of a refund. */
type Places = Map<string, Account>

/** `takesCharges`: whether the second account takes charges, before or after it was named. */
export const swappingAccounts = (takesCharges: boolean, { plan, seed, steps }: OutsideOptions): Outside => {
  const draw = drawFrom(seed, accountStream)
  const swapAt = 2 + draw.below(steps - 2)
  // Or only once all that was unknown has been looked up there.
  const backAt = draw.chance(0.3) ? swapAt + 1 + draw.below(steps - swapAt + 1) : null
  const swapped = draw.one(connectionIds) ?? "main-sandbox"
  const isSecondSilent = draw.chance(silenceOfSecond)
  const places: Places = new Map()
  const asked = (connectionId: string, account: Account): Effect.Effect<ProviderAccount, Unanswered> =>
    Effect.suspend(() => {
      const words = `${connectionId} does not name its account`
      const isSilent = plan.fault(silence, () => ({ is: true, words })) === true
      return isSilent || (account === "second" && isSecondSilent)
        ? Effect.fail(new Unanswered({ reason: "no account today" }))
        : Effect.succeed({ id: `acct_${connectionId}_${account}`, mode: null })
    })
  return {
    reached: (provider) => ({
      ...provider,
      connect: (account, transport) =>
        Result.map(provider.connect(account, transport), (connector) =>
          inAccount(connector, account.connectionId, accountIn(account.credentials), {
            places,
            asked,
            takesCharges
          })
        )
    }),
    begin: async ({ world }) => {
      const open = (account: Account) => world.run(changeCredentials(swapped, account))
      const askAll = () => {
        for (const process of world.alive()) process.ask((pointsman) => pointsman.askAccounts)
      }
      let isSwapped = false
      return {
        ...nothingActs,
        before: async (step) => {
          const words = `the credentials of ${swapped} open another account`
          // What was charged before any account was named counts as charged in the first that is.
          if (
            step === swapAt &&
            (await world.run(isNamed(swapped))) &&
            plan.fault(1, () => ({ is: true, words })) === true
          ) {
            await open("second")
            isSwapped = true
          }
          if (step === backAt && isSwapped) await open("first")
          askAll()
        },
        end: async (process) => process.ask((pointsman) => pointsman.askAccounts),
        endAfterAll: async (process) => {
          if (isSwapped) await open("first")
          process.ask((pointsman) => pointsman.askAccounts)
        },
        isOfOtherAccount: (connectionId) => isSwapped && connectionId === swapped
      }
    }
  }
}

const accountIn = (credentials: unknown): Account =>
  JSON.stringify(credentials).includes("second") ? "second" : "first"

const isNamed = (id: string) =>
  Effect.gen(function* () {
    const connection = yield* (yield* Directory).connection(id)
    return Option.getOrUndefined(connection)?.account !== undefined
  })

/** As a configuration does that names other credentials. */
const changeCredentials = Effect.fnUntraced(function* (id: string, account: Account) {
  const directory = yield* Directory
  const secrets = yield* Secrets
  const text = account === "first" ? "{}" : JSON.stringify({ account })
  const sealedCredentials = yield* secrets.seal(Redacted.make(text), credentialsContext(id))
  const { connections, ...contents } = yield* directory.contents
  const changed = connections.map((one) => (one.id === id ? { ...one, sealedCredentials } : one))
  yield* directory.write({ ...contents, connections: changed })
})

interface Accounts {
  readonly places: Places
  readonly asked: (connectionId: string, account: Account) => Effect.Effect<ProviderAccount, Unanswered>
  readonly takesCharges: boolean
}

const never: NeverReceived = { _tag: "NotFound", conclusive: true }

const inAccount = (
  connector: Connector,
  connectionId: string,
  account: Account,
  { asked, places, takesCharges }: Accounts
): Connector => {
  const isElsewhere = (id: string) => (places.get(id) ?? account) !== account
  const found = <State, E>(id: string, lookUp: Effect.Effect<Found<State>, E>): Effect.Effect<Found<State>, E> =>
    Effect.suspend(() => (isElsewhere(id) ? Effect.succeed(never) : lookUp))
  const begun = <A, E>(id: string, work: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.suspend(() => {
      if (!places.has(id)) places.set(id, account)
      return work
    })
  const made = <A, E>(attemptId: string, work: Effect.Effect<A, E> | undefined): Effect.Effect<A | Rejected, E> =>
    work === undefined || (account === "second" && !takesCharges) ? Effect.succeed(noCharge) : begun(attemptId, work)
  const onCharge = <A, E>(attemptId: string, work: Effect.Effect<A, E> | undefined) =>
    Effect.suspend((): Effect.Effect<A | Rejected, E> => {
      if (isElsewhere(attemptId) || work === undefined) return Effect.succeed(noCharge)
      return work
    })
  return {
    ...connector,
    charge: (request) => made(request.attemptId, connector.charge(request)),
    openCheckout: (request) => made(request.attemptId, connector.openCheckout?.(request)),
    capture: (request) => onCharge(request.attemptId, connector.capture?.(request)),
    void: (request) => onCharge(request.attemptId, connector.void?.(request)),
    refund: (request) =>
      onCharge(request.attemptId, connector.refund && begun(request.refundId, connector.refund(request))),
    lookUpCharge: (request) => found(request.attemptId, connector.lookUpCharge(request)),
    lookUpRefund: (request) =>
      found(request.refundId, connector.lookUpRefund?.(request) ?? Effect.succeed({ ...never })),
    account: () => asked(connectionId, account)
  }
}
