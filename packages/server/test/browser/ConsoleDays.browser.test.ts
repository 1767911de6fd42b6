/**
 * What four people do with the console on a day, in a real browser in front of a real server: support by the keyboard
 * alone, operations on a phone, an admin and finance at a desk. Each task takes four actions at most from the first page,
 * the end of a month fifteen; filling in a form is one. `POINTSMAN_LONG=all` does it among 1,000,000 payments, and otherwise there are 2,000.
 */
import { mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { formatApiKey } from "@pointsman/core"
import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core"
import { expect, test } from "vitest"
import { fillSqlite } from "../../../../checks/bench/kit/FillStores.ts"
import { encryptionKey } from "../../../../checks/bench/World.ts"
import { describeInChromium } from "../../../http/test/browser/Chromium.ts"
import { sizes, type Visitor, visit } from "../../../http/test/browser/Visitor.ts"
import { runHere } from "../support/CommandInProcess.ts"
import { connectionTo } from "../support/Configurations.ts"
import { isLong } from "../support/LongRuns.ts"
import { pay } from "../support/Pay.ts"
import { startProvider } from "../support/ScriptedProvider.ts"
import { startServerHere } from "../support/ServerHere.ts"
import { temporaryFolder } from "../support/ServerProcess.ts"
import { startReceiver } from "../support/WebhookReceiver.ts"

const key = formatApiKey("sandbox", new Uint8Array(64).fill(21))
const filled = isLong ? 1_000_000 : 2_000

const environment = {
  POINTSMAN_ALLOW_PRIVATE_WEBHOOKS: "true",
  // A payment stays unknown, and what is refused stays refused, until a person acts.
  POINTSMAN_UNKNOWN_CHECK_INTERVAL: "1 hour",
  POINTSMAN_WEBHOOK_SCHEDULE: "0 seconds",
  // The one that the store was filled with.
  POINTSMAN_ENCRYPTION_KEY: Buffer.from(encryptionKey).toString("base64")
}

const openShop = async () => {
  const [north, south, receiver] = [await startProvider(), await startProvider(), await startReceiver()]
  const folder = temporaryFolder()
  mkdirSync(join(folder, ".pointsman"))
  await fillSqlite(join(folder, ".pointsman/pointsman.db"), filled)
  const connection = (id: string, name: string, provider: typeof north) => ({
    ...connectionTo(provider, id),
    ...{ name, environment: "sandbox", webhookSecret: `whsec_of_${id}` }
  })
  const server = await startServerHere({
    folder,
    configuration: {
      workspaces: [
        {
          id: "acme",
          name: "Acme",
          country: "NL",
          keys: [{ environment: "sandbox", secret: key }],
          connections: [
            connection("north", "North acquirer", north),
            connection("south", "South acquirer", south),
            { ...connection("east", "East acquirer", south), supports: { currencies: ["USD"] } }
          ],
          routing: { sandbox: { mode: "failover", order: ["north", "south", "east"], maxAttempts: 3 } },
          webhooks: [{ environment: "sandbox", url: receiver.url, secret: "whsec_of_the_shop" }]
        }
      ]
    },
    environment
  })
  const attempts = new Map<string, string>()
  const create = async (reference: string): Promise<string> => {
    const made = await pay(server, `order-of-${reference}`, { reference }, key)
    expect(made.status).toBe(201)
    attempts.set(made.body.data.payment_id, made.body.data.routing.attempts[0].attempt_id)
    return made.body.data.payment_id
  }
  /** As an older connector left it, which could not read the provider's message. */
  const keepMessage = (paymentId: string) => {
    const db = new DatabaseSync(join(folder, ".pointsman/pointsman.db"))
    try {
      const body = JSON.stringify({
        id: "msg_late",
        type: "charge.updated",
        created: "2026-11-21T12:00:00Z",
        data: {
          attempt_id: attempts.get(paymentId),
          provider_reference: "ch_late",
          status: "captured",
          captured_amount: 1999,
          currency: "EUR"
        }
      })
      db.prepare(`insert into messages (workspace_id, environment, connection_id, event_id, about, subject_id, outcome,
          reason, written_at, received_at, body, is_sealed)
        values ('acme', 'sandbox', 'north', 'msg_kept', 'unreadable', '', 'unreadable', 'at data', 1, 1, ?, 0)`).run(
        body
      )
    } finally {
      db.close()
    }
  }
  const run = async (...words: ReadonlyArray<string>): Promise<string> => {
    const { code, stderr, stdout } = await runHere(folder, words, environment)
    if (code !== 0) throw new Error(stderr)
    return stdout
  }
  const linkFor = async (login: string, role: string): Promise<string> => {
    await run("operators", "add", login, "--name", login, "--role", role, "--by", "test")
    const [path] = /\/console\/link\/\S+/u.exec(await run("operators", "link", login, "--by", "test")) ?? []
    return `${server.url}${path}`
  }
  const attemptOf = (paymentId: string): string => attempts.get(paymentId) ?? ""
  return { north, receiver, server, attemptOf, create, keepMessage, linkFor }
}
type Shop = Awaited<ReturnType<typeof openShop>>

/** How a person uses what is on a page. */
interface Hands {
  readonly press: (target: Locator) => Promise<void>
  readonly type: (target: Locator, text: string) => Promise<void>
}

const mouse: Hands = { press: (target) => target.click(), type: (target, text) => target.fill(text) }

/** Tab, Enter and letters alone. */
const keyboard = (page: Page): Hands => {
  const reach = async (target: Locator) => {
    await target.waitFor()
    for (let presses = 0; presses < 200; presses++) {
      if (await target.evaluate((element) => element === element.ownerDocument.activeElement)) return
      await page.keyboard.press("Tab")
    }
    throw new Error(`Tab does not reach ${target.toString()}`)
  }
  return {
    press: async (target) => {
      await reach(target)
      await page.keyboard.press("Enter")
    },
    type: async (target, text) => {
      await reach(target)
      await page.keyboard.press("ControlOrMeta+A")
      await page.keyboard.type(text)
    }
  }
}

/** A task from the first page on, in four actions unless set. */
const task = async (
  page: Page,
  act: (action: (does: () => Promise<void>) => Promise<void>) => Promise<void>,
  most = 4
) => {
  await page.goto(`${new URL(page.url()).origin}/console/day/acme/sandbox`)
  let actions = 0
  await act(async (does) => {
    actions += 1
    await does()
  })
  expect(actions).toBeLessThanOrEqual(most)
}

const signIn = async (page: Page, link: string, { press }: Hands) => {
  await page.goto(link)
  await press(page.getByRole("button", { name: "Sign in" }))
  await page.waitForURL(/\/console\/day\/acme\/\w+$/u)
}

const asSupport = async ({ create, linkFor, north, receiver, server }: Shop, { page }: Visitor) => {
  north.next("charge", () => ({
    status: 200,
    body: { provider_reference: "ch_no", status: "declined", decline: { code: "05", category: "lost_or_stolen" } }
  }))
  await create("order-declined")
  receiver.status = () => 500
  await create("order-refunded")
  await receiver.count(1)
  receiver.status = () => 200
  const { press, type } = keyboard(page)
  await signIn(page, await linkFor("sam", "support"), keyboard(page))
  const find = async (reference: string) => {
    await type(page.getByLabel("Search"), reference)
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { name: reference }).waitFor()
  }

  await task(page, async (action) => {
    await action(() => find("order-declined"))
    await page.getByText("North acquirer declined the payment").waitFor()
    await page.getByText("South acquirer was not asked: the decline before it ended the payment").waitFor()
    await page.getByText(/^East acquirer was not asked: .*EUR/u).waitFor()
  })

  const before = north.calls.filter(({ operation }) => operation === "refund").length
  await task(page, async (action) => {
    await action(() => find("order-refunded"))
    await action(() => press(page.getByRole("link", { name: "Refund…" })))
    await action(() => type(page.getByLabel("Amount in EUR"), "10.00"))
    // Twice, and then the page again.
    await action(async () => {
      await press(page.getByRole("button", { name: "Refund", exact: true }))
      await page.keyboard.press("Enter")
    })
    await page.waitForURL(/notice=(?:refunded|in_progress)$/u)
    await page.keyboard.press("F5")
    await page.reload()
    await page.getByText("Partially refunded").first().waitFor()
  })
  expect(north.calls.filter(({ operation }) => operation === "refund").length).toBe(before + 1)

  const heard = receiver.heard.length
  await task(page, async (action) => {
    await action(() => find("order-refunded"))
    await action(() => press(page.getByRole("row").filter({ hasText: "Given up" }).first().getByRole("link")))
    await action(() => press(page.getByRole("button", { name: "Send again" })))
    await receiver.count(heard + 1)
  })

  // What support may not do is not shown, and not answered.
  for (const name of ["Reviews", "Messages", "Keys", "Operators", "Audit"]) {
    expect(await page.getByRole("link", { name, exact: true }).count()).toBe(0)
  }
  expect((await page.request.get(`${server.url}/console/keys/acme/sandbox`)).status()).toBe(403)
}

