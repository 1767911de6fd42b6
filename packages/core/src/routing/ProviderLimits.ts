import { Option } from "effect"
import type { Connection, Supports } from "../model/Connection.ts"
import type { Connectors } from "../ports/Connector.ts"

/** The limits of a connection's provider itself, as its connector knows them; none where it is not installed. */
export const providerLimits =
  (connectors: Connectors["Service"]) =>
  ({ connector }: Pick<Connection, "connector">): Supports =>
    Option.match(connectors.definition(connector), { onNone: () => noLimits, onSome: ({ supports }) => supports })

const noLimits: Supports = {}
