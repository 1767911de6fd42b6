/**
 * How the provider's messages get to us: late, twice, in another order, or not at all. What only a message tells comes
 * at last; of the rest the provider gives some up, and a lookup has to find it.
 */
import { Effect, Exit } from "effect"
import { messageSecretOf } from "./Furnish.ts"
import type { MortalProcess } from "./MortalProcess.ts"
import { type Letter, secretHeader } from "./ProviderMail.ts"
import { minute, type Time } from "./Time.ts"

/** What the network does with a message: when its copies arrive, in milliseconds after it was written. */
export type Postage = ReadonlyArray<number>

/** When a message was brought, and when it was answered with a success: epoch milliseconds. */
export interface Taken {
  readonly from: number
  readonly to: number
}

interface MailOptions {
  readonly time: Time
  /** Which process a message comes to; `undefined` while none is there. */
  readonly recipient: () => MortalProcess | undefined
  readonly postageOf: (letter: Letter) => Postage
}

/** Who hears nothing for this long sends again. */
const patienceMillis = 10 * minute

/** Some four days, as providers do. */
const triesAtMost = 600

export const post = ({ postageOf, recipient, time }: MailOptions) => {
  /** The letters that were taken with a success: each of them has to be on file for ever. */
  const heard = new Map<Letter, Taken>()
  const send = (letter: Letter) => {
    const { body, connectionId } = letter
    const headers = { [secretHeader]: messageSecretOf(connectionId) }
    const attempt = (tries: number) => {
      const from = time.now()
      let isHeard = false
      recipient()?.ask(
        (pointsman) =>
          Effect.flatMap(pointsman.verifyMessage({ connectionId, headers, body }), pointsman.recordMessage),
        (exit) => {
          isHeard = Exit.isSuccess(exit)
          if (isHeard) heard.set(letter, { from, to: time.now() })
        }
      )
      if (tries >= triesAtMost) return
      time.after(patienceMillis, () => {
        if (!isHeard) attempt(tries + 1)
      })
    }
    for (const millis of postageOf(letter)) time.after(millis, () => attempt(1))
  }
  return { send, heard }
}
