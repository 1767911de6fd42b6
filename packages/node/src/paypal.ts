/** `@pointsman/node/paypal`: the connector for PayPal. */
import { paypal as definition } from "@pointsman/connector-paypal"
import type { Connector } from "./Settings.ts"

export const paypal: Connector = definition
