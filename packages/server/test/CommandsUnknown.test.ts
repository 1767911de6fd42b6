/** `pointsman unknown` beside a running server that checks the same payments every second. */
import { assert, describe, it } from "vitest"
import { assertRefused, documentOf } from "./support/CommandProcess.ts"
import { connectionTo, workspaceWith } from "./support/Configurations.ts"
import { each } from "./support/ServerProcess.ts"
import { openShop } from "./support/ShopHere.ts"
import { until } from "./support/Until.ts"

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u

/** A server on one connection, and payments that wait for operations, by how they came to. */
const setUp = async () => {
  const shop = await openShop({
    // Longer than a command takes: a lookup that is held back goes on meanwhile.
    configured: (provider) => ({
      workspaces: [workspaceWith([{ ...connectionTo(provider), timeout: "30 seconds" }]), { id: "globex" }]
    }),
    environment: { POINTSMAN_UNKNOWN_CHECK_INTERVAL: "1 second", POINTSMAN_REFUND_CHECK_INTERVAL: "1 second" }
  })
  const { create, provider } = shop
  // The result is unknown until a test says otherwise.
  provider.always("lookUpCharge", () => "drop")
  provider.always("lookUpRefund", () => "drop")
  const unanswered = (reference: string) => {
    provider.next("charge", () => "drop")
    return create(reference)
  }
  const mismatched = () => {
    provider.next("charge", (call) => {
      const { body, status } = call.execute()
      return { status, body: { ...(body as object), amount: 2999, captured_amount: 2999 } }
    })
    return create("too-much")
  }
  const refundLost = async () => {
    const id = await create("refund")
    provider.next("refund", () => "drop")
    await shop.refund(id, { amount: 500 })
    return id
  }
  return {
    ...shop,
    lost: await unanswered("lost"),
    raced: await unanswered("raced"),
    tooMuch: await mismatched(),
    refunding: await refundLost(),
    unknown: (...words: ReadonlyArray<string>) => shop.run("unknown", ...words)
  }
}

const evidence = ["--evidence", "The acquirer's dashboard shows it.", "--by", "Jo"]

