/** Makes a payment with openapi-fetch, over the types that openapi-typescript makes of the contract. */
import { randomUUID } from "node:crypto"
import createClient from "openapi-fetch"
import type { components, paths } from "./generated/schema.js"

type PaymentStatus = components["schemas"]["PaymentStatus"]

const client = createClient<paths>({
  baseUrl: process.env["POINTSMAN_URL"] ?? "http://127.0.0.1:3000",
  headers: { Authorization: `Bearer ${process.env["POINTSMAN_API_KEY"]}` }
})

// Keep the key with your order: after a crash, or no answer, the same request with the same key charges nothing twice.
const created = await client.POST("/api/v1/payments", {
  params: { header: { "Idempotency-Key": randomUUID() } },
  body: { amount: 1999, currency: "EUR", country: "NL", reference: "order-1001" }
})
if (created.error !== undefined) {
  throw new Error(`The payment was refused: ${created.error.error.code} (${created.error.error.message})`)
}
const payment = created.data.data

const read = await client.GET("/api/v1/payments/{id}", { params: { path: { id: payment.payment_id } } })
if (read.error !== undefined) throw new Error(`The payment cannot be read: ${read.error.error.code}`)
const status: PaymentStatus = read.data.data.status

// The payment is captured already, so this is refused. The code is one of those that the operation documents.
const capture = await client.POST("/api/v1/payments/{id}/capture", { params: { path: { id: payment.payment_id } } })
if (capture.error === undefined) throw new Error("A captured payment was captured again.")
const { code, message } = capture.error.error
switch (code) {
  case "not_capturable":
    break
  case "capture_result_unknown":
  case "state_unconfirmed":
  case "state_conflict":
    throw new Error("The provider may have captured: do not send this again, read the payment instead.")
  default:
    throw new Error(`The capture was refused: ${code} (${message})`)
}

console.log(JSON.stringify({ payment_id: payment.payment_id, status, refused: code }))
