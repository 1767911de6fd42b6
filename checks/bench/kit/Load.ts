/**
 * Load, and its results.
 *
 * `closed`: so many at once, each followed by the next as soon as it is answered; it tells how much a side can do.
 * `open`: a fixed number begin each second, regardless of earlier ones; it shows how long a caller waits.
 */
export type Load =
  | { readonly _tag: "closed"; readonly inFlight: number; readonly seconds: number }
  | { readonly _tag: "open"; readonly perSecond: number; readonly seconds: number }

export const closed = (inFlight: number, seconds: number): Load => ({ _tag: "closed", inFlight, seconds })
export const open = (perSecond: number, seconds: number): Load => ({ _tag: "open", perSecond, seconds })

/** Milliseconds. */
export interface Waits {
  readonly p50: number
  readonly p95: number
  readonly p99: number
}

export interface Sample {
  readonly done: number
  readonly seconds: number
  readonly perSecond: number
  readonly waits: Waits
  /** Of the process that did it, in microseconds of its processor for each. */
  readonly processorMicros: number
}

/** Fails when one of them fails: a figure for a partial load is invalid. */
export const run = async (load: Load, operation: () => Promise<unknown>): Promise<Sample> => {
  const waits: Array<number> = []
  const one = async () => {
    const began = performance.now()
    await operation()
    waits.push(performance.now() - began)
  }
  const cpu = process.cpuUsage()
  const began = performance.now()
  if (load._tag === "closed") {
    const until = began + load.seconds * 1_000
    const follow = async () => {
      do await one()
      while (performance.now() < until)
    }
    await Promise.all(Array.from({ length: load.inFlight }, follow))
  } else await begin(load, began, one)
  const seconds = (performance.now() - began) / 1_000
  const used = process.cpuUsage(cpu)
  return {
    done: waits.length,
    seconds,
    perSecond: waits.length / seconds,
    waits: waitsOf(waits),
    processorMicros: (used.user + used.system) / waits.length
  }
}

const begin = async (
  { perSecond, seconds }: { readonly perSecond: number; readonly seconds: number },
  began: number,
  one: () => Promise<void>
) => {
  const all: Array<Promise<void>> = []
  const total = Math.max(1, Math.round(perSecond * seconds))
  while (all.length < total) {
    const due = began + (all.length * 1_000) / perSecond
    const early = due - performance.now()
    if (early > 0) await new Promise((resolve) => setTimeout(resolve, early))
    else all.push(one())
  }
  await Promise.all(all)
}

export const waitsOf = (millis: ReadonlyArray<number>): Waits => {
  const sorted = Float64Array.from(millis).sort()
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) }
}
