/** The connector for Adyen: `AdyenConnector.definition`. */
export * as AdyenConnector from "./AdyenConnector.ts"
/** The same, for `createPointsman` of `@pointsman/node`. */
export { definition as adyen } from "./AdyenConnector.ts"
