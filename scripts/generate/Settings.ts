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
    "What the environment and the flags of `pointsman serve` may say. The flag wins. A wrong value stops the start, and every wrong one is named with what was expected, never with its content. An empty variable is a wrong value. What they are for stands in [configuration](../guides/configuration.md#settings).",
    table(["Variable", "Flag", "Meaning", "Takes", "Left out"], rows),
    "## What they demand of one another",
    "- `POINTSMAN_PROVIDER_TIMEOUT` is less than `POINTSMAN_CLAIM_WINDOW`: a claim would be taken for dead while its provider is still being asked.\n- `POINTSMAN_WORKERS` above 1, `POINTSMAN_SHARED_LIMITS` and `POINTSMAN_BATCH_COMMITS` need PostgreSQL.\n- `POINTSMAN_ENCRYPTION_KEY` is required with PostgreSQL."
  ].join("\n\n")
