/** The connector for provider adapters that speak the provider protocol over HTTP: `HttpConnector.definition`. */
export * as HttpConnector from "./HttpConnector.ts"
/** The same, for `createPointsman` of `@pointsman/node`. */
export { definition as http } from "./HttpConnector.ts"
