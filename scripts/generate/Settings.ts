/** The page of settings, from the table that the server reads them by. */
import { variables } from "../../packages/server/src/Settings.ts"
import { code, table } from "./Markdown.ts"

const rows = Object.values(variables).map(({ default: absent, expected, flag, meaning, variable }) => [
  code(variable),
  code(`--${flag}`),
  // Outside of code marks it would be taken for HTML.
  meaning.replaceAll("<", "\\<"),
  expected,
  absent
])

export const settingsPage = (notice: string): string =>
  [
    notice,
    "# Settings",
    "The environment variables and flags of `pointsman serve`. A flag takes precedence over its variable. An invalid value stops startup; the error names every invalid setting and what was expected, but never prints the value. An empty variable is invalid. [Configuration](../guides/configuration.md#settings) explains what the settings are for.",
    table(["Variable", "Flag", "Meaning", "Expected", "Default"], rows),
    "## Constraints between settings",
    "- `POINTSMAN_PROVIDER_TIMEOUT` must be less than `POINTSMAN_CLAIM_WINDOW`, or a claim would expire during its provider call.\n- `POINTSMAN_WORKERS` above 1, `POINTSMAN_SHARED_LIMITS` and `POINTSMAN_BATCH_COMMITS=false` require PostgreSQL.\n- `POINTSMAN_ENCRYPTION_KEY` is required with PostgreSQL."
  ].join("\n\n")
