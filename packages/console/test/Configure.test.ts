/** Routing, connections and webhook endpoints of a workspace that no configuration file defines. */
import { applyConfiguration } from "@pointsman/configuration"
import { credentialsContext, operatorRoles, type RoutingSettings } from "@pointsman/core"
import { type ConnectorDefinition, Secrets } from "@pointsman/core/ports"
import { scriptedProvider } from "@pointsman/core/testing"
import { Effect, Redacted, Result } from "effect"
import { assert, beforeEach, describe, it } from "vitest"
import { assertFields, everywhere, hiddenIn, leadsTo, pageAt, pageOf, unescaped } from "./support/Responses.ts"
import { usedWorld } from "./support/UsedWorld.ts"
import { speaking } from "./support/World.ts"

const scripted = speaking(scriptedProvider().definition)
const connector: ConnectorDefinition = {
  ...scripted,
  credentials: { apiKey: "a key that begins with sk_", account: "an account" },
  connect: (account, transport) =>
    /"apiKey":"sk_|^\{\}$/u.test(JSON.stringify(account.credentials))
      ? scripted.connect(account, transport)
      : Result.fail("credentials.apiKey: expected a key that begins with sk_")
}

const here = usedWorld({}, { clock: "test", connectors: [connector] })
let ann: string
beforeEach(async () => {
  ann = await here.signIn("ann", everywhere("admin"))
})

const entries = () => here.audited(/^(?:routing|connection|endpoint)\./u)
const routingAt = "/routing/acme/sandbox"
const connectionsAt = "/connections/acme/sandbox"
const webhooksAt = "/webhooks/acme/sandbox"
const formPaths = [
  `${routingAt}/change`,
  `${connectionsAt}/new/connection`,
  `${connectionsAt}/acme-sandbox/credentials`,
  `${connectionsAt}/acme-sandbox/active`,
  `${webhooksAt}/new/endpoint`
]

const post = (path: string, form: Readonly<Record<string, string>>, cookie = ann) => here.send(path, { cookie, form })

const pageOfAnn = (path: string, status = 200) => pageAt(here, path, ann, status)

const storedRouting = async (): Promise<RoutingSettings | undefined> => (await here.contents()).routing[0]?.settings

const rules = [
  { name: "big <tickets>", when: { amount: { min: 100_000 } }, use: { mode: "fixed", order: ["acme-sandbox"] } },
  { name: "never", when: { amount: { min: 200_000 } }, use: { mode: "failover" } }
]
const routing = JSON.stringify({ mode: "failover", order: ["acme-sandbox"], rules })

describe("routing", () => {
  it("new rules are shown on a second page, and its form changes them under a name", async () => {
    assert.include(await pageOfAnn(routingAt), "Change the routing…")
    const { seen = "" } = hiddenIn(await pageOfAnn(`${routingAt}/change`))
    const asked = await pageOf(await post(`${routingAt}/change`, { routing, seen }))
    assert.include(asked, "big &lt;tickets&gt;")
    assert.include(asked, "<strong>unreachable</strong>")
    assert.include(unescaped(asked), `"routing": {\n        "sandbox": {`)
    assert.isUndefined(await storedRouting())
    const confirmed = hiddenIn(asked)
    const changed = leadsTo(await post(`${routingAt}/change`, confirmed))
    assert.include(await pageOfAnn(changed), "The routing is changed.")
    assert.deepStrictEqual(await storedRouting(), JSON.parse(routing))
    const [entry] = await entries()
    assert.deepInclude(entry, { action: "routing.changed", actor: "ann", via: "console", subject: "acme sandbox" })
    assert.deepStrictEqual(JSON.parse(entry?.details ?? ""), {
      workspace_id: "acme",
      environment: "sandbox",
      mode: "failover",
      rules: ["big <tickets>", "never"]
    })
  })

  it("mistakes in rules are named by field, keep the text and change nothing", async () => {
    const { seen = "" } = hiddenIn(await pageOfAnn(`${routingAt}/change`))
    for (const [text, mistake] of [
      ["{", "must be JSON"],
      ['{"mode":"best"}', 'mode: expected one of "fixed"'],
      ['{"order":["globex-sandbox"]}', "order[0]: expected a sandbox connection of this workspace: acme-sandbox"],
      ['{"order":[{"$env":"HOME"}]}', "order[0]: expected an id"],
      ['{"rules":[{"name":"x","when":{"curency":["EUR"]},"use":{"mode":"fixed"}}]}', "rules[0].when.curency: unknown"]
    ] as const) {
      for (const confirmed of ["yes", "no"]) {
        const page = unescaped(await pageOf(await post(`${routingAt}/change`, { routing: text, seen, confirmed }), 422))
        assert.include(page, mistake)
        assert.include(page, `${text}</textarea>`)
      }
    }
    assert.isUndefined(await storedRouting())
  })

  it("a form opened before another change is refused", async () => {
    const { seen = "" } = hiddenIn(await pageOfAnn(`${routingAt}/change`))
    await here.write({ routing: [{ workspaceId: "acme", environment: "sandbox", settings: { mode: "auto" } }] })
    const form = { routing, seen, confirmed: "yes" }
    assert.include(await pageOf(await post(`${routingAt}/change`, form), 409), "changed since you opened the form")
    assert.deepStrictEqual(await storedRouting(), { mode: "auto" })
    assert.deepStrictEqual(await entries(), [])
  })
})

