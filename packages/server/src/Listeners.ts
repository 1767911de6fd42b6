/** The addresses that the server listens on: that of the API, and one for health and metrics where the settings name it. */
import type { RequestListener } from "node:http"
import { Effect, type FileSystem, type Scope } from "effect"
import { type Listener, listen } from "./Listener.ts"
import { type Settings, settingName } from "./Settings.ts"
import { makeSources } from "./SourceOf.ts"
import type { StartFailure } from "./StartFailure.ts"
import { followTlsCertificate, readTlsCertificate } from "./TlsCertificate.ts"

export interface Listeners {
  readonly api: Listener
  readonly admin: Listener | undefined
}

export interface Handlers {
  readonly api: RequestListener
  readonly admin: RequestListener
}

/** `handlers`: of who is ready before the first request can come. The API's address is listened on last. */
export const listenAll = Effect.fnUntraced(function* (
  settings: Settings,
  handlers?: Handlers
): Effect.fn.Return<Listeners, StartFailure, Scope.Scope | FileSystem.FileSystem> {
  const { adminHost, adminPort } = settings
  const certificate = yield* readTlsCertificate(settings)
  const sources = makeSources(settings.trustedProxies)
  const admin =
    adminPort === null
      ? undefined
      : yield* listen(
          {
            ...settings,
            sources,
            host: adminHost,
            port: adminPort,
            names: { host: settingName("adminHost"), port: settingName("adminPort") }
          },
          handlers?.admin
        )
  const names = { host: settingName("host"), port: settingName("port") }
  const api = yield* listen({ ...settings, sources, names, certificate }, handlers?.api)
  if (certificate !== undefined) {
    yield* Effect.forkScoped(followTlsCertificate(settings, certificate, api.useCertificate))
  }
  return { api, admin }
})

export const serveAll = ({ admin, api }: Listeners, handlers: Handlers): Effect.Effect<Listeners> =>
  Effect.sync(() => {
    admin?.serve(handlers.admin)
    api.serve(handlers.api)
    return { admin, api }
  })
