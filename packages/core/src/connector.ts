/** What a connector is made of. For provider adapters. */
export * from "./money/Currency.ts"
export * from "./money/Money.ts"
export * from "./payment/Decline.ts"
export type { Initiator, PaymentMethod } from "./payment/Payment.ts"
export * from "./payment/Simulation.ts"
export * from "./ports/Connector.ts"
export type { ConnectorHandle } from "./ports/ConnectorHandle.ts"
export { credentialsReader, HeaderText, ProviderUrl } from "./ports/CredentialFields.ts"
export { hideSecrets } from "./ports/HideSecrets.ts"
export * from "./ports/Transport.ts"
export { fieldOf, WebAddress, WireTime } from "./ports/WireFields.ts"
export type { Supports } from "./routing/Connection.ts"
export {
  SignatureRefused,
  signatureHeader,
  signatureOf,
  signatureToleranceSeconds,
  verifySignature
} from "./webhooks/Signature.ts"
export type { Environment } from "./workspace/Tenant.ts"
