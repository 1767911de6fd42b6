import { amountLimits } from "@pointsman/core"
import { chargeSimulations } from "@pointsman/core/internal"
import { Redacted } from "effect"
import { afterAll, beforeEach, describe, expect, test } from "vitest"
import { scripted } from "./support/Scripted.ts"
import { serve } from "./support/Web.ts"

const script = scripted()
const web = serve(script.layer)
afterAll(web.close)
beforeEach(() => {
  script.created.length = 0
})

const good = { amount: 1999, currency: "EUR", country: "NL" }
const create = (fields: object, key = "sandbox") =>
  web.send("/api/v1/payments", { key, body: { ...good, ...fields }, headers: { "idempotency-key": "12345678" } })

const instruments = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ connection: `c${at}`, token: `tok_${at}` }))
/** Two UTF-16 units and one code point. */
const astral = "\u{1F600}"

const line = (fields: object) => ({ name: "Book", quantity: 1, amount: 1999, ...fields })

const accepted: ReadonlyArray<readonly [field: string, value: unknown]> = [
  ["amount", amountLimits.minimum],
  ["amount", amountLimits.maximum],
  ["currency", "JPY"],
  ["currency", "KWD"],
  ["country", "US"],
  ...["card", "bank", "wallet", "crypto"].map((method) => ["method", method] as const),
  ...["card", "apple_pay", "ideal", "sepa_debit"].map((name) => ["payment_method", name] as const),
  ["card_brand", ""],
  ["card_brand", "v".repeat(20)],
  ["card_brand", astral.repeat(20)],
  ["reference", ""],
  ["reference", "r".repeat(64)],
  ["reference", astral.repeat(64)],
  ["reference", "with \n, \t and \u0001"],
  ["initiator", "cit"],
  ["initiator", "mit"],
  ["capture_method", "automatic"],
  ["capture_method", "manual"],
  ["cancel_url", "https://shop.test/cancel"],
  ["cancel_url", "HTTP://shop.test"],
  ["debug", true],
  ["debug", false],
  ["simulate", {}],
  ...chargeSimulations.map((charge) => ["simulate", { charge }] as const),
  ["simulate", { charge: [...chargeSimulations] }],
  ["simulate", { capture: "refuse", void: "no_answer", refund: "pending", lookup: "not_executed" }],
  ["instruments", []],
  ["instruments", instruments(10)],
  ["instruments", [{ connection: "main", token: "t".repeat(255) }]],
  ["instruments", [{ connection: "main", token: astral.repeat(255) }]],
  ["instruments", [{ connection: "main", token: "4111111111111112" }]],
  ["instruments", [{ connection: "main", token: "411111111111" }]],
  ["instruments", [{ connection: "main", token: "pm_4111111111111111" }]],
  ["metadata", {}],
  ["metadata", { "": undefined, order: "", [astral.repeat(40)]: astral.repeat(500) }],
  ["metadata", Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`name ${at}`, "text"]))],
  ["metadata", { constructor: "c", toString: "t" }],
  ["description", "d".repeat(200)],
  ...["de", "de-AT", "sr-Latn-RS", "zh-Hant"].map((locale) => ["locale", locale] as const),
  ["lines", [line({})]],
  ["lines", [line({ amount: 2499, quantity: 999 }), line({ name: "l".repeat(120), amount: -500 })]],
  ["lines", Array.from({ length: 50 }, (_, at) => line({ amount: at === 0 ? 1999 : 0 }))],
  ["unknown_field", { anything: [1, null] }]
]

