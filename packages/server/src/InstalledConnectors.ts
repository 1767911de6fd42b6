import { HttpConnector } from "@pointsman/connector-http"
import { SandboxConnector, SandboxRecords } from "@pointsman/connector-sandbox"
import { Connectors } from "@pointsman/core"
import { Effect, Layer } from "effect"
import type { Database } from "./Settings.ts"
import { StartFailure } from "./StartFailure.ts"

const over = (records: SandboxRecords["Service"]): Connectors["Service"] =>
  Connectors.make([SandboxConnector.make(records), HttpConnector.definition])

/** The connectors of this installation, to check a configuration with: nothing is kept and nothing is sent. */
export const forChecking = (): Connectors["Service"] => over(SandboxRecords.memory())

/** The simulator is a provider of its own, so its records lie in a file of their own beside the database. */
export const layer = (database: Database): Layer.Layer<Connectors, StartFailure> => {
  if (database._tag === "SqliteMemory") return Layer.sync(Connectors, forChecking)
  const path = `${database.path}.sandbox-records`
  return Layer.effect(
    Connectors,
    SandboxRecords.file(path).pipe(
      Effect.map(over),
      Effect.mapError(() => new StartFailure({ message: `The sandbox's records in ${path} cannot be opened.` }))
    )
  )
}
