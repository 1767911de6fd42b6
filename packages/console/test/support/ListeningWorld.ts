/** The console behind a listening server, for a real browser, and an operator who signs in there. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Readable } from "node:stream"
import { text } from "node:stream/consumers"
import type { ConsoleOptions } from "@pointsman/console"
import type { OperatorRole } from "@pointsman/core"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, expect } from "vitest"
import type { Visitor } from "../../../http/test/browser/Visitor.ts"
import { everywhere } from "./Responses.ts"
import { mount, type World, world } from "./World.ts"

interface Listening {
  /** Passkeys need a name. */
  readonly hostname?: "127.0.0.1" | "localhost"
  /** From the path that the browser asked for to the one that the console gets. */
  readonly pathOf?: (path: string) => string
  /** A status for a request that the console does not get. */
  readonly refusalOf?: (path: string) => number | undefined
}

export const listen = async (
  here: World,
  { hostname = "127.0.0.1", pathOf = (path) => path, refusalOf = () => undefined }: Listening = {}
) => {
  const server = createServer(async (request, response) => {
    const path = request.url ?? ""
    const refusal = refusalOf(path)
    if (refusal !== undefined) return void response.writeHead(refusal).end()
    const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)])
    const sent = await text(request)
    const answer = await here.handler(
      new Request(`${url}${pathOf(path)}`, {
        method: request.method ?? "GET",
        headers,
        ...(sent === "" ? {} : { body: sent })
      })
    )
    response.writeHead(answer.status, [...answer.headers].flat())
    if (answer.body === null) return void response.end()
    const stream = Readable.fromWeb(answer.body as Parameters<typeof Readable.fromWeb>[0])
    response.once("close", () => stream.destroy())
    stream.on("error", () => response.destroy()).pipe(response)
  })
  await new Promise<void>((resolve) => server.listen(0, hostname, resolve))
  const url = `http://${hostname}:${(server.address() as AddressInfo).port}`
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url, close }
}

/** `role`: of Jo, who signs in by a link. */
export const listeningWorld = async ({
  options = {},
  role,
  ...listening
}: Listening & { readonly options?: Partial<ConsoleOptions>; readonly role?: OperatorRole } = {}) => {
  const here = world(options)
  const { close, url } = await listen(here, listening)
  if (role !== undefined) {
    await here.run((await here.operators).add({ login: "jo", displayName: "Jo", grants: everywhere(role) }))
  }
  return {
    here,
    url,
    signIn: async (page: Page, login = "jo", home = `${url}${mount}`) => {
      await page.goto(`${home}/link/${await here.linkOf(login)}`)
      await page.getByRole("button", { name: "Sign in" }).click()
      await page.waitForURL(`${home}/day/acme/sandbox`)
      await page.goto(`${home}/payments/acme/sandbox`)
    },
    close: async () => {
      close()
      await here.close()
    }
  }
}

export type ListeningWorld = Awaited<ReturnType<typeof listeningWorld>>

/** The listening world of one test file. `prepare` writes what its tests need before the first of them. */
export const usedListeningWorld = (
  options: Parameters<typeof listeningWorld>[0],
  prepare: (here: World) => Promise<unknown> = async () => {}
) => {
  let used: ListeningWorld
  beforeAll(async () => {
    used = await listeningWorld(options)
    await prepare(used.here)
  })
  afterAll(() => used.close())
  return {
    listening: new Proxy({} as ListeningWorld, { get: (_, name) => Reflect.get(used, name) }),
    here: new Proxy({} as World, { get: (_, name) => Reflect.get(used.here, name) })
  }
}

/** By the menu that most areas fold into on a phone. */
export const openArea = async (page: Page, name: string): Promise<void> => {
  const link = page.getByRole("link", { name, exact: true })
  if (!(await link.isVisible())) await page.getByText("Menu", { exact: true }).click()
  await link.click()
}

/** A passkey of the page's browser: Chromium's virtual authenticator. */
export const withAuthenticator = async (page: Page) => {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send("WebAuthn.enable")
  const { authenticatorId } = await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true
    }
  })
  return { devtools, authenticatorId }
}

/** On the account page of the console at this address. */
export const addPasskey = async (page: Page, url: string, name: string): Promise<void> => {
  await page.goto(`${url}/account`)
  await page.getByLabel("Name of the passkey").fill(name)
  await page.getByRole("button", { name: "Add a passkey" }).click()
  await page.waitForURL(`${url}/account?notice=added`)
}

/** Axe finds nothing, and nothing but a table scrolls sideways. */
export const checkPage = async ({ accessibilityFaults, page }: Visitor, name = page.url()): Promise<void> => {
  expect(await accessibilityFaults(), name).toEqual([])
  expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name).toBe(true)
}
