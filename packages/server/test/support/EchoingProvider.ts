/**
 * A provider that shows whatever it was sent, in every field and header that has room for a text: as it came, and in every
 * other way of writing (`Planted.ts`) that a header can have. The payment's `reference` controls its behaviour, for the part before a
 * colon.
 */
import { serveHttp } from "./HttpHere.ts"
import { writings } from "./Planted.ts"

/** No header has a zero byte, and no provider shows half of a secret. */
const echoOf = (texts: ReadonlyArray<string>): string =>
  texts
    .flatMap((text) => {
      const { "in UTF-16": _zeros, "its beginning": _half, ...others } = writings(text)
      return Object.values(others)
    })
    .join(" ")

/** What the provider adds to its answers of its own accord. */
interface OwnSecrets {
  /** A part of the address to which it sends a customer. */
  readonly checkout: string
  /** A field of a charge. */
  readonly charge: string
  /** A cookie that it sets. */
  readonly cookie: string
}

export const startEchoingProvider = async (own: OwnSecrets) => {
  let asked = 0
  let lookUps = 0
  const attempts: Array<string> = []
  const checkout = `https://provider.example/pay?session=${encodeURIComponent(own.checkout)}`
  const references = new Map<string, string>()
  const server = await serveHttp((request, response, text) => {
    asked += 1
    const body = text.length === 0 ? {} : JSON.parse(String(text))
    const key = (request.headers.authorization ?? "").replace("Bearer ", "")
    const url = new URL(request.url ?? "/", "http://provider")
    const attempt: string = body.attempt_id ?? url.searchParams.get("attempt_id") ?? ""
    if (body.attempt_id !== undefined) {
      attempts.push(attempt)
      references.set(attempt, body.reference ?? "")
    }
    const shown = echoOf([key, ...(typeof body.instrument === "string" ? [body.instrument] : [])])
    const headers = {
      "content-type": "application/json",
      "x-echo": shown,
      server: shown,
      "set-cookie": `session=${own.cookie}`
    }
    const send = (status: number, document: unknown) =>
      response.writeHead(status, headers).end(typeof document === "string" ? document : JSON.stringify(document))
    const decline = { code: shown, category: "other", message: shown, soft: false }
    const { amount, currency } = body
    const charge = { provider_reference: `ch_${asked}`, amount, currency, client_secret: own.charge }

    const [first, , operation] = url.pathname.split("/").slice(1)
    if (request.method === "GET") {
      lookUps += 1
      if (first === "operations") return send(501, { error: { code: shown, message: shown } })
      if (first === "refunds" || references.get(attempt)?.startsWith("cut")) return send(500, shown)
      return references.get(attempt)?.startsWith("found")
        ? send(200, { provider_reference: `found_${asked}`, status: "declined", decline })
        : send(404, { found: false, attempt_id: attempt, error: { code: shown, message: shown } })
    }
    if (first === "checkouts") {
      return send(200, { checkout_reference: `co_${asked}`, url: checkout, expires_at: null })
    }
    if (operation === "refunds") {
      const refund = { status: "failed", failure_reason: shown, amount: body.amount }
      return send(200, { provider_refund_id: body.amount === 100 ? `re_${asked}` : shown, ...refund })
    }
    if (operation !== undefined) return send(422, { error: { code: shown, message: shown } })
    switch (String(body.reference).split(":")[0]) {
      case "captured":
        return send(200, { ...charge, status: "captured" })
      case "named":
        return send(200, { ...charge, provider_reference: `ch ${shown}`, status: "captured" })
      case "authorized":
        return send(200, { ...charge, status: "authorized" })
      case "declined":
        return send(200, { ...charge, status: "declined", decline })
      case "rejected":
        return send(422, { error: { code: shown, message: shown } })
      case "unauthorized":
        return send(401, { error: { code: shown, message: shown } })
      case "moved":
        return response
          .writeHead(302, { ...headers, location: `http://127.0.0.1:1/?key=${encodeURIComponent(key)}` })
          .end()
      case "wrong":
        return send(200, { ...charge, status: shown, amount: shown })
      case "text":
        return send(200, shown)
      case "cut":
        response.writeHead(200, { ...headers, "content-length": "100000" }).write(shown)
        return setTimeout(() => request.socket.destroy(), 20)
      default:
        return send(500, { error: { code: shown, message: shown } })
    }
  })
  return {
    /** For a connection's `credentials.baseUrl`. */
    url: server.url,
    /** How many lookups came. */
    lookUps: () => lookUps,
    /** The ids of those that came. */
    attempts
  }
}

/** A merchant's receiver of webhooks that answers with what it was sent and with `own`, and never with success. */
export const startEchoingReceiver = async (own: string) => {
  /** Headers and body of each delivery. */
  const heard: Array<string> = []
  const { url } = await serveHttp((request, response, body) => {
    const delivery = `${JSON.stringify(request.headers)} ${body}`
    heard.push(delivery)
    const signature = String(request.headers["x-service-signature"])
    response.writeHead(500, { "x-echo": signature, "x-own": own }).end(`${own} ${delivery}`)
  })
  return { url: `${url}/hook`, heard }
}
