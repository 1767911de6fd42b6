/**
 * A provider at a socket, for journeys of customers: its API, its pages, and its messages, which wait until a test sends them.
 * Its objects are those of the connector's own tests, which the provider's description was compared with.
 */
import { createHmac } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"
import type { TransportAnswer } from "@pointsman/core/connector"
import { serveHttp } from "../HttpHere.ts"

/** Whose keys a stand-in takes: those of a live account, or of a test account. */
export type Mode = "live" | "test"

export interface StandIn {
  /** Its connection in the configuration file, without its environment. */
  readonly connection: Readonly<Record<string, unknown>>
  /** Files of its connector, if the server does not include it. */
  readonly connectors?: ReadonlyArray<string>
  /** Every request of its API, as `POST /v2/payments`, oldest first. */
  readonly asked: ReadonlyArray<string>
  /** What it did for each page that it opened, oldest first. */
  readonly books: () => ReadonlyArray<Booked>
  /** Runs when a customer has paid or given up on a page, before they are sent back. */
  beforeReturn: () => Promise<void>
  /** It does what it does some moments after a payment: it captures. */
  readonly settle: () => void
  /** It ends the pages whose time is over. */
  readonly expire: () => void
  /** Takes the messages that wait, oldest first. */
  readonly takeMessages: () => ReadonlyArray<OutgoingMessage>
}

/** A stand-in that does nothing by itself, and whose pages end by the clock, unless `own` says otherwise. */
export const standInOf = <Own extends Pick<StandIn, "connection" | "asked" | "books">>(
  messages: Array<OutgoingMessage>,
  own: Own
): StandIn & Own => ({
  beforeReturn: async () => {},
  settle: () => {},
  expire: () => {},
  takeMessages: () => messages.splice(0),
  ...own
})

export interface Booked {
  /** Where its customer was to be sent back. */
  readonly returnUrl: string
  /** Minor units that it took. */
  readonly taken: number
  /** Payments that took something. */
  readonly charges: number
}

export interface OutgoingMessage {
  /** At the server. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface Asked {
  readonly method: string
  /** Without its first slash, by its slashes. */
  readonly path: ReadonlyArray<string>
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** A message as a provider posts it to its connection. */
export const messageTo = (
  connection: string,
  { body, headers }: { readonly body: string | Uint8Array; readonly headers?: object }
): OutgoingMessage => ({
  path: `/api/v1/psp-webhooks/${connection}`,
  headers: { "content-type": "application/json", ...headers },
  body: typeof body === "string" ? body : new TextDecoder().decode(body)
})

const hmac = (text: string, key: string) => createHmac("sha256", key).update(text).digest("hex")

/** Signed as Stripe and the provider protocol do it: with a time, in milliseconds, which the signature is of. */
export const timed = (header: string, message: object, key: string, millis = Date.now()) => {
  const [body, seconds] = [JSON.stringify(message), Math.floor(millis / 1000)]
  return { headers: { [header]: `t=${seconds},v1=${hmac(`${seconds}.${body}`, key)}` }, body }
}

/** Signed as Mollie does it. */
export const signedByMollie = (message: object, key: string) => {
  const body = JSON.stringify(message)
  return { headers: { "x-mollie-signature": `sha256=${hmac(body, key)}` }, body }
}

/** Listens until the test is over, and gives its address. `now`: the clock that its answers are dated by. */
export const listenAs = async (
  now: () => number,
  answer: (asked: Asked) => TransportAnswer | Promise<TransportAnswer>
): Promise<string> => {
  const { url } = await serveHttp(async (request, response, bytes) => {
    const { pathname, searchParams: query } = new URL(request.url ?? "/", "http://provider")
    // A browser asks for it on every page.
    if (pathname === "/favicon.ico") return response.writeHead(204).end()
    const { headers: sent, method = "" } = request
    const asked = { method, path: pathname.slice(1).split("/"), query, headers: sent, body: String(bytes) }
    const { body, headers, status } = await answer(asked)
    response.writeHead(status, { date: new Date(now()).toUTCString(), ...headers }).end(body)
  })
  return url
}

/** A page for customers. Its forms are sent to its own address. */
export const pageOf = (heading: string, body: string, status = 200): TransportAnswer => ({
  status,
  headers: { "content-type": "text/html; charset=utf-8" },
  body: `<!doctype html><html lang="en"><title>${heading}</title><h1>${heading}</h1>${body}</html>`
})

export const formOf = (fields: string, ...buttons: ReadonlyArray<string>): string =>
  `<form method="post">${fields}${buttons.map((name) => `<button name="press" value="${name}">${name}</button>`).join("")}</form>`

export const redirectTo = (location: string): TransportAnswer => ({ status: 303, headers: { location }, body: "" })

export const isoOf = (millis: number): string => new Date(millis).toISOString()

/** A page with a field for a card's number. `notice`: what became of the try before. */
export const cardPage = (notice: string, ...buttons: ReadonlyArray<string>): TransportAnswer =>
  pageOf(
    "Pay by card",
    `<p>${notice}</p>${formOf('<label for="number">Card number</label><input id="number" name="number">', "Pay", ...buttons)}`
  )

/** The one card that pays; every other one is refused. */
export const isApproved = (form: URLSearchParams): boolean => form.get("number") === "4242424242424242"
