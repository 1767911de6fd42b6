import { AdyenConnector } from "@pointsman/connector-adyen"
import { CheckoutConnector } from "@pointsman/connector-checkout"
import { HttpConnector } from "@pointsman/connector-http"
import { MollieConnector } from "@pointsman/connector-mollie"
import { PayPalConnector } from "@pointsman/connector-paypal"
import { SandboxConnector, SandboxRecords } from "@pointsman/connector-sandbox"
import { StripeConnector } from "@pointsman/connector-stripe"
import { Connectors } from "@pointsman/core/ports"
import { Effect, Layer } from "effect"
import type { Database } from "./DatabaseUrl.ts"
import { StartFailure } from "./StartFailure.ts"
import { storageFailure } from "./StorageFailure.ts"

const over = (records: SandboxRecords["Service"]): Connectors["Service"] =>
  Connectors.make([
    SandboxConnector.make(records),
    HttpConnector.definition,
    AdyenConnector.definition,
    CheckoutConnector.definition,
    MollieConnector.definition,
    PayPalConnector.definition,
    StripeConnector.definition
  ])

/** The connectors of this installation, to check a configuration with: nothing is kept and nothing is sent. */
export const forChecking = (): Connectors["Service"] => over(SandboxRecords.memory())

/**
 * The simulator is a provider of its own, so its records lie in a file of their own beside the database; where servers
 * share a PostgreSQL database, in tables of their own there, because one server may be asked about what another did.
 */
export const layer = (database: Database): Layer.Layer<Connectors, StartFailure> => {
  if (database._tag === "SqliteMemory") return Layer.sync(Connectors, forChecking)
  if (database._tag === "Postgres") {
    return Layer.effect(
      Connectors,
      // Loaded here alone: on SQLite no client of PostgreSQL is needed.
      Effect.promise(() => import("./PostgresSandboxRecords.ts")).pipe(
        Effect.flatMap((records) => records.openRecords(database.url)),
        Effect.map(over),
        Effect.catch((error) => storageFailure(database, error.cause))
      )
    )
  }
  const path = `${database.path}.sandbox-records`
  return Layer.effect(
    Connectors,
    SandboxRecords.file(path).pipe(
      Effect.map(over),
      Effect.mapError(() => new StartFailure({ message: `The sandbox's records in ${path} cannot be opened.` }))
    )
  )
}
