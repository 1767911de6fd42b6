/** Lines that start a server: those that need no command line read as Effect's command line reads them. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect } from "effect"
import { CliOutput, Command } from "effect/cli"
import { assert, describe, it } from "vitest"
import { settingFlags, textsOf } from "../src/commands/CommandHelp.ts"
import { readServeLine } from "../src/ServeLine.ts"
import { type Flags, settingNames } from "../src/Settings.ts"

/** What Effect's command line makes of the words. */
const parsed = (words: ReadonlyArray<string>): Promise<Flags | undefined> => {
  let flags: Flags | undefined
  const serve = Command.make("serve", settingFlags(settingNames), (given) =>
    Effect.sync(() => {
      flags = textsOf(given)
    })
  )
  const silent = CliOutput.layerPresenter({ present: () => Effect.void })
  const pointsman = Command.make("pointsman").pipe(Command.withSubcommands([serve]))
  return Command.runWith(pointsman, { version: "0" })(words)
    .pipe(Effect.ignore, Effect.provide([NodeServices.layer, silent]), Effect.runPromise)
    .then(() => flags)
}

const given = (flags: Flags | undefined) => Object.entries(flags ?? {}).filter(([, text]) => text !== undefined)

describe("a line that starts a server", () => {
  it.each([
    { words: [] },
    { words: ["--port", "8080"] },
    { words: ["--port=8080", "--host", "::1", "--access-log=true"] },
    { words: ["--database-url=sqlite:a=b.db", "--config", "pointsman.json"] },
    { words: ["--port", "no number", "--log-format", "xml"] }
  ])("$words read the same flags as the command line", async ({ words }) => {
    const read = readServeLine(["serve", ...words])
    assert.isDefined(read)
    assert.deepStrictEqual(given(read).toSorted(), given(await parsed(["serve", ...words])).toSorted())
  })

  it.each([
    { words: [] },
    { words: ["doctor", "--port", "8080"] },
    { words: ["serve", "--help"] },
    { words: ["serve", "-h"] },
    { words: ["serve", "--version"] },
    { words: ["serve", "--log-level", "debug"] },
    { words: ["serve", "--port"] },
    { words: ["serve", "--port="] },
    { words: ["serve", "--port", "-1"] },
    { words: ["serve", "--port", "1", "--port", "2"] },
    { words: ["serve", "port", "8080"] },
    { words: ["serve", "--", "--port", "8080"] }
  ])("$words are read by the command line", ({ words }) => {
    assert.isUndefined(readServeLine(words))
  })
})
