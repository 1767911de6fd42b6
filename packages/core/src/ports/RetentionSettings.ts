import { Context } from "effect"
import { defaultRetention, type RetentionTimes } from "../model/RetentionTimes.ts"

export const RetentionSettings = Context.Reference<RetentionTimes>("pointsman/retention/RetentionSettings", {
  defaultValue: () => defaultRetention
})
