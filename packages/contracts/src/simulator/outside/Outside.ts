/**
 * What the world around does to a run: at most one of these, in few runs, so that all other runs keep their meaning. Each
 * is a file of its own.
 */
import type { ConnectorDefinition } from "@pointsman/core/ports"
import type { Hooks } from "../Boundary.ts"
import type { CallHandling, ProviderCall } from "../CallHandling.ts"
import type { ApplyFile } from "../Furnish.ts"
import type { MortalProcess, MortalProcessOptions, StoreClock } from "../MortalProcess.ts"
import type { Plan } from "../Plan.ts"
import type { Jumps } from "../Time.ts"
import type { World } from "../World.ts"

/** What was lost, for the judge. */
export interface Lost {
  /** What was written from this time on was lost; epoch milliseconds. */
  readonly from: number
  /** When it was lost, in epoch milliseconds. */
  readonly at: number
  /** Payments of which something was lost. */
  readonly payments: ReadonlySet<string>
  readonly events: ReadonlySet<string>
  /** Attempts, operations and refunds that were stored before the loss, by their ids. */
  readonly calls: ReadonlySet<string>
}

export const outsideFaults = [
  /** The store is put back to an earlier state while no process runs. */
  "restore",
  /** The store loses what was written last, and the processes start anew. */
  "promote",
  /** A gateway answers in the provider's place. */
  "gateway",
  /** The credentials of a connection open another account for a time, which takes no charges. */
  "account",
  /** As "promote", while processes run. */
  "promote-alive",
  /** As "account", and the other account takes charges. */
  "account-charged",
  /** The clock of every process differs from the store's, and what is unknown is known by lookups alone. */
  "clocks",
  /** The clock of the machine, or that of the store, jumps by days, ahead and back. */
  "clock-jumps",
  /** Charges are accepted, and settled only after more than a day. */
  "open-charges",
  /** A newer configuration file is rolled out, and processes start with an older one. */
  "older-file"
] as const
export type OutsideFault = (typeof outsideFaults)[number]

/** They need a storage that provides `StorageSnapshots`; all but `restore` one that then continues another history. */
export const losingFaults = ["restore", "promote", "promote-alive"] as const satisfies ReadonlyArray<OutsideFault>
export type LosingFault = (typeof losingFaults)[number]

/** What a fault is made for. */
export interface OutsideOptions {
  readonly seed: number
  /** Of the plan. */
  readonly steps: number
  readonly plan: Plan
  /** The connector of the provider protocol. */
  readonly http: ConnectorDefinition | undefined
  readonly applyFile: ApplyFile | undefined
  /** `false` where the fault was drawn: a storage that cannot have it runs without. */
  readonly isChosen: boolean
}

export interface Running {
  readonly world: World
  /** Starts one more process. */
  readonly start: () => void
}

export interface Outside {
  /** How processes reach the provider. */
  readonly reached: (provider: ConnectorDefinition) => ConnectorDefinition
  /** How the provider handles a call; `undefined` where that is drawn as in other runs. */
  readonly handlingOf?: (call: ProviderCall) => CallHandling | undefined
  /** What every process does before it serves. */
  readonly starting?: MortalProcessOptions["starting"]
  /** Before the first process starts. */
  readonly begin: (running: Running) => Promise<Acting>
}

/** A fault in its run. */
export interface Acting {
  /** Before a step of the plan. */
  readonly before: (step: number) => Promise<void>
  /** All acts have ended, and `process` is the only one: it ends what the fault left open. */
  readonly end: (process: MortalProcess) => Promise<void>
  /** As `end`, once providers have done all that they were late with. */
  readonly endAfterAll: (process: MortalProcess) => Promise<void>
  readonly replacements: NonNullable<Hooks["replacements"]>
  /** `undefined` where the store has the world's clock. */
  readonly storeClock?: StoreClock | undefined
  /** `undefined` where no clock jumps. */
  readonly jumps?: Jumps | undefined
  readonly lost: () => Lost | undefined
  /** Whether records of the connection are missing, and nothing may be sent there. */
  readonly isMissing: (connectionId: string) => boolean
  /** Whether the connection's credentials opened another account: what is not found there settles nothing. */
  readonly isOfOtherAccount: (connectionId: string) => boolean
  /** What is wrong at the end, in sentences. */
  readonly judge: () => Promise<ReadonlyArray<string>>
}

const nothing = () => Promise.resolve()

export const nothingActs: Acting = {
  before: nothing,
  end: nothing,
  endAfterAll: nothing,
  replacements: () => 0,
  lost: () => undefined,
  isMissing: () => false,
  isOfOtherAccount: () => false,
  judge: () => Promise.resolve([])
}

export const nothingOutside: Outside = {
  reached: (provider) => provider,
  begin: () => Promise.resolve(nothingActs)
}
