/**
 * The suite that every storage adapter passes. An adapter's test is one call:
 *
 * ```ts
 * storageSuite("memory", layer())
 * ```
 */
export { storageSuite } from "./storage/StorageSuite.ts"
