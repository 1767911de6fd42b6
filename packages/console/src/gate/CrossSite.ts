/**
 * What is checked before anything of a request is looked at, and the headers of every answer.
 *
 * Cross-site requests are refused twice: a browser sends the cookie (`SameSite=Lax`) with no request of another site that
 * changes something, and what a browser or the request's `Origin` calls another origin is refused here. A request that
 * says neither is refused as well, so that a program that has a cookie has to say where it believes to be.
 */
import { failure } from "../api/Errors.ts"

const reading: ReadonlySet<string> = new Set(["GET", "HEAD"])

/** Nothing comes from another origin or from inside the page. Forms are sent to this origin only, and no site can show a page in a frame. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'"
].join("; ")

const commonHeaders = {
  "content-security-policy": contentSecurityPolicy,
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  // Without one, a browser says nothing of the origin of a form either.
  "referrer-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "x-robots-tag": "noindex, nofollow"
} as const

/** `host`: the request's own, which the browser's `Origin` must name. */
export const isCrossSite = (request: Request, host: string): boolean => {
  if (reading.has(request.method)) return false
  const site = request.headers.get("sec-fetch-site")
  if (site !== null) return site !== "same-origin"
  const origin = URL.parse(request.headers.get("origin") ?? "")
  return origin === null || origin.host !== host
}

export const crossSite = (): Response =>
  Response.json(failure("forbidden", "This request came from another site. Use the console's own pages."), {
    status: 403
  })

/** Static files say how long they may be kept; everything else is about payments. */
export const withHeaders = (response: Response): Response => {
  for (const [name, value] of Object.entries(commonHeaders)) response.headers.set(name, value)
  if (!response.headers.has("cache-control")) response.headers.set("cache-control", "no-store")
  return response
}
