/**
 * Secrets and card numbers in what is answered, stored and sent: forty secrets are planted in a configuration, in what clients,
 * providers and receivers send, and in what commands make, and a server goes through all that may show them. The answers of
 * the API, the log, the output of commands, the bytes of the database and of a backup, the audit trail, the message store, the
 * bodies of webhooks and the telemetry, compressed as it is sent, are searched for them.
 *
 * The same word is planted where it may be, so that a sink that is empty or not searched fails the test.
 *
 * What may show a secret, and does: the response to its creator (`keys create`, a payment's own `next_action`), the
 * greeting of the demo, and the line of the log by which an invitation is passed on, which goes to no collector.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "vitest"
import { runHere } from "./support/CommandInProcess.ts"
import { documentOf } from "./support/CommandProcess.ts"
import { isLong } from "./support/LongRuns.ts"
import { cardForms, cardNumbers, leaksIn, type Planted } from "./support/Planted.ts"
import { environmentOn, newDatabase, postgresMissing, query } from "./support/PostgresServer.ts"
import {
  keys,
  leaksOf,
  marker,
  open,
  orderNumber,
  path,
  payment,
  planted,
  references,
  type Server,
  secret,
  unsettled
} from "./support/ScrubWorld.ts"
import { newCertificate, writeTlsFiles } from "./support/TlsFiles.ts"
import { until } from "./support/Until.ts"

/** A message that no connector could read is sealed whole, and this command is what opens it for an operator. */
const unreadableShown = "an unreadable message, shown"

/** What clients send. Returns the payments, and what they were given that nobody else may see. */
const beClient = async ({ ask, request, send, tell, url }: Server) => {
  const payments: Array<string> = []
  const token = secret("instrument token")
  const instruments = [
    { connection: "main", token },
    { connection: "stripe", token: secret("Stripe's instrument token") }
  ]
  for (const kind of references) {
    const [capture_method, operation] = kind === "authorized" ? ["manual", "capture"] : ["automatic", "void"]
    const body = { ...payment, reference: `${kind}:${marker}`, capture_method, instruments }
    const made = await ask("POST", path, { idempotencyKey: `order-${kind}`, body })
    const { payment_id: id } = made.body.data
    payments.push(id)
    for (const [at, body] of [
      [operation, {}],
      ["refunds", { amount: 100, reason: marker }]
    ] as const) {
      await ask("POST", `${path}/${id}/${at}`, { body })
    }
  }
  await ask("POST", `${path}/${payments[references.indexOf("authorized")]}/void`, { body: {} })
  for (const key of [...Object.values(keys), secret("encryption key")]) await ask("GET", path, { key })
  const hosted = await request("POST", path, {
    idempotencyKey: "order-hosted",
    body: { ...payment, reference: marker, return_url: "https://shop.example/back" }
  })
  const page = new URL(hosted.body.data.next_action.url).pathname
  const pageToken = page.split("/")[2] ?? ""
  const action = { "content-type": "application/x-www-form-urlencoded" }
  await fetch(`${url}${page}`)
  const pressed = await fetch(`${url}${page}`, {
    ...{ method: "POST", redirect: "manual", headers: action, body: "action=continue" }
  })
  const session = encodeURIComponent(secret("session of the provider's page"))
  assert.include(pressed.headers.get("location") ?? "", session)
  tell("API", JSON.stringify([...pressed.headers]).replace(session, ""))
  await fetch(`${url}${page}/return`, { redirect: "manual" })
  await fetch(`${url}${page}?token=${pageToken}`, { method: "DELETE" })
  const authorization = `Bearer ${keys.live}`
  for (const at of [`/hosted/${pageToken}x`, `/elsewhere/${pageToken}`]) await send("GET", at)
  await send("GET", `${path}/${encodeURIComponent(token)}?key=${keys.live}`, { authorization })

  const headers = {
    authorization: `Basic ${btoa(`client:${secret("password of a client")}`)}`,
    cookie: `session=${secret("cookie of a client")}`,
    "x-api-key": secret("header of a client"),
    "x-service-signature": `t=1,v1=${secret("signature of a client")}`
  }
  await send("GET", `${path}?key=${encodeURIComponent(secret("key in a query"))}`, headers)
  await send("POST", "/api/v1/psp-webhooks/main", headers)
  await send("GET", path, { authorization: `Basic ${btoa(`${keys.live}:`)}` })
  const json = { authorization, "content-type": "application/json", "idempotency-key": "order-bad" }
  await send("POST", path, json, `{"amount": 1, "instruments": [{"token": "${token}"`)
  for (const wrong of [token, [token], [{ connection: "main", token: [token] }], [{ [token]: token }]]) {
    await ask("POST", path, { idempotencyKey: "order-worse", body: { ...payment, instruments: wrong } })
  }
  await ask("POST", path, { idempotencyKey: "order-captured", body: { ...payment, amount: 1, instruments } })
  await ask("POST", path, { key: keys.sandbox, body: { ...payment, instruments, simulate: { charge: token } } })
  const guest = { name: "Corner shop", email: "owner@shop.example", country: "NL" }
  const invited = await ask("POST", "/api/v1/merchants", { body: guest })
  await ask("POST", `/api/v1/merchants/${invited.body.data.id}/invitation`, { body: {} })
  await ask("GET", "/api/v1/merchants")
  return { payments, page, "hosted page token": pageToken }
}

