/**
 * PayPal's signature by a message that PayPal signed: the values of the test of PayPal's own SDK for Java
 * (`rest-api-sdk/src/test/java/com/paypal/base/ValidateCertTest.java` of https://github.com/paypal/PayPal-Java-SDK, commit
 * `2a34212256626707c89d9c0d9ac7bcdb5935fa5e`; copyright PayPal, Inc., PayPal's SDK license). The headers, the body, the id of the
 * webhook and the key are PayPal's; the SDK's test replaces the address of the certificate, which is not signed.
 *
 * The certificate of `official-key.pem` has the key, the name and the period of validity of the SDK's `testClientCert.crt`, and
 * is issued by a root of these tests. `PAYPAL_JAVA_SDK` names a local copy of the SDK: then its own certificate, and the
 * intermediate certificate beside it, are verified up to the roots that come with Node.
 */

import { X509Certificate } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { readBy, scriptedConnector } from "@pointsman/contracts/connector"
import { itRuns } from "@pointsman/contracts/vitest"
import type { Connector } from "@pointsman/core/connector"
import { Effect, Result } from "effect"
import { rootsOfNode } from "../src/Certificates.ts"
import { definitionTrusting } from "../src/PayPalConnector.ts"
import { answer, certificateUrl, credentials, pem } from "./PayPal.ts"

const webhookId = "96605875FF6516633"
const headers = {
  "paypal-auth-algo": "SHA256withRSA",
  "paypal-cert-url": certificateUrl,
  "paypal-transmission-id": "071f7d20-1584-11e7-abf0-6b62a8a99ac4",
  "paypal-transmission-time": "2017-03-30T20:04:05Z",
  "paypal-transmission-sig":
    "aBjgm5/xljRYu3G64Q0axISrP2xcy7WbW1u4UTCKnQvyprOZ1a1BBmqn2Jdr6ce8E76I3Ti/AL9y4VYSHyGSEaoE6dVQcCDebLbOXLH0fjTAbTc1" +
    "/rmfdWmsk0DPltW84Y8W8jOHe3CLWDOwg5zmozyt+AceG2x5eOiw7mLSycaEoj/5RG+dOIWXnmWcLEArbG3VFshy0wuhZrKuGa9C/bD4Ku+Y9gK7" +
    "Bv5I5IuGRVnTGpcFnVG0KxOyJxccLGyBVCIUMY5IZS7LkmJszQ3HZZFDTNihvgJHECSLwLhzUaysIye5G6CbbLdtAmeeb6wiDciEAvr2dFf+SplO" +
    "R4Lrng=="
}
const body =
  '{"id":"WH-2MW4820926242972J-6SG447389E205703U","event_version":"1.0","create_time":"2017-03-30T20:04:05.613Z","r' +
  'esource_type":"plan","event_type":"BILLING.PLAN.CREATED","summary":"A billing plan was created","resource":{"mer' +
  'chant_preferences":{"setup_fee":{"currency":"USD","value":"1"},"return_url":"https://www.mta.org/wp-content/plug' +
  'ins/AMS/api/Paypal/paypal/rest-api-sdk-php/sample/billing/ExecuteAgreement.php?success=true","cancel_url":"https' +
  "://www.mta.org/wp-content/plugins/AMS/api/Paypal/paypal/rest-api-sdk-php/sample/billing/ExecuteAgreement.php?suc" +
  'cess=false","auto_bill_amount":"YES","initial_fail_amount_action":"CONTINUE","max_fail_attempts":"0"},"update_ti' +
  'me":"2017-03-30T20:04:05.587Z","create_time":"2017-03-30T20:04:05.587Z","name":"T-Shirt of the Month Club Plan",' +
  '"description":"Template creation.","links":[{"href":"api.sandbox.paypal.com/v1/payments/billing-plans/P-2U911356' +
  'NH683973BEDIWKUY","rel":"self","method":"GET"}],"payment_definitions":[{"name":"Regular Payments","type":"REGULA' +
  'R","frequency":"Month","frequency_interval":"2","amount":{"currency":"USD","value":"100"},"cycles":"12","charge_' +
  'models":[{"type":"SHIPPING","amount":{"currency":"USD","value":"10"},"id":"CHM-6H655806YS685182XEDIWKUY"}],"id":' +
  '"PD-5N450756VM995270VEDIWKUY"}],"id":"P-2U911356NH683973BEDIWKUY","state":"CREATED","type":"FIXED"},"links":[{"h' +
  'ref":"https://api.sandbox.paypal.com/v1/notifications/webhooks-events/WH-2MW4820926242972J-6SG447389E205703U","r' +
  'el":"self","method":"GET"},{"href":"https://api.sandbox.paypal.com/v1/notifications/webhooks-events/WH-2MW482092' +
  '6242972J-6SG447389E205703U/resend","rel":"resend","method":"POST"}]}'

