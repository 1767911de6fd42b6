/** For receivers of Pointsman's webhooks. Needs no storage and no `createPointsman`. */
import { atCaller } from "./CallersStack.ts"
import type { IncomingWebhook, VerifiedWebhook } from "./IncomingWebhook.ts"

/**
 * Gives the event where one of the secrets signed the body within the last 300 seconds, and throws `WebhookRefusedError`
 * otherwise. It does not notice that an event came before: keep the ids of those that you acted on.
 */
const verify = async (webhook: IncomingWebhook): Promise<VerifiedWebhook> => {
  const { verifyWebhook } = await import("./VerifyWebhook.ts")
  try {
    return await verifyWebhook(webhook)
  } catch (error) {
    throw atCaller(error, verify)
  }
}

export const webhooks = { verify } as const
