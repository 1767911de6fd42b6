/** Storage in memory: `MemoryStorage.layer()`, for tests and trials. */
export { layer, type MemoryStorageOptions, memory } from "./Layer.ts"
