/**
 * A gateway before the provider's adapter, which answers in its place now and then: before it passes a call on, or after.
 * What it says is no word of the provider's. The adapter is reached over the provider protocol.
 */
import { type ConnectorDefinition, Transport, type TransportAnswer } from "@pointsman/core/ports"
import { Effect, Result } from "effect"
import type { Fault, Plan } from "../Plan.ts"
import { nothingOutside, type Outside, type OutsideOptions } from "./Outside.ts"
import { answerOverHttp } from "./Wire.ts"

const answers: readonly [TransportAnswer, ...ReadonlyArray<TransportAnswer>] = [
  { status: 404, headers: { "content-type": "application/json" }, body: '{"message":"no Route matched"}' },
  { status: 404, headers: {}, body: "" },
  { status: 502, headers: { "content-type": "text/html" }, body: "<html><h1>502 Bad Gateway</h1></html>" }
]

interface GatewayFault {
  readonly answer: TransportAnswer
  readonly isPassedOn: boolean
}

/** How often the gateway answers by itself. */
const rate = 0.2

export const behindGateway = (http: ConnectorDefinition, { plan }: OutsideOptions): Outside => ({
  ...nothingOutside,
  reached: through(http, plan)
})

const through =
  (http: ConnectorDefinition, plan: Plan) =>
  (provider: ConnectorDefinition): ConnectorDefinition => ({
    ...provider,
    connect: (account, transport) =>
      Result.flatMap(provider.connect(account, transport), (adapter) => {
        const credentials = { baseUrl: "https://provider.example", apiKey: "key" }
        const gateway = Transport.of({
          send: (request) =>
            Effect.suspend(() => {
              const fault = plan.fault(rate, (draw): Fault<GatewayFault> => {
                const is = { answer: draw.pick(answers), isPassedOn: draw.chance(0.5) }
                const { pathname } = new URL(request.url)
                const words = `${request.method} ${pathname}: the gateway answers ${is.answer.status} ${is.answer.body}`
                return { is, words: is.isPassedOn ? `${words} and passes it on` : words }
              })
              if (fault === undefined) return answerOverHttp(adapter, request)
              return fault.isPassedOn
                ? Effect.as(answerOverHttp(adapter, request), fault.answer)
                : Effect.succeed(fault.answer)
            })
        })
        return Result.map(http.connect({ ...account, credentials }, gateway), (client) => {
          const { capture, charge, lookUpCharge, lookUpRefund, openCheckout, refund, void: release } = client
          const asked = { capture, charge, lookUpCharge, lookUpRefund, openCheckout, refund, void: release }
          return {
            ...adapter,
            ...Object.fromEntries(Object.entries(asked).filter(([, method]) => method !== undefined))
          }
        })
      })
  })
