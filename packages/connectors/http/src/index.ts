/** The connector for provider adapters that speak the provider protocol over HTTP: `HttpConnector.definition`. */
export * as HttpConnector from "./HttpConnector.ts"
