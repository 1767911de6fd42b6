/** A command that acts on the database of the settings: all of them print as `--json` says, and open it by the same flags. */
import { Effect, Option } from "effect"
import { Command } from "effect/cli"
import type { SettingName, Settings } from "../Settings.ts"
import { actingAs, byFlag } from "./Actor.ts"
import type { CommandFailure } from "./CommandFailure.ts"
import { type CommandHelp, settingFlags, textsOf, withHelp } from "./CommandHelp.ts"
import { databaseSettings, type OnDatabase, onDatabase } from "./OpenDatabase.ts"
import { jsonFlag } from "./Output.ts"

interface Stated<Name extends string, Own extends Command.Command.Config> extends CommandHelp {
  readonly name: Name
  readonly flags: Own
  /** Those beside the flags of its own. */
  readonly settings?: ReadonlyArray<SettingName>
  /** It has `--by`, and its changes are the named person's in the audit trail. */
  readonly isAudited?: boolean
  /** Its text is for other programs: it has no `--json`. */
  readonly isText?: boolean
  readonly providersOf?: Parameters<typeof onDatabase>[2]
  /** What the configuration file may refer to; with it, the archive of the file is opened. */
  readonly environment?: Parameters<typeof onDatabase>[3]
  /** What is refused before the database is opened. */
  readonly check?: (
    own: Command.Command.Config.InferValue<Own>,
    json: boolean
  ) => Effect.Effect<unknown, CommandFailure>
}

interface Common {
  readonly json: boolean
  readonly settings: Settings
}

export const databaseCommand = <const Name extends string, Own extends Command.Command.Config>(
  {
    check = () => Effect.void,
    environment,
    flags,
    isAudited = false,
    isText = false,
    name,
    providersOf,
    settings = databaseSettings,
    ...help
  }: Stated<Name, Own>,
  act: (
    own: Command.Command.Config.InferValue<Own>,
    common: Common
  ) => Effect.fn.Return<unknown, OnDatabase["failure"], OnDatabase["services"]>
) => {
  const common = { ...(isAudited && { by: byFlag }), ...(!isText && { json: jsonFlag }) }
  return Command.make(
    name,
    { own: flags, common, texts: settingFlags(settings) },
    ({ common: { by = Option.none(), json = false }, own, texts }) => {
      const done = Effect.andThen(
        check(own, json),
        onDatabase(
          textsOf(texts),
          (opened) => Effect.gen(() => act(own, { json, settings: opened })),
          providersOf,
          environment
        )
      )
      return isAudited ? actingAs(by)(done) : done
    }
  ).pipe(withHelp(help))
}
