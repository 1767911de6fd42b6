/** `@pointsman/node/checkout`: the connector for Checkout.com. */
import { checkout as definition } from "@pointsman/connector-checkout"
import type { Connector } from "./Settings.ts"

export const checkout: Connector = definition
