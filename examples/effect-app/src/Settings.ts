/** What the environment says, read by Effect's `Config`. A wrong value stops the start before anything is opened. */
import { SecretsLayer } from "@pointsman/core"
import { Config, ConfigProvider, Redacted, Result } from "effect"

/** One key for ever: what is sealed and fingerprinted with it cannot be read under another one. */
const encryptionKey = Config.Redacted("SHOP_ENCRYPTION_KEY").pipe(
  Config.flatMap((text) =>
    Result.match(SecretsLayer.parseEncryptionKey(Redacted.value(text)), {
      onFailure: (expected) =>
        Config.fail(new ConfigProvider.SourceError({ message: `SHOP_ENCRYPTION_KEY: expected ${expected}` })),
      onSuccess: Config.succeed
    })
  )
)

export const settings = Config.all({
  /** 0 takes a free one. */
  port: Config.Port("PORT").pipe(
    Config.orElse(() => Config.Literal(0, "PORT")),
    Config.withDefault(3000)
  ),
  /** Path of the database file. What the simulated provider did is kept beside it. */
  database: Config.NonEmptyString("SHOP_DATABASE").pipe(Config.withDefault("shop.db")),
  encryptionKey,
  /** Opens the v1 API. Without it a key is made at each start, and told. */
  apiKey: Config.option(Config.Redacted("SHOP_API_KEY"))
})

export type Settings = Config.Success<typeof settings>
