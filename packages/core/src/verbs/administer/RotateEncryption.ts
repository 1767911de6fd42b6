/**
 * Seals everything again that another key than the current one sealed, while servers run.
 *
 * A text is replaced only where it is still the one that was read: what a server wrote meanwhile is kept, and the next pass
 * reads that. So it may be killed and run again at any time, and two may run at once.
 */
import { Effect } from "effect"
import { Audit, auditDraft } from "../../ports/Audit.ts"
import { type SealedKind, type SealedText, SealedTexts, sealedContext, sealedKinds } from "../../ports/SealedTexts.ts"
import { keyIdOf } from "../../ports/Sealing.ts"
import { Secrets } from "../../ports/Secrets.ts"

/** How many texts each key sealed. */
export interface SealedCounts {
  /** By the id of the key, all configured keys included; the current key first. */
  readonly byKey: ReadonlyMap<string, number>
  /** What no configured key opens. */
  readonly unreadable: {
    readonly count: number
    /** The first one's place; `null` for none. */
    readonly first: string | null
  }
}

export interface Rotation {
  /** The id of the current key. */
  readonly keyId: string
  /** How many texts were sealed again. */
  readonly resealed: number
  /** What is stored afterwards. */
  readonly left: SealedCounts
}

export interface RotationOptions {
  /** After each batch: how many texts have been sealed again, and what they are. */
  readonly onProgress?: (resealed: number, kind: SealedKind) => Effect.Effect<void>
}

/** The body of a message may have a megabyte. */
const batch = 50

/** A server whose current key is another one seals with that key while this runs: not for ever. */
const maxPasses = 3

/** Fails where a key or the storage is not at hand; what was sealed again by then stays so. */
export const rotateEncryption = Effect.fnUntraced(function* ({ onProgress }: RotationOptions = {}) {
  const [keyId = ""] = yield* (yield* Secrets).keyIds
  const { append } = yield* Audit
  yield* append(yield* auditDraft("encryption.rotating", "encryption key", { key_id: keyId }))
  let resealed = 0
  for (let pass = 0; pass < maxPasses; pass++) {
    let found = 0
    for (const kind of sealedKinds) {
      yield* eachPage(kind, undefined, (texts) =>
        Effect.gen(function* () {
          const page = yield* resealPage(kind, keyId, texts)
          found += page.found
          resealed += page.written
          if (page.written > 0) yield* onProgress?.(resealed, kind) ?? Effect.void
        })
      )
    }
    if (found === 0) break
  }
  return { keyId, resealed, left: yield* countSealed() } satisfies Rotation
})

/** How many texts each key sealed; of each kind `atMost` are counted. Each is opened. */
export const countSealed = Effect.fnUntraced(function* (atMost?: number) {
  const secrets = yield* Secrets
  const byKey = new Map((yield* secrets.keyIds).map((id) => [id, 0]))
  let unreadable: SealedCounts["unreadable"] = { count: 0, first: null }
  for (const kind of sealedKinds) {
    yield* eachPage(kind, atMost, (texts) =>
      Effect.forEach(
        texts,
        Effect.fnUntraced(function* ({ key, sealed }) {
          const place = sealedContext(kind, key)
          const id = yield* sealedBy(sealed, place)
          if (id === undefined) unreadable = { count: unreadable.count + 1, first: unreadable.first ?? place }
          else byKey.set(id, (byKey.get(id) ?? 0) + 1)
        }),
        { discard: true }
      )
    )
  }
  return { byKey, unreadable } satisfies SealedCounts
})

const eachPage = Effect.fnUntraced(function* <E, R>(
  kind: SealedKind,
  atMost: number | undefined,
  use: (texts: ReadonlyArray<SealedText>) => Effect.Effect<void, E, R>
) {
  const texts = yield* SealedTexts
  let after: SealedText["key"] | null = null
  for (let read = 0; atMost === undefined || read < atMost; read += batch) {
    const page: ReadonlyArray<SealedText> = yield* texts.list({ kind, after, limit: batch })
    yield* use(page)
    if (page.length < batch) return
    after = page.at(-1)?.key ?? null
  }
})

const resealPage = Effect.fnUntraced(function* (kind: SealedKind, keyId: string, texts: ReadonlyArray<SealedText>) {
  const secrets = yield* Secrets
  const due = yield* Effect.forEach(
    texts.filter(({ sealed }) => keyIdOf(sealed) !== keyId),
    Effect.fnUntraced(
      function* (text) {
        const place = sealedContext(kind, text.key)
        const id = yield* secrets.sealedBy(text.sealed, place)
        if (id === keyId) return []
        const sealed = yield* secrets.seal(yield* secrets.open(text.sealed, place), place)
        return [{ ...text, expected: text.sealed, sealed }]
        // Nothing can be done for one that no key opens; it is counted at the end.
      },
      Effect.catchTag("pointsman/SealBroken", () => Effect.succeed([]))
    )
  )
  const replacements = due.flat()
  const written = replacements.length === 0 ? 0 : yield* (yield* SealedTexts).replace(kind, replacements)
  return { found: replacements.length, written }
})

const sealedBy = (sealed: string, place: string) =>
  Effect.flatMap(Secrets, (secrets) => secrets.sealedBy(sealed, place)).pipe(
    Effect.catchTag("pointsman/SealBroken", () => Effect.undefined)
  )
