/** What leaves the store is written to the archive first, where one is configured. */
import { Effect } from "effect"
import type { WholePayment } from "../../model/OldPayment.ts"
import type { ArchiveService } from "../../ports/Archive.ts"
import { StorageError } from "../../ports/StorageError.ts"

/** `before`: what else happens before a removal; it succeeds first. */
export const archiveFirst =
  (
    archive: ArchiveService | undefined,
    before: (payments: ReadonlyArray<WholePayment>) => Effect.Effect<void, StorageError>
  ) =>
  (payments: ReadonlyArray<WholePayment>): Effect.Effect<void, StorageError> =>
    archive === undefined ? before(payments) : Effect.andThen(before(payments), putAll(archive, payments))

const putAll = Effect.fnUntraced(function* (archive: ArchiveService, payments: ReadonlyArray<WholePayment>) {
  const manifests = yield* Effect.mapError(
    archive.put(payments),
    (cause) => new StorageError({ operation: "archive.put", cause })
  )
  const kept = manifests.reduce((count, manifest) => count + manifest.payments, 0)
  // The payments are removed next: an archive that kept fewer would lose the others.
  if (kept !== payments.length) return yield* Effect.die(`the archive kept ${kept} of ${payments.length} payments`)
})
