/** The connector for Checkout.com: `CheckoutConnector.definition`. */
export * as CheckoutConnector from "./CheckoutConnector.ts"
/** The same, for `createPointsman` of `@pointsman/node`. */
export { definition as checkout } from "./CheckoutConnector.ts"
