/** The page of settings, from the table that the server reads them by. */
import { variables } from "../../packages/server/src/Settings.ts"
import { code, table } from "./Markdown.ts"

const duration = 'a duration such as "30 seconds" or "15 minutes"'

/** The flag that most variables have. */
const flagOf = (variable: string): string =>
  variable
    .replace(/^POINTSMAN_/u, "")
    .toLowerCase()
    .replaceAll("_", "-")

const rows = Object.values(variables).map(({ default: absent, expected, flag, meaning, variable }) => [
  flag === flagOf(variable) ? code(variable) : `${code(variable)}, ${code(`--${flag}`)}`,
  // Outside of code marks it would be taken for HTML.
  meaning.replaceAll("<", "\\<"),
  expected === duration ? "a duration" : expected,
  absent
])

export const settingsPage = (notice: string): string =>
  [
    notice,
    "# Settings",
    'The environment variables of `pointsman serve`. Each has a flag, which takes precedence: `POINTSMAN_RATE_LIMIT` is `--rate-limit`; other names are in the table. An invalid value stops startup; the error names every invalid setting and what was expected, but never prints the value. An empty variable is invalid. A duration is a text such as "30 seconds" or "15 minutes". [Configuration](../guides/configuration.md#settings) explains what the settings are for.',
    table(["Variable", "Meaning", "Expected", "Default"], rows),
    "## Constraints between settings",
    "- `POINTSMAN_PROVIDER_TIMEOUT` must be less than `POINTSMAN_CLAIM_WINDOW`, or a claim would expire during its provider call.\n- `POINTSMAN_WORKERS` above 1, `POINTSMAN_SHARED_LIMITS` and `POINTSMAN_BATCH_COMMITS=false` require PostgreSQL.\n- `POINTSMAN_ENCRYPTION_KEY` is required with PostgreSQL."
  ].join("\n\n")
