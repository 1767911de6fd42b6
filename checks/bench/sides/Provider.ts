/**
 * A provider that speaks the provider protocol and agrees to every charge after as many milliseconds as its address
 * says: `/after/50/charges`. It remembers nothing.
 */
import { createServer } from "node:http"
import { answerOrders, listen } from "../kit/Side.ts"

const server = createServer((request, response) => {
  const millis = Number(/^\/after\/(\d+)\/charges$/.exec(request.url ?? "")?.[1])
  let text = ""
  request.setEncoding("utf8").on("data", (part: string) => {
    text += part
  })
  request.on("end", () => {
    if (!Number.isFinite(millis)) return void response.writeHead(404).end()
    const { amount, attempt_id, capture, currency } = JSON.parse(text)
    const answer = JSON.stringify({
      provider_reference: `ref_${attempt_id}`,
      status: capture ? "captured" : "authorized",
      captured_amount: capture ? amount : 0,
      amount,
      currency
    })
    const end = () => response.writeHead(200, { "content-type": "application/json" }).end(answer)
    if (millis === 0) end()
    else setTimeout(end, millis)
  })
})

answerOrders(async () => {
  const url = await listen(server)
  return async () => `${url}/after`
})
