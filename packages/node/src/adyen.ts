/** `@pointsman/node/adyen`: the connector for Adyen. */
import { adyen as definition } from "@pointsman/connector-adyen"
import type { Connector } from "./Settings.ts"

export const adyen: Connector = definition
