/**
 * The requests whose bodies cost the server most for their size, each as whole as it may be without being refused unread:
 * one for each stage at which it is refused. None of them makes a payment.
 */

/** A valid body of a create but for the reference, which holds a card number: that is found last. */
const refusedLast = '"amount":1000,"currency":"EUR","country":"NL","reference":"4111 1111 1111 1111"'
const createBytes = 16_384
const messageBytes = 1_048_576

/** `before`, as many of `unit` as fit into so many bytes, and `after`. ASCII. */
const filled = (bytes: number, before: string, unit: (at: number) => string, after: string): string => {
  const units: Array<string> = []
  let left = bytes - before.length - after.length
  for (let at = 0; ; at++) {
    const next = unit(at)
    left -= next.length
    if (left < 0) return before + units.join("") + after
    units.push(next)
  }
}

const padded = (text: string, bytes: number): string => text + " ".repeat(bytes - text.length)

/** 16 valid numbers alone are looked for card by card, and another one would be refused at once. */
const cards = `https://shop.example/?${"4111111111111111,".repeat(16)}`

const creates: ReadonlyArray<string> = [
  filled(createBytes, `{${refusedLast}`, (at) => `,"${at.toString(36)}":0`, "}"),
  filled(createBytes, `{${refusedLast},"x":[0`, () => `,${"0.".padEnd(38, "0")}11`, "]}"),
  filled(createBytes, `{${refusedLast},"x":["`, () => "\\u0030", '"]}'),
  filled(createBytes, `{${refusedLast},"cancel_url":"${cards}","return_url":"${cards}`, () => "%34", '"}')
]

const item = {
  ...{ pspReference: "8836183819713023", originalReference: "", merchantReference: "none", success: "true" },
  ...{ merchantAccountCode: "PointsmanNL", eventCode: "AUTHORISATION", eventDate: "2026-11-21T12:00:00+01:00" },
  ...{ amount: { value: 1000, currency: "EUR" }, additionalData: { hmacSignature: "AA==" } }
}
const notification = JSON.stringify({ live: "true", notificationItems: [{ NotificationRequestItem: item }] })

/** Just under the objects and the commas that a message may have, and then as long as it may be. */
const messages: ReadonlyArray<string> = [
  padded(`${notification.slice(0, -1)},"x":[{}${",{}".repeat(9_990)}]}`, messageBytes),
  padded(
    `${notification.slice(0, -1)},"x":{"":0${Array.from({ length: 19_900 }, (_, at) => `,"k${at}":0.1`).join("")}}}`,
    messageBytes
  ),
  `${notification.slice(0, -1)},"x":"${"\\u0030".repeat(Math.floor((messageBytes - notification.length - 8) / 6))}"}`
]

const head = (path: string, ...headers: ReadonlyArray<string>) => [
  `POST /api/v1/${path} HTTP/1.1`,
  "Host: pay.example",
  "Connection: close",
  "Content-Type: application/json",
  ...headers
]

const whole = (lines: ReadonlyArray<string>, body: string) =>
  [...lines, `Content-Length: ${body.length}`, "", body].join("\r\n")

/** `key`: of a workspace with the connections `adyen` and `stripe`. */
export const worstRequests = (key: string): ReadonlyArray<string> => {
  const signature = `t=${Math.floor(Date.now() / 1_000)},v1=${"0".repeat(64)}`
  return [
    ...creates.flatMap((body) => [
      whole(head("payments"), body),
      whole(head("payments", `Authorization: Bearer ${key}`), body)
    ]),
    ...messages.flatMap((body) => [
      whole(head("psp-webhooks/adyen"), body),
      whole(head("psp-webhooks/stripe", `Stripe-Signature: ${signature}`), body),
      whole(head("psp-webhooks/nobody", `X-Service-Signature: ${signature}`), body)
    ])
  ]
}
