/** How a customer gets from a shop to a provider's page and back, and what may happen on the way. */
import { assert } from "vitest"
import type { Customer } from "./Customer.ts"
import type { Provider } from "./Providers.ts"
import { type Account, type Created, openShop, type Shop } from "./Shop.ts"
import type { Mode } from "./StandIn.ts"

interface Scene {
  readonly provider: Provider
  readonly shop: Shop
  readonly customer: Customer
}

export const goToProvider = async (
  { customer, shop }: Pick<Scene, "customer" | "shop">,
  change: object = {}
): Promise<Created> => {
  const created = await shop.create(change)
  await customer.goTo(created.page)
  await customer.press("Continue to payment")
  return created
}

const waiting: Account = { status: "REQUIRES_ACTION", captured: 0, events: ["payment.requires_action"], booked: [] }
const unpaid = { taken: 0, charges: 0 }
const paid = { taken: 1999, charges: 1 }

/** The payment was paid once, and all say so. `wasSeen`: the server was told of it while it was only authorized. */
const expectPaid = async ({ shop }: Scene, created: Created, wasSeenBefore: boolean) => {
  const events = ["payment.requires_action", ...(wasSeenBefore ? ["payment.pending"] : []), "payment.captured"]
  assert.deepStrictEqual(await shop.accountOf(created), { status: "CAPTURED", captured: 1999, events, booked: [paid] })
}

const expectUnpaid = async ({ shop }: Scene, created: Created, status: string, event: string) =>
  assert.deepStrictEqual(await shop.accountOf(created), {
    ...{ status, captured: 0 },
    ...{ events: ["payment.requires_action", event], booked: [unpaid] }
  })

const expectWaiting = async ({ shop }: Scene, created: Created, booked: Account["booked"]) =>
  assert.deepStrictEqual(await shop.accountOf(created), { ...waiting, booked })

/** The customer pays, and the tab is closed before they come back. */
const payAndClose = async (scene: Scene): Promise<Created> => {
  const { customer, provider, shop } = scene
  const created = await goToProvider(scene)
  shop.standIn.beforeReturn = customer.closeTab
  await provider.pay(customer)
  shop.standIn.settle()
  await expectWaiting(scene, created, [provider.isTakenApart ? unpaid : paid])
  return created
}

/** The provider's messages arrive, and what they make due is done. */
const deliver = async ({ provider, shop }: Scene) => {
  await shop.deliver()
  if (!provider.isTakenApart) return
  await shop.wait(2)
  await shop.deliver()
}

export interface Variation {
  readonly name: string
  /** Whether it is left to the browser, which plays all of them. */
  readonly isForBrowser?: boolean
  /** Whether it is played with test keys too. */
  readonly isOfSandbox?: boolean
  readonly play: (scene: Scene) => Promise<void>
}

