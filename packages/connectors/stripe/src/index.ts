/** The connector for Stripe: `StripeConnector.definition`. */
export * as StripeConnector from "./StripeConnector.ts"
/** The same, for `createPointsman` of `@pointsman/node`. */
export { definition as stripe } from "./StripeConnector.ts"
