/**
 * A call: one request, sent again only where the contract says that this is safe, always under the same key, and within
 * the bounds of the settings.
 */
import { type Asking, errorOf, type Failure } from "./Errors.ts"
import { drawKey, elapsed, jittered, sleep, within } from "./Platform.ts"
import { type Answer, type Order, send } from "./Send.ts"
import type { Endpoint, Limits } from "./Settings.ts"

export interface CallOptions {
  /** Ends the call. What was sent may still be executed: the error says whether money may have moved. */
  readonly signal?: AbortSignal | undefined
}

export interface MoneyOptions extends CallOptions {
  /**
   * 8 to 200 printable ASCII characters that name what is asked, such as the order's id: however often it is asked, it
   * happens once. Without one, the call draws a key, which is lost with your process: give one for real money.
   */
  readonly idempotencyKey?: string | undefined
}

export type Call = (order: Order, options?: MoneyOptions) => Promise<Answer>

export const makeCall =
  (endpoint: Endpoint, limits: Limits): Call =>
  async (order, options = {}) => {
    const { idempotencyKey, signal } = checked(options)
    const movesMoney = order.money !== "none"
    const key = movesMoney ? (idempotencyKey ?? drawKey()) : null
    const asking = { idempotencyKey: key, movesMoney }
    // The caller may have asked before: under its key, or for this of the payment.
    let isMaybeAgain = idempotencyKey !== undefined || order.money === "more"
    const failed = (failure: Failure) => errorOf(failure, { ...asking, isMaybeAgain } satisfies Asking)
    const until = elapsed() + limits.callMillis

    for (let tries = 1; ; tries++) {
      if (isAborted(signal)) throw failed(aborted(signal))
      const timer = within(Math.min(limits.tryMillis, until - elapsed()), signal)
      const sent = await send(endpoint, order, key, timer.signal)
      timer.stop()
      if ("answer" in sent) return sent.answer
      const { failure } = sent
      if (mayHaveArrived(failure)) isMaybeAgain = true
      if (isAborted(signal) && failure.code === "no_answer") throw failed(aborted(signal))
      const wait = failure.retryAfterMillis ?? jittered(Math.min(longestWait, shortestWait * 2 ** tries))
      if (tries >= limits.tries || !isSafeAgain(order, failure) || elapsed() + wait >= until) throw failed(failure)
      await sleep(wait, signal)
    }
  }

const shortestWait = 125
const longestWait = 8_000

/** A misspelled key would be no key, and the same payment sent twice would be two payments. */
const checked = (options: MoneyOptions): MoneyOptions => {
  const unknown = Object.keys(options).find((name) => name !== "idempotencyKey" && name !== "signal")
  if (unknown !== undefined) throw new TypeError(`\`${unknown}\` is no option: expected idempotencyKey or signal.`)
  const { idempotencyKey } = options
  if (idempotencyKey === undefined || /^[ -~]{8,200}$/u.test(idempotencyKey)) return options
  const message = "`idempotencyKey` must be 8 to 200 printable ASCII characters."
  throw errorOf({ code: "invalid_idempotency_key", message })
}

/** Not a field to the compiler, which would take it for unchanged after a wait. */
const isAborted = (signal: AbortSignal | undefined): boolean => signal?.aborted === true

const aborted = (signal: AbortSignal | undefined): Failure => ({
  code: "aborted",
  message: "The call's signal ended it.",
  cause: signal?.reason
})

const mayHaveArrived = ({ code }: Failure): boolean => code === "no_answer" || code === "idempotency_in_progress"

/**
 * Where the server states that nothing was done, or that the key will say what was; and without an answer, where the request
 * has a key or only reads. `psp_error` and unknown results are answers: a repetition would change nothing, or ask a provider
 * again.
 */
const isSafeAgain = ({ method, money }: Order, { code, retryAfterMillis, status = 0 }: Failure): boolean => {
  switch (code) {
    case "idempotency_in_progress":
    case "internal_error":
      return true
    case "rate_limited":
      return retryAfterMillis !== undefined
    case "no_answer":
      // Something between us and the server may answer 5xx in its place; a redirect or a 4xx stays what it is.
      return (method === "GET" || money !== "none") && (status < 300 || status >= 500)
    default:
      return false
  }
}
