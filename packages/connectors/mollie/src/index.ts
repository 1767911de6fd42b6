/** The connector for Mollie: `MollieConnector.definition`. */
export * as MollieConnector from "./MollieConnector.ts"
/** The same, for `createPointsman` of `@pointsman/node`. */
export { definition as mollie } from "./MollieConnector.ts"
