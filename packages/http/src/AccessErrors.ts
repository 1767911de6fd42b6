/** What a request, or a call in the same process, is refused with before anything of it is decoded. */
import type { ErrorBody } from "./api/Errors.ts"

export const suspended: ErrorBody<"workspace_suspended"> = {
  error: { code: "workspace_suspended", message: "The workspace is suspended." }
}

export const insufficientScope = (scope: string): ErrorBody<"insufficient_scope"> => ({
  error: { code: "insufficient_scope", message: `The API key lacks the scope ${scope}.` }
})

export const liveKeyRequired: ErrorBody<"live_key_required"> = {
  error: { code: "live_key_required", message: "Partner endpoints require a live key (`ps_live_…`)." }
}

export const notAPartner: ErrorBody<"not_a_partner"> = {
  error: { code: "not_a_partner", message: "The workspace is not set up as a white-label partner." }
}

export const rateLimited = (retryAfterSeconds: number): ErrorBody<"rate_limited"> => ({
  error: {
    code: "rate_limited",
    message: `Too many requests with this key. Try again in ${retryAfterSeconds} s.`
  }
})
