/**
 * An answer that stays the same for as long as the server runs. It is made at the first request for it, compressed
 * once, and not sent again to a client that still has it.
 */
import { type Context, Effect, Exit } from "effect"
import { Digest } from "effect/crypto"
import { HttpServerRequest, HttpServerResponse } from "effect/http"

export interface Content {
  readonly contentType: string
  readonly text: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Use the effect that it gives for every request. */
export const staticAnswer = (
  make: Effect.Effect<Content>
): Effect.Effect<Effect.Effect<HttpServerResponse.HttpServerResponse, never, HttpServerRequest.HttpServerRequest>> =>
  Effect.map(Effect.cached(Effect.flatMap(make, prepare)), (prepared) =>
    Effect.gen(function* () {
      const { headers } = yield* HttpServerRequest.HttpServerRequest
      return answer(yield* prepared, headers["if-none-match"] ?? "", headers["accept-encoding"] ?? "")
    })
  )

interface Prepared {
  readonly contentType: string
  readonly headers: Readonly<Record<string, string>>
  readonly etag: string
  readonly plain: Uint8Array
  readonly gzip: Uint8Array
}

const prepare = Effect.fnUntraced(function* ({ contentType, headers = {}, text }: Content) {
  const plain = new TextEncoder().encode(text)
  const { digestHex } = yield* Digest.Digest
  const prepared: Prepared = {
    contentType,
    // Weak, because it names both encodings. The next release may answer otherwise, so it is asked for each time.
    etag: `W/"${(yield* digestHex(Digest.sha256, plain)).slice(0, 32)}"`,
    headers: { ...headers, "cache-control": "no-cache", vary: "accept-encoding" },
    plain,
    gzip: yield* Effect.promise(() => compress(plain))
  }
  return prepared
}, Effect.provide(Digest.layerWebCrypto))

const compress = async (bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> =>
  new Uint8Array(
    await new Response(new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"))).arrayBuffer()
  )

const answer = (
  { contentType, etag, gzip, headers, plain }: Prepared,
  ifNoneMatch: string,
  acceptEncoding: string
): HttpServerResponse.HttpServerResponse => {
  const all = { ...headers, etag }
  if (ifNoneMatch.split(",").some((known) => known.trim() === etag)) {
    return HttpServerResponse.empty({ status: 304, headers: all })
  }
  return takesGzip(acceptEncoding)
    ? HttpServerResponse.uint8Array(gzip, { contentType, headers: { ...all, "content-encoding": "gzip" } })
    : HttpServerResponse.uint8Array(plain, { contentType, headers: all })
}

/** `gzip;q=0` is a refusal. */
const takesGzip = (acceptEncoding: string): boolean =>
  acceptEncoding.split(",").some((coding) => /^\s*gzip\s*(?:;\s*q\s*=\s*(?:1|0?\.0*[1-9]).*)?$/iu.test(coding))

/**
 * What a module makes, loaded and made by the first use of it: most servers answer nothing but the API. It is made with the
 * services that are at hand here. What could not be loaded is tried again.
 */
export const onFirstUse = <Module, A, R>(
  load: () => Promise<Module>,
  make: (module: Module) => Effect.Effect<A, never, R>
): Effect.Effect<Effect.Effect<A>, never, R> =>
  Effect.contextWith((services: Context.Context<R>) =>
    Effect.cachedWithTTL(Effect.promise(load).pipe(Effect.flatMap(make), Effect.provideContext(services)), (exit) =>
      Exit.isSuccess(exit) ? Number.POSITIVE_INFINITY : 0
    )
  )
