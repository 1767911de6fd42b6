/** A program for every runtime with `fetch`: runs the cases against a server, and answers with what became of each. */
import { type ClientSettings, createClient, type IncomingWebhook, webhooks } from "../../src/index.ts"
import { clientCases } from "./ClientCases.ts"
import { collected } from "./Collected.ts"

export interface Asked {
  readonly settings: ClientSettings
  readonly webhook: IncomingWebhook
}

/** By the name of the case: `passed`, or why it failed. */
export type Results = Readonly<Record<string, string>>

const resultOf = async (run: () => unknown): Promise<string> => {
  try {
    await run()
    return "passed"
  } catch (error) {
    return String(error)
  }
}

export default {
  fetch: async (request: Request): Promise<Response> => {
    const { settings, webhook } = (await request.json()) as Asked
    clientCases("the client of a server", () => createClient(settings))
    const results: Record<string, string> = {}
    for (const [name, run] of collected) results[name] = await resultOf(run)
    results["a signed webhook"] = await resultOf(() => webhooks.verify(webhook))
    results["a webhook that was changed"] = await resultOf(() => webhooks.verify({ ...webhook, body: "{}" }))
    return Response.json(results satisfies Results)
  }
}
