/** Pointsman for Node backends that do not use Effect: `createPointsman({ storage, connectors, encryptionKey, workspaces })`. */
export { createPointsman } from "./CreatePointsman.ts"
export type * from "./IncomingWebhook.ts"
export type * from "./Payment.ts"
export type * from "./Pointsman.ts"
export * from "./PointsmanError.ts"
export type * from "./Records.ts"
export type * from "./Settings.ts"
export { webhooks } from "./Webhooks.ts"