const signedAt = Date.UTC(2017, 2, 30, 20, 4, 5)

const ownRoot = () => [pem("official-key-root.pem")]

/** A connection to which PayPal gives this certificate, once. */
const connected = (chain = pem("official-key.pem"), roots: () => ReadonlyArray<string> = ownRoot): Connector =>
  scriptedConnector(definitionTrusting(roots), [answer(200, chain)], { credentials }).connector

/** How the message is read: it is about a plan, so that a verified one has a type that is not supported. */
const endOf = (connector: Connector, secret = webhookId) =>
  Effect.map(
    readBy(connector, { headers, body: new TextEncoder().encode(body) }, secret, signedAt + 1_000),
    (result) => (Result.isFailure(result) ? `${result.failure._tag}: ${result.failure.reason}` : "read")
  )

const verified = "pointsman/MessageUnreadable: its type is not supported"
const refused = /^pointsman\/MessageUnverified: /u

const alteredText = (text: string, at: number): string => {
  const one = text[at] === "0" ? "1" : "0"
  return `${text.slice(0, at)}${one}${text.slice(at + 1)}`
}

describe("a message that PayPal signed", () => {
  itRuns("the signature of the message of PayPal's SDK is verified", function* () {
    assert.strictEqual(yield* endOf(connected()), verified)
  })
  itRuns("another account's webhook id, in any character, or none, is refused", function* () {
    const connector = connected()
    const others = Array.from(webhookId, (_, at) => alteredText(webhookId, at))
    for (const secret of [...others, "", "NotToBeFound", webhookId.toLowerCase()]) {
      assert.match(yield* endOf(connector, secret), refused)
    }
    assert.strictEqual(yield* endOf(connector), verified)
  })
  itRuns("another authority's root, or another key under PayPal's name, is refused", function* () {
    assert.match(yield* endOf(connected(undefined, rootsOfNode)), refused)
    assert.match(yield* endOf(connected(pem("other-key.pem"))), /its signature does not match/u)
  })

  const sdk = process.env["PAYPAL_JAVA_SDK"]
  if (sdk === undefined) {
    it.skip("PAYPAL_JAVA_SDK names no local copy of PayPal's SDK: no check of its certificate", () => {})
    return
  }
  const certificate = (name: string) =>
    new X509Certificate(readFileSync(join(sdk, "rest-api-sdk/src/test/resources", name))).toString()
  const chain = [certificate("testClientCert.crt"), certificate("DigiCertSHA2ExtendedValidationServerCA.crt")]
  itRuns("the certificate of PayPal's SDK is verified up to a root that comes with Node", function* () {
    assert.strictEqual(yield* endOf(connected(chain.join(""), rootsOfNode)), verified)
    assert.match(yield* endOf(connected(chain[0], rootsOfNode)), refused)
    assert.match(yield* endOf(connected(chain.join(""), rootsOfNode), "NotToBeFound"), refused)
  })
})
