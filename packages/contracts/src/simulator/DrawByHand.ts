/** What people do at the simulated provider, on its own pages: drawn among what its books allow. */

import type { ProviderWays } from "./CallHandling.ts"
import type { Draw } from "./Draw.ts"
import { type ActBooks, on } from "./DrawAct.ts"
import type { ProviderAct } from "./ProviderActs.ts"
import { type ChargeRecord, refundableAtProvider } from "./ProviderBooks.ts"
import { day, hour, minute } from "./Time.ts"

/** `undefined` where there is nothing to act on. */
export const drawByHand = (
  draw: Draw,
  { charges, refunds }: Pick<ActBooks, "charges" | "refunds">,
  { answersWithoutAmounts }: ProviderWays
): ProviderAct | undefined => {
  // Of a charge whose reference is that of another payment nothing can be told.
  const all = [...charges.values()].filter(({ isReferenceShared }) => !isReferenceShared)
  const taken = all.filter(({ state }) => state === "Captured")
  const refundable = taken.filter((charge) => refundableAtProvider(charge, refunds.values()) > 0)
  // What its answers leave out of a capture would be unknown before the message.
  const capturable = answersWithoutAmounts ? [] : all.filter((charge) => roomOf(charge) > 0)
  const voidable = all.filter((charge) => !charge.isReleased && (charge.state === "Authorized" || roomOf(charge) > 0))
  const choices = [
    ...on(draw, refundable, (charge) => refunding(draw, charge, refundableAtProvider(charge, refunds.values()))),
    ...on(draw, refundable, (charge) => refunding(draw, charge, refundableAtProvider(charge, refunds.values()))),
    ...on(draw, capturable, (charge) => capturing(draw, charge)),
    ...on(draw, capturable, (charge) => capturing(draw, charge)),
    ...on(draw, voidable, (charge) => ({ _tag: "VoidsByHand", charge })),
    ...on(
      draw,
      taken.filter((charge) => wonOf(charge).length > 0),
      (charge) => reopening(draw, charge)
    ),
    ...on(draw, all, (charge) => ({ _tag: "ChargesElsewhere", charge, isNamed: draw.chance(0.5) }))
  ]
  return draw.one(choices)?.()
}

/** What a person may still capture, in minor units. */
const roomOf = ({
  capturedMinor,
  capturesByHand,
  contradictions,
  isReleased,
  money,
  operation,
  state
}: ChargeRecord) => {
  const isOpen = operation === null || operation.state !== "Accepted"
  // What went back of a charge, or is disputed otherwise than it was, is no subject of captures any more.
  const isPlain = contradictions.every((one) => one.startsWith("captured ") && one.endsWith(" by hand"))
  const isPart = state === "Captured" && (operation !== null || capturesByHand.length > 0)
  return !isReleased && isOpen && isPlain && (state === "Authorized" || isPart) ? money.minorUnits - capturedMinor : 0
}

const refunding = (draw: Draw, charge: ChargeRecord, left: number): ProviderAct => {
  const amountMinor = Math.min(left, draw.pick([left, 1, 500, 1999, Math.ceil(left / 2)]))
  const later = draw.chance(0.5)
    ? null
    : { after: draw.pick([minute, 5 * hour, 30 * hour]), becomes: draw.pick(["done", "done", "refused", "canceled"]) }
  return { _tag: "RefundsByHand", charge, amountMinor, later }
}

const capturing = (draw: Draw, charge: ChargeRecord): ProviderAct => {
  const room = roomOf(charge)
  const isAbove = charge.state === "Authorized" && draw.chance(0.1)
  const drawn = isAbove ? room + 100 : Math.min(room, draw.pick([room, 500, 1999, Math.ceil(room / 2)]))
  return { _tag: "CapturesByHand", charge, capturedMinor: drawn }
}

/** The disputes that were won without an answer of ours, by their ids. */
const wonOf = ({ disputeRecords, disputes }: ChargeRecord): ReadonlyArray<string | null> =>
  [...disputes].flatMap(([id, verdict]) =>
    verdict === "won" && (disputeRecords.get(id ?? "")?.submissions.length ?? 0) === 0 ? [id] : []
  )

/** Pre-arbitration: the dispute opens again under its id. */
const reopening = (draw: Draw, charge: ChargeRecord): ProviderAct => {
  const [disputeId = null] = wonOf(charge)
  return { _tag: "Disputes", charge, disputeId, verdict: "opened", dueIn: draw.pick([null, 30 * hour, 8 * day]) }
}
