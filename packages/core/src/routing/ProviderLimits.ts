import { Option } from "effect"
import type { Connection, Supports } from "../model/Connection.ts"
import type { ConnectorDefinition, Connectors } from "../ports/Connector.ts"

/** The limits of a provider itself: of what it takes, and of the amounts that its API can express. */
export interface ProviderSupports extends Supports, Pick<ConnectorDefinition, "expresses"> {}

/** The limits of a connection's provider itself, as its connector knows them; none where it is not installed. */
export const providerLimits =
  (connectors: Connectors["Service"]) =>
  ({ connector }: Pick<Connection, "connector">): ProviderSupports =>
    Option.match(connectors.definition(connector), { onNone: () => noLimits, onSome: limitsOf })

const noLimits: ProviderSupports = {}

/** One object for each definition, because eligibility remembers what it prepared for the object. */
const known = new WeakMap<ConnectorDefinition, ProviderSupports>()

const limitsOf = (definition: ConnectorDefinition): ProviderSupports => {
  const found = known.get(definition)
  if (found !== undefined) return found
  const { expresses, supports } = definition
  const made = expresses === undefined ? supports : { ...supports, expresses }
  known.set(definition, made)
  return made
}
