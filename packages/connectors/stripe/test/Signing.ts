/** Events signed by Stripe's own code. Apart from the answers, because loading that code takes a while. */
import Stripe from "stripe"
import { secretKey } from "./Stripe.ts"

/** Stripe's own client, of which the signing of test messages is used, and nothing that sends. */
export const stripe = new Stripe(secretKey)

/** `signedAt`: epoch milliseconds. */
export const signed = (text: string, secret: string, signedAt: number) => ({
  headers: {
    "stripe-signature": stripe.webhooks.generateTestHeaderString({
      payload: text,
      secret,
      timestamp: Math.floor(signedAt / 1000)
    })
  },
  body: new TextEncoder().encode(text)
})
