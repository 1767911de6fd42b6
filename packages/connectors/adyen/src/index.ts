/** The connector for Adyen: `AdyenConnector.definition`. */
export * as AdyenConnector from "./AdyenConnector.ts"