/** Card numbers in every text that takes one, and digits that may be an order number, which are taken and not logged. */
const payWithCards = async ({ ask }: Server): Promise<Planted> => {
  for (const [at, card] of cardNumbers.entries()) {
    const text = [card, `${card.replaceAll(" ", "")} 12/27`, card.replaceAll(" ", "-")][Math.floor(at / 3) % 3] ?? card
    const fields = [
      { reference: text },
      { card_brand: card.slice(0, 20) },
      { return_url: `https://shop.example/?card=${encodeURIComponent(text)}` }
    ][at % 3]
    const refused = await ask("POST", path, { idempotencyKey: `order-card-${at}`, body: { ...payment, ...fields } })
    assert.strictEqual(refused.status, 422)
  }
  await ask("POST", path, { idempotencyKey: "order-bare", body: { ...payment, reference: orderNumber } })
  return Object.assign({}, ...cardNumbers.map((card, at) => cardForms(`card number ${at}`, card)))
}

/**
 * Messages that nobody signed, messages that hold more than is read, and some that cannot be read. `messages show` is asked for
 * those of which only text for people holds a secret: it prints the codes and references as the provider sent them.
 */
const beProvider = async ({ provider, send, signed }: Server) => {
  const known = secret("provider's webhook secret")
  const at = "/api/v1/psp-webhooks/main"
  await send("POST", at, { "x-service-signature": `t=1,v1=${known}` }, known)
  await send("POST", at, { authorization: known }, "{}")
  await signed(401, "another", JSON.stringify({ secret: known, key: secret("provider's key") }))
  for (const [at, attempt_id] of provider.attempts.entries()) {
    if (at === unsettled) continue
    const shown = at % 3 === 0
    const decline = {
      ...{ code: shown ? "05" : known, category: "other" },
      ...{ message: secret("provider's key"), soft: false }
    }
    const reference = at % 3 === 1 ? `ch ${known}` : `ch_of_${at}`
    const data = {
      ...{ attempt_id, provider_reference: reference, status: "declined", decline },
      client_secret: secret("client secret of a message"),
      customer: { address: secret("address of a message") }
    }
    const created = new Date().toISOString()
    const id = `${shown ? "msg" : "hidden"}-${at}-${marker}`
    await signed(200, known, JSON.stringify({ id, type: "charge.updated", created, data }))
  }
  await signed(200, known, `{"id": "unreadable", "token": "${secret("secret of an unreadable message")}"`)
}

