/**
 * The cookies: one of a session, and one of a sign-in by OpenID Connect that is under way.
 *
 * Over https their names begin with `__Host-`: a browser then takes them from this host alone, only over https and for the
 * whole host, so that no other host of the same domain can set them. Over http, as on a developer's machine, they are bound
 * to the mount path.
 */
import { Redacted } from "effect"

export interface CookieSettings {
  readonly isSecure: boolean
  readonly mount: string
}

const cookie = (base: string, label: string, maxAgeSeconds?: number) => {
  const nameOf = ({ isSecure }: CookieSettings): string => `${isSecure ? "__Host-" : ""}${base}`
  const attributesOf = ({ isSecure, mount }: CookieSettings): string =>
    `Path=${isSecure || mount === "" ? "/" : mount}; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`
  const age = maxAgeSeconds === undefined ? "" : `Max-Age=${maxAgeSeconds}; `
  return {
    set: (value: Redacted.Redacted<string>, settings: CookieSettings): string =>
      `${nameOf(settings)}=${Redacted.value(value)}; ${age}${attributesOf(settings)}`,
    clear: (settings: CookieSettings): string => `${nameOf(settings)}=; Max-Age=0; ${attributesOf(settings)}`,
    /** `undefined` for none, and where it was sent twice: one of them is not ours. */
    read: (header: string | undefined, settings: CookieSettings): Redacted.Redacted<string> | undefined => {
      const name = nameOf(settings)
      const values = (header ?? "").split(";").flatMap((pair) => {
        const at = pair.indexOf("=")
        return at >= 0 && pair.slice(0, at).trim() === name ? [pair.slice(at + 1).trim()] : []
      })
      const [value, second] = values
      return value === undefined || value === "" || second !== undefined ? undefined : Redacted.make(value, { label })
    }
  }
}

/** The token of a session. It ends with the browser, and on the server by its age. */
export const { clear: clearCookie, read: readCookie, set: setCookie } = cookie("pointsman_console", "session token")

/** Time to sign in at the issuer. */
const oidcSeconds = 600

/** What the answer of the issuer is compared with. */
export const oidcCookie = cookie("pointsman_console_oidc", "sign-in by OpenID Connect", oidcSeconds)
