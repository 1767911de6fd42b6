/** The path that the console is mounted under, as its links, its redirects and its cookie name it. */

export const mountExpected = "a path such as `/console`: it begins with `/`, without a query, a fragment, `;` or `//`"

/**
 * Percent-encoded as browsers send it, and without a slash at its end, so that the root is the empty text; `undefined` for
 * a text that is no path.
 */
export const parseMount = (text: string): string | undefined => {
  // `;` would end the path of the cookie. A URL parser drops control characters, and reads `\` as `/`.
  if (!/^\/[^?#;\\\p{C}]*$/u.test(text) || text.includes("//")) return undefined
  const path = URL.parse(`http://console${text}`)?.pathname
  return path?.replace(/\/$/u, "")
}

/**
 * The part of a path under the mount, beginning with `/`; `undefined` outside of it. It compares characters: a path with
 * another spelling, such as `/%63onsole`, may have passed the program's own checks of `/console`.
 */
export const pathUnder = (mount: string, path: string): string | undefined => {
  if (path === mount) return "/"
  return path.startsWith(`${mount}/`) ? path.slice(mount.length) : undefined
}