const refused: ReadonlyArray<readonly [field: string, value: unknown, named?: string]> = [
  ...[49, 100_000_001, 0, -50, 50.5, "1999", true, null, [], {}, 2 ** 53].map((amount) => ["amount", amount] as const),
  ...["eur", "EU", "EURO", "ZZZ", "XAU", "XXX", " EUR", 978, null, ["EUR"]].map((code) => ["currency", code] as const),
  ...["nl", "NLD", "ZZ", "XK", "", 31, null].map((code) => ["country", code] as const),
  ...["CARD", "cash", "", 1, null].map((method) => ["method", method] as const),
  ...["IDEAL", "iDEAL", "bank", "", 1, null, ["ideal"]].map((name) => ["payment_method", name] as const),
  ...["v".repeat(21), astral.repeat(21), 7, null, "a\0b", "\ud800"].map((brand) => ["card_brand", brand] as const),
  ...["r".repeat(65), astral.repeat(65), 7, null, "a\0b", "\udc00x", "\ud83d"].map((r) => ["reference", r] as const),
  ...["CIT", "merchant", null].map((initiator) => ["initiator", initiator] as const),
  ...["auto", true, null].map((method) => ["capture_method", method] as const),
  ...[
    "/relative",
    "shop.test",
    "ftp://shop.test",
    "javascript:alert(1)",
    "http://",
    "https://shop.test@evil.test/",
    "",
    1,
    null
  ].flatMap((address) => [["return_url", address] as const, ["cancel_url", address] as const]),
  ...["true", 1, null].map((debug) => ["debug", debug] as const),
  ...["approve", [], null, 1].map((simulate) => ["simulate", simulate] as const),
  ...["explode", "decline", "decline:", "decline:bad", "soft_decline:x", [], ["approve", "explode"], null].map(
    (charge) => ["simulate", { charge }, "simulate.charge"] as const
  ),
  ["simulate", { capture: "pending" }, "simulate.capture"],
  ["simulate", { void: "approve" }, "simulate.void"],
  ["simulate", { refund: "no" }, "simulate.refund"],
  ["simulate", { lookup: "maybe" }, "simulate.lookup"],
  ...["text", null, [], 1, { order: 1 }, { order: null }, { "": "text" }, { ["n".repeat(41)]: "text" }].map(
    (metadata) => ["metadata", metadata] as const
  ),
  ["metadata", { order: "t".repeat(501) }],
  ["metadata", { order: "a\0b" }],
  ["metadata", { "a\ud800": "b" }],
  ["metadata", JSON.parse('{"__proto__":"text"}')],
  ["metadata", Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`name ${at}`, "text"]))],
  ...["", "d".repeat(201), 1, null, "a\0b"].map((description) => ["description", description] as const),
  ...["", "de_AT", "de--AT", "d", "x-private", "de-", `de-${"a1234567-".repeat(9)}`, 1, null].map(
    (locale) => ["locale", locale] as const
  ),
  ...[[], {}, null, "Book", Array.from({ length: 51 }, () => line({}))].map((lines) => ["lines", lines] as const),
  ["lines", [line({ name: "" })], "lines[0].name"],
  ["lines", [line({ name: "l".repeat(121) })], "lines[0].name"],
  ["lines", [line({}), line({ quantity: 0 })], "lines[1].quantity"],
  ["lines", [line({ quantity: 1000 })], "lines[0].quantity"],
  ["lines", [line({ quantity: 1.5 })], "lines[0].quantity"],
  ["lines", [line({ amount: "1999" })], "lines[0].amount"],
  ["lines", [line({ amount: 0.5 })], "lines[0].amount"],
  ["instruments", instruments(11)],
  ["instruments", {}],
  ["instruments", null],
  ["instruments", ["tok_1"]],
  ["instruments", [instruments(1)[0], instruments(1)[0]]],
  ["instruments", [{ connection: "main" }], "instruments[0].token"],
  ["instruments", [{ token: "tok_1" }], "instruments[0].connection"],
  ["instruments", [{ connection: "", token: "tok_1" }], "instruments[0].connection"],
  ["instruments", [{ connection: "main", token: "" }], "instruments[0].token"],
  ["instruments", [{ connection: "main", token: "t".repeat(256) }], "instruments[0].token"],
  ["instruments", [{ connection: "main", token: null }], "instruments[0].token"],
  ["instruments", [{ connection: "main", token: "a\0b" }], "instruments[0].token"],
  ...[
    "4111111111111111",
    "4111 1111 1111 1111",
    "4111-1111-1111-1111",
    "4111\u2013111111111111",
    "4111\u00a01111 1111 1111",
    "4222222222222",
    "378282246310005",
    "6304000000000000000"
  ].map((token) => ["instruments", [{ connection: "main", token }], "instruments[0].token"] as const)
]

