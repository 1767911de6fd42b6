/** `@pointsman/node/stripe`: the connector for Stripe. */
import { stripe as definition } from "@pointsman/connector-stripe"
import type { Connector } from "./Settings.ts"

export const stripe: Connector = definition
