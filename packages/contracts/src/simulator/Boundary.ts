/** Where a process leaves itself: what it asks of the store, of a provider and of a receiver, before and after. */
import type {
  Audit,
  Change,
  Connector,
  Deliveries,
  Directory,
  Ledger,
  Merchants,
  RecordLosses,
  Retention,
  Settlements,
  SuccessRates
} from "@pointsman/core/ports"
import type { CommitFault } from "@pointsman/core/testing"

interface Ports {
  readonly ledger: Ledger["Service"]
  readonly deliveries: Deliveries["Service"]
  readonly directory: Directory["Service"]
  readonly merchants: Merchants["Service"]
  readonly successRates: SuccessRates["Service"]
  readonly audit: Audit
  readonly recordLosses: Omit<RecordLosses, "known">
  readonly retention: Omit<Retention, "paymentsAtOnce">
  readonly settlements: Settlements
}

/** The ports of the store. */
export type Port = keyof Ports

/** What is called beyond the boundary, as `ledger.commit` or `provider.charge`. */
export type Crossing =
  | { [Name in Port]: `${Name}.${keyof Ports[Name] & string}` }[Port]
  | `provider.${Exclude<keyof Connector, "readMessage" | "readStored">}`
  | "receiver.send"

export interface Boundary {
  /** The number of the process, counted from 1. */
  readonly process: number
  readonly crossing: Crossing
  /** `after`: what was called has run to its end, and its answer is not heard yet. */
  readonly side: "before" | "after"
  /** Of `ledger.commit`. */
  readonly change?: Change | undefined
}

/**
 * What happens to the process there. `dies`: nothing of it runs any more. A number: it freezes for so many
 * milliseconds, and continues as if nothing had happened.
 */
export type Fate = "dies" | number | undefined

/** What makes a process's life hard. All are asked in the order in which things happen, so that they can count. */
export interface Hooks {
  readonly onBoundary?: ((boundary: Boundary) => Fate) | undefined
  /**
   * What the store does with a call, `undefined` for what it was asked to. Of what is no commit, every fault but the
   * late answer is `StorageError`, and nothing was done.
   */
  readonly onStorage?: ((crossing: Crossing) => CommitFault) | undefined
  /**
   * How often the store was replaced by another one: what was sent to the one before does not arrive. `NaN`: there is none
   * to be reached.
   */
  readonly replacements?: (() => number) | undefined
  /** How long the way there takes, in milliseconds. Without it processes run one after the other, unless they wait. */
  readonly latency?: ((crossing: Crossing) => number) | undefined
}

/** Whether a store that answers the call changes by it. */
export const isWrite = (crossing: Crossing): boolean => writes.has(crossing)

/** Whether it may fail by `CommitUnknown`. */
export const isCommit = (crossing: Crossing): boolean => commits.has(crossing)

const commits: ReadonlySet<Crossing> = new Set(["ledger.commit", "ledger.storeMessage", "ledger.keepMessage"])

const writes: ReadonlySet<Crossing> = new Set([
  "ledger.commit",
  "ledger.storeMessage",
  "ledger.keepMessage",
  "ledger.takeDue",
  "ledger.postpone",
  "ledger.forgetClaims",
  "ledger.eraseTexts",
  "deliveries.takeDue",
  "deliveries.record",
  "deliveries.replace",
  "directory.write",
  "directory.apply",
  "merchants.provision",
  "merchants.replaceInvitation",
  "successRates.write",
  "successRates.forgetBefore",
  "audit.append",
  "recordLosses.declare",
  "recordLosses.markRecovered",
  "recordLosses.end",
  "retention.lease",
  "retention.remove",
  "retention.pruneDeliveries",
  "retention.pruneBodies",
  "retention.upkeep",
  "settlements.begin",
  "settlements.release",
  "settlements.applyBatch",
  "settlements.close",
  "settlements.prune"
])
