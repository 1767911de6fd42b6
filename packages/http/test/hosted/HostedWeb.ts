/** The hosted page of one payment, over a scripted core: `token` is its token, and nothing else is. */
import { type Brand, PageNotFound, type Payment, type Pointsman, statusOf } from "@pointsman/core"
import { Effect } from "effect"
import { payment, type Script, scripted } from "../support/Scripted.ts"
import { serve, type Web } from "../support/Web.ts"

const returnUrl = "https://shop.example/thanks?order=1#receipt"

/** Waits for its customer, in the sandbox. */
export const awaiting: Payment = {
  ...payment,
  state: "AwaitingCustomer",
  authorizedMinor: 0,
  capturedMinor: 0,
  connectionId: null,
  providerRef: null,
  routing: null,
  settledAt: null,
  hosted: {
    tokenHash: "hash-of-the-token",
    returnUrl,
    cancelUrl: null,
    expiresAt: Date.UTC(2026, 10, 21, 11, 30)
  }
}

export const inProduction = (stored: Payment): Payment => ({
  ...stored,
  tenant: { ...stored.tenant, environment: "production" }
})

/** The address of the query that the customer goes back with. */
export const backTo = (stored: Payment): string =>
  `https://shop.example/thanks?order=1&payment_id=${stored.id}&status=${statusOf[stored.state]}#receipt`

export interface Shown {
  readonly status: number
  readonly headers: Headers
  /** Where it redirects to, and how it looks again by itself; `null` for neither. */
  readonly location: string | null
  readonly refresh: string | null
  readonly text: string
  /** As a reader sees it: without markup, with entities read, spaces joined. */
  readonly words: string
  readonly heading: string | undefined
  /** Of links, in their order. */
  readonly hrefs: ReadonlyArray<string>
  /** What the page's buttons post. */
  readonly actions: ReadonlyArray<string>
}

export interface HostedWeb {
  readonly script: Script
  readonly web: Web
  readonly get: (path?: string, headers?: Record<string, string>) => Promise<Shown>
  readonly post: (form: Record<string, string>, path?: string) => Promise<Shown>
  readonly send: (path: string, init?: RequestInit) => Promise<Shown>
}

type Answers = Pick<Pointsman["Service"], "hostedPage" | "actOnHostedPage" | "openCheckout" | "returnFromCheckout">

/** How core answers at this moment: building a server costs more than asking it. */
let answers: Answers

const script = scripted({
  hostedPage: (token) => answers.hostedPage(token),
  actOnHostedPage: (token, action) => answers.actOnHostedPage(token, action),
  openCheckout: (token, url) => answers.openCheckout(token, url),
  returnFromCheckout: (token) => answers.returnFromCheckout(token)
})

const servers = new Map<string, Web>()

const serverAt = (baseUrl: string): Web => {
  const server = servers.get(baseUrl) ?? serve(script.layer, { baseUrl, docs: false })
  servers.set(baseUrl, server)
  return server
}

/** One page at a time: what core is asked is kept from the last call on. */
export const hostedWeb = (
  stored: Payment,
  options: {
    readonly merchant?: string
    readonly brand?: Brand
    readonly baseUrl?: string
    readonly answers?: Partial<Answers>
  } = {}
): HostedWeb => {
  const view = { payment: stored, merchant: options.merchant ?? "Acme", brand: options.brand ?? null }
  const known = <A>(token: string, answer: A) => (token === "token" ? Effect.succeed(answer) : new PageNotFound())
  answers = {
    hostedPage: (token) => known(token, view),
    returnFromCheckout: (token) => known(token, view),
    actOnHostedPage: (token) => known(token, { payment: stored, acted: false }),
    openCheckout: (token) => known(token, { _tag: "Ended", payment: stored }),
    ...options.answers
  }
  script.asked.length = 0
  const web = serverAt(options.baseUrl ?? "https://pay.example")
  const send = async (path: string, init?: RequestInit) =>
    shownOf(await web.fetch(new Request(`https://pay.example${path}`, init)))
  return {
    script,
    web,
    send,
    get: (path = "/hosted/token", headers = {}) => send(path, { headers }),
    post: (form, path = "/hosted/token") => send(path, { method: "POST", body: new URLSearchParams(form) })
  }
}

const shownOf = async (response: Response): Promise<Shown> => {
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    location: response.headers.get("location"),
    refresh: response.headers.get("refresh"),
    text,
    words: read(text.replace(/<(?:style|title)>.*?<\/(?:style|title)>/gsu, "").replace(/<[^>]*>/gu, " "))
      .replace(/\s+/gu, " ")
      .trim(),
    heading: matches(text, /<h1>(.*?)<\/h1>/gsu)[0]?.replace(/<[^>]*>/gu, ""),
    hrefs: matches(text, /<a [^>]*href="([^"]*)"/gu),
    actions: matches(text, /<button name="action" value="([^"]*)"/gu)
  }
}

const matches = (text: string, pattern: RegExp): ReadonlyArray<string> =>
  Array.from(text.matchAll(pattern), (match) => read(match[1] ?? ""))

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" }

const read = (text: string): string => text.replace(/&([a-z]+|#39);/gu, (whole, name) => entities[name] ?? whole)
