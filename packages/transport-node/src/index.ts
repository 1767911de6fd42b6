/** The provider transport for Node, over undici. */
export { layer, make, type NodeTransportOptions } from "./NodeTransport.ts"