describe("pointsman unknown", { timeout: 180_000 }, () => {
  it("each unknown payment is settled once by operations beside the server's checks", async () => {
    const shop = await setUp()
    const { callsOf, events, lost, provider, raced, read, refunding, server, tooMuch, unknown: run } = shop

    const [listed, text, ofGlobex, first] = await Promise.all([
      run("list", "--json"),
      run("list", "--workspace", "acme", "--environment", "production"),
      run("list", "--workspace", "globex", "--environment", "production"),
      run("list", "--limit", "3", "--json")
    ])
    const { data, ...page } = documentOf(listed)
    assert.deepStrictEqual(page, { has_more: false, next_cursor: null })
    // Those that wait longest first.
    assert.deepStrictEqual(each(data, "payment_id"), [lost, raced, tooMuch, refunding])
    const { created, next_check_at, review, updated } = data[0]
    for (const at of [created, next_check_at, review.since, updated]) assert.match(at, time)
    assert.deepStrictEqual(review.reasons, ["unknown"])
    assert.deepInclude(data[0], { status: "UNKNOWN", state: "charge_unknown", needs_operator: false, amount: 1999 })
    assert.deepInclude(data[2], { state: "charge_mismatched", needs_operator: true, next_check_at: null })
    assert.deepStrictEqual(data[2].review.reasons, ["unknown", "amount_mismatch"])
    assert.deepInclude(data[3], { status: "CAPTURED", needs_operator: false, refund_pending_amount: 500 })
    assert.deepStrictEqual(data[3].review.reasons, ["refund_unknown"])
    const lines = text.stdout.trimEnd().split("\n")
    assert.lengthOf(lines, 5)
    assert.match(
      lines[1] ?? "",
      new RegExp(`^${lost} .* UNKNOWN +unknown +€19\\.99 +main +acme .* checked again 2`, "u")
    )
    assert.match(lines[3] ?? "", /unknown, amount_mismatch .* waits for an operator$/u)
    assert.deepStrictEqual(ofGlobex, { code: 0, stdout: "", stderr: "No payments are under review.\n" })
    const cursor = documentOf(first).next_cursor
    assert.strictEqual(cursor, `${Date.parse(data[2].review.since)}_${tooMuch}`)

    const noPayment = "01a1fe08-9226-7266-a33a-e3e7f1609a4e"
    const [second, shown, shownText, unknown, nothing, blank, card] = await Promise.all([
      run("list", "--after", cursor, "--json"),
      run("show", refunding, "--json"),
      run("show", refunding),
      run("show", noPayment),
      run("settle", lost, ...evidence),
      run("settle", lost, "--charge", "declined", "--reference", "ch_1", "--evidence", " ", "--by", "Jo"),
      run("settle", lost, "--charge", "declined", "--evidence", "4111 1111 1111 1111", "--by", "Jo")
    ])
    assert.deepStrictEqual(each(documentOf(second).data, "payment_id"), [refunding])
    const file = documentOf(shown).data
    assert.deepStrictEqual([file.attempts.length, file.refunds.length], [1, 1])
    assert.deepInclude(file.refunds[0], { state: "unknown", amount: 500, currency: "EUR", provider_refund_id: null })
    assert.deepStrictEqual(file.events, await events(refunding))
    const refundId = file.refunds[0].id
    for (const said of [file.attempts[0].id, refundId, "payment.refund_unknown", "Waiting since", "refund_unknown"]) {
      assert.include(shownText.stdout, said)
    }
    assertRefused(unknown, `Payment "${noPayment}" is not under review`)
    assertRefused(nothing, "Expected exactly one of --charge, --refund with --refund-state, or --reviewed.")
    for (const [refused, said] of [
      [blank, "Nothing was recorded: --evidence: expected text of 1 to 2000 characters"],
      [card, "`--evidence` must not contain a card number. Nothing was recorded."]
    ] as const) {
      assert.strictEqual(refused.code, 1)
      assert.include(refused.stderr, said)
    }
    assert.strictEqual((await read(lost)).status, "UNKNOWN")

    // The server is in the middle of a check when somebody settles the payment: what it hears then comes too late.
    const hold = provider.hold("lookUpCharge")
    const attemptId = new URL((await hold.arrived).path, provider.url).searchParams.get("attempt_id")
    const held = callsOf("charge").find(({ body }) => body.attempt_id === attemptId)?.body.payment_id
    const other = held === lost ? raced : lost
    const captured = ["--charge", "captured", "--amount", "1999", "--reference", "ch_1"]
    const settled = await run("settle", held, ...captured, ...evidence)
    hold.release({ status: 200, body: { provider_reference: "ch_1", status: "declined", decline: { code: "05" } } })
    assert.deepStrictEqual([settled.code, settled.stderr], [0, ""])
    assert.strictEqual(
      settled.stdout,
      `Payment ${held} is UNKNOWN, €19.99. About to record for Jo: the provider's record ` +
        "says that the charge is captured: €19.99, reference ch_1.\nThe payment is now CAPTURED: " +
        "€19.99 captured, €0.00 refunded. No review is open.\n"
    )

    const types = ["created", "unknown", "reviewed", "captured"].map((type) => `payment.${type}`)
    const captures = { status: "captured", captured_amount: 1999, amount: 1999, currency: "EUR" }
    // The server's check settles the other one.
    provider.next("lookUpCharge", (call) => ({
      status: 200,
      body: { ...captures, provider_reference: `provider-${call.path}` }
    }))
    await until("the other is settled", async () => (await read(other)).status === "CAPTURED")
    const [canceled, refunded] = await Promise.all([
      run("settle", tooMuch, "--charge", "canceled", ...evidence, "--json"),
      run("settle", refunding, "--refund", refundId, "--refund-state", "succeeded", "--reference", "re_1", ...evidence)
    ])
    assert.deepStrictEqual(each(await events(other), "type"), types.toSpliced(2, 1))

    assert.deepInclude(documentOf(canceled).data, { status: "CANCELLED", captured_amount: 0, review: null })
    assert.include(canceled.stderr, "the charge is canceled")
    assert.include(
      refunded.stdout,
      "The payment is now PARTIALLY_REFUNDED: €19.99 captured, €5.00 refunded. No review is open"
    )
    assert.deepInclude(await read(refunding), { status: "PARTIALLY_REFUNDED", refund_pending_amount: 0 })

    // As the API shows it: the statement with its evidence first, and then what follows from it, once.
    const timeline = await events(held)
    assert.deepStrictEqual(each(timeline, "type"), types)
    const said = { payment_id: held, payment_status: "CAPTURED", reviewed_by: "Jo" }
    assert.deepInclude(timeline[2].data, { ...said, evidence: "The acquirer's dashboard shows it." })
    assert.deepInclude(timeline[2].data.finding, { charge: "captured", amount: 1999, provider_reference: "ch_1" })
    assert.deepInclude(await read(held), { status: "CAPTURED", captured_amount: 1999 })
    const shownLater = (await shop.run("payments", "show", held)).stdout
    assert.match(shownLater, / payment\.reviewed .*finding: \{ charge: captured, .*amount: €19\.99, /u)
    const [left, again] = await Promise.all([run("list"), run("settle", held, ...captured, ...evidence)])
    assert.deepStrictEqual(left, { code: 0, stdout: "", stderr: "No payments are under review.\n" })
    assert.strictEqual(again.code, 1)
    assert.include(again.stderr, "Nothing was recorded: the payment is not under review.")
    // The commands asked the provider for nothing, and neither did anybody charge again.
    assert.lengthOf(callsOf("charge"), 4)
    assert.notInclude(server.stderr(), "    at ")
  })
})
