/** `@pointsman/node/mollie`: the connector for Mollie. */
import { mollie as definition } from "@pointsman/connector-mollie"
import type { Connector } from "./Settings.ts"

export const mollie: Connector = definition