const asOperations = async ({ create, keepMessage, linkFor, north }: Shop, { page }: Visitor) => {
  north.next("charge", () => "drop")
  north.always("lookUpCharge", () => "drop")
  await create("order-unknown")
  north.next("charge", () => "drop")
  keepMessage(await create("order-late"))
  const { press, type } = mouse
  await signIn(page, await linkFor("olga", "operations"), mouse)

  await task(page, async (action) => {
    await action(() => press(page.getByRole("link", { name: "Reviews", exact: true })))
    await action(() => press(page.getByRole("link", { name: "order-unknown" })))
    await action(() => press(page.getByRole("link", { name: "Captured…" })))
    await action(async () => {
      await type(page.getByLabel("Amount in EUR"), "19.99")
      await type(page.getByLabel("Provider’s reference"), "ch_in_their_books")
      await type(page.getByLabel("Evidence"), "The acquirer’s dashboard shows the charge.")
      await press(page.getByRole("button", { name: "Record" }))
    })
    await page.waitForURL(/notice=settled$/u)
    await page.getByText("Captured", { exact: true }).first().waitFor()
  })

  await task(page, async (action) => {
    // It is folded on a phone.
    await action(() => press(page.getByText("Menu", { exact: true })))
    await action(() => press(page.getByRole("link", { name: "Messages" })))
    await action(() => press(page.getByRole("row").filter({ hasText: "msg_kept" }).getByRole("link")))
    await action(() => press(page.getByRole("button", { name: "Apply" })))
    await page.getByText("It was decided again.").waitFor()
    await page.getByText("Applied.").waitFor()
  })
}

