/** What pages load: one look, one script and one icon, from here. */
import { HttpRouter, HttpServerResponse } from "effect/http"
import { passkeyScript } from "../passkeys/PasskeyScript.ts"
import { script } from "./Script.ts"
import { style } from "./Style.ts"

const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path d="M3 14 8 8 8 2M8 8l5 6" fill="none" stroke="#2252cf" stroke-width="2"/></svg>`

/** Asked for again after a minute: a newer release has another look at the same address. */
const file = (path: `/${string}`, text: string, contentType: string) =>
  HttpRouter.route(
    "GET",
    path,
    HttpServerResponse.text(text, { contentType, headers: { "cache-control": "private, max-age=60" } })
  )

export const files = [
  file("/style.css", style, "text/css; charset=utf-8"),
  file("/console.js", script, "text/javascript; charset=utf-8"),
  file("/passkeys.js", passkeyScript, "text/javascript; charset=utf-8"),
  file("/icon.svg", icon, "image/svg+xml")
]