describe("a field of a create", () => {
  test.each(accepted)("%s = %j creates the payment", async (field, value) => {
    const reply = await create({ [field]: value })
    expect(reply.status).toBe(201)
    expect(script.created).toHaveLength(1)
  })

  test.each(refused.map(([field, value, named]) => [field, value, named ?? field] as const))(
    "%s = %j is 422 and named",
    async (...row) => {
      const [field, value, named] = row
      const reply = await create({ [field]: value })
      expect(reply.status).toBe(422)
      expect(reply.body.error.code).toBe("validation_error")
      expect(reply.body.error.message).toContain(`\`${named}\` must be `)
      expect(script.created).toHaveLength(0)
    }
  )

  test.each(["amount", "currency", "country"] as const)("no %s is 422", async (field) => {
    const reply = await web.send("/api/v1/payments", { key: "sandbox", body: { ...good, [field]: undefined } })
    expect(reply.status).toBe(422)
    expect(reply.body.error.message).toContain(`\`${field}\` must be `)
  })

  test("lines that do not add up are 422, and both totals are named", async () => {
    for (const amounts of [[1998], [1999, 1], [2999, -999]]) {
      const reply = await create({ lines: amounts.map((amount) => line({ amount })) })
      const total = amounts.reduce((sum, amount) => sum + amount, 0)
      expect([reply.status, reply.body.error.message]).toEqual([
        422,
        `\`lines\` add up to ${total}: expected \`amount\`, 1999.`
      ])
    }
    expect(script.created).toHaveLength(0)
  })

  test("several wrong fields are all named", async () => {
    const reply = await create({ amount: 1, country: "ZZ", debug: "yes" })
    for (const field of ["amount", "country", "debug"]) expect(reply.body.error.message).toContain(`\`${field}\` must`)
  })

  test("the answer to thousands of wrong places stays short", async () => {
    const reply = await create({ instruments: Array.from({ length: 5000 }, () => 0) })
    expect(reply.status).toBe(422)
    expect(reply.body.error.message.length).toBeLessThan(5000)
  })

  test("a token that is refused is not repeated", async () => {
    const reply = await create({ instruments: [{ connection: "main", token: "4111111111111111" }] })
    expect(JSON.stringify(reply.body)).not.toContain("4111111111111111")
  })
})

describe("numbers as they are written", () => {
  const createRaw = (amount: string) =>
    web.send("/api/v1/payments", { key: "sandbox", body: `{"amount":${amount},"currency":"EUR","country":"NL"}` })

  test.each([
    ["50.0", 50],
    ["5e1", 50],
    ["5000e-2", 50],
    ["50.00000000000000000000000", 50],
    ["1E+2", 100]
  ])("the amount %s is %d", async (written, amount) => {
    expect((await createRaw(written)).status).toBe(201)
    expect(script.created[0]?.request.details.money).toEqual({ minorUnits: amount, currency: "EUR" })
  })

  test.each([
    "1e400",
    "-1e400",
    "9007199254740993",
    "50.000000000000000000001",
    "99.99999999999999999",
    "1e-400",
    "-0"
  ])("the amount %s is 422", async (written) => {
    const reply = await createRaw(written)
    expect([reply.status, reply.body.error.code]).toEqual([422, "validation_error"])
  })
})

