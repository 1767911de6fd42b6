/**
 * What an archive needs of a folder or a bucket. Names have slashes, as paths do.
 *
 * The rule that an adapter must not break: `put` writes all of an object or nothing of it, and has made it durable when it
 * succeeds. To write the same bytes under the same name again changes nothing.
 */
export interface ArchiveStore {
  /** For people, without credentials. */
  readonly location: string
  readonly put: (name: string, bytes: Uint8Array, signal: AbortSignal) => Promise<void>
  /** `undefined` where there is none of the name. */
  readonly get: (name: string, signal: AbortSignal) => Promise<AsyncIterable<Uint8Array> | undefined>
  /**
   * Names directly in the folder, whose own name ends with a slash, that come after `after`, in the order of their bytes.
   */
  readonly names: (folder: string, after: string | undefined, signal: AbortSignal) => AsyncIterable<string>
  /** Names of the folders that are directly in the folder, without slashes, in the same order. */
  readonly folders: (folder: string, signal: AbortSignal) => Promise<ReadonlyArray<string>>
  /** Fails where nothing can be read from it. */
  readonly reach: (signal: AbortSignal) => Promise<void>
  /** Why one of the above failed: for people, and free of secrets. */
  readonly reasonOf: (error: unknown) => string
}