const opened = async (id: string) => {
  const { connections } = await here.contents()
  const sealed = connections.find((one) => one.id === id)?.sealedCredentials ?? ""
  return here.run(
    Effect.flatMap(Secrets, ({ open }) => Effect.map(open(sealed, credentialsContext(id)), Redacted.value))
  )
}
const secret = "sk_that_nobody_sees"
const typed = {
  connector: "scripted",
  id: "second",
  name: "Second <one>",
  "credentials.apiKey": secret,
  webhookSecret: "whsec_hidden",
  priority: "2",
  currencies: "eur, USD",
  payerCountries: "",
  methods: "card",
  active: "no"
}

describe("connections", () => {
  it("a connection is added, and no page, log or entry shows its credentials", async () => {
    assert.include(await pageOfAnn(connectionsAt), "Add a connection…")
    assert.include(await pageOfAnn(`${connectionsAt}/new/connection`), 'value="scripted"')
    const form = await pageOf(await post(`${connectionsAt}/new/connection`, { connector: "scripted" }))
    assert.match(form, /name="credentials.apiKey" value="" type="password"/u)
    assert.include(form, "Expected: a key that begins with sk_.")
    assert.include(unescaped(form), '"$env": "API_KEY"')
    const pages = [form]
    for (const [field, value, mistake] of [
      ["id", "acme-sandbox", "id: expected one that no connection"],
      ["id", "globex-production", "id: expected one that no connection"],
      ["id", "<", "id: expected an id"],
      ["currencies", "EURO", "supports.currencies[0]: expected an ISO 4217"],
      ["priority", "first", "priority: expected a whole number"],
      ["credentials.apiKey", "pk_wrong", "credentials.apiKey: expected a key that begins with sk_"]
    ] as const) {
      const page = await pageOf(await post(`${connectionsAt}/new/connection`, { ...typed, [field]: value }), 422)
      assert.include(unescaped(page), mistake)
      assert.include(page, "enter them again")
      assert.include(page, "Second &lt;one&gt;")
      pages.push(page)
    }
    assert.lengthOf((await here.contents()).connections, 4)
    const added = leadsTo(await post(`${connectionsAt}/new/connection`, typed))
    pages.push(await pageOfAnn(added), await pageOfAnn(`${connectionsAt}/second`))
    const stored = (await here.contents()).connections.find(({ id }) => id === "second")
    assert.deepInclude(stored, {
      workspaceId: "acme",
      environment: "sandbox",
      name: "Second <one>",
      connector: "scripted",
      active: false,
      priority: 2,
      supports: { currencies: ["EUR", "USD"], methods: ["card"] }
    })
    assert.strictEqual(await opened("second"), JSON.stringify({ apiKey: secret }))
    const said = JSON.stringify([...pages, ...here.log, ...(await entries())])
    for (const text of [secret, "pk_wrong", "whsec_hidden"]) assert.notInclude(said, text)
    assert.deepInclude((await entries())[0], { action: "connection.added", actor: "ann", subject: "second" })
  })

  it("new credentials replace the old, unless something changed since the form", async () => {
    const at = `${connectionsAt}/acme-sandbox`
    assert.notInclude(await pageOfAnn(`${at}/credentials`), "credentials.apiKey")
    const { seen = "" } = hiddenIn(await pageOf(await post(`${at}/credentials`, {})))
    const wrong = await post(`${at}/credentials`, { seen, "credentials.apiKey": "pk_wrong" })
    assert.notInclude(await pageOf(wrong, 422), "pk_wrong")
    const form = { seen, "credentials.apiKey": secret, "credentials.account": "acct_1", webhookSecret: "" }
    leadsTo(await post(`${at}/credentials`, form))
    assert.strictEqual(await opened("acme-sandbox"), JSON.stringify({ apiKey: secret, account: "acct_1" }))
    const again = await post(`${at}/credentials`, { ...form, "credentials.apiKey": "sk_late" })
    assert.include(await pageOf(again, 409), "changed since you opened the form")
    assert.include(await opened("acme-sandbox"), secret)
    const active = hiddenIn(await pageOfAnn(`${at}/active`))
    assert.deepInclude(active, { active: "no" })
    leadsTo(await post(`${at}/active`, active))
    await pageOf(await post(`${at}/active`, { ...active, active: "yes" }), 409)
    assert.isFalse((await here.contents()).connections.find(({ id }) => id === "acme-sandbox")?.active)
    assert.deepStrictEqual(
      (await entries()).map(({ details }) => JSON.parse(details).replaced),
      [["credentials"], []]
    )
  })

  it("credentials under an older sign-in are repeated on no page and change nothing", async () => {
    const form = await pageOf(await post(`${connectionsAt}/acme-sandbox/credentials`, {}))
    await here.pass("11 minutes")
    for (const [path, sent] of [
      [`${connectionsAt}/new/connection`, typed],
      [`${connectionsAt}/acme-sandbox/credentials`, { ...hiddenIn(form), "credentials.apiKey": secret }]
    ] as const) {
      const page = await pageOf(await post(path, sent), 403)
      assert.include(page, "This takes a sign-in within the last 10 minutes.")
      assert.include(page, "enter them again")
      assert.notInclude(page, secret)
      assert.include(await pageOf(await post(path, { connector: "scripted" }), 403), "Sign in again")
    }
    assert.deepStrictEqual(await entries(), [])
  })
})

