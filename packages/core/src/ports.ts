/** The ports: what Pointsman asks of the outside. For storage adapters. */
export * from "./ports/Connector.ts"
export * from "./ports/Directory.ts"
export * from "./ports/Ids.ts"
export * from "./ports/Ledger.ts"
export * from "./ports/Secrets.ts"
export * from "./ports/StorageError.ts"
export * from "./ports/Transport.ts"