const asAdmin = async ({ linkFor, server }: Shop, { page }: Visitor) => {
  const { press, type } = mouse
  await signIn(page, await linkFor("ada", "admin"), mouse)

  await task(page, async (action) => {
    await action(() => press(page.getByRole("link", { name: "Keys" })))
    await action(() => press(page.getByRole("link", { name: "Create a key…" })))
    await action(async () => {
      await type(page.getByLabel("Name"), "The warehouse")
      await page.getByLabel("payments:read").check()
    })
    await action(() => press(page.getByRole("button", { name: "Create the key" })))
    const secret = (await page.locator(".secret").textContent())?.trim() ?? ""
    const read = await server.request("GET", "/api/v1/payments?limit=1", { key: secret })
    expect(read.status).toBe(200)
    await press(page.getByRole("link", { name: "Done" }))
    await page.getByText("The warehouse").waitFor()
    expect(await page.content()).not.toContain(secret)
  })

  await task(page, async (action) => {
    await action(() => press(page.getByRole("link", { name: "Operators" })))
    await action(() => press(page.getByRole("link", { name: "Add an operator…" })))
    await action(async () => {
      await type(page.getByLabel("E-mail or name to sign in with"), "new@example.com")
      await type(page.getByLabel("Name", { exact: true }), "New")
      await page.getByLabel("Workspace", { exact: true }).selectOption({ label: "Acme" })
    })
    await action(() => press(page.getByRole("button", { name: "Add, and show a sign-in link" })))
    await page.getByText("/console/link/").waitFor()
  })

  await task(page, async (action) => {
    await action(() => press(page.getByRole("link", { name: "Audit" })))
    for (const text of ["key.created", "operator.added", "payment.refunding", "review.resolving"]) {
      await page.getByRole("table").getByText(text).first().waitFor()
    }
    for (const who of ["sam", "olga", "ada"]) await page.getByRole("cell", { name: who, exact: true }).first().waitFor()
  })
}

