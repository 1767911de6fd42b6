/**
 * What Adyen's webhooks state of a dispute (https://docs.adyen.com/risk-management/disputes-api/dispute-notifications). The
 * verdict and the amount are signed. The reason and the deadline are not: changed on the way, they mislead a reminder, and
 * move no money.
 */
import type { Clean, MessageAbout, StatedDispute } from "@pointsman/core/connector"
import { fromAdyen } from "./Amounts.ts"
import type * as Protocol from "./Protocol.ts"

export type Verdict = Extract<MessageAbout, { readonly _tag: "Dispute" }>["verdict"]

/**
 * By their event codes. The money is gone from `NOTIFICATION_OF_CHARGEBACK` on or soon after; a reversal may be followed by
 * a second chargeback, and the later of both counts. A request for information takes no money and is no dispute yet.
 */
export const verdicts: ReadonlyMap<string, Verdict> = new Map([
  ["NOTIFICATION_OF_CHARGEBACK", "opened"],
  ["CHARGEBACK", "opened"],
  ["CHARGEBACK_REVERSED", "won"],
  ["ISSUER_RESPONSE_TIMEFRAME_EXPIRED", "won"],
  ["SECOND_CHARGEBACK", "lost"],
  ["PREARBITRATION_WON", "won"],
  ["PREARBITRATION_LOST", "lost"],
  ["SCHEME_ARBITRATION_WON", "won"],
  ["SCHEME_ARBITRATION_LOST", "lost"]
])

/** Longer codes are none of a card scheme's. */
const reasonAtMost = 60

/** A date with its zone, as Adyen writes it: `2020-12-18T10:15:30+01:00`. */
const dated = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/u

/** Additional data of disputes: https://docs.adyen.com/api-explorer/Webhooks/1/post/NOTIFICATION_OF_CHARGEBACK. */
export const detailsOf = (
  { additionalData: { chargebackReasonCode: reason, defensePeriodEndsAt: end }, amount }: Protocol.Item,
  clean: Clean
): Pick<StatedDispute, "money" | "providerReason" | "dueBy"> => {
  const money = fromAdyen(amount)
  const dueBy = typeof end === "string" && dated.test(end) ? Date.parse(end) : Number.NaN
  const isCode = typeof reason === "string" && reason !== "" && reason.length <= reasonAtMost && reason.isWellFormed()
  return {
    ...(money === undefined ? {} : { money }),
    ...(isCode ? { providerReason: clean(reason) } : {}),
    ...(Number.isNaN(dueBy) ? {} : { dueBy })
  }
}
