import { layer } from "@effect/vitest"
import { Ids, type StorageServices } from "@pointsman/core/ports"
import { Layer } from "effect"
import { apiKeys } from "./ApiKeys.ts"
import { atomicity } from "./Atomicity.ts"
import { audit } from "./Audit.ts"
import { balances } from "./Balances.ts"
import { books } from "./Books.ts"
import { checks } from "./Checks.ts"
import { claimGuards } from "./ClaimGuards.ts"
import { claims } from "./Claims.ts"
import { configurations } from "./Configurations.ts"
import { deliveries } from "./Deliveries.ts"
import { directory } from "./Directory.ts"
import { disputes } from "./Disputes.ts"
import { entryKeys } from "./EntryKeys.ts"
import { erasure } from "./Erasure.ts"
import { followers } from "./Followers.ts"
import { hostedPages } from "./HostedPages.ts"
import { interruption } from "./Interruption.ts"
import { merchants } from "./Merchants.ts"
import { messages } from "./Messages.ts"
import { moves } from "./Moves.ts"
import { oldClaims } from "./OldClaims.ts"
import { operators } from "./Operators.ts"
import { pages } from "./Pages.ts"
import { passkeys } from "./Passkeys.ts"
import { paymentSearch } from "./PaymentSearch.ts"
import { races } from "./Races.ts"
import { racingCreates } from "./RacingCreates.ts"
import { recordLosses } from "./RecordLosses.ts"
import { references } from "./References.ts"
import { retention } from "./Retention.ts"
import { retentionSweep } from "./RetentionSweep.ts"
import { reviews } from "./Reviews.ts"
import { sealedTexts } from "./SealedTexts.ts"
import { settlements } from "./Settlements.ts"
import { sharedReferences } from "./SharedReferences.ts"
import { soundness } from "./Soundness.ts"
import { type Chapter, register } from "./StorageTest.ts"
import { successRates } from "./SuccessRates.ts"
import { tenants } from "./Tenants.ts"
import { text } from "./Text.ts"
import { usage } from "./Usage.ts"

const chapters: ReadonlyArray<Chapter> = [
  moves,
  claims,
  disputes,
  oldClaims,
  atomicity,
  races,
  racingCreates,
  references,
  sharedReferences,
  soundness,
  books,
  balances,
  entryKeys,
  apiKeys,
  tenants,
  pages,
  paymentSearch,
  hostedPages,
  usage,
  checks,
  messages,
  reviews,
  deliveries,
  followers,
  interruption,
  directory,
  configurations,
  merchants,
  text,
  sealedTexts,
  erasure,
  successRates,
  recordLosses,
  claimGuards,
  audit,
  operators,
  passkeys,
  settlements,
  retention,
  retentionSweep
]

/**
 * All chapters share one store and each test has tenants of its own: nothing that a neighbour wrote may show. The
 * clock is the test's.
 */
export const storageSuite = <E>(name: string, storage: Layer.Layer<StorageServices, E, Ids>): void => {
  layer(storage.pipe(Layer.provideMerge(Ids.layer)))(`storage: ${name}`, (it) => {
    for (const one of chapters) register(it, one)
  })
}
