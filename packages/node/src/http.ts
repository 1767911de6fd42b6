/** `@pointsman/node/http`: the connector for provider adapters that speak the provider protocol. */
import { http as definition } from "@pointsman/connector-http"
import type { Connector } from "./Settings.ts"

export const http: Connector = definition