export const variations: ReadonlyArray<Variation> = [
  {
    name: "a return after the provider's message asks the provider nothing",
    play: async (scene) => {
      const { customer, provider, shop } = scene
      const created = await goToProvider(scene)
      let askedBefore = 0
      shop.standIn.beforeReturn = async () => {
        shop.standIn.settle()
        await deliver(scene)
        askedBefore = shop.standIn.asked.length
      }
      await provider.pay(customer)
      await customer.isAt(shop.backAt(created, "CAPTURED"))
      assert.strictEqual(shop.standIn.asked.length, askedBefore)
      await expectPaid(scene, created, provider.capturesLater)
    }
  },
  {
    name: "a message after the return changes nothing that the return found",
    isOfSandbox: true,
    play: async (scene) => {
      const { customer, provider, shop } = scene
      const created = await goToProvider(scene)
      await provider.pay(customer)
      if (provider.isToldByMessages) {
        await customer.sees("Your payment is not confirmed yet")
        await expectWaiting(scene, created, [paid])
        await shop.deliver()
      } else if (provider.capturesLater) {
        await customer.sees("Your payment is being processed")
        assert.strictEqual((await shop.accountOf(created)).status, "PENDING")
        shop.standIn.settle()
      }
      await customer.isAt(shop.backAt(created, "CAPTURED"))
      await expectPaid(scene, created, provider.capturesLater)
      await shop.deliver()
      await expectPaid(scene, created, provider.capturesLater)
    }
  },
  {
    name: "only the message ends the payment of a closed tab",
    isForBrowser: true,
    play: async (scene) => {
      const created = await payAndClose(scene)
      await deliver(scene)
      await expectPaid(scene, created, scene.provider.capturesLater)
    }
  },
  {
    name: "the scheduled lookup ends a payment of a closed tab without a message",
    play: async (scene) => {
      const created = await payAndClose(scene)
      await scene.shop.pass(1)
      if (scene.provider.isToldByMessages) {
        // Its lookup names no payment: the payment waits for the message.
        await expectWaiting(scene, created, [paid])
        await scene.shop.deliver()
      }
      await expectPaid(scene, created, false)
      // A message that comes late changes nothing.
      await scene.shop.deliver()
      await expectPaid(scene, created, false)
    }
  },
  {
    name: "one payment is paid when the customer tries again after a refusal",
    isForBrowser: true,
    isOfSandbox: true,
    play: async (scene) => {
      const { customer, provider, shop } = scene
      const created = await goToProvider(scene)
      await provider.decline(customer)
      if (provider.againAt === null) {
        await customer.isAt(shop.backAt(created, "DECLINED"))
        await shop.deliver()
        await expectUnpaid(scene, created, "DECLINED", "payment.declined")
        const second = await goToProvider(scene)
        await provider.pay(customer)
        await customer.isAt(shop.backAt(second, "CAPTURED"))
        await expectPaid(scene, second, false)
        await expectUnpaid(scene, created, "DECLINED", "payment.declined")
        return
      }
      await customer.sees(provider.againAt)
      await shop.deliver()
      await expectWaiting(scene, created, [unpaid])
      await provider.pay(customer)
      shop.standIn.settle()
      if (provider.isToldByMessages) await shop.deliver()
      await customer.isAt(shop.backAt(created, "CAPTURED"))
      await expectPaid(scene, created, provider.capturesLater)
    }
  },
  {
    name: "nothing is paid when the customer cancels at the provider",
    isForBrowser: true,
    play: async (scene) => {
      const { customer, provider, shop } = scene
      const created = await goToProvider(scene)
      if (provider.cancel !== null) {
        await provider.cancel(customer)
        await customer.isAt(shop.backAt(created, "CANCELLED"))
        await shop.deliver()
        return expectUnpaid(scene, created, "CANCELLED", "payment.cancelled")
      }
      // The customer goes back, and may still go on for as long as the provider's page lives.
      if (provider.goBack === null) await customer.goTo(`${created.page}/return`)
      else await provider.goBack(customer)
      await customer.sees("Your payment is not confirmed yet")
      await customer.press("I have not paid yet – continue to payment")
      await customer.sees(provider.heading)
      await shop.pass(1)
      await expectWaiting(scene, created, [unpaid])
      await shop.pass(provider.endsAfterHours - 1)
      return expectUnpaid(scene, created, "CANCELLED", "payment.cancelled")
    }
  },
  {
    name: "a customer who cancels before the provider's page leaves the provider unasked",
    isForBrowser: true,
    play: async (scene) => {
      const { customer, shop } = scene
      const created = await shop.create()
      const askedBefore = shop.standIn.asked.length
      await customer.goTo(created.page)
      await customer.press("Cancel")
      await customer.isAt(shop.backAt(created, "CANCELLED"))
      assert.deepStrictEqual(await shop.accountOf(created), {
        ...{ status: "CANCELLED", captured: 0, booked: [] },
        events: ["payment.requires_action", "payment.cancelled"]
      })
      assert.strictEqual(shop.standIn.asked.length, askedBefore)
    }
  },
  {
    name: "a payment ends with the provider's page when its customer leaves",
    isForBrowser: true,
    play: async (scene) => {
      const { customer, provider, shop } = scene
      const created = await goToProvider(scene)
      await customer.closeTab()
      await expectWaiting(scene, created, [unpaid])
      await shop.pass(provider.endsAfterHours)
      await expectUnpaid(scene, created, "CANCELLED", "payment.cancelled")
      await shop.deliver()
      await expectUnpaid(scene, created, "CANCELLED", "payment.cancelled")
    }
  }
]

export const playJourney = async (
  provider: Provider,
  { play }: Variation,
  customer: Customer,
  mode: Mode = "live"
): Promise<void> => play({ provider, customer, shop: await openShop(provider, mode) })
