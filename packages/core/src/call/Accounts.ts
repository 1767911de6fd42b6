/**
 * Whose accounts the connections' credentials open. Providers are asked at the start and after each change of
 * credentials, and again where they did not answer; what they said is recorded. A charge that is not found in another
 * account was not lost. While a provider has not named the account of the credentials in use, the account that it named
 * before still counts, but "never received" through it does not.
 */
import { Clock, Context, Effect, Layer } from "effect"
import type { Connection } from "../model/Connection.ts"
import { accountText, isSameAccount, type ProviderAccount } from "../model/ProviderAccount.ts"
import { type NotSent, Unanswered } from "../model/ProviderStatement.ts"
import { Directory } from "../ports/Directory.ts"
import type { StorageError } from "../ports/StorageError.ts"
import { callProvider, OpenConnections } from "./CallProvider.ts"

/** Between two questions to a provider that did not answer the first, in milliseconds. */
const askAgainMillis = 60_000
/** Providers that are asked at once. */
const askedAtOnce = 16

/**
 * `verified`: the provider named the account of the credentials in use. `changed`: it named another one than the
 * connection had. `unverified`: it was never named. `unanswered`: it was not named since the start or since the credentials
 * changed, and the account before still counts. `none`: the provider has no accounts to name.
 */
export type AccountStanding = "verified" | "changed" | "unverified" | "unanswered" | "none"

export interface AccountReading {
  readonly connectionId: string
  readonly standing: AccountStanding
  /** That of its payments; `null` where it is not known. */
  readonly first: ProviderAccount | null
  /** As it was named last; `null` where it never was. */
  readonly current: ProviderAccount | null
}

interface Asked {
  readonly of: Connection
  /** Epoch milliseconds. */
  readonly at: number
  readonly answer: ProviderAccount | "none" | undefined
}

export class Accounts extends Context.Service<
  Accounts,
  {
    /** The account that the connection's credentials open, as far as it is known. */
    readonly current: (connection: Connection) => ProviderAccount | undefined
    /** Asks where that is due; whether the account of the credentials in use is known, or there is none to know. */
    readonly verify: (connection: Connection) => Effect.Effect<boolean>
    /** Asks all that are due. */
    readonly ask: Effect.Effect<void, StorageError>
    readonly readings: Effect.Effect<ReadonlyArray<AccountReading>, StorageError>
  }
>()("pointsman/call/Accounts") {
  static readonly layer: Layer.Layer<Accounts, never, Directory | OpenConnections> = Layer.effect(
    Accounts,
    Effect.gen(function* () {
      const directory = yield* Directory
      const connections = yield* OpenConnections
      // Bounded by the configuration: one entry for each connection, replaced when its credentials change.
      const asked = new Map<string, Asked>()

      const lastOf = (connection: Connection): Asked | undefined => {
        const last = asked.get(connection.id)
        return last !== undefined && hasSameCredentials(last.of, connection) ? last : undefined
      }

      const askOne = Effect.fnUntraced(function* (connection: Connection) {
        const at = yield* Clock.currentTimeMillis
        const before = lastOf(connection)
        if (before?.answer !== undefined || (before !== undefined && at - before.at < askAgainMillis)) return
        // Who comes meanwhile does not ask a second time.
        asked.set(connection.id, { of: connection, at, answer: undefined })
        const answer = yield* callProvider<ProviderAccount>(
          connection,
          ({ account }) => account?.() ?? noAccounts
        ).pipe(Effect.provideService(OpenConnections, connections))
        const stated = answerOf(answer)
        const hasChanged = asked.get(connection.id)?.of !== connection
        if (hasChanged) return
        asked.set(connection.id, { of: connection, at, answer: stated })
        if (stated === undefined || stated === "none") return
        yield* record(connection, stated)
      })

      const record = Effect.fnUntraced(function* (connection: Connection, account: ProviderAccount) {
        const { account: known, id, sealedCredentials } = connection
        if (known !== undefined && isSameAccount(known.current, account)) return
        const at = yield* Clock.currentTimeMillis
        yield* directory.recordAccount({ connectionId: id, sealedCredentials, account, at })
        if (known === undefined || isSameAccount(known.first, account)) return
        yield* Effect.logError(
          `the credentials of connection ${id} open another account, ${accountText(account)}, than that of its ` +
            `payments, ${accountText(known.first)}: it receives no new payments. Configure the other account under ` +
            "a new connection id"
        )
      })

      /** What was not recorded is asked again. */
      const askSafely = (connection: Connection) =>
        Effect.catchCause(askOne(connection), (cause) => {
          asked.delete(connection.id)
          return Effect.logError(`the account of connection ${connection.id} could not be recorded`, cause)
        })

      const readings = Effect.map(directory.contents, ({ connections }) =>
        connections.map((connection): AccountReading => {
          const { account, id: connectionId } = connection
          return {
            connectionId,
            standing: standingOf(connection, lastOf(connection)),
            first: account?.first ?? null,
            current: account?.current ?? null
          }
        })
      )

      return Accounts.of({
        current: (connection) => {
          const answer = lastOf(connection)?.answer
          return answer === undefined || answer === "none" ? connection.account?.current : answer
        },
        verify: (connection) => Effect.map(askSafely(connection), () => lastOf(connection)?.answer !== undefined),
        ask: Effect.flatMap(directory.contents, ({ connections }) =>
          Effect.forEach(connections, askSafely, { concurrency: askedAtOnce, discard: true })
        ),
        readings
      })
    })
  )
}

const noAccounts = Effect.fail(new Unanswered({ reason: "the provider has no accounts to name", isUnsupported: true }))

const hasSameCredentials = (one: Connection, other: Connection): boolean =>
  one.sealedCredentials === other.sealedCredentials && one.connector === other.connector

const answerOf = (answer: ProviderAccount | NotSent | Unanswered): Asked["answer"] => {
  if (!("_tag" in answer)) return answer
  return answer._tag === "pointsman/Unanswered" && answer.isUnsupported === true ? "none" : undefined
}

const standingOf = ({ account }: Connection, last: Asked | undefined): AccountStanding => {
  if (account !== undefined && account.changedAt !== null) return "changed"
  if (last?.answer === "none") return "none"
  if (account === undefined) return "unverified"
  return last?.answer === undefined ? "unanswered" : "verified"
}
