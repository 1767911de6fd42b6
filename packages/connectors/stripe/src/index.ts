/** The connector for Stripe: `StripeConnector.definition`. */
export * as StripeConnector from "./StripeConnector.ts"
