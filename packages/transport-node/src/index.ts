/** What leaves the machine, for Node: the provider transport and the sender of webhooks, over undici. And signatures and passwords. */

export * as NodeMac from "./NodeMac.ts"
export * as NodePasswords from "./NodePasswords.ts"
export { layer, make, type NodeTransportOptions } from "./NodeTransport.ts"
export * as NodeWebhookSender from "./NodeWebhookSender.ts"
export { inNetworks, isPublicAddress, plainAddress } from "./PublicAddress.ts"