describe("webhook endpoints", () => {
  const url = "https://shop.example/hooks?token=hidden"
  const form = async () => ({ ...hiddenIn(await pageOfAnn(`${webhooksAt}/new/endpoint`)), url, events: "*" })
  const secretIn = (page: string) => /<code class="secret">(whsec_[^<]+)/u.exec(page)?.[1]

  it("an endpoint is added once, shows its secret once, and is switched off and on", async () => {
    const sent = await form()
    const page = await pageOf(await post(`${webhooksAt}/new/endpoint`, sent))
    const shown = secretIn(page)
    assert.isString(shown)
    assert.strictEqual(secretIn(await pageOf(await post(`${webhooksAt}/new/endpoint`, sent))), shown)
    const taken = await pageOf(await post(`${webhooksAt}/new/endpoint`, await form()), 422)
    assert.include(taken, "url: expected one that no endpoint of this environment has")
    const [endpoint] = (await here.contents()).webhookEndpoints
    assert.deepInclude(endpoint, { workspaceId: "acme", environment: "sandbox", url, events: ["*"], active: true })
    const at = `${webhooksAt}/endpoints/${encodeURIComponent(endpoint?.id ?? "")}`
    const off = hiddenIn(await pageOfAnn(`${at}/active`))
    assert.strictEqual(leadsTo(await post(`${at}/active`, off)), at)
    await pageOf(await post(`${at}/active`, off), 409)
    assert.include(await pageOfAnn(at), "Activate…")
    leadsTo(await post(`${at}/active`, hiddenIn(await pageOfAnn(`${at}/active`))))
    assert.isTrue((await here.contents()).webhookEndpoints[0]?.active)
    const all = await entries()
    assertFields(all, "action", "endpoint.added", "endpoint.changed", "endpoint.changed")
    const said = JSON.stringify([await pageOfAnn(at), ...here.log, ...all])
    for (const text of [shown ?? "", "token=hidden"]) assert.notInclude(said, text)
  })

  it("mistakes in an endpoint are named by field and add nothing", async () => {
    for (const [field, value, mistake] of [
      ["url", "ftp://shop.example", "url: expected an absolute http or https URL"],
      ["events", "payment.lost", "events[0]: expected"]
    ] as const) {
      const sent = { ...(await form()), [field]: value }
      assert.include(unescaped(await pageOf(await post(`${webhooksAt}/new/endpoint`, sent), 422)), mistake)
    }
    await pageOf(await post(`${webhooksAt}/new/endpoint`, { url, events: "*" }), 422)
    assert.deepStrictEqual((await here.contents()).webhookEndpoints, [])
  })
})