/** From the provider's report to the journal, without a command. */
const asFinance = async ({ attemptOf, create, linkFor }: Shop, { page }: Visitor) => {
  const { press, type } = mouse
  const attempt = attemptOf(await create("order-reported"))
  await signIn(page, await linkFor("fay", "operations"), mouse)
  const now = new Date().toISOString()
  const month = now.slice(0, 7)
  const next = new Date(Date.UTC(Number(now.slice(0, 4)), Number(now.slice(5, 7)))).toISOString().slice(0, 10)
  const report = [
    "row_id,kind,gross,currency,occurred_at,attempt_id,fee,net,payout_id",
    `txn_1,charge,1999,EUR,${now},${attempt},30,1969,po_1`,
    `txn_2,charge,500,EUR,${now},,,,po_1`,
    `po_1,payout,-2469,EUR,${now},,,,po_1`
  ].join("\n")

  const close = async (action: (does: () => Promise<void>) => Promise<void>) => {
    await action(() => press(page.getByRole("link", { name: "Reconciliation", exact: true })))
    await action(() => press(page.getByRole("link", { name: "Read a report…" })))
    await action(async () => {
      await page.getByLabel("Connection").selectOption({ label: "North acquirer" })
      const file = { name: "settlement.csv", mimeType: "text/csv", buffer: Buffer.from(report) }
      await page.getByLabel("File", { exact: true }).setInputFiles(file)
    })
    await action(() => press(page.getByRole("button", { name: "Read the report" })))
    await page.getByRole("heading", { name: "settlement.csv" }).waitFor()
    // The page follows the run.
    await page.getByText("3 read, 3 applied").waitFor()
    await action(() => press(page.getByRole("link", { name: "All reports" })))
    await action(() => press(page.getByRole("link", { name: "Differences", exact: true })))
    const row = page.getByRole("row").filter({ hasText: "txn_2" })
    await action(() => press(row.getByText("Close…")))
    await action(async () => {
      await type(row.getByLabel("What explains it"), "A sale at the terminal, which is not connected")
      await press(row.getByRole("button", { name: "Close" }))
    })
    await page.getByRole("status").getByText("Closed.").waitFor()
    await action(() => press(page.getByRole("link", { name: "Books", exact: true })))
    await action(async () => {
      await type(page.getByLabel("Before"), next)
      // The books of a million payments take longer than a click waits for the page that it leads to.
      await page.getByRole("button", { name: "Show" }).click({ noWaitAfter: true })
    })
    const unexplained = page.getByRole("row").filter({ hasText: "Equity:Unexplained:North:EUR" })
    await unexplained.getByText("-€5.00").waitFor({ timeout: 200_000 })
    await action(async () => {
      await page.getByLabel("Month").fill(month)
      await page.getByLabel("Connection").selectOption({ label: "North acquirer" })
      await page.getByLabel("Format").selectOption("beancount")
    })
    await action(async () => {
      const downloading = page.waitForEvent("download", { timeout: 200_000 })
      await press(page.getByRole("button", { name: "Download" }))
      const download = await downloading
      expect(download.suggestedFilename()).toBe(`journal-${month}-acme-sandbox.beancount`)
      const journal = readFileSync(await download.path(), "utf8")
      for (const text of ["Report: payout", 'reference: "order-reported"', "Equity:Unexplained:North:EUR  -5.00 EUR"]) {
        expect(journal).toContain(text)
      }
    })
  }
  await task(page, close, 15)
}

/** How long the first page takes to be drawn, on a processor that is four times slower. */
const firstPaintMillis = async (page: Page): Promise<number> => {
  const session = await page.context().newCDPSession(page)
  await session.send("Emulation.setCPUThrottlingRate", { rate: 4 })
  await page.reload()
  await page.getByRole("table").first().waitFor()
  const millis = await page.evaluate<number>(
    "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.POSITIVE_INFINITY"
  )
  await session.send("Emulation.setCPUThrottlingRate", { rate: 1 })
  return millis
}

const day = async (browser: Browser, options: BrowserContextOptions, use: (visitor: Visitor) => Promise<void>) =>
  visit(browser, options, async (visitor) => {
    await use(visitor)
    expect(await visitor.accessibilityFaults()).toEqual([])
  })

await describeInChromium("four people's days at the console", (browser) => {
  test(`${filled.toLocaleString("en")} payments: a task takes four actions, a month 15`, {
    timeout: 900_000
  }, async () => {
    const shop = await openShop()
    await day(browser, { viewport: sizes.desktop }, async (visitor) => asSupport(shop, visitor))
    await day(browser, { viewport: sizes.phone, hasTouch: true, isMobile: true }, async (visitor) =>
      asOperations(shop, visitor)
    )
    await day(browser, { viewport: sizes.desktop }, async (visitor) => asFinance(shop, visitor))
    await day(browser, { viewport: sizes.desktop, colorScheme: "dark" }, async (visitor) => {
      await asAdmin(shop, visitor)
      await task(visitor.page, async () => {
        expect(await firstPaintMillis(visitor.page)).toBeLessThan(1_000)
      })
    })
  })
})
