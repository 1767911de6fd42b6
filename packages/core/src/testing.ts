/** Doubles for tests: a provider with scripted answers, a ledger that fails on demand, and secrets in the open. */
export * from "./testing/FaultyLedger.ts"
export * from "./testing/OpenSecrets.ts"
export * from "./testing/SampleRequest.ts"
export * from "./testing/ScriptedConnector.ts"
export * from "./testing/ScriptedSender.ts"
