/** Connections whose true success rates are known to the simulation alone: what a payment finds where it comes. */

export interface World {
  readonly id: string
  readonly title: string
  readonly payments: number
  /** Milliseconds between two payments. */
  readonly everyMillis: number
  /** The share of the payments that are of the second segment; 0 where there is one segment. */
  readonly secondSegment: number
  /** The true success rates when the n-th payment comes, by priority. */
  readonly truth: (payment: number, segment: number) => ReadonlyArray<number>
  /** The payment at which the first connection drops, and the one at which it is as it was. */
  readonly dropAt?: number
  readonly backAt?: number
}

const dropAt = 1000
const backAt = 1600
const every10Seconds = 10_000
const hour = 3_600_000

const world = (
  id: string,
  title: string,
  truth: World["truth"],
  more: Partial<Pick<World, "payments" | "everyMillis" | "secondSegment" | "dropAt" | "backAt">> = {}
): World => ({ id, title, truth, payments: 2500, everyMillis: every10Seconds, secondSegment: 0, ...more })

/** The first drops from 95 % to 60 %; the others stay. */
const drops =
  (...others: ReadonlyArray<number>): World["truth"] =>
  (payment) => [payment < dropAt ? 0.95 : 0.6, ...others]

export const worlds: ReadonlyArray<World> = [
  world("close", "Close, and nothing changes: 90, 92, 85 %", () => [0.9, 0.92, 0.85]),
  world("drop", "A drop: 95 → 60 %, beside 90 and 85 %", drops(0.9, 0.85), { dropAt }),
  world("drop-80", "A drop: 95 → 60 %, beside 80 %", drops(0.8), { dropAt }),
  world("drop-75", "A drop: 95 → 60 %, beside 75 %", drops(0.75), { dropAt }),
  world(
    "recovery",
    `A drop for ${backAt - dropAt} payments: 95 → 60 → 95 %, beside 90 and 85 %`,
    (payment) => [payment < dropAt || payment >= backAt ? 0.95 : 0.6, 0.9, 0.85],
    { dropAt, backAt, payments: 3500 }
  ),
  world(
    "outage",
    "An outage for 300 payments: 95 → 0 → 95 %, beside 90 and 85 %",
    (payment) => [payment < dropAt || payment >= 1300 ? 0.95 : 0, 0.9, 0.85],
    { dropAt, backAt: 1300, payments: 3500 }
  ),
  world("drift", "A slow drift: 95 → 75 %, 80 → 92 %, beside 85 %", (payment) => {
    const passed = payment / 2500
    return [0.95 - 0.2 * passed, 0.8 + 0.12 * passed, 0.85]
  }),
  world(
    "sparse",
    "A sparse segment, one payment in 20: 60, 90, 85 %; 95, 90, 85 % in all others",
    (_, segment) => [segment === 1 ? 0.6 : 0.95, 0.9, 0.85],
    { secondSegment: 0.05, payments: 3000 }
  ),
  world("few", "Ten payments a day, a drop: 95 → 60 %, beside 90 and 85 %", drops(0.9, 0.85), {
    dropAt,
    everyMillis: 2.4 * hour,
    payments: 2000
  })
]
