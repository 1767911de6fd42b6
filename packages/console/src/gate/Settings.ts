import { Context } from "effect"
import type { CookieSettings } from "./Cookie.ts"

/** What is the same for all requests. */
export class ConsoleSettings extends Context.Service<ConsoleSettings, CookieSettings>()(
  "pointsman/console/ConsoleSettings"
) {}

/** Whom the present request comes from, for the limit of sign-ins: all that do not say so are one source. */
export const RequestSource = Context.Reference<string>("pointsman/console/RequestSource", { defaultValue: () => "" })

/** Aborts when the console stops. Responses that last end then, so that a server can stop. */
export const Stopping = Context.Reference<AbortSignal>("pointsman/console/Stopping", {
  defaultValue: () => new AbortController().signal
})
