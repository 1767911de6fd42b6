export type { CallOptions, MoneyOptions } from "./Call.ts"
export { type Client, createClient, type DisputeResult, type Evidence, type PaymentResult } from "./Client.ts"
export type * from "./Contract.ts"
export { isPointsmanError, type OwnErrorCode, type PointsmanError, type PointsmanErrorCode } from "./Errors.ts"
export type { Pages } from "./Pages.ts"
// In place of the contract's, whose status may be one of a newer server.
export type { Payment, PaymentOf } from "./Payment.ts"
export type { ClientSettings } from "./Settings.ts"
export { type IncomingWebhook, type VerifiedWebhook, webhooks } from "./Webhooks.ts"
