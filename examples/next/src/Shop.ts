/** The shop's one Pointsman. */
import { mkdirSync } from "node:fs"
import { createPointsman, type MountedConsole, type Pointsman } from "@pointsman/node"
import { sandbox } from "@pointsman/node/sandbox"
import { sqlite } from "@pointsman/node/sqlite"

/** A link that signs a person of the shop in to the console, once. Every other change is `pointsman.operators` too. */
export const signInLink = async ({ operators }: Pointsman, login: string, consoleUrl: string): Promise<string> => {
  const known = await operators.list()
  if (!known.some((one) => one.active && one.login === login)) await operators.add({ login, role: "support" })
  return (await operators.createLink(login, { consoleUrl })).url
}

/** Where the shop's people work with its payments. */
const consolePath = "/desk"

const open = (): Promise<Pointsman> => {
  const folder = process.env["SHOP_FOLDER"] ?? ".shop"
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const apiKey = process.env["SHOP_API_KEY"]
  return createPointsman({
    storage: sqlite(`${folder}/payments.db`),
    // The simulator is a provider of its own, so it keeps books of its own.
    connectors: [sandbox(`${folder}/sandbox-records.db`)],
    // A key that everybody can read is good for a first look alone: make one with `openssl rand -base64 32`, keep it.
    encryptionKey: process.env["SHOP_ENCRYPTION_KEY"] ?? "YW4gZXhhbXBsZSBrZXksIGRvIG5vdCB1c2UgaXQhISE=",
    environment: "sandbox",
    workspaces: [
      {
        id: "shop",
        country: "NL",
        keys: apiKey === undefined ? [] : [{ environment: "sandbox", secret: apiKey }],
        connections: [
          { id: "first", environment: "sandbox", priority: 1 },
          { id: "second", environment: "sandbox", priority: 2 }
        ]
      }
    ]
  })
}

/**
 * Next bundles each route by itself and loads modules anew while it develops, so that a variable of this module would be
 * several; and it loads them while it builds, when nothing may be opened. So it is opened at the first request, and kept
 * where all of them look.
 */
const held = globalThis as typeof globalThis & {
  shopPointsman?: Promise<Pointsman> | undefined
  shopDesk?: Promise<MountedConsole> | undefined
}

export const pointsman = (): Promise<Pointsman> => {
  held.shopPointsman ??= open().then(
    async (opened) => {
      const operator = process.env["SHOP_OPERATOR"]
      if (operator !== undefined) {
        const consoleUrl = `${process.env["SHOP_URL"] ?? "http://localhost:3000"}${consolePath}`
        console.log(`${operator} signs in once at ${await signInLink(opened, operator, consoleUrl)}`)
      }
      const close = () => void opened.close()
      process.once("SIGTERM", close)
      process.once("SIGINT", close)
      return opened
    },
    (error) => {
      // The next request tries again.
      held.shopPointsman = undefined
      throw error
    }
  )
  return held.shopPointsman
}

export const desk = (): Promise<MountedConsole> => {
  held.shopDesk ??= pointsman().then(
    (opened) => opened.console({ mount: consolePath }),
    (error) => {
      held.shopDesk = undefined
      throw error
    }
  )
  return held.shopDesk
}

/** Ends it, for tests. */
export const closePointsman = async (): Promise<void> => {
  const opened = held.shopPointsman
  held.shopPointsman = undefined
  held.shopDesk = undefined
  await (await opened)?.close()
}
