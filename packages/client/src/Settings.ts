/** What a client needs to know. */

export interface ClientSettings {
  /** Where the server is: `https://pay.shop.example`. */
  readonly url: string
  /** `ps_test_…` or `ps_live_…`. Keep it on your servers. */
  readonly apiKey: string
  /** How often a call may be sent: 1 for no repetition. 6 unless set. */
  readonly tries?: number
  /** Milliseconds for one try. Longer than the provider calls of the server; 75,000 unless set. */
  readonly tryMillis?: number
  /** Milliseconds for a call with all of its tries; 120,000 unless set, and at most an hour. */
  readonly callMillis?: number
  /** In place of the platform's. */
  readonly fetch?: typeof globalThis.fetch
}

export interface Endpoint {
  /** With `/api/v1`. */
  readonly url: string
  readonly apiKey: string
  readonly fetch: typeof globalThis.fetch
}

export interface Limits {
  readonly tries: number
  readonly tryMillis: number
  readonly callMillis: number
}

/** A key may be forgotten 24 hours after its answer, and the same key is then a new payment. */
const longestCallMillis = 3_600_000

const positive = (name: string, value: number, most: number): number => {
  if (!(value >= 1 && value <= most)) throw new RangeError(`\`${name}\` must be a number from 1 to ${most}.`)
  return value
}

export const limitsOf = ({ callMillis = 120_000, tries = 6, tryMillis = 75_000 }: ClientSettings): Limits => ({
  tries: positive("tries", tries, 100),
  tryMillis: positive("tryMillis", tryMillis, longestCallMillis),
  callMillis: positive("callMillis", callMillis, longestCallMillis)
})

export const endpointOf = ({ apiKey, fetch, url }: ClientSettings): Endpoint => {
  // Not in the message: a key that was pasted with a line break is still a key.
  if (!/^[!-~]+$/u.test(apiKey)) throw new TypeError("`apiKey` must be an API key.")
  const { href, search } = new URL(url)
  if (!/^https?:/u.test(href) || search !== "")
    throw new TypeError("`url` must be an http or https URL without a query.")
  return {
    url: `${href.replace(/(?<!\/)\/+$/u, "")}/api/v1`,
    apiKey,
    // Some platforms refuse a `fetch` that is called as a method of another object.
    fetch: fetch ?? ((input, init) => globalThis.fetch(input, init))
  }
}
