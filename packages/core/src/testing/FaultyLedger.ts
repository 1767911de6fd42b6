import { Effect, Layer } from "effect"
import { type Change, Ledger } from "../ports/Ledger.ts"
import { CommitUnknown, StorageError } from "../ports/StorageError.ts"

/**
 * What happens to a commit. `unwritten`: it fails and surely wrote nothing. `lost`: it fails without a word, and
 * wrote nothing. `unheard`: it wrote, and its answer is lost. `landsAfter`: its answer is lost, and it writes that many
 * milliseconds later, if it still can. A number: it succeeds, that many milliseconds late.
 */
export type CommitFault = "unwritten" | "lost" | "unheard" | { readonly landsAfter: number } | number | undefined

export interface FaultyLedger {
  readonly layer: Layer.Layer<Ledger, never, Ledger>
  /** How often each method of the port was called. */
  readonly calls: Record<keyof Ledger["Service"], number>
  /** Every change that was asked to be written, in order. */
  readonly changes: Array<Change>
  /** Decides what happens to the n-th commit, counted from 1. */
  onCommit: (number: number, change: Change) => CommitFault
  /** Whether a read works; it fails as the store would. */
  canRead: (method: keyof Ledger["Service"]) => boolean
  /** Called before every commit, for tests that act in between. */
  beforeCommit: (number: number, change: Change) => Effect.Effect<void>
}

const noCalls = (): FaultyLedger["calls"] => ({
  commit: 0,
  payment: 0,
  book: 0,
  bookOf: 0,
  storeMessage: 0,
  keepMessage: 0,
  message: 0,
  messages: 0,
  paymentOfPage: 0,
  takeDue: 0,
  postpone: 0,
  watched: 0,
  dueByConnection: 0,
  reviews: 0,
  usage: 0,
  payments: 0,
  attempts: 0,
  claim: 0,
  oldClaims: 0,
  forgetClaims: 0,
  eraseTexts: 0,
  dispute: 0,
  disputes: 0,
  dueDisputes: 0,
  evidence: 0,
  timeline: 0,
  events: 0
})

/** A ledger that counts its calls and fails on demand, over a real one. */
export const faultyLedger = (): FaultyLedger => {
  const faulty: FaultyLedger = {
    calls: noCalls(),
    changes: [],
    onCommit: () => undefined,
    canRead: () => true,
    beforeCommit: () => Effect.void,
    layer: Layer.effect(
      Ledger,
      Effect.gen(function* () {
        const ledger = yield* Ledger
        const counted =
          <Parameters extends ReadonlyArray<unknown>, A, E>(
            name: keyof Ledger["Service"],
            method: (...parameters: Parameters) => Effect.Effect<A, E>
          ) =>
          (...parameters: Parameters): Effect.Effect<A, E | StorageError> =>
            Effect.suspend((): Effect.Effect<A, E | StorageError> => {
              faulty.calls[name] += 1
              if (faulty.canRead(name)) return method(...parameters)
              return Effect.fail(new StorageError({ operation: name, cause: new Error(`${name} was told to fail`) }))
            })
        return Ledger.of({
          payment: counted("payment", ledger.payment),
          book: counted("book", ledger.book),
          bookOf: counted("bookOf", ledger.bookOf),
          storeMessage: counted("storeMessage", ledger.storeMessage),
          keepMessage: counted("keepMessage", ledger.keepMessage),
          message: counted("message", ledger.message),
          messages: counted("messages", ledger.messages),
          paymentOfPage: counted("paymentOfPage", ledger.paymentOfPage),
          takeDue: counted("takeDue", ledger.takeDue),
          postpone: counted("postpone", ledger.postpone),
          watched: counted("watched", ledger.watched),
          dueByConnection: counted("dueByConnection", ledger.dueByConnection),
          reviews: counted("reviews", ledger.reviews),
          usage: counted("usage", ledger.usage),
          payments: counted("payments", ledger.payments),
          attempts: counted("attempts", ledger.attempts),
          claim: counted("claim", ledger.claim),
          oldClaims: counted("oldClaims", ledger.oldClaims),
          forgetClaims: counted("forgetClaims", ledger.forgetClaims),
          eraseTexts: counted("eraseTexts", ledger.eraseTexts),
          dispute: counted("dispute", ledger.dispute),
          disputes: counted("disputes", ledger.disputes),
          dueDisputes: counted("dueDisputes", ledger.dueDisputes),
          evidence: counted("evidence", ledger.evidence),
          timeline: counted("timeline", ledger.timeline),
          events: counted("events", ledger.events),
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
            yield* ledger.commit(change)
            if (fault === "unheard") return yield* new CommitUnknown({ operation: "commit", cause })
            if (typeof fault === "number") yield* Effect.sleep(fault)
          })
        })
      })
    )
  }
  return faulty
}
