/** What capture, void and refund take over HTTP, what core is asked then, and what is refused before core is asked. */
import {
  InvalidAmount,
  KeyReused,
  NothingSent,
  PaymentNotFound,
  ProviderRefused,
  StateUnconfirmed
} from "@pointsman/core"
import { Effect } from "effect"
import { afterAll, beforeEach, describe, expect, test } from "vitest"
import { answerOf } from "./support/Payments.ts"
import { payment, paymentId, scripted } from "./support/Scripted.ts"
import { type Sent, serve, type Web } from "./support/Web.ts"

type Operation = "capture" | "void" | "refund"

const operations: ReadonlyArray<Operation> = ["capture", "void", "refund"]
const pathOf = { capture: "capture", void: "void", refund: "refunds" } as const
const unknownId = "019a8c3e-7b1d-7c64-8f5e-2f6d9f1f0a99"

/** Core as it checks: the resource, then the key. */
const checked = (idempotencyKey: string | null, id: string) =>
  id === unknownId
    ? new PaymentNotFound()
    : idempotencyKey === "used-before"
      ? new KeyReused()
      : Effect.succeed({ payment, isReplay: idempotencyKey === "a-replayed-key" })

const script = scripted({
  capture: (_caller, order) => checked(order.idempotencyKey, order.paymentId),
  void: (_caller, order) => checked(order.idempotencyKey, order.paymentId),
  refund: (_caller, order) => checked(order.idempotencyKey, order.paymentId)
})
const web = serve(script.layer)
afterAll(web.close)
beforeEach(() => {
  script.asked.length = 0
})

const send = (operation: Operation, sent: Sent = {}, id: string = paymentId) =>
  web.send(`/api/v1/payments/${id}/${pathOf[operation]}`, { method: "POST", key: "sandbox", ...sent })

const caller = {
  tenant: { workspaceId: "acme", environment: "sandbox" },
  workspace: expect.objectContaining({ id: "acme" }),
  apiKeyHash: "hash-of-the-key"
}

describe("what core is asked", () => {
  const bodies: ReadonlyArray<readonly [body: unknown, amountMinor: number | null]> = [
    [undefined, null],
    ["", null],
    [{}, null],
    [{ amount: 1 }, 1],
    [{ amount: 999_999_999_999_999 }, 999_999_999_999_999],
    ['{"amount":1e2}', 100],
    ['{"amount":100.0}', 100],
    [{ amount: 300, unknown: { amount: "x" }, currency: 5 }, 300]
  ]
  test.each(bodies)("the body %j has the amount %j", async (body, amountMinor) => {
    for (const [operation, rest] of [
      ["capture", {}],
      ["refund", { reason: null }]
    ] as const) {
      expect(answerOf(await send(operation, { body }))).toBe("200")
      const order = { paymentId, amountMinor, idempotencyKey: null, ...rest }
      expect(script.asked.at(-1)).toEqual([operation, caller, order])
    }
  })

  test("anything or nothing sent with a void is not read", async () => {
    const bodies = [undefined, "", "{", "[1]", '{"amount":-1}', new Uint8Array([0xff, 0, 0xfe]), "x".repeat(16_384)]
    for (const body of bodies) {
      for (const headers of [{}, { "content-type": "text/plain" }, { "content-encoding": "gzip" }]) {
        expect(answerOf(await send("void", { body, headers }))).toBe("200")
        expect(script.asked.at(-1)).toEqual(["void", caller, { paymentId, idempotencyKey: null }])
      }
    }
  })

  test.each(["", "r", "𝔛".repeat(200), "line\nbreak\t\u0001"])(
    "core gets the reason %j of a refund as it is",
    async (reason) => {
      expect(answerOf(await send("refund", { body: { reason } }))).toBe("200")
      expect(script.asked.at(-1)?.[2]).toMatchObject({ reason, amountMinor: null })
    }
  )

  test.each(operations)("core gets the key of a %s, and a replay is marked", async (operation) => {
    for (const idempotencyKey of ["12345678", "k".repeat(200), "a-replayed-key"]) {
      const reply = await send(operation, { headers: { "idempotency-key": idempotencyKey } })
      expect(script.asked.at(-1)?.[2]).toMatchObject({ idempotencyKey })
      const isReplayed = idempotencyKey === "a-replayed-key"
      expect(reply.headers.get("idempotent-replay")).toBe(isReplayed ? "true" : null)
    }
  })

  test.each(operations)("a %s that went well is answered with the payment without its routing", async (operation) => {
    const reply = await send(operation)
    expect(reply.status).toBe(200)
    expect(Object.keys(reply.body)).toEqual(["data"])
    const { refunds, ...read } = (await web.send(`/api/v1/payments/${paymentId}`, { key: "sandbox" })).body.data
    expect([refunds, reply.body.data]).toEqual([[], read])
    expect(reply.body.data).not.toHaveProperty("routing")
  })
})

