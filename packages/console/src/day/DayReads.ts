/** The days that were read a moment ago, by environment and by what the operator's role shows. */
import { type Cache, Context } from "effect"
import type { ConsoleError } from "../api/Errors.ts"
import type { CurrentOperator, DeskServices } from "../gate/Caller.ts"
import type { Day } from "./DayApi.ts"

export interface Read {
  readonly day: Day
  /** Of which moment it is where a standby answered, in epoch milliseconds; otherwise `null`. */
  readonly asOf: number | null
}

export class DayReads extends Context.Service<
  DayReads,
  Cache.Cache<string, Read, ConsoleError<"not_found" | "internal_error">, DeskServices | CurrentOperator>
>()("pointsman/console/DayReads") {}
