/** The largest bodies that the API takes, and reports of any content: `docs/reference/costs.md` says how large they are. */
import { createHmac } from "node:crypto"
import { evidenceLimits } from "@pointsman/core"
import { createLimits, evidenceBodyBytes, messageLimits, purchaseLimits } from "@pointsman/http/api"
import { reportFormats } from "@pointsman/reconcile"
import { assert, describe, it } from "vitest"
import { formBytesAtMost } from "../../../http/src/hosted/HostedForm.ts"
import { isLong } from "../support/LongRuns.ts"
import { budgetOf, collectGarbage, judge } from "./Judge.ts"
import { budgetOfReport, openReader } from "./Reports.ts"
import { httpSecret, type Input, liveKey, openWorld, stripeSecret, testKey } from "./World.ts"
import { worstBodies, worstTexts } from "./WorstTexts.ts"

type Headers = Readonly<Record<string, string>>

const post = (path: string, body: string, headers: Headers = {}): Input => ({
  method: "POST",
  path,
  headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json", ...headers },
  body
})

const digits = (length: number): string => "4111 1111 1111 1111 ".repeat(Math.ceil(length / 20)).slice(0, length)
const url = "https://shop.example/"
const create = {
  ...{ amount: 5_000, currency: "EUR", country: "NL", method: "card", card_brand: "visa", reference: "order-1" },
  ...{
    return_url: url,
    cancel_url: url,
    description: "d",
    locale: "de",
    metadata: {},
    lines: [{ name: "n", quantity: 1, amount: 5_000 }]
  }
}
const largest = {
  ...create,
  reference: digits(createLimits.reference),
  metadata: Object.fromEntries(
    Array.from({ length: purchaseLimits.names }, (_, at) => [`n${at}`, digits(purchaseLimits.text)])
  ),
  lines: Array.from({ length: purchaseLimits.lines }, () => ({ name: digits(60), quantity: 1, amount: 100 }))
}

const bodyBytes = createLimits.bodyBytes
const ofMerchant = (): ReadonlyArray<Input> => [
  ...[JSON.stringify(largest), ...worstBodies(bodyBytes, create)].map((body) => post("/api/v1/payments", body)),
  ...["authorized-0/capture", "authorized-1/void", "captured-0/refunds"].flatMap((operation) =>
    worstBodies(bodyBytes, { amount: 1, reason: "r" }).map((body) => post(`/api/v1/payments/@${operation}`, body))
  ),
  ...["submit", "accept"].flatMap((act) =>
    worstTexts(bodyBytes).map((body) => post(`/api/v1/disputes/dp_1/${act}`, body))
  ),
  ...worstBodies(bodyBytes, { name: "n", email: "a@b.example", country: "NL", category: "c" }).map((body) =>
    post("/api/v1/merchants", body, { authorization: `Bearer ${liveKey}` })
  )
]

const form = (parts: ReadonlyArray<string>): Input =>
  post("/api/v1/disputes/dp_1/evidence", `${parts.map((part) => `--b\r\n${part}\r\n`).join("")}--b--\r\n`, {
    "content-type": "multipart/form-data; boundary=b"
  })
const text = (name: string, value: string) => `Content-Disposition: form-data; name="${name}"\r\n\r\n${value}`
const file = (name: string, bytes: string) =>
  `Content-Disposition: form-data; name="${name}"; filename="f"\r\nContent-Type: application/pdf\r\n\r\n%PDF-${bytes}`
const evidence = (): ReadonlyArray<Input> => {
  const { fileBytes, files, textLength, texts } = evidenceLimits
  const parts = (value: string) => [
    ...Array.from({ length: texts }, (_, at) => text(`t${at}`, value)),
    ...Array.from({ length: files }, (_, at) => file(`f${at}`, "\r\n--".repeat(fileBytes / files / 4 - 5)))
  ]
  const left = evidenceBodyBytes - 200
  return [
    ...worstTexts(textLength).map((value) => form(parts(value))),
    ...[...worstTexts(left), "\r\n--b".repeat(left / 5)].flatMap((value) => [
      form([file("f", value)]),
      form([text("t", value)])
    ]),
    form(Array.from({ length: left / 60 }, (_, at) => text(`t${at}`, "v"))),
    form([`${"X: y\r\n".repeat(left / 6)}\r\nv`])
  ]
}

const signed = (secret: string, body: string): string => {
  const at = Math.floor(Date.now() / 1_000)
  return `t=${at},v1=${createHmac("sha256", secret).update(`${at}.${body}`).digest("hex")}`
}
const data = { object: "refund", id: "re_1", status: "succeeded", metadata: {} }
const messages = (): ReadonlyArray<Input> =>
  worstBodies(messageLimits.bodyBytes, { id: "e", type: "refund.updated", created: 1, livemode: true, data }).flatMap(
    (body) => [
      post("/api/v1/psp-webhooks/http", body, { "x-service-signature": signed(httpSecret, body) }),
      post("/api/v1/psp-webhooks/stripe", body, { "stripe-signature": signed(stripeSecret, body) }),
      post("/api/v1/psp-webhooks/adyen", body)
    ]
  )

const forms = (): ReadonlyArray<Input> =>
  worstTexts(formBytesAtMost).map((body) =>
    post("/hosted/token-@hosted-0", body, { "content-type": "application/x-www-form-urlencoded" })
  )

const reportBytes = 4_194_304

describe.skipIf(!isLong)("the largest inputs", () => {
  /** With a status that one of them is answered with: it was read to its end, and nothing was wrong with it but the ids. */
  const kinds = {
    ofMerchant: [ofMerchant, 201],
    evidence: [evidence, 404],
    messages: [messages, 200],
    forms: [forms, 422]
  } as const
  for (const [name, [inputs, expected]] of Object.entries(kinds)) {
    it(`16 KB of ${name} cost at most 50 ms of the processor`, {
      timeout: 1_800_000
    }, async () => {
      const receiver = await openWorld()
      const statuses = new Set<number>()
      for (const input of inputs()) {
        const answer = await judge(receiver, input, openWorld, budgetOf(Buffer.byteLength(input.body ?? "")))
        statuses.add(answer.status)
      }
      await receiver.close()
      assert.include([...statuses], expected)
    })
  }

  for (const [at, { columns, delimiter, name }] of reportFormats.entries()) {
    it(`reports of ${name} cost no more, and keep at most 100 MB`, {
      timeout: 1_800_000
    }, async () => {
      const header = `${columns.map((column) => column.name).join(delimiter)}\n`
      const row = `${columns.map(() => "1").join(delimiter)}\n`
      const rows = [row, `${delimiter.repeat(65_000)}\n`].map((one) => one.repeat(reportBytes / one.length))
      for (const unit of [...worstTexts(reportBytes), ...rows]) {
        for (const { layers, text } of [
          { layers: 0, text: `${header}${unit}` },
          { layers: 0, text: unit },
          { layers: 1, text: `${header}${unit}` }
        ]) {
          collectGarbage()
          const report = { format: at, content: Buffer.from(text).toString("latin1"), layers, cut: 0, piece: 262_144 }
          await judge(await openReader(), report, openReader, budgetOfReport(report))
        }
      }
    })
  }
})
