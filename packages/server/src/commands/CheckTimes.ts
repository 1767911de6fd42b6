/** When the server checks a payment again, for the commands that say so. */
import { Clock, Effect } from "effect"
import { checkIntervals } from "../PointsmanOptions.ts"
import type { SettingName, Settings } from "../Settings.ts"
import { databaseSettings } from "./OpenDatabase.ts"
import type { Now } from "./ReviewView.ts"

/** What the next check follows from. Those that are not given here are read from the environment all the same. */
export const checkSettings = [
  ...databaseSettings,
  "claimWindowMillis",
  "unknownCheckIntervalMillis",
  "pendingCheckIntervalMillis",
  "refundCheckIntervalMillis",
  "deadRequestIntervalMillis"
] as const satisfies ReadonlyArray<SettingName>

export const nowOf = (settings: Settings): Effect.Effect<Now> =>
  Effect.map(Clock.currentTimeMillis, (now) => ({
    now,
    checkIntervals: checkIntervals(settings),
    claimWindowMillis: settings.claimWindowMillis
  }))
