/**
 * The suite that every connector passes. A connector's test is one call:
 *
 * ```ts
 * connectorSuite({ name: "http", definition, credentials, secrets, brokenCredentials, play, wire })
 * ```
 */

export type { ConnectorDefinition, TransportAnswer } from "@pointsman/core/connector"
export { connectorSuite } from "./connector/ConnectorSuite.ts"
export * from "./connector/ConnectorUnderTest.ts"
export * from "./connector/OwnReads.ts"
export * from "./connector/OwnTests.ts"
export {
  answering,
  playedConnector,
  type RecordedConnector,
  type ScriptedTransport,
  scriptedConnector,
  scriptedTransport
} from "./connector/ScriptedTransport.ts"
export { type SocketFaults, socketFaultsSuite } from "./connector/SocketFaults.ts"
export {
  httpAnswer,
  refusedUrl,
  type SeenRequest,
  type SocketProvider,
  type SocketProviderOptions,
  socketProvider
} from "./connector/SocketProvider.ts"
export {
  type ChargeInBooks,
  type FaultyProvider,
  faultyNetwork,
  type ProviderWorld,
  type Random,
  worldSuite
} from "./connector/WorldSuite.ts"
