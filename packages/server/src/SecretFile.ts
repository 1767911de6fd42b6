/**
 * Small files that only their owner may read. They appear whole or not at all, also when the process or the machine
 * dies: the text is made durable under another name first.
 */
import { Effect, FileSystem, Option, Path } from "effect"
import { SecureRandom } from "effect/crypto"
import { Hex } from "effect/encoding"

const ownerOnly = 0o600

/** The text without the white space around it; nothing when there is no such file. */
export const readSecretFile = Effect.fnUntraced(function* (path: string) {
  const files = yield* FileSystem.FileSystem
  return yield* files.readFileString(path).pipe(
    Effect.map((text) => Option.some(text.trim())),
    Effect.catchIf(
      (error) => error.reason._tag === "NotFound",
      () => Effect.succeedNone
    )
  )
})

/** Windows has no such modes. */
const hasModes = process.platform !== "win32"

/** The mode, such as `0644`, of a file that other users than its owner may read or write; `undefined` otherwise. */
export const modeBeyondOwner = Effect.fnUntraced(function* (path: string) {
  const files = yield* FileSystem.FileSystem
  const { mode } = yield* files.stat(path)
  return !hasModes || (mode & 0o077) === 0 ? undefined : `0${(mode & 0o777).toString(8)}`
})

/**
 * Writes the file if it is missing. `false` if another process was faster: its complete file exists.
 */
export const createSecretFile = Effect.fnUntraced(function* (path: string, text: string) {
  const files = yield* FileSystem.FileSystem
  return yield* withDraft(path, text, (draft) =>
    // A hard link refuses a name that is taken, where a rename would replace the existing file.
    files.link(draft, path).pipe(
      Effect.as(true),
      Effect.catchIf(
        (error) => error.reason._tag === "AlreadyExists",
        () => Effect.succeed(false)
      )
    )
  )
})

/** Writes the file, in place of one that may be there. */
export const replaceSecretFile = Effect.fnUntraced(function* (path: string, text: string) {
  const files = yield* FileSystem.FileSystem
  yield* withDraft(path, text, (draft) => files.rename(draft, path))
})

const withDraft = Effect.fnUntraced(function* <A, E, R>(
  path: string,
  text: string,
  publish: (draft: string) => Effect.Effect<A, E, R>
) {
  const files = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const random = yield* SecureRandom.SecureRandom
  const draft = `${path}.${Hex.encode(yield* random.randomBytes(8))}.draft`
  const published = Effect.gen(function* () {
    yield* Effect.scoped(
      Effect.gen(function* () {
        const file = yield* files.open(draft, { flag: "wx", mode: ownerOnly })
        yield* file.writeAll(new TextEncoder().encode(`${text}\n`))
        yield* file.sync
      })
    )
    return yield* publish(draft)
  })
  const result = yield* Effect.ensuring(published, Effect.ignore(files.remove(draft)))
  yield* syncFolder(paths.dirname(path))
  return result
})

/** Makes the file's name durable. Systems that cannot open a folder do that by themselves. */
const syncFolder = (folder: string) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const file = yield* files.open(folder, { flag: "r" })
    yield* file.sync
  }).pipe(Effect.scoped, Effect.ignore)
