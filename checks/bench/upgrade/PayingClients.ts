/** Clients that create payments at a server without a pause, and how long none of their creates succeeded. */
import { randomUUID } from "node:crypto"

export interface Gaps {
  readonly paid: number
  /** The longest time between two successful creates that followed one another, in milliseconds. */
  readonly longestGap: number
  readonly slowest: number
}

export interface PayingClients {
  /** Since the last call, or the beginning. */
  readonly take: () => Gaps
  /** What other answers said. */
  readonly failed: () => ReadonlyArray<string>
  readonly end: () => Promise<void>
}

export const startPaying = (url: string, key: string, count: number): PayingClients => {
  let isOver = false
  let last = performance.now()
  const newGaps = () => ({ paid: 0, longestGap: 0, slowest: 0 })
  let gaps = newGaps()
  const failed: Array<string> = []
  const pay = async () => {
    const began = performance.now()
    const response = await fetch(`${url}/api/v1/payments`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        "idempotency-key": randomUUID()
      },
      body: JSON.stringify({ amount: 1_000, currency: "EUR", country: "NL" })
    })
    const text = await response.text()
    if (response.status !== 201) return void failed.push(`${response.status} ${text}`)
    const now = performance.now()
    gaps.paid++
    gaps.longestGap = Math.max(gaps.longestGap, now - last)
    gaps.slowest = Math.max(gaps.slowest, now - began)
    last = now
  }
  const client = async () => {
    while (!isOver && failed.length < 20) await pay().catch((cause: unknown) => failed.push(String(cause)))
  }
  const clients = Array.from({ length: count }, client)
  return {
    take: () => {
      // One that is still open counts as well.
      const taken = { ...gaps, longestGap: Math.max(gaps.longestGap, performance.now() - last) }
      gaps = newGaps()
      return taken
    },
    failed: () => failed,
    end: async () => {
      isOver = true
      await Promise.all(clients)
    }
  }
}
