/** Time and randomness of the platform: Node, Deno, Bun, edge runtimes and browsers have all of it. */

/** Milliseconds, for differences. */
export const elapsed = (): number => performance.now()

export const unixSeconds = (): number => Math.floor(Date.now() / 1000)

export const drawKey = (): string => crypto.randomUUID()

/** Half of a time to all of it, so that clients which failed together do not come back together. */
export const jittered = (millis: number): number => millis * (0.5 + Math.random() / 2)

export interface Timer {
  readonly signal: AbortSignal
  readonly stop: () => void
}

/** A signal that ends with another one, or after a time. `stop` it when it is not needed any more. */
export const within = (millis: number, outer: AbortSignal | undefined): Timer => {
  const controller = new AbortController()
  const abort = () => controller.abort(outer?.reason)
  const timer = setTimeout(abort, millis)
  if (outer?.aborted === true) abort()
  else outer?.addEventListener("abort", abort, { once: true })
  return {
    signal: controller.signal,
    stop: () => {
      clearTimeout(timer)
      outer?.removeEventListener("abort", abort)
    }
  }
}

/** Waits; ends early with the signal. */
export const sleep = async (millis: number, signal: AbortSignal | undefined): Promise<void> => {
  const timer = within(millis, signal)
  if (!timer.signal.aborted) await new Promise((resolve) => timer.signal.addEventListener("abort", resolve))
  timer.stop()
}