describe("what is refused", () => {
  const amounts = [
    "0",
    "-1",
    "1.5",
    '"5"',
    "null",
    "true",
    "[5]",
    "{}",
    "9007199254740992",
    "100.00000000000000001",
    "1e21",
    "1e999",
    "-0"
  ]
  test.each(amounts)("the amount %s is invalid_amount, which says what a valid one is", async (amount) => {
    for (const operation of ["capture", "refund"] as const) {
      const reply = await send(operation, { body: `{"amount":${amount},"reason":5}` })
      expect(answerOf(reply)).toBe("422 invalid_amount")
      expect(reply.body.error.message).toBe(
        "`amount` must be an integer of at least 1, in the minor unit of the payment's currency."
      )
    }
    expect(script.asked).toEqual([])
  })

  const bodies: ReadonlyArray<string | Uint8Array> = [
    "{",
    " ",
    "null",
    "[]",
    '[{"amount":1}]',
    "1",
    '"amount"',
    "{'amount':1}",
    '{"amount":1,"amount":2}',
    '\ufeff{"amount":1}',
    `${"[".repeat(100)}${"]".repeat(100)}`,
    new Uint8Array([0x7b, 0xff, 0x7d])
  ]
  test.each(bodies)("the body %j is validation_error", async (body) => {
    for (const operation of ["capture", "refund"] as const) {
      const reply = await send(operation, { body })
      expect(answerOf(reply)).toBe("422 validation_error")
      expect(reply.body.error.message).toMatch(/body/u)
    }
    expect(script.asked).toEqual([])
  })

  test.each(["5", "null", "{}", `"${"x".repeat(201)}"`, `"${"𝔛".repeat(201)}"`, '"\\u0000"', '"\\ud800"'])(
    "the reason %s of a refund is validation_error, which names the field",
    async (reason) => {
      const reply = await send("refund", { body: `{"amount":1,"reason":${reason}}` })
      expect(answerOf(reply)).toBe("422 validation_error")
      expect(reply.body.error.message).toMatch(/^`reason` must be text of at most 200 characters/u)
      expect(answerOf(await send("capture", { body: `{"reason":${reason}}` }))).toBe("200")
    }
  )

  const mediaTypes: ReadonlyArray<readonly [headers: Record<string, string>, answer: string]> = [
    [{ "content-type": "application/json; charset=utf-8" }, "200"],
    [{ "content-type": "APPLICATION/JSON" }, "200"],
    [{ "content-type": "text/plain" }, "415 unsupported_media_type"],
    [{ "content-type": "application/x-www-form-urlencoded" }, "415 unsupported_media_type"],
    [{ "content-type": "application/json", "content-encoding": "gzip" }, "415 unsupported_media_type"]
  ]
  test.each(mediaTypes)("a body with %j is %s, and without a body it is 200", async (headers, answer) => {
    for (const operation of ["capture", "refund"] as const) {
      expect(answerOf(await send(operation, { headers, body: { amount: 1 } }))).toBe(answer)
      expect(answerOf(await send(operation, { headers }))).toBe("200")
      expect(answerOf(await send(operation, { headers, body: "" }))).toBe("200")
    }
  })

  test.each(["", "1234567", "k".repeat(201), "with\ttab 123", "caf\u00e912345"])(
    "the Idempotency-Key %j is 400, and 422 on a refund",
    async (idempotencyKey) => {
      for (const operation of operations) {
        const reply = await send(operation, { headers: { "idempotency-key": idempotencyKey } })
        expect(answerOf(reply)).toBe(operation === "refund" ? "422 validation_error" : "400 invalid_idempotency_key")
        expect(reply.body.error.message).toMatch(/`idempotency-key` must be 8 to 200 printable ASCII characters/iu)
      }
      expect(script.asked).toEqual([])
    }
  )
})

