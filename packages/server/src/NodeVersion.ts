// Read by whatever Node there is, before anything else is loaded: no import, and nothing that an old one cannot parse.

/** What to do when this Node is too old; `undefined` when it is not. */
export const nodeFault = (version: string): string | undefined => {
  const [major, minor] = version.split(".").map(Number) as [number, number]
  if (major > 22 || (major === 22 && minor >= 19)) return undefined
  return (
    `Pointsman requires Node.js 22.19 or newer, but this is ${version}. Install Node.js 24 from ` +
    "https://nodejs.org."
  )
}
