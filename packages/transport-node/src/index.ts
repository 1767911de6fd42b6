/** What leaves the machine, for Node, over undici: the provider transport, and the sender of webhooks. */
export { layer, make, type NodeTransportOptions } from "./NodeTransport.ts"
export * as NodeWebhookSender from "./NodeWebhookSender.ts"
