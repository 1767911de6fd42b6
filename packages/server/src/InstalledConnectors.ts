import { AdyenConnector } from "@pointsman/connector-adyen"
import { CheckoutConnector } from "@pointsman/connector-checkout"
import { HttpConnector } from "@pointsman/connector-http"
import { MollieConnector } from "@pointsman/connector-mollie"
import { PayPalConnector } from "@pointsman/connector-paypal"
import { SandboxConnector, SandboxRecords } from "@pointsman/connector-sandbox"
import { StripeConnector } from "@pointsman/connector-stripe"
import { type ConnectorDefinition, Connectors, ReportReader } from "@pointsman/core/ports"
import { Context, Effect, Layer, type Scope, Stream } from "effect"
import type { Database } from "./DatabaseUrl.ts"
import { StartFailure, storageFailure } from "./StartFailure.ts"

/** Those that the configuration file names, besides those that come with the server. */
type Loaded = ReadonlyArray<{ readonly definition: ConnectorDefinition }>

const over = (records: SandboxRecords["Service"], loaded: Loaded): Connectors["Service"] =>
  Connectors.make([
    ...loaded.map(({ definition }) => definition),
    SandboxConnector.make(records),
    HttpConnector.definition,
    AdyenConnector.definition,
    CheckoutConnector.definition,
    MollieConnector.definition,
    PayPalConnector.definition,
    StripeConnector.definition
  ])

/** The connectors of this installation, to check a configuration with: nothing is kept and nothing is sent. */
export const forChecking = (loaded: Loaded = []): Connectors["Service"] => over(SandboxRecords.memory(), loaded)

/**
 * The simulator is a provider of its own, so its records lie in a file of their own beside the database; where servers
 * share a PostgreSQL database, in tables of their own there, because one server may be asked about what another did.
 */
export const layer = (database: Database, loaded: Loaded): Layer.Layer<Connectors | SandboxRecords, StartFailure> =>
  Layer.effectContext(
    Effect.map(recordsIn(database), (records) =>
      Context.make(SandboxRecords, records).pipe(Context.add(Connectors, over(records, loaded)))
    )
  )

const recordsIn = (database: Database): Effect.Effect<SandboxRecords["Service"], StartFailure, Scope.Scope> => {
  if (database._tag === "SqliteMemory") return Effect.sync(() => SandboxRecords.memory())
  if (database._tag === "Postgres") {
    // Loaded only here: SQLite needs no client of PostgreSQL.
    return Effect.promise(() => import("./PostgresSandboxRecords.ts")).pipe(
      Effect.flatMap((records) => records.openRecords(database.url)),
      Effect.catch((error) => storageFailure(database, error.cause))
    )
  }
  const path = `${database.path}.sandbox-records`
  return Effect.mapError(
    SandboxRecords.file(path),
    () => new StartFailure({ message: `The sandbox's records in ${path} cannot be opened.` })
  )
}

// Loaded where a file is read: a server whose providers give lists has no use for it.
const reconcile = Effect.promise(() => import("@pointsman/reconcile"))

/** Files of reports that a connector downloads, read by the formats of `@pointsman/reconcile`. */
export const reportReaderLayer: Layer.Layer<never> = Layer.succeed(ReportReader, {
  read: (format, file) => Stream.unwrap(Effect.map(reconcile, ({ readReportText }) => readReportText(format, file))),
  inspect: (...asked) => Effect.flatMap(reconcile, ({ inspectReportText }) => inspectReportText(...asked))
})
