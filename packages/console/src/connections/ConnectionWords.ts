/** How a connection stands, in words. */
import type { Connection } from "./ConnectionRecords.ts"

export type Standing = readonly [tone: "good" | "bad" | "wait" | "soft", text: string]

/** The worst first: what keeps new payments away, then what makes them fail. */
export const standingOf = ({ account, active, circuit, health }: Connection): Standing => {
  if (health.fault !== null) return ["bad", "Cannot be used"]
  if (account.standing === "changed") return ["bad", "Another account"]
  if (!active) return ["soft", "Not active"]
  if (circuit.state !== "closed") return [circuit.state === "open" ? "bad" : "wait", `Circuit ${circuit.state}`]
  if (health.succeeded + health.failed === 0) return ["soft", "No recent payments"]
  return health.succeeded === 0 ? ["bad", "Failing"] : ["good", "Working"]
}
