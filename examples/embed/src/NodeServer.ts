/** A plain Node server: the API at `/api/v1`, the console at `/desk`, and nothing else. */
import type { RequestListener } from "node:http"
import { createPointsman, type Pointsman } from "@pointsman/node"
import { sandbox } from "@pointsman/node/sandbox"
import { sqlite } from "@pointsman/node/sqlite"

/** `folder`: where the payments are kept. It has to exist. */
export const openPointsman = (folder: string, encryptionKey: string, apiKey?: string): Promise<Pointsman> =>
  createPointsman({
    storage: sqlite(`${folder}/payments.db`),
    // The simulator is a provider of its own, so it keeps books of its own.
    connectors: [sandbox(`${folder}/sandbox-records.db`)],
    encryptionKey,
    environment: "sandbox",
    workspaces: [
      {
        id: "shop",
        country: "NL",
        keys: apiKey === undefined ? [] : [{ environment: "sandbox", secret: apiKey }],
        connections: [{ id: "first", environment: "sandbox" }]
      }
    ]
  })

/** A link that signs a person of the shop in to the console, once. Every other change is `pointsman.operators` too. */
export const signInLink = async ({ operators }: Pointsman, login: string, consoleUrl: string): Promise<string> => {
  const known = await operators.list()
  if (!known.some((one) => one.active && one.login === login)) await operators.add({ login, role: "support" })
  return (await operators.createLink(login, { consoleUrl })).url
}

/** Where people work with the payments. */
export const consolePath = "/desk"

export const listenerOf = async (pointsman: Pointsman): Promise<RequestListener> => {
  const desk = await pointsman.console({ mount: consolePath })
  return (request, response) =>
    desk.listener(request, response, () =>
      pointsman.listener(request, response, () => {
        response.statusCode = 404
        response.end("Not found.\n")
      })
    )
}
