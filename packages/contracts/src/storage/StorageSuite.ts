import { layer } from "@effect/vitest"
import { Ids, type StorageServices } from "@pointsman/core/ports"
import { Layer } from "effect"
import * as chapters from "./Chapters.ts"
import { register } from "./StorageTest.ts"

// A store that lost records sends nothing. Two chapters declare losses, and a store may declare one by itself where a test
// removes a payment that was just written: the only chapter with creates is the first.
const { claimGuards, racingCreates, recordLosses, ...others } = chapters
const inOrder = [racingCreates, ...Object.values(others), recordLosses, claimGuards]

/**
 * All chapters share one store and each test has tenants of its own: nothing that a neighbour wrote may show. The
 * clock is the test's.
 */
export const storageSuite = <E>(name: string, storage: Layer.Layer<StorageServices, E, Ids>): void => {
  layer(storage.pipe(Layer.provideMerge(Ids.layer)))(`storage: ${name}`, (it) => {
    for (const one of inOrder) register(it, one)
  })
}