describe("the order of checks", () => {
  const padded = (size: number) => `{"amount":1,"pad":"${"x".repeat(size - 21)}"}`
  const oversizeGarbage = "{".repeat(50_000)
  const shortKey = { "idempotency-key": "short" }
  const usedKey = { "idempotency-key": "used-before" }
  const rows: ReadonlyArray<
    readonly [
      what: string,
      sent: Sent & { readonly id?: string },
      /** Of all three, or of each. */
      answers: string | ReadonlyArray<string>
    ]
  > = [
    [
      "no key, and everything wrong",
      { key: undefined, body: oversizeGarbage, headers: shortKey, id: unknownId },
      "401 unauthorized"
    ],
    [
      "a suspended workspace, and everything wrong",
      { key: "suspendedAndScopeless", body: oversizeGarbage, headers: shortKey },
      "403 workspace_suspended"
    ],
    [
      "a key that may read alone, and everything wrong",
      { key: "readOnly", body: oversizeGarbage, headers: shortKey },
      "403 insufficient_scope"
    ],
    ["a key that may not refund", { key: "writeOnly", body: "" }, ["200", "200", "403 insufficient_scope"]],
    [
      "a bad idempotency key and an oversize body",
      { body: oversizeGarbage, headers: shortKey },
      ["400 invalid_idempotency_key", "400 invalid_idempotency_key", "422 validation_error"]
    ],
    [
      "an oversize body that is no JSON, for an unknown id",
      { body: oversizeGarbage, id: unknownId },
      "413 payload_too_large"
    ],
    ["a body of 16,385 bytes", { body: padded(16_385) }, "413 payload_too_large"],
    ["a body of 16,384 bytes", { body: padded(16_384) }, "200"],
    [
      "a body that is no JSON, for an unknown id",
      { body: "{", id: unknownId },
      ["422 validation_error", "404 not_found", "422 validation_error"]
    ],
    [
      "a wrong amount, for an unknown id",
      { body: { amount: 0 }, id: unknownId },
      ["422 invalid_amount", "404 not_found", "422 invalid_amount"]
    ],
    ["an unknown id and a used key", { headers: usedKey, id: unknownId }, "404 not_found"],
    ["a used key", { headers: usedKey }, "422 idempotency_key_reuse"]
  ]
  test.each(rows)("the earliest check answers %s", async (_what, { id, ...sent }, answers) => {
    const given: Array<string> = []
    for (const operation of operations) given.push(answerOf(await send(operation, sent, id)))
    expect(given).toEqual(typeof answers === "string" ? operations.map(() => answers) : answers)
  })
})

describe("a failure of core", () => {
  const failing = (failure: NothingSent | StateUnconfirmed | ProviderRefused) => {
    const fail = () => Effect.fail(failure)
    return serve(scripted({ capture: fail, void: fail, refund: fail }).layer)
  }
  const secret = new Error("password of the database is hunter2")

  const ask = (failed: Web, operation: Operation, body?: object) =>
    failed.send(`/api/v1/payments/${paymentId}/${pathOf[operation]}`, { method: "POST", key: "sandbox", body })

  test.each(operations)("only the log knows why if nothing was sent of a %s", async (operation) => {
    const failed = failing(new NothingSent({ cause: secret }))
    const reply = await ask(failed, operation)
    expect(answerOf(reply)).toBe("500 internal_error")
    expect(JSON.stringify(reply.body)).not.toMatch(/hunter2|\.ts:/u)
    expect(failed.log).toEqual([expect.stringContaining("hunter2")])
    expect(failed.log[0]).toContain(String(reply.headers.get("x-request-id")))
    await failed.close()
  })

  test.each(["confirmed", "refused", "no answer"] as const)(
    "a message says that what the provider said (%s) was not recorded",
    async (said) => {
      const failed = failing(new StateUnconfirmed({ said }))
      for (const operation of ["capture", "void"] as const) {
        const reply = await ask(failed, operation)
        expect([answerOf(reply), reply.body.error.message]).toEqual([
          "500 state_unconfirmed",
          expect.stringContaining(said)
        ])
      }
      expect(failed.log).toEqual([])
      await failed.close()
    }
  )

  test("an amount above the authorized one is refused with the expected range", async () => {
    const expected = "at most the authorized amount, 1000"
    const failed = serve(scripted({ capture: () => new InvalidAmount({ expected }) }).layer)
    const reply = await ask(failed, "capture", { amount: 1001 })
    expect([answerOf(reply), reply.body.error.message]).toEqual([
      "422 invalid_amount",
      expect.stringContaining(expected)
    ])
    await failed.close()
  })

  test("a refusal shows the provider's words on one line, and a part of long ones", async () => {
    const shown: ReadonlyArray<readonly [message: string, shown: string]> = [
      ["Not now.", "Not now."],
      ["  spaced  ", "spaced"],
      ["a\r\nb\u0000c\u2028d\u202ee\ud800f", "a b c d e f"],
      ["é 漢字 👩‍💻", "é 漢字 👩‍💻"],
      ["x".repeat(500), "x".repeat(500)],
      ["x".repeat(501), `${"x".repeat(499)}…`]
    ]
    for (const [message, expected] of shown) {
      const failed = failing(new ProviderRefused({ message }))
      const reply = await ask(failed, "void")
      expect([answerOf(reply), reply.body.error.message]).toEqual(["502 psp_error", expected])
      await failed.close()
    }
  })
})
