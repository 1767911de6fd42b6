/**
 * The certificate of the listener and its private key, from the files that the settings name, and again when those
 * change. A pair that cannot be served leaves the previous one in use.
 */
import { createPrivateKey, X509Certificate } from "node:crypto"
import { createSecureContext } from "node:tls"
import { Effect, FileSystem, type PlatformError, Redacted, Result } from "effect"
import { modeBeyondOwner } from "./SecretFile.ts"
import { type Settings, settingName } from "./Settings.ts"
import { StartFailure } from "./StartFailure.ts"

export interface TlsCertificate {
  /** PEM: the server's certificate, then the intermediate ones. */
  readonly chain: string
  /** PEM. */
  readonly key: Redacted.Redacted
}

export type TlsSettings = Pick<Settings, "tlsCertificate" | "tlsKey">

/** How often the files are read. */
const readEveryMillis = 2_000

/** `undefined` without the settings. Fails for a pair that cannot be served, and names the setting at fault. */
export const readTlsCertificate = Effect.fnUntraced(function* ({ tlsCertificate, tlsKey }: TlsSettings) {
  if (tlsCertificate === null || tlsKey === null) return undefined
  const files = yield* FileSystem.FileSystem
  const chain = yield* Effect.mapError(
    files.readFileString(tlsCertificate),
    unreadable("tlsCertificate", tlsCertificate)
  )
  const mode = yield* Effect.mapError(modeBeyondOwner(tlsKey), unreadable("tlsKey", tlsKey))
  if (mode !== undefined) {
    return yield* new StartFailure({
      message:
        `${settingName("tlsKey")}: other users of this machine may use the private key: ${tlsKey} has mode ${mode}. ` +
        `Run \`chmod 600 ${tlsKey}\`. If others could read it, replace the key and its certificate.`
    })
  }
  const key = yield* Effect.mapError(files.readFileString(tlsKey), unreadable("tlsKey", tlsKey))
  const message = faultOf(chain, key)
  if (message !== undefined) return yield* new StartFailure({ message })
  return { chain, key: Redacted.make(key, { label: "TLS key" }) } satisfies TlsCertificate
})

const unreadable = (name: "tlsCertificate" | "tlsKey", path: string) => (error: PlatformError.PlatformError) =>
  new StartFailure({ message: `${settingName(name)}: ${path} cannot be read (${error.reason._tag}).` })

/** What keeps the pair from being served, without any of its content. */
const faultOf = (chain: string, key: string): string | undefined => {
  const certificate = attempt(() => new X509Certificate(chain))
  if (certificate === undefined) return `${settingName("tlsCertificate")}: expected a certificate in PEM.`
  const privateKey = attempt(() => createPrivateKey(key))
  if (privateKey === undefined) return `${settingName("tlsKey")}: expected a private key in PEM without a passphrase.`
  if (!certificate.checkPrivateKey(privateKey)) {
    return `${settingName("tlsKey")}: expected the private key of the certificate in ${settingName("tlsCertificate")}.`
  }
  // The rest of the chain, and keys that are too short.
  const context = attempt(() => createSecureContext({ cert: chain, key }))
  return context === undefined
    ? `${settingName("tlsCertificate")}: OpenSSL does not accept the certificate chain with its key.`
    : undefined
}

const attempt = <A>(read: () => A): A | undefined => Result.getOrUndefined(Result.try(read))

/** Calls `use` with each new pair that can be served. What is wrong with another one is logged once. */
export const followTlsCertificate = Effect.fnUntraced(function* (
  settings: TlsSettings,
  first: TlsCertificate,
  use: (certificate: TlsCertificate) => void
) {
  let served = first
  let logged: string | undefined
  return yield* Effect.gen(function* () {
    yield* Effect.sleep(readEveryMillis)
    const read = yield* Effect.result(readTlsCertificate(settings))
    if (Result.isFailure(read)) {
      const { message } = read.failure
      if (message === logged) return
      logged = message
      return yield* Effect.logError(`the new TLS certificate is not used, the previous one is kept. ${message}`)
    }
    logged = undefined
    const found = read.success
    if (found === undefined || isSame(found, served)) return
    use(found)
    served = found
    yield* Effect.logInfo("the TLS certificate was reloaded").pipe(
      Effect.annotateLogs({ valid_to: new X509Certificate(found.chain).validTo })
    )
  }).pipe(Effect.forever)
})

const isSame = (one: TlsCertificate, other: TlsCertificate): boolean =>
  one.chain === other.chain && Redacted.value(one.key) === Redacted.value(other.key)