describe("who may configure", () => {
  it("a role below admin is offered no form, and none is taken from it", async () => {
    for (const role of operatorRoles.filter((one) => one !== "admin")) {
      const cookie = await here.signIn(role, everywhere(role))
      for (const path of formPaths) {
        await pageAt(here, path, cookie, 403)
        await pageOf(await post(path, { ...typed, routing, seen: "", confirmed: "yes" }, cookie), 403)
      }
      if (role === "operations") assert.notInclude(await pageAt(here, routingAt, cookie), "Change the routing…")
      assert.notInclude(await pageAt(here, webhooksAt, cookie), "Add an endpoint…")
    }
    assert.deepStrictEqual(await entries(), [])
  })

  it("a workspace of a configuration file offers no form and refuses opened ones", async () => {
    const { seen: ofRouting = "" } = hiddenIn(await pageOfAnn(`${routingAt}/change`))
    const { seen = "" } = hiddenIn(await pageOfAnn(`${connectionsAt}/acme-sandbox/active`))
    const { key = "" } = hiddenIn(await pageOfAnn(`${webhooksAt}/new/endpoint`))
    await here.run(applyConfiguration({ workspaces: [{ id: "acme" }] }))
    const before = await here.contents()
    for (const [path, button] of [
      [routingAt, "Change the routing…"],
      [connectionsAt, "Add a connection…"],
      [`${connectionsAt}/acme-sandbox`, "Replace the credentials…"],
      [webhooksAt, "Add an endpoint…"]
    ] as const) {
      assert.notInclude(await pageOfAnn(path), button)
    }
    assert.include(await pageOfAnn(routingAt), "The configuration file defines this workspace")
    for (const path of formPaths) {
      assert.include(await pageOfAnn(path, 409), "The configuration file defines this workspace.")
    }
    for (const [path, form] of [
      [`${routingAt}/change`, { routing, seen: ofRouting, confirmed: "yes" }],
      [`${connectionsAt}/new/connection`, typed],
      [`${connectionsAt}/acme-sandbox/credentials`, { seen, "credentials.apiKey": secret }],
      [`${connectionsAt}/acme-sandbox/active`, { seen, active: "no" }],
      [`${webhooksAt}/new/endpoint`, { key, url: "https://shop.example", events: "*" }]
    ] as const) {
      assert.include(await pageOf(await post(path, form), 409), "The configuration file defines this workspace.", path)
    }
    // A program that embeds the library is refused as well.
    const tenant = { workspaceId: "acme", environment: "sandbox" } as const
    const refused = await here.ask(({ configure }) =>
      Effect.flip(configure.changeRouting(tenant, { mode: "auto" }, ofRouting))
    )
    assert.strictEqual(refused._tag, "pointsman/WorkspaceInFile")
    assert.deepStrictEqual(await here.contents(), before)
    assert.deepStrictEqual(await entries(), [])
  })
})
