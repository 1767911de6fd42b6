/** Doubles for tests: a provider that answers as it is told, and a ledger that fails on demand. */
export * from "./testing/FaultyLedger.ts"
export * from "./testing/ScriptedConnector.ts"
