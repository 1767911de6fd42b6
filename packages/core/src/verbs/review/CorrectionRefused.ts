import { Schema } from "effect"

/** This person may not propose or decide so, or another one did before; nothing was written. */
export class CorrectionRefused extends Schema.TaggedError<CorrectionRefused>()("pointsman/CorrectionRefused", {
  field: Schema.Literals(["correction", "by", "reason"]),
  reason: Schema.String
}) {}
