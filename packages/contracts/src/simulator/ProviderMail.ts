/** How the simulated provider writes its messages, and how its connector reads them. */
import {
  type ChargeRecord,
  MessageUnreadable,
  MessageUnverified,
  type OperationState,
  type ProviderMessage,
  type RawMessage,
  type RefundState
} from "@pointsman/core/ports"
import { Effect, Redacted, Result } from "effect"

const utf8 = new TextEncoder()
const text = new TextDecoder()

/** Any sender with the secret may write: forging a real signature is what the tests of connectors are about. */
export const secretHeader = "x-simulated-secret"

type State = ChargeRecord | OperationState | RefundState

/** What has to be on file once a message was taken. */
export interface Filed {
  readonly connectionId: string
  /** The provider's id of it. */
  readonly id: string
  /** `decided` is any outcome of a message that concerns a payment. */
  readonly storedAs: "decided" | "unmatched" | "unreadable"
}

/** A message on its way. */
export interface Letter extends Filed {
  readonly body: Uint8Array
  /** When it was written, as it says itself: epoch milliseconds. */
  readonly at: number
  /** What it is about, in a word. */
  readonly about: string
  /** Whether a lookup tells the same, so that it may be lost. What only a message tells, a provider sends until it is heard. */
  readonly mayBeLost: boolean
  /** Whether a row of a report states the same, so that it may be lost in runs that read reports. */
  readonly isReported: boolean
}

/** A message as it goes over the wire. Its states are those of the moment at which it was written. */
export const writeProviderMessage = ({ about, at, id }: ProviderMessage): Uint8Array => {
  const nothing = { minorUnits: 0, currency: "EUR" }
  const state: State | null = "state" in about && about.state !== null ? about.state(nothing) : null
  return utf8.encode(JSON.stringify({ id, at, about: { ...about, state } }))
}

/** A body that its connector cannot read, and that is no other one's. */
export const unreadableBody = (id: string): Uint8Array => utf8.encode(`<message id="${id}">`)

export const readProviderMessage = ({
  body,
  headers,
  secret
}: RawMessage): Effect.Effect<ProviderMessage, MessageUnverified | MessageUnreadable> => {
  if (headers[secretHeader] !== Redacted.value(secret)) {
    return Effect.fail(new MessageUnverified({ reason: "the secret is another one" }))
  }
  return readStoredMessage({ body })
}

export const readStoredMessage = ({
  body
}: Pick<RawMessage, "body">): Effect.Effect<ProviderMessage, MessageUnreadable> => {
  const read = Result.try({
    try: (): ProviderMessage => {
      const { about, at, id } = JSON.parse(text.decode(body))
      return { id, at, about: about.state === null ? about : { ...about, state: () => about.state } }
    },
    catch: () => new MessageUnreadable({ reason: "the body is not JSON" })
  })
  return Effect.fromResult(read)
}
