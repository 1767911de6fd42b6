/**
 * Tells people outside of the API. Pointsman sends no e-mail: provide a notifier of your own to have one sent.
 *
 * It is called after the fact was written, in the request that made it. It should hand the message over (to a queue,
 * say) and return: after ten seconds it is interrupted. What it fails with is logged and changes nothing, so keep
 * the token out of its errors.
 */
import { Context, Effect, Redacted } from "effect"
import type { Merchant } from "../model/Merchant.ts"

export interface Invitation {
  readonly merchant: Merchant
  /** Lets its bearer be taken for the merchant's owner, once. It is kept nowhere: only its hash is stored. */
  readonly token: Redacted.Redacted<string>
}

export interface NotifierService {
  /** Once for each invitation; a merchant that is invited again has a new token, and the one before is void. */
  readonly merchantInvited: (invitation: Invitation) => Effect.Effect<unknown, unknown>
}

/** Writes to the log unless replaced. Only level Debug has the token: a reader could accept the invitation. */
export const Notifier = Context.Reference<NotifierService>("pointsman/ports/Notifier", {
  defaultValue: () => ({
    merchantInvited: ({ merchant, token }) =>
      Effect.logInfo("a merchant was invited: `pointsman merchants invite` prints a token for its owner").pipe(
        Effect.andThen(
          Effect.annotateLogs(Effect.logDebug("the invitation's token"), "invitation_token", Redacted.value(token))
        ),
        Effect.annotateLogs({ merchant_id: merchant.id })
      )
  })
})