/** Every command that reads or writes what is stored. Returns the keys that were made. */
const beOperator = async ({ run, runBoth, environment, folder }: Server, payments: ReadonlyArray<string>) => {
  const acme = ["--workspace", "acme", "--environment", "production"]
  const of = [...acme, "--by", marker]
  const make = async () => documentOf(await runHere(folder, ["keys", "create", ...of, "--json"], environment)).data
  const [kept, revoked] = [await make(), await make()]
  await run("commands", "keys", "revoke", revoked.id, "--by", marker)
  await run("commands", "keys", "rotate-encryption", "--by", marker)
  await run("commands", "config", "apply", "pointsman.json", "--by", marker)
  for (const json of [[], ["--json"]]) {
    await run("audit trail", "audit", "list", ...json)
    const list = await run("messages", "messages", "list", ...acme, "--limit", "100", ...json)
    const known = new Set(list.stdout.match(/(?:msg-\d+-[\w-]+|sha256:[0-9a-f]{64})/gu))
    assert.isAbove(known.size, 2)
    for (const id of known) {
      await run(id.startsWith("sha256") ? unreadableShown : "messages", "messages", "show", "main", id, ...json)
    }
  }
  const words = [
    ...["workspaces list", "workspaces show acme", "keys list --all", "connections list", "connections show main"],
    ...["connections show stripe", "unknown list", `unknown show ${payments[unsettled]}`, "doctor"],
    ...["routing rates --workspace acme", "config check --config pointsman.json"],
    ...payments.flatMap((id) => [`payments show ${id}`, `routing explain ${id}`])
  ].map((line) => line.split(" "))
  const list = ["payments", "list", ...acme]
  const usage = ["usage", "--workspace", "acme", "--from", "1 day"]
  const replay = ["routing", "replay", "--workspace", "acme", "--since", "1 hour"]
  for (const line of [...words, list, usage, replay]) await runBoth(0, ...line)
  const delivery = /dlv_[0-9a-f-]{36}/u.exec(await runBoth(0, "webhooks", "list", ...acme))?.[0] ?? ""
  await runBoth(0, "webhooks", "attempts", delivery)
  return { "created API key": kept.key.slice(8), "revoked API key": revoked.key.slice(8) }
}

interface Stored {
  readonly environment: Readonly<Record<string, string>>
  /** Everything that is stored, while the server runs. */
  readonly tellStored: (folder: string, tell: Server["tell"]) => Promise<void>
  /** It fails under everything from now on. */
  readonly spoil: (folder: string) => Promise<void>
}

const spoiled = ["payments", "charges", "events"].map((name) => `alter table ${name} rename to ${name}_gone`)

const sqlite = (): Stored => ({
  environment: {},
  tellStored: async (folder, tell) => {
    const file = join(folder, ".pointsman", "pointsman.db")
    for (const end of ["", "-wal", "-shm"]) tell("database", readFileSync(`${file}${end}`))
    const db = new DatabaseSync(file, { readOnly: true })
    db.exec(`VACUUM INTO '${join(folder, "backup.db")}'`)
    db.close()
    tell("backup", readFileSync(join(folder, "backup.db")))
  },
  spoil: async (folder) => {
    const db = new DatabaseSync(join(folder, ".pointsman", "pointsman.db"))
    for (const statement of spoiled) db.exec(statement)
    db.close()
  }
})

const postgres = (url: string): Stored => ({
  environment: environmentOn(url),
  tellStored: async (_folder, tell) => {
    const tables = await query(
      url,
      "select table_name as name from information_schema.tables where table_schema = 'public'"
    )
    for (const { name } of tables) {
      for (const { row } of await query(
        url,
        `select row_to_json(stored)::text as row from "${String(name)}" as stored`
      )) {
        for (const sink of ["database", "backup"]) tell(sink, String(row))
      }
    }
  },
  spoil: async () => {
    for (const statement of spoiled) await query(url, statement)
  }
})

