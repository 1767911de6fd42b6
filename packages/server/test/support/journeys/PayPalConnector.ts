/**
 * PayPal's connector for journeys of customers, as a configuration file names it: it trusts the certificates of the tests, and
 * PayPal's address of them is answered here.
 */
import type { ConnectorDefinition } from "@pointsman/core/connector"
import { Effect } from "effect"
import {
  answer,
  certificateUrl,
  chains,
  definition,
  liveCertificateUrl
} from "../../../../connectors/paypal/test/PayPal.ts"

const ofPayPal = new Set([certificateUrl, liveCertificateUrl])

export const connector: ConnectorDefinition = {
  ...definition,
  name: "paypal-of-the-journeys",
  // Of a connector that is loaded, the server takes the fields of a configuration alone.
  supports: { ...definition.supports, paymentMethods: { card: {}, paypal: {} } },
  connect: (account, transport) =>
    definition.connect(account, {
      send: (request) =>
        ofPayPal.has(request.url) ? Effect.succeed(answer(200, chains.good)) : transport.send(request)
    })
}
