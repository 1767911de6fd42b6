/**
 * How the provider's messages get to us: late, twice, in another order, or not at all. What only a message tells comes
 * at last; of the rest the provider gives some up, and a look-up has to find it.
 */
import type { ProviderMessage } from "@pointsman/core"
import { Effect, Exit } from "effect"
import type { MortalProcess } from "./MortalProcess.ts"
import { secretHeader, writeProviderMessage } from "./ProviderMail.ts"
import type { Time } from "./Time.ts"

const minute = 60_000

/** What the network does with a message: when its copies arrive, in milliseconds after it was written. */
export type Postage = ReadonlyArray<number>

export interface MailOptions {
  readonly time: Time
  readonly secretOf: (connectionId: string) => string
  /** Which process a message comes to; `undefined` while none is there. */
  readonly recipient: () => MortalProcess | undefined
  readonly postageOf: (message: ProviderMessage) => Postage
}

/** Who hears nothing for this long sends again. */
const patienceMillis = 10 * minute

/** Some four days, as providers do. */
const triesAtMost = 600

export const post = (options: MailOptions): ((connectionId: string, message: ProviderMessage) => void) => {
  const { postageOf, recipient, secretOf, time } = options
  return (connectionId, message) => {
    const body = writeProviderMessage(message)
    const headers = { [secretHeader]: secretOf(connectionId) }
    const send = (tries: number) => {
      let isHeard = false
      recipient()?.ask(
        (pointsman) =>
          Effect.flatMap(pointsman.verifyMessage({ connectionId, headers, body }), pointsman.recordMessage),
        (exit) => {
          isHeard = Exit.isSuccess(exit)
        }
      )
      if (tries >= triesAtMost) return
      time.after(patienceMillis, () => {
        if (!isHeard) send(tries + 1)
      })
    }
    for (const millis of postageOf(message)) time.after(millis, () => send(1))
  }
}
