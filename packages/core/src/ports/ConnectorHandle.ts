import type { Effect, Scope } from "effect"
import type { ConnectorDefinition } from "./Connector.ts"

/** A connector with something to open first, such as a file. For programs without Effect. */
export interface ConnectorHandle {
  readonly name: string
  /** Fails with a sentence for the operator. What it opens is closed with the scope. */
  readonly "~pointsman/connector": Effect.Effect<ConnectorDefinition, string, Scope.Scope>
}
