/** The fault from outside that a run has, if any. */
import { drawFrom } from "../Draw.ts"
import { swappingAccounts } from "./Account.ts"
import { withDifferingClocks, withJumpingClocks } from "./Clocks.ts"
import { behindGateway } from "./Gateway.ts"
import { losingRecords } from "./LoseRecords.ts"
import { startingWithOlderFiles } from "./OlderFile.ts"
import { leavingChargesOpen } from "./OpenCharges.ts"
import {
  type LosingFault,
  losingFaults,
  nothingOutside,
  type Outside,
  type OutsideFault,
  type OutsideOptions
} from "./Outside.ts"

const drawn: ReadonlyArray<OutsideFault> = [
  "restore",
  "promote",
  "gateway",
  "account",
  "promote-alive",
  "clocks",
  "open-charges",
  "older-file",
  "account-charged",
  "clock-jumps"
]

/** Of the runs of one fault alone. */
const share = 0.02

/** The stream of these faults, beside those of the plan. */
const outsideStream = -2

/** `undefined` in most runs. */
export const drawOutside = (seed: number): OutsideFault | undefined => {
  const draw = drawFrom(seed, outsideStream)
  return draw.chance(share * drawn.length) ? draw.one(drawn) : undefined
}

export const losesRecords = (fault: OutsideFault | "none" | undefined): fault is LosingFault =>
  losingFaults.some((losing) => losing === fault)

export const swapsAccounts = (fault: OutsideFault | "none" | undefined): boolean =>
  fault === "account" || fault === "account-charged"

export const makeOutside = (fault: OutsideFault | "none" | undefined, options: OutsideOptions): Outside => {
  if (losesRecords(fault)) return losingRecords(fault, options)
  if (fault === "gateway" && options.http !== undefined) return behindGateway(options.http, options)
  if (fault === "older-file" && options.applyFile !== undefined) {
    return startingWithOlderFiles(options.applyFile, options)
  }
  if (fault === "clocks") return withDifferingClocks(options)
  if (fault === "clock-jumps") return withJumpingClocks(options)
  if (fault === "open-charges") return leavingChargesOpen(options)
  if (swapsAccounts(fault)) return swappingAccounts(fault === "account-charged", options)
  return nothingOutside
}
