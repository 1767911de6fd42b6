/** How `pointsman` is called where this process was started, so that a printed command can be copied. */

/** npm names the script that it runs; in a clone of the repository, the script `pointsman` is the only way. */
export const commandName = ({ npm_lifecycle_event: script }: Readonly<Record<string, string | undefined>>): string => {
  if (script === undefined) return "pointsman"
  return script === "pointsman" ? "npm run pointsman --" : "npx pointsman"
}
