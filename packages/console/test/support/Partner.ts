/** Makes `acme` a partner with one merchant; gives the merchant's id. */
import type { World } from "./World.ts"

export const addPartner = async (here: World): Promise<string> => {
  const acme = (await here.contents()).workspaces.find(({ id }) => id === "acme")
  if (acme === undefined) throw new Error("no workspace")
  const workspace = { ...acme, partner: { allowance: 12 } }
  await here.write({ workspaces: [workspace] })
  const caller = { tenant: { workspaceId: "acme", environment: "production" as const }, workspace }
  const details = { name: "Bakery <1>", email: "owner@bakery.test", country: "NL", category: null }
  return (await here.ask(({ provisionMerchant }) => provisionMerchant(caller, details))).id
}
