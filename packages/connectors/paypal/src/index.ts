/** The connector for PayPal: `PayPalConnector.definition`. */
export * as PayPalConnector from "./PayPalConnector.ts"
/** The same, for `createPointsman` of `@pointsman/node`. */
export { definition as paypal, definitionTrusting } from "./PayPalConnector.ts"