describe("what core is asked", () => {
  test("the defaults are applied to the least fields", async () => {
    await web.send("/api/v1/payments", { key: "sandbox", body: good })
    expect(script.created[0]).toEqual({
      caller: {
        tenant: { workspaceId: "acme", environment: "sandbox" },
        workspace: expect.objectContaining({ id: "acme" }),
        apiKeyHash: "hash-of-the-key"
      },
      request: {
        details: {
          money: { minorUnits: 1999, currency: "EUR" },
          country: "NL",
          method: "card",
          cardBrand: null,
          initiator: "cit",
          captureMethod: "automatic",
          reference: null,
          metadata: null,
          purchase: null,
          simulation: null
        },
        instruments: null,
        returnUrl: null,
        cancelUrl: null,
        idempotencyKey: null,
        debug: false
      }
    })
  })

  test("a method by name has its kind as the method, and both arrive", async () => {
    await create({ payment_method: "ideal" })
    expect(script.created[0]?.request.details).toMatchObject({ method: "bank", paymentMethod: "ideal" })
  })

  test("a method by name and another kind are 422, and both are named", async () => {
    const reply = await create({ payment_method: "ideal", method: "card" })
    expect([reply.status, reply.body.error]).toEqual([
      422,
      {
        code: "validation_error",
        message: "`method` is card: expected bank for `payment_method` ideal.",
        param: "method"
      }
    ])
    expect(script.created).toEqual([])
  })

  test("every field that is sent arrives, and tokens are redacted", async () => {
    await create({
      method: "wallet",
      card_brand: "visa",
      reference: "order-1",
      metadata: { order: "1001" },
      description: "A book",
      locale: "de-AT",
      lines: [line({})],
      initiator: "mit",
      capture_method: "manual",
      cancel_url: "https://shop.test",
      debug: true,
      simulate: { charge: ["technical_error", "approve"], lookup: "executed" },
      instruments: [{ connection: "main", token: "tok_secret" }]
    })
    const request = script.created[0]?.request
    expect(request).toMatchObject({
      details: {
        method: "wallet",
        cardBrand: "visa",
        reference: "order-1",
        metadata: { order: "1001" },
        purchase: {
          description: "A book",
          locale: "de-AT",
          lines: [{ name: "Book", quantity: 1, amountMinor: 1999 }]
        },
        initiator: "mit",
        captureMethod: "manual",
        simulation: { charge: ["technical_error", "approve"], lookup: "executed" }
      },
      idempotencyKey: "12345678",
      debug: true
    })
    const instrument = request?.instruments?.[0]
    expect(instrument?.connectionId).toBe("main")
    expect(String(instrument?.token)).not.toContain("tok_secret")
    expect(instrument && Redacted.value(instrument.token)).toBe("tok_secret")
  })

  test("simulate with a live key is 422", async () => {
    const reply = await create({ simulate: { charge: "approve" } }, "production")
    expect([reply.status, reply.body.error.code]).toEqual([422, "validation_error"])
    expect(reply.body.error.message).toContain("`simulate`")
  })

  test("return_url is 422: there is no hosted page", async () => {
    const reply = await create({ return_url: "https://shop.test/back" })
    expect([reply.status, reply.body.error.code]).toEqual([422, "validation_error"])
    expect(reply.body.error.message).toContain("hosted payment flow is not available on this server")
  })

  test("return_url with instruments, even none, is 422 and names both", async () => {
    for (const instruments of [[], [{ connection: "main", token: "tok_secret" }]]) {
      const reply = await create({ return_url: "https://shop.test/back", instruments })
      expect([reply.status, reply.body.error.code]).toEqual([422, "validation_error"])
      expect(reply.body.error.message).toContain("`instruments`")
      expect(reply.body.error.message).toContain("`return_url`")
      expect(reply.body.error.message).not.toContain("tok_secret")
    }
    expect(script.created).toEqual([])
  })
})

describe("fields that do not exist", () => {
  const ignored = async (body: object, key = "sandbox") => (await create(body, key)).headers.get("x-ignored-fields")

  test("an answer without excluded fields names none in a header", async () => {
    expect(await ignored({ reference: "order-1", simulate: { charge: "approve" } })).toBeNull()
  })

  test("the answer to a sandbox key names unknown fields", async () => {
    expect(await ignored({ captureMethod: "manual", "a,b\n": 1, simulate: { chrage: "approve" } })).toBe(
      "captureMethod,a%2Cb%0A,simulate.chrage"
    )
  })

  test("the answer to a live key names none", async () => {
    expect(await ignored({ captureMethod: "manual" }, "live")).toBeNull()
  })

  test("ten of a hundred long names are named, of forty characters each", async () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`${"x".repeat(50)}${at}`, at]))
    expect(await ignored({ ...many, "\ud800": 1 })).toBe(Array(10).fill("x".repeat(40)).join(","))
  })

  test.each(["capture", "refunds"])("a misspelled amount of a %s is named", async (operation) => {
    const reply = await web.send(`/api/v1/payments/019a8c3e-7b1d-7c64-8f5e-2f6d9f1f0a01/${operation}`, {
      key: "sandbox",
      body: { amuont: 5 }
    })
    expect(reply.headers.get("x-ignored-fields")).toBe("amuont")
  })
})
