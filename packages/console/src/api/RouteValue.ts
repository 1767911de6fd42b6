/** What mode `auto` weighed of a candidate, where its objective was value: in the API, and in words. */
import type { RouteValue as Core } from "@pointsman/core"
import { routeValueText } from "@pointsman/core/internal"
import { Schema } from "effect"
import { described } from "./Records.ts"

export const RouteValue = Schema.Struct({
  fee_minor: Schema.NullOr(Schema.Int).annotateKey(described("In minor units; `null`: the fee is unknown.")),
  fee_rule: Schema.NullOr(Schema.Int).annotateKey(described("The place of its rule among the connection's, from 1.")),
  approval_ppm: Schema.Int.annotateKey(described("The expected approval rate, in parts per million.")),
  expected_micros: Schema.NullOr(Schema.Int).annotateKey(
    described("Approval times the amount less the fee, in millionths of a minor unit; `null`: the fee is unknown.")
  )
}).annotate({
  identifier: "RouteValue",
  description: "What `auto` weighed; absent where its objective was approval."
})
export type RouteValue = typeof RouteValue.Type

/** As a field of a candidate, which is absent where nothing was weighed. */
export const valueField = (value: Core | undefined): { readonly value?: RouteValue } =>
  value === undefined
    ? {}
    : {
        value: {
          fee_minor: value.fee?.feeMinor ?? null,
          fee_rule: value.fee?.rule ?? null,
          approval_ppm: value.approvalPpm,
          expected_micros: value.expectedMicros
        }
      }

/** The end of a sentence; empty where nothing was weighed. */
export const valueWords = (value: RouteValue | undefined, currency: string): string => {
  if (value === undefined) return ""
  const { approval_ppm, expected_micros, fee_minor, fee_rule } = value
  const fee = fee_minor === null || fee_rule === null ? null : { feeMinor: fee_minor, rule: fee_rule }
  return routeValueText({ fee, approvalPpm: approval_ppm, expectedMicros: expected_micros }, currency)
}
