/** What adapters share in asking a provider whose requests are JSON. */
import { Effect, type Result } from "effect"
import { NotSent, type Unanswered } from "../model/ProviderStatement.ts"
import type { Money } from "../money/Money.ts"
import type { ConnectorAccount } from "./Connector.ts"
import type { Transport, TransportAnswer, TransportRequest } from "./Transport.ts"

export interface JsonCall {
  readonly method: TransportRequest["method"]
  /** Under the base URL, encoded. */
  readonly path: string
  /** The attempt, operation or refund id: the provider's idempotency key. A call about none of them has none. */
  readonly id?: string
  readonly body?: Readonly<Record<string, unknown>>
}

/** The provider, as each call needs it. `keyHeader`: of the idempotency key, in lower case; `idempotency-key` unless set. */
export interface JsonProvider
  extends Pick<ConnectorAccount, "timeoutMillis">,
    Pick<TransportRequest, "maxAnswerBytes"> {
  readonly baseUrl: string
  readonly keyHeader?: string
}

/** One call is one request. `headers`: those of the provider, for each call. */
export const jsonCaller =
  (
    transport: Transport["Service"],
    { baseUrl, keyHeader = "idempotency-key", maxAnswerBytes, timeoutMillis }: JsonProvider,
    headers: Effect.Effect<Readonly<Record<string, string>>>
  ) =>
  <A>(
    { body, id, method, path }: JsonCall,
    read: (answer: TransportAnswer) => Result.Result<A, Unanswered>
  ): Effect.Effect<A, NotSent | Unanswered> =>
    Effect.flatMap(headers, (others) =>
      Effect.flatMap(
        transport.send({
          method,
          url: `${baseUrl}${path}`,
          headers: {
            accept: "application/json",
            ...(id === undefined ? {} : { [keyHeader]: id }),
            ...(body === undefined ? {} : { "content-type": "application/json" }),
            ...others
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          timeoutMillis,
          ...(maxAnswerBytes === undefined ? {} : { maxAnswerBytes })
        }),
        (answer) => Effect.fromResult(read(answer))
      )
    )

/** A part of a path or a query. `toWellFormed`, because `encodeURIComponent` throws at half a surrogate pair. */
export const segment = (text: string): string => encodeURIComponent(text.toWellFormed())

/** Sends the provider's amount of the money. Nothing is sent that the provider would take for another amount. */
export const expressing =
  <Amount>(provider: string, amountOf: (money: Money) => Amount | undefined) =>
  <A, E>(money: Money, send: (amount: Amount) => Effect.Effect<A, E>): Effect.Effect<A, E | NotSent> => {
    const amount = amountOf(money)
    const { currency, minorUnits } = money
    return amount === undefined
      ? new NotSent({
          reason: `nothing was sent: ${provider} cannot represent ${minorUnits} minor units of ${currency}`
        })
      : send(amount)
  }
