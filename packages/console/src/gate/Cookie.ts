/**
 * The cookie of a session.
 *
 * Over https its name begins with `__Host-`: a browser then takes it from this host alone, only over https and for the
 * whole host, so that no other host of the same domain can set it. Over http, as on a developer's machine, it is bound to
 * the mount path.
 */
import { Redacted } from "effect"

export interface CookieSettings {
  readonly isSecure: boolean
  readonly mount: string
}

const nameOf = ({ isSecure }: CookieSettings): string => `${isSecure ? "__Host-" : ""}pointsman_console`

const attributesOf = ({ isSecure, mount }: CookieSettings): string =>
  `Path=${isSecure || mount === "" ? "/" : mount}; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`

/** It ends with the browser, and on the server by its age. */
export const setCookie = (token: Redacted.Redacted<string>, settings: CookieSettings): string =>
  `${nameOf(settings)}=${Redacted.value(token)}; ${attributesOf(settings)}`

export const clearCookie = (settings: CookieSettings): string =>
  `${nameOf(settings)}=; Max-Age=0; ${attributesOf(settings)}`

/** The token of the request; `undefined` for none, and where it was sent twice: one of them is not ours. */
export const readCookie = (
  header: string | undefined,
  settings: CookieSettings
): Redacted.Redacted<string> | undefined => {
  const name = nameOf(settings)
  const values = (header ?? "").split(";").flatMap((pair) => {
    const at = pair.indexOf("=")
    return at >= 0 && pair.slice(0, at).trim() === name ? [pair.slice(at + 1).trim()] : []
  })
  const [value, second] = values
  return value === undefined || value === "" || second !== undefined
    ? undefined
    : Redacted.make(value, { label: "session token" })
}
