/** Makes the decisions of stored payments again, oldest first. It only reads payments. */
import { Effect, Option, Stream } from "effect"
import { defaultRoutingSettings } from "../../model/RoutingSettings.ts"
import type { Tenant } from "../../model/Tenant.ts"
import { Connectors } from "../../ports/Connector.ts"
import { Directory } from "../../ports/Directory.ts"
import { Ledger } from "../../ports/Ledger.ts"
import { providerLimits } from "../../routing/Eligibility.ts"
import { historyOf } from "../../routing/History.ts"
import { isRouted, type RoutingConfiguration, replay } from "../../routing/Replay.ts"
import { RoutingStrategies } from "../../routing/Strategy.ts"

export interface ReplayQuery {
  /** Epoch milliseconds; payments created from here on. */
  readonly from: number
  /** Epoch milliseconds; payments created before this. All that are stored when it begins, unless set. */
  readonly until?: number | undefined
  /** To decide under; what the directory holds now unless set. */
  readonly under?: RoutingConfiguration | undefined
}

/** Rows read at once. */
const batch = 500

export const replayPayments = (tenant: Tenant, { from, under, until = Number.MAX_SAFE_INTEGER }: ReplayQuery) =>
  Stream.unwrap(
    Effect.gen(function* () {
      const ledger = yield* Ledger
      const configuration = under ?? (yield* currentConfiguration(tenant))
      const pageBefore = (before: string) => ledger.payments(tenant, { before, limit: batch })
      const [newest] = yield* ledger.payments(tenant, { limit: 1 })
      // Payments are listed newest first, and are learned from oldest first: where the pages begin is looked up before.
      const beginnings: Array<string> = []
      // Greater than the newest one's id, and smaller than every id that comes later.
      let before = `${newest?.id ?? ""}~`
      for (;;) {
        const page = yield* pageBefore(before)
        const last = page.at(-1)
        if (page.some(({ createdAt }) => createdAt < until)) beginnings.push(before)
        if (last === undefined || page.length < batch || last.createdAt < from) break
        before = last.id
      }
      const history = historyOf()
      return Stream.fromIterable(beginnings.toReversed()).pipe(
        Stream.mapEffect(pageBefore),
        Stream.flatMap((page) =>
          Stream.fromIterable(
            page
              .filter(({ createdAt }) => createdAt >= from && createdAt < until)
              .toReversed()
              .filter(isRouted)
          )
        ),
        Stream.map((payment) => {
          const replayed = replay(payment, configuration, (connectionId) => history.rates(connectionId, payment))
          history.learn(payment)
          return replayed
        })
      )
    })
  )

/** What the directory and the installed connectors say now. */
export const currentConfiguration = Effect.fnUntraced(function* (tenant: Tenant) {
  const directory = yield* Directory
  const connectors = yield* Connectors
  const settings = yield* directory.routing(tenant)
  return {
    settings: Option.getOrElse(settings, () => defaultRoutingSettings),
    connections: yield* directory.connections(tenant),
    providerSupports: providerLimits(connectors),
    strategies: yield* RoutingStrategies
  } satisfies RoutingConfiguration
})