/** What a server says of messages without a place for an operator, and once its storage fails under everything; its metrics. */
const failUnder = async (world: Server, spoil: Stored["spoil"], held: string, page: string) => {
  const { ask, folder, provider, runBoth, send, signed, url } = world
  const known = secret("provider's webhook secret")
  await signed(200, known, secret("provider's key"))
  await signed(200, known, JSON.stringify({ id: "m1", type: known, created: known, data: known }))
  await spoil(folder)
  await ask("POST", path, { idempotencyKey: "order-storage", body: payment })
  await ask("GET", `${path}/${held}`)
  await ask("POST", `${path}/${held}/capture`, { body: {} })
  const data = { attempt_id: provider.attempts[0], provider_reference: known, status: "captured" }
  const message = { id: "m9", type: "charge.updated", created: new Date().toISOString(), data }
  await signed(500, known, JSON.stringify(message))
  await fetch(`${url}${page}`)
  await runBoth(1, "doctor")
  await runBoth(1, "payments", "list", "--workspace", "acme", "--environment", "production")
  return send("GET", "/metrics")
}

/**
 * No circuit opens here for long, no check is due, no message waits, no report is fetched, and nothing is old enough to leave or
 * to compare; other tests have them. SQLite has no clock or standby.
 */
const ofOtherTests =
  /^pointsman_(?:circuit|storage_clock|standby|retention|checks_due|provider_messages_waiting|agreement_lookups|report_fetch)/u

/** The sinks, with a text that is in each: what the search finds there, it would find of a secret. */
const signs = (id: string): ReadonlyArray<readonly [where: string, sign: string]> => [
  ...["API", "audit trail", "messages", "webhooks", "database", "backup", "commands"].map(
    (where) => [where, marker] as const
  ),
  ["log", "route=/api/v1/payments"],
  ["OTLP /v1/traces", id],
  ["OTLP /v1/traces", "pointsman charge"],
  ["OTLP /v1/logs", marker],
  ["OTLP /v1/metrics", "pointsman_attempts_total"]
]

