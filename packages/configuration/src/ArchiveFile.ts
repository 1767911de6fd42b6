/** The field `archive` of the configuration file: where payments go that leave the store. */
import { Predicate, Redacted, Result, Schema } from "effect"
import { type Decoded, decode, type Mistake } from "./DecodeFile.ts"
import { resolveReferences } from "./EnvironmentReferences.ts"

const text = (expected: string, isGood: (value: string) => boolean) =>
  Schema.String.annotate({ message: `expected ${expected}` }).check(Schema.makeFilter(isGood, { expected }))

const Word = text("a non-empty string", (value) => value.trim() !== "")

/** A relative one would be another folder for each process that starts elsewhere. */
const Folder = text("an absolute path", (value) => /^(?:\/|[A-Za-z]:[/\\]|\\\\)/u.test(value))

/** As Amazon names buckets, and not those of access points and of other forms. */
const Bucket = text("the name of a bucket: 3 to 63 lower-case letters, digits, dots and dashes", (value) =>
  /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/u.test(value)
)

const Endpoint = text("an absolute http or https URL without user, query or fragment", (value) => {
  const url = URL.parse(value)
  return (
    url !== null &&
    /^https?:$/u.test(url.protocol) &&
    [url.username, url.password, url.search, url.hash].every((part) => part === "")
  )
})

const Prefix = text("a prefix of names without a slash at its beginning", (value) => /^[^/].*$/su.test(value))

/** Without credentials, the AWS SDK looks for those of the environment. */
const S3File = Schema.Struct({
  bucket: Bucket,
  region: Word,
  /** Of another service than Amazon's. */
  endpoint: Schema.optionalKey(Endpoint),
  prefix: Schema.optionalKey(Prefix),
  accessKeyId: Schema.optionalKey(Word),
  secretAccessKey: Schema.optionalKey(Word),
  sessionToken: Schema.optionalKey(Word)
})

/** Of each server, and not a part of a generation: it is not stored in the database. */
export const ArchiveFile = Schema.Struct({
  folder: Schema.optionalKey(Folder),
  s3: Schema.optionalKey(S3File)
})
export type ArchiveFile = typeof ArchiveFile.Type

/** What its schema cannot say; paths within the field. */
export const checkArchive = (archive: ArchiveFile | undefined): ReadonlyArray<Mistake> => {
  if (archive === undefined) return []
  if ((archive.folder === undefined) === (archive.s3 === undefined)) {
    return [{ path: [], message: "expected either `folder` or `s3`" }]
  }
  const { accessKeyId, secretAccessKey, sessionToken } = archive.s3 ?? {}
  if ((accessKeyId === undefined) !== (secretAccessKey === undefined)) {
    return [{ path: ["s3"], message: "expected `accessKeyId` and `secretAccessKey` together, or neither" }]
  }
  return sessionToken !== undefined && accessKeyId === undefined
    ? [{ path: ["s3", "sessionToken"], message: "expected only together with `accessKeyId` and `secretAccessKey`" }]
    : []
}

/** The field alone, of a file that may have other mistakes, or references to secrets that are not here. */
export const understandArchive = (
  json: unknown,
  environment: Readonly<Record<string, string | undefined>>
): Decoded<ArchiveFile | undefined> => {
  const given = Predicate.isObject(json) ? json["archive"] : undefined
  if (given === undefined) return Result.succeed(undefined)
  const resolved = resolveReferences(given, environment)
  const understood =
    resolved.mistakes.length > 0
      ? Result.fail(resolved.mistakes)
      : Result.flatMap(decode(ArchiveFile)(resolved.json), (archive): Decoded<ArchiveFile> => {
          const mistakes = checkArchive(archive)
          return mistakes.length > 0 ? Result.fail(mistakes) : Result.succeed(archive)
        })
  return Result.mapError(understood, (mistakes) => inArchive(mistakes))
}

export const inArchive = (mistakes: ReadonlyArray<Mistake>): ReadonlyArray<Mistake> =>
  mistakes.map(({ message, path }) => ({ path: ["archive", ...path], message }))

/** As `@pointsman/archive` takes it. */
export const archiveOptionsOf = ({ folder, s3 }: ArchiveFile) => {
  if (s3 === undefined) return { folder: folder ?? "" }
  const { accessKeyId, secretAccessKey, sessionToken, ...place } = s3
  if (accessKeyId === undefined || secretAccessKey === undefined) return { s3: place }
  const credentials = {
    accessKeyId,
    secretAccessKey: Redacted.make(secretAccessKey),
    ...(sessionToken === undefined ? {} : { sessionToken: Redacted.make(sessionToken) })
  }
  return { s3: { ...place, credentials } }
}
