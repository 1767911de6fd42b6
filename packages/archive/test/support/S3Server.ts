/**
 * A service with the part of S3's API that an archive uses, at a real socket. It checks the signature of each request by
 * code of its own, with the payload's hash
 * (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html).
 */
import { createHash, createHmac } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Redacted } from "effect"
import type { S3Options } from "../../src/S3Store.ts"

/**
 * What becomes of a request. `refused`: it is answered 500 and not executed. `failed`: it is executed and answered 500.
 * `lost`: it is executed, and the connection breaks. `hangs`: it is executed, and no answer ever comes.
 */
export type Fate = "served" | "refused" | "failed" | "lost" | "hangs"

export interface S3Server {
  readonly options: S3Options
  /** By key. A test may change them. */
  readonly objects: Map<string, Uint8Array>
  /** Method and key of every request with a right signature. */
  readonly requests: Array<string>
  /** Decides about each request that comes from now on. */
  readonly decide: (fate: (method: string, key: string) => Fate) => void
  readonly close: () => Promise<void>
}

const bucket = "payments"
const secret = "the secret of the bucket"
/** Small, so that a few objects have several pages. */
const keysPerPage = 2

export const startS3 = async (): Promise<S3Server> => {
  const objects = new Map<string, Uint8Array>()
  const requests: Array<string> = []
  let fateOf: (method: string, key: string) => Fate = () => "served"
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request)
    const url = new URL(request.url ?? "/", "http://s3.test")
    if (!isSigned(request, url, body)) return answer(response, 403, errorOf("SignatureDoesNotMatch"))
    const key = decodeURIComponent(url.pathname.slice(`/${bucket}/`.length))
    requests.push(`${request.method} ${key || (url.searchParams.get("prefix") ?? "")}`)
    const fate = fateOf(request.method ?? "", key)
    if (fate === "refused") return answer(response, 500, errorOf("InternalError"))
    const [status, text] = execute(objects, request.method ?? "", key, url.searchParams, body)
    if (fate === "hangs") return
    if (fate === "lost") return void response.destroy()
    return fate === "failed" ? answer(response, 500, errorOf("InternalError")) : answer(response, status, text)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    options: {
      bucket,
      region: "eu-central-1",
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      prefix: "the archive",
      credentials: { accessKeyId: "AKIATEST", secretAccessKey: Redacted.make(secret) }
    },
    objects,
    requests,
    decide: (fate) => {
      fateOf = fate
    },
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    }
  }
}

const bodyOf = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

const answer = (response: ServerResponse, status: number, body: string | Uint8Array): void =>
  void response.writeHead(status, { "content-type": "application/xml" }).end(body)

const errorOf = (code: string): string => `<Error><Code>${code}</Code><Message>It failed.</Message></Error>`

const execute = (
  objects: Map<string, Uint8Array>,
  method: string,
  key: string,
  query: URLSearchParams,
  body: Uint8Array
): readonly [number, string | Uint8Array] => {
  if (method === "PUT") {
    objects.set(key, body)
    return [200, ""]
  }
  if (key !== "") {
    const object = objects.get(key)
    return object === undefined ? [404, errorOf("NoSuchKey")] : [200, object]
  }
  return [200, listing([...objects.keys()].sort(), query)]
}

const listing = (keys: ReadonlyArray<string>, query: URLSearchParams): string => {
  const prefix = query.get("prefix") ?? ""
  const delimiter = query.get("delimiter")
  const after = query.get("continuation-token") ?? query.get("start-after") ?? ""
  const entries = new Set(
    keys
      .filter((key) => key.startsWith(prefix))
      .map((key) => {
        const end = delimiter === null ? -1 : key.indexOf(delimiter, prefix.length)
        return end < 0 ? key : key.slice(0, end + 1)
      })
      .filter((entry) => entry > after)
  )
  const page = [...entries].slice(0, Number(query.get("max-keys") ?? keysPerPage))
  const isTruncated = page.length < entries.size
  const items = page.map((entry) =>
    delimiter !== null && entry.endsWith(delimiter)
      ? `<CommonPrefixes><Prefix>${entry}</Prefix></CommonPrefixes>`
      : `<Contents><Key>${entry}</Key></Contents>`
  )
  const next = isTruncated ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : ""
  return `<ListBucketResult><IsTruncated>${isTruncated}</IsTruncated>${items.join("")}${next}</ListBucketResult>`
}

const sha256 = (text: string | Uint8Array): string => createHash("sha256").update(text).digest("hex")
const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest()
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/gu, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

const isSigned = ({ headers, method, url = "" }: IncomingMessage, { searchParams }: URL, body: Uint8Array): boolean => {
  const pattern = /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(.+), SignedHeaders=(.+), Signature=([0-9a-f]{64})$/u
  const [, accessKey, scope = "", names = "", signature] = pattern.exec(headers.authorization ?? "") ?? []
  const payload = String(headers["x-amz-content-sha256"])
  if (accessKey !== "AKIATEST" || payload !== sha256(body)) return false
  const query = [...searchParams].map((pair) => pair.map(encoded).join("=")).sort()
  const signed = names.split(";").map((name) => `${name}:${String(headers[name]).trim()}\n`)
  const canonical = [method, url.split("?", 1)[0], query.join("&"), signed.join(""), names, payload].join("\n")
  const [date = "", region = "", service = "", end = ""] = scope.split("/")
  const key = [region, service, end].reduce(hmac, hmac(`AWS4${secret}`, date))
  const text = ["AWS4-HMAC-SHA256", headers["x-amz-date"], scope, sha256(canonical)].join("\n")
  return hmac(key, text).toString("hex") === signature
}
