/** Which server the doctor looks at beside the database, and whether it answers there. */
import { isIP } from "node:net"
import { withoutTrailingSlashes } from "@pointsman/core/internal"
import { Effect, Option } from "effect"
import { sandboxDatabase } from "../DatabaseFile.ts"
import type { Settings } from "../Settings.ts"
import { type CheckLine, ok, wrong } from "./Checkup.ts"
import { isAlive, runningDev } from "./LocalServer.ts"

type Address = Pick<Settings, "host" | "port" | "tlsCertificate">

/** Where a server with these settings listens for requests; every address is reached at `localhost`. */
export const ownUrl = ({ host, port, tlsCertificate }: Address): string => {
  const everywhere = host === "0.0.0.0" || host === "::"
  const name = everywhere ? "localhost" : isIP(host) === 6 ? `[${host}]` : host
  return `${tlsCertificate === null ? "http" : "https"}://${name}:${port}`
}

/** `given`: the flag. Beside the database of `pointsman dev`, the one that runs on it. */
export const serverUrl = Effect.fnUntraced(function* (settings: Settings, given: Option.Option<string>) {
  if (Option.isSome(given)) return withoutTrailingSlashes(given.value)
  const dev = settings.database === sandboxDatabase ? yield* runningDev : Option.none()
  return Option.match(dev, { onNone: () => ownUrl(settings), onSome: ({ url }) => url })
})

/** A server that does not run is a fault only where one was named: before a first start there is none. */
export const serverLine = Effect.fnUntraced(function* (url: string, isNamed: boolean): Effect.fn.Return<CheckLine> {
  if (yield* isAlive(url)) return ok("server", `answers at ${url}`)
  return isNamed
    ? wrong("server", `no server answers at ${url}: start it, or correct --url`)
    : ok("server", `none answers at ${url}. If one runs elsewhere, set PORT (--port) as it has it, or --url`)
})
