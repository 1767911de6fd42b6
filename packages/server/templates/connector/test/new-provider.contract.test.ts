/** What this provider says in each situation; the suite knows the expected result. */
import {
  type ConnectorDefinition,
  connectorSuite,
  type Situation,
  type TransportAnswer
} from "@pointsman/contracts/connector"
import { definition } from "../src/index.ts"

const apiKey = "key/of+the_test="

const answer = (status: number, body: unknown): TransportAnswer => ({
  status,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body)
})

/**
 * The provider's raw answer in the situation, with the references and amounts that the situation gives, as its
 * documentation has it; `undefined` if it cannot occur, and then `lacks` names it.
 */
const answerTo = (situation: Situation): TransportAnswer | undefined => {
  switch (situation.name) {
    // case "charge captured":
    //   return answer(200, { id: situation.providerRef, status: "paid", amount: situation.money.minorUnits })
    default:
      return undefined
  }
}

connectorSuite({
  name: "new-provider",
  definition: definition as ConnectorDefinition,
  credentials: { url: "https://new-provider.example/v1/", apiKey },
  secrets: [apiKey],
  brokenCredentials: [
    { credentials: undefined, field: "credentials" },
    { credentials: { apiKey }, field: "credentials.url" },
    { credentials: { url: "new-provider.example", apiKey }, field: "credentials.url" },
    { credentials: { url: "https://new-provider.example" }, field: "credentials.apiKey" },
    { credentials: { url: "https://new-provider.example", apiKey: "two words" }, field: "credentials.apiKey" }
  ],
  play: (situation) => {
    const played = answerTo(situation)
    return played === undefined ? undefined : { answer: played }
  },
  lacks: [],
  // The provider's answers with these charges and refunds, oldest first here.
  lists: { charges: () => answer(200, "to be written"), refunds: () => answer(200, "to be written") },
  // The provider's answer that names the account of the credentials, and what must come of it.
  account: { is: { id: "to be written", mode: null }, answer: answer(200, { id: "to be written" }) },
  wire: {
    idempotencyKeyOf: (request) => request.headers["idempotency-key"],
    amountOf: (request) => JSON.parse(request.body ?? "{}").amount,
    // What the provider is to be sent for 12.34 EUR, 500 JPY and 1.230 KWD, literally.
    amounts: { EUR: undefined, JPY: undefined, KWD: undefined },
    // A success of the operation but for this one thing.
    unknownStatus: () => answer(200, { id: "to be written", status: "on_holiday" }),
    withoutReference: () => answer(200, { status: "to be written" })
  }
})
