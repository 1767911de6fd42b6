/** The connector suite, over a connector in plain functions. */
import { connectorSuite } from "@pointsman/contracts/connector"
import type { ConnectorDefinition } from "@pointsman/core/connector"
import { pocketPay as provider } from "../../../scripts/new-connector/fixture/test/PocketPay.ts"
import { definition as pocketPay } from "../../../scripts/new-connector/fixture-plain/src/PocketPayConnector.ts"

const [apiKey = ""] = provider.secrets

connectorSuite({
  ...provider,
  name: "pocket-pay in plain functions",
  definition: pocketPay as ConnectorDefinition,
  brokenCredentials: [
    { credentials: undefined, field: "credentials" },
    { credentials: { apiKey }, field: "credentials.url" },
    { credentials: { url: "pocket-pay.example", apiKey }, field: "credentials.url" },
    { credentials: { url: "https://pocket-pay.example" }, field: "credentials.apiKey" },
    { credentials: { url: "https://pocket-pay.example", apiKey: "two words" }, field: "credentials.apiKey" },
    { credentials: { url: "https://pocket-pay.example", apiKey, key: "" }, field: "credentials.key" }
  ]
})
