/** Storage in memory: `MemoryStorage.layer()`, for tests and trials. */
export { memory } from "./Handle.ts"
export { layer, type MemoryStorageOptions } from "./Layer.ts"