describe("what is answered, stored and sent", { timeout: 400_000 }, () => {
  it.for(isLong ? (["SQLite", "PostgreSQL"] as const) : (["SQLite"] as const))(
    "none of forty secrets planted on %s is in stores, backup, trail or telemetry",
    async (kind, { skip }) => {
      if (kind === "PostgreSQL" && postgresMissing !== undefined) skip(postgresMissing)
      const stored = kind === "SQLite" ? sqlite() : postgres(await newDatabase())
      const world = await open(stored.environment)
      const { provider, receiver, server, sinks, tell } = world
      const { page, payments, ...given } = await beClient(world)
      const cards = await payWithCards(world)
      // The background has looked up unknown results.
      await until("three lookups", () => provider.lookUps() > 2)
      await beProvider(world)
      await until(
        "webhooks and an invitation",
        () => receiver.heard.length > 10 && server.stderr().includes("invitation_token")
      )
      const made = await beOperator(world, payments)
      for (const at of ["events?limit=100", "payments?limit=100"]) await world.ask("GET", `/api/v1/${at}`)
      for (const id of payments) for (const at of ["", "/events"]) await world.ask("GET", `${path}/${id}${at}`)
      for (const at of ["/metrics", "/health/ready", "/docs"]) await world.send("GET", at)
      await stored.tellStored(world.folder, tell)
      const metrics = await failUnder(world, stored.spoil, payments[references.indexOf("authorized")] ?? "", page)
      const guide = readFileSync(new URL("../../../docs/guides/monitoring.md", import.meta.url), "utf8")
      for (const [, name = ""] of guide.matchAll(/^\| `(pointsman_\w+)` \|/gmu)) {
        if (!ofOtherTests.test(name)) assert.include(metrics, `# TYPE ${name} `)
      }

      // The key of a certificate that does not fit.
      const [certificate, another] = [newCertificate(), newCertificate()]
      const files = writeTlsFiles(world.folder, { ...certificate, key: another.key })
      const end = await runHere(world.folder, ["serve"], { ...world.environment, ...files.environment })
      assert.strictEqual(end.code, 1)
      tell("commands", end.stdout + end.stderr)
      await server.stop()
      const tokens = [...server.stderr().matchAll(/invitation_token=(\S+)/gu)].map(([, token = ""], at) => [
        `invitation ${at}`,
        token
      ])
      assert.isNotEmpty(tokens)
      world.tellOutputs()

      const keyLines = another.key.split("\n").filter((line) => line.length > 40)
      const secrets: Planted = {
        ...planted,
        ...given,
        ...made,
        ...cards,
        ...Object.fromEntries(tokens),
        "TLS key": keyLines[1] ?? keyLines[0] ?? ""
      }
      const texts = Object.values(secrets)
      assert.isAtLeast(new Set(texts).size, 40)
      for (const text of texts) assert.isAtLeast(text.length, 14)
      // The one line that may show a token does, and the search finds it.
      assert.deepStrictEqual(
        leaksIn(server.stderr(), secrets).map((leak) => leak.secret),
        tokens.map(([name]) => name)
      )
      assert.include(server.stderr(), "may be a card number")
      assert.notInclude(server.stderr(), orderNumber)
      const told = [...sinks.values()].flat().filter((one) => typeof one === "string")
      for (const sign of ["***", "StorageError", "was refused", "cannot be read", "UNKNOWN", "DECLINED"]) {
        assert.isTrue(
          told.some((text) => text.includes(sign)),
          sign
        )
      }
      for (const [where, sign] of signs(payments[0] ?? "")) {
        assert.isNotEmpty(leaksOf(new Map([[where, sinks.get(where) ?? []]]), { sign }), `${where} lacks ${sign}`)
      }
      const leaks = leaksOf(sinks, secrets)
      assert.deepStrictEqual(
        [...new Set(leaks.filter(({ where }) => where === unreadableShown).map((leak) => leak.secret))],
        ["secret of an unreadable message"]
      )
      assert.deepStrictEqual(
        leaks.filter(({ where }) => where !== unreadableShown),
        []
      )
    }
  )

  it("POINTSMAN_CARD_NUMBERS=refuse stores and sends none of twenty, in every field", async () => {
    // More requests than the usual limit takes at once.
    const world = await open({}, { POINTSMAN_CARD_NUMBERS: "refuse", POINTSMAN_RATE_LIMIT: "off" })
    const { ask, server, sinks, tell } = world
    const good = { ...payment, reference: `captured:${marker}` }
    const made = await ask("POST", "/api/v1/payments", { idempotencyKey: "order-captured", body: good })
    const id: string = made.body.data.payment_id
    const secrets: Record<string, string> = {}
    const returnUrl = "https://shop.example/back"
    for (const [at, card] of cardNumbers.entries()) {
      const forms = cardForms(`card number ${at}`, card)
      Object.assign(secrets, forms)
      for (const [how, text] of Object.entries(forms)) {
        const bodies: ReadonlyArray<object> = [
          { reference: text },
          { reference: `order ${text}` },
          { card_brand: text.slice(0, 20) },
          { return_url: `${returnUrl}?order=${encodeURIComponent(text)}` },
          { return_url: returnUrl, cancel_url: `${returnUrl}/${encodeURIComponent(text)}` },
          { instruments: [{ connection: "main", token: text }] }
        ]
        for (const fields of bodies) {
          const refused = await ask("POST", "/api/v1/payments", {
            idempotencyKey: "order-card",
            body: { ...payment, ...fields }
          })
          assert.strictEqual(refused.status, 422, `${how} ${Object.keys(fields).join()}`)
        }
        const refund = await ask("POST", `/api/v1/payments/${id}/refunds`, { body: { amount: 1, reason: text } })
        assert.strictEqual(refund.status, 422, `${how} reason`)
      }
    }
    await until("webhooks", () => world.receiver.heard.length > 1)
    await world.run("commands", "payments", "show", id)
    await sqlite().tellStored(world.folder, tell)
    await server.stop()
    world.tellOutputs()
    for (const where of ["API", "database", "backup", "webhooks", "commands"]) {
      assert.isNotEmpty(leaksOf(new Map([[where, sinks.get(where) ?? []]]), { marker }), where)
    }
    assert.deepStrictEqual(leaksOf(sinks, secrets), [])
  })
})
