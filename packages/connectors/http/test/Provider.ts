/** A made-up provider that speaks the protocol: its account, and its raw answers. */
import { HttpConnector } from "@pointsman/connector-http"
import { answering, asksOf, endsOver, paymentRequests, scriptedConnector } from "@pointsman/contracts/connector"
import { money, type TransportAnswer } from "@pointsman/core/connector"

export const apiKey = "sk_provider/0123+456789="

export const answer = answering({ "content-type": "application/json" })

/** "Never received", in the protocol's own words. `id`: ours, under its name. */
export const neverReceived = (id: Readonly<Record<string, unknown>>): TransportAnswer =>
  answer(404, { found: false, ...id })

export const refusal = (status: number, code: string, message: string): TransportAnswer =>
  answer(status, { error: { code, message } })

export const eur = money(1000, "EUR")
export const sample = paymentRequests({
  ...{ providerRef: "ch_1", instrument: "tok_12345678", voidId: "op_2", money: eur, initiator: "mit" }
})
export const asks = asksOf(sample)

export const connect = (answers: ReadonlyArray<TransportAnswer>, baseUrl = "https://provider.example/v1") =>
  scriptedConnector(HttpConnector.definition, answers, { environment: "production", credentials: { baseUrl, apiKey } })

export const ends = endsOver(connect)
