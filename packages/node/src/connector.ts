/** `@pointsman/node/connector`: a connector of one's own, in plain functions. */
export * from "./connector/ConnectorSpec.ts"
export { defineConnector } from "./connector/DefineConnector.ts"
export type { Connector } from "./Settings.ts"
