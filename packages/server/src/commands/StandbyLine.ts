/** Whether the standby of the settings may be read. */
import type { StandbyReading } from "@pointsman/core/ports"
import { type CheckLine, ok, warning } from "./Checkup.ts"

/** None without a standby. One that cannot be read stops no server: the primary answers. */
export const standbyLines = (reading: StandbyReading | null): ReadonlyArray<CheckLine> => {
  if (reading === null) return []
  const { fault, lagMillis } = reading
  if (fault === null) return [ok("standby", `it is ${((lagMillis ?? 0) / 1_000).toFixed(1)} s behind the primary`)]
  return [
    warning("standby", `${fault}: reads go to the primary. POINTSMAN_DATABASE_READ_URL (--database-read-url) names it`)
  ]
}
