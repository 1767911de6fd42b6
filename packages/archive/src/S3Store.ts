/**
 * An archive in a bucket of Amazon S3, or of a service with its API.
 *
 * An object is written by one `PutObject`, which a reader sees whole or not at all, and which is repeated harmlessly: the
 * name has the hash of its contents
 * (https://docs.aws.amazon.com/AmazonS3/latest/userguide/Welcome.html#ConsistencyModel).
 */
import { addAbortSignal, type Readable } from "node:stream"
import type { S3ClientConfig } from "@aws-sdk/client-s3"
import { Redacted } from "effect"
import type { ArchiveStore } from "./ArchiveStore.ts"

export interface S3Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: Redacted.Redacted<string>
  readonly sessionToken?: Redacted.Redacted<string> | undefined
}

export interface S3Options {
  readonly bucket: string
  readonly region: string
  /** Of another service than Amazon's; the bucket is then named in the path. */
  readonly endpoint?: string | undefined
  /** What the names of all objects begin with. */
  readonly prefix?: string | undefined
  /** Absent: as the AWS SDK finds them, such as those of the instance's role. */
  readonly credentials?: S3Credentials | undefined
}

/** Attempts of one request, in all: each of them is harmless to repeat. */
const attempts = 3
const connectWithinMillis = 5_000
/** For how long a connection may be silent. */
const silentMillis = 15_000

const configurationOf = ({ credentials, endpoint, region }: S3Options): S3ClientConfig => ({
  region,
  ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
  ...(credentials === undefined
    ? {}
    : {
        credentials: {
          accessKeyId: credentials.accessKeyId,
          secretAccessKey: Redacted.value(credentials.secretAccessKey),
          ...(credentials.sessionToken === undefined ? {} : { sessionToken: Redacted.value(credentials.sessionToken) })
        }
      }),
  maxAttempts: attempts,
  requestHandler: { connectionTimeout: connectWithinMillis, socketTimeout: silentMillis },
  // Other services than Amazon's do not know the newer checksums. The signature covers the contents of an object, and an
  // archive compares the hash of what it reads.
  requestChecksumCalculation: "WHEN_REQUIRED",
  responseChecksumValidation: "WHEN_REQUIRED"
})

/**
 * The client is optional, and programs that bundle this package need not have it. A bundler looks for every package that
 * it finds named in an import, so the name is put together here.
 */
const clientName = ["@aws-sdk", "client-s3"].join("/")

const loadClient = (name: string): Promise<typeof import("@aws-sdk/client-s3")> =>
  import(/* webpackIgnore: true */ /* @vite-ignore */ name)

/** Loads the client: it fails where `@aws-sdk/client-s3` is not installed. */
export const s3Store = async (options: S3Options): Promise<ArchiveStore & { readonly close: () => void }> => {
  const { GetObjectCommand, ListObjectsV2Command, PutObjectCommand, S3Client } = await loadClient(clientName)
  const { bucket: Bucket, prefix = "" } = options
  const root = prefix === "" || prefix.endsWith("/") ? prefix : `${prefix}/`
  const client = new S3Client(configurationOf(options))
  return {
    location: `s3://${Bucket}/${root}`,
    close: () => client.destroy(),
    put: async (name, bytes, abortSignal) => {
      const command = new PutObjectCommand({
        Bucket,
        Key: root + name,
        Body: bytes,
        ContentType: name.endsWith(".json") ? "application/json" : "application/gzip"
      })
      await client.send(command, { abortSignal })
    },
    get: async (name, abortSignal) => {
      try {
        const { Body } = await client.send(new GetObjectCommand({ Bucket, Key: root + name }), { abortSignal })
        // On Node it is a stream of Node's.
        return Body === undefined ? undefined : addAbortSignal(abortSignal, Body as Readable)
      } catch (error) {
        if (error instanceof Error && error.name === "NoSuchKey") return undefined
        throw error
      }
    },
    names: async function* (folder, after, abortSignal) {
      let StartAfter = after === undefined ? undefined : root + after
      while (true) {
        const command = new ListObjectsV2Command({ Bucket, Prefix: root + folder, StartAfter })
        const { Contents = [], IsTruncated } = await client.send(command, { abortSignal })
        for (const { Key } of Contents) {
          if (Key === undefined) continue
          StartAfter = Key
          if (!Key.slice(root.length + folder.length).includes("/")) yield Key.slice(root.length)
        }
        if (IsTruncated !== true || Contents.length === 0) return
      }
    },
    folders: async (folder, abortSignal) => {
      const found: Array<string> = []
      let ContinuationToken: string | undefined
      do {
        const command = new ListObjectsV2Command({ Bucket, Prefix: root + folder, Delimiter: "/", ContinuationToken })
        const page = await client.send(command, { abortSignal })
        for (const { Prefix } of page.CommonPrefixes ?? []) {
          if (Prefix !== undefined) found.push(Prefix.slice(root.length + folder.length, -1))
        }
        ContinuationToken = page.NextContinuationToken
      } while (ContinuationToken !== undefined)
      return found
    },
    reach: async (abortSignal) => {
      await client.send(new ListObjectsV2Command({ Bucket, Prefix: root, MaxKeys: 1 }), { abortSignal })
    },
    reasonOf
  }
}

/** The service's own code and status: its message may name an access key. */
const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return "the service could not be used"
  const status =
    "$metadata" in error ? (error.$metadata as { readonly httpStatusCode?: number }).httpStatusCode : undefined
  const code = "code" in error && typeof error.code === "string" ? error.code : error.name
  return status === undefined ? `no response (${code})` : `the service answered ${status} (${code})`
}
