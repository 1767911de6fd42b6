/** Makes `acme` a partner with one merchant; gives the merchant's id. */
import { Pointsman } from "@pointsman/core"
import { Directory } from "@pointsman/core/ports"
import { Effect } from "effect"
import type { World } from "./World.ts"

export const addPartner = (here: World): Promise<string> =>
  here.run(
    Effect.gen(function* () {
      const directory = yield* Directory
      const { workspaces } = yield* directory.contents
      const acme = workspaces.find(({ id }) => id === "acme")
      if (acme === undefined) return yield* Effect.die("no workspace")
      const workspace = { ...acme, partner: { allowance: 12 } }
      const none = { apiKeys: [], connections: [], routing: [], webhookEndpoints: [] }
      yield* directory.write({ ...none, workspaces: [workspace] })
      const caller = { tenant: { workspaceId: "acme", environment: "production" as const }, workspace }
      const details = { name: "Bakery <1>", email: "owner@bakery.test", country: "NL", category: null }
      return (yield* (yield* Pointsman).provisionMerchant(caller, details)).id
    })
  )
