/** The lines of an object, decompressed as they are read, so that memory does not grow with their number. */
import { createHash } from "node:crypto"
import { pipeline, Readable } from "node:stream"
import { createGunzip } from "node:zlib"
import type { Tenant } from "@pointsman/core"
import type { WholePayment } from "@pointsman/core/ports"
import { Result } from "effect"
import { decodeLine } from "./ArchiveLine.ts"
import type { Measured } from "./ArchiveManifests.ts"

/** The object is not what was written; the message is a sentence without its contents. */
export class BrokenObject extends Error {}

/** Some hundred times the longest payment, in bytes: a line without an end must not fill the memory. */
const longestLine = 64 * 1024 * 1024

/** Measures an object as it is read. */
export class Measuring {
  readonly #object = createHash("sha256")
  readonly #lines = createHash("sha256")
  #bytes = 0

  async *object(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of source) {
      this.#object.update(chunk)
      this.#bytes += chunk.length
      yield chunk
    }
  }

  lines(chunk: Uint8Array): void {
    this.#lines.update(chunk)
  }

  /** Once all of it was read. */
  get measured(): Measured {
    return { bytes: this.#bytes, sha256: this.#object.digest("hex"), linesSha256: this.#lines.digest("hex") }
  }
}

/** Without their line breaks. The last line has one too. */
export async function* linesOf(source: AsyncIterable<Uint8Array>, measuring?: Measuring): AsyncGenerator<string> {
  const gunzip = createGunzip()
  // A failure of the source ends the decompression, and with it the loop below.
  pipeline(Readable.from(measuring === undefined ? source : measuring.object(source)), gunzip, () => {})
  let rest: ReadonlyArray<Buffer> = []
  let restBytes = 0
  try {
    for await (const chunk of gunzip as AsyncIterable<Buffer>) {
      measuring?.lines(chunk)
      let from = 0
      for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
        yield Buffer.concat([...rest, chunk.subarray(from, end)]).toString("utf8")
        rest = []
        restBytes = 0
        from = end + 1
      }
      if (from === chunk.length) continue
      rest = [...rest, chunk.subarray(from)]
      restBytes += chunk.length - from
      if (restBytes > longestLine) throw new BrokenObject("a line is too long")
    }
  } catch (error) {
    throw isOfZlib(error) ? new BrokenObject(`it cannot be decompressed (${error.code})`) : error
  } finally {
    gunzip.destroy()
  }
  if (restBytes > 0) throw new BrokenObject("its last line is cut off")
}

const isOfZlib = (error: unknown): error is Error & { readonly code: string } =>
  error instanceof Error && "code" in error && /^Z_/u.test(String(error.code))

/** Fails at the first line that is not a payment of the tenant. */
export async function* paymentsOf(
  source: AsyncIterable<Uint8Array>,
  tenant: Tenant,
  measuring?: Measuring
): AsyncGenerator<WholePayment> {
  let number = 0
  for await (const line of linesOf(source, measuring)) {
    number += 1
    const payment = decodeLine(line, tenant)
    if (Result.isFailure(payment)) throw new BrokenObject(`line ${number}: ${payment.failure}`)
    yield payment.success
  }
}
