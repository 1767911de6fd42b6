import { Effect, Layer } from "effect"
import { type Change, Ledger } from "../ports/Ledger.ts"
import { CommitUnknown, StorageError } from "../ports/StorageError.ts"

/**
 * What happens to a commit. `unwritten`: it fails and surely wrote nothing. `lost`: it fails without a word, and
 * wrote nothing. `unheard`: it wrote, and its answer is lost. `landsAfter`: its answer is lost, and it writes that many
 * milliseconds later, if it still can. A number: it succeeds, that many milliseconds late.
 */
export type CommitFault = "unwritten" | "lost" | "unheard" | { readonly landsAfter: number } | number | undefined

type Method = keyof Ledger["Service"]

export interface FaultyLedger {
  readonly layer: Layer.Layer<Ledger, never, Ledger>
  /** How often each method of the port was called. */
  readonly calls: Record<Method, number>
  /** Every change that was asked to be written, in order. */
  readonly changes: Array<Change>
  /** Decides what happens to the n-th commit, counted from 1. */
  onCommit: (number: number, change: Change) => CommitFault
  /** Whether a read works; it fails as the store would. */
  canRead: (method: Method) => boolean
  /** Called before every commit, for tests that act in between. */
  beforeCommit: (number: number, change: Change) => Effect.Effect<void>
}

/** A ledger that counts its calls and fails on demand, over a real one. */
export const faultyLedger = (): FaultyLedger => {
  const faulty: FaultyLedger = {
    calls: {} as FaultyLedger["calls"],
    changes: [],
    onCommit: () => undefined,
    canRead: () => true,
    beforeCommit: () => Effect.void,
    layer: Layer.effect(
      Ledger,
      Effect.gen(function* () {
        const ledger = yield* Ledger
        const counted = Object.entries(ledger).map(([key, method]) => {
          const name = key as Method
          const call = method as (...parameters: ReadonlyArray<unknown>) => Effect.Effect<unknown, unknown>
          return [
            name,
            (...parameters: ReadonlyArray<unknown>) =>
              Effect.suspend(() => {
                faulty.calls[name] += 1
                if (faulty.canRead(name)) return call(...parameters)
                return Effect.fail(new StorageError({ operation: name, cause: new Error(`${name} was told to fail`) }))
              })
          ]
        })
        for (const [name] of counted) faulty.calls[name as Method] = 0
        return Ledger.of({
          ...(Object.fromEntries(counted) as Ledger["Service"]),
          commit: Effect.fnUntraced(function* (change) {
            faulty.calls.commit += 1
            faulty.changes.push(change)
            const number = faulty.calls.commit
            yield* faulty.beforeCommit(number, change)
            const fault = faulty.onCommit(number, change)
            const cause = new Error(`commit ${number} was told to fail`)
            if (fault === "unwritten") return yield* new StorageError({ operation: "commit", cause })
            if (fault === "lost") return yield* new CommitUnknown({ operation: "commit", cause })
            if (typeof fault === "object") {
              const late = Effect.andThen(Effect.sleep(fault.landsAfter), Effect.exit(ledger.commit(change)))
              yield* Effect.forkDetach(late, { startImmediately: true })
              return yield* new CommitUnknown({ operation: "commit", cause })
            }
            const isDelivered = yield* ledger.commit(change)
            if (fault === "unheard") return yield* new CommitUnknown({ operation: "commit", cause })
            if (typeof fault === "number") yield* Effect.sleep(fault)
            return isDelivered
          })
        })
      })
    )
  }
  return faulty
}
