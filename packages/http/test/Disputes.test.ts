/** Disputes over the API: as messages state them, the evidence that is kept for them, and what they are answered. */
import { Unanswered } from "@pointsman/core/ports"
import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { deliver, dispute } from "./support/Messages.ts"
import { answerDispute, answerOf, captured, get, keepEvidence } from "./support/Payments.ts"
import { stores } from "./support/Stores.ts"
import { usedWorld } from "./support/UsedWorld.ts"
import type { Reply } from "./support/Web.ts"
import { keys, type World } from "./support/World.ts"

const pdf = new Uint8Array([0x25, 0x50, 0x44, 0x46, 0x2d, 0x31])
const nobody = "dp_019a8c3e-7b1d-7c64-8f5e-2f6d9f1f0a01"

describe.each(stores)("over %s", (_name, store) => {
  const world = usedWorld(store)

  /** A captured payment with a dispute of 6.00 EUR. */
  const disputed = async () => {
    world.reset()
    const paymentId = await captured(world)
    const attemptId = world.provider.charges.at(-1)?.attemptId ?? ""
    const more = { amount: 600, currency: "EUR", reason: "not_received", evidence_due_by: "2030-01-02T03:04:05Z" }
    await deliver(world, dispute(attemptId, "opened", { dispute_id: `du_${paymentId}`, ...more }))
    const listed = await get(world, `/disputes?payment=${paymentId}`)
    expect(listed.body.data).toHaveLength(1)
    return { attemptId, paymentId, found: listed.body.data[0] }
  }

  const keep = (id: string, parts: Parameters<typeof keepEvidence>[2]) => keepEvidence(world, id, parts)
  const sendForm = (id: string, body: string | Uint8Array, headers: Readonly<Record<string, string>> = {}) =>
    world.send(`/api/v1/disputes/${id}/evidence`, {
      key: keys.acme,
      body,
      headers: { "content-type": "multipart/form-data; boundary=x", ...headers }
    })
  const ask = (id: string, what: "submit" | "accept", key?: string) => answerDispute(world, id, what, key)

  test("a message that states a dispute says all that the provider stated", async () => {
    const { found, paymentId } = await disputed()
    expect(found).toEqual({
      id: expect.stringMatching(/^dp_/u),
      payment_id: paymentId,
      status: "needs_response",
      amount: 600,
      currency: "EUR",
      reason: "not_received",
      provider_reason: "not_received",
      evidence_due_by: "2030-01-02T03:04:05.000Z",
      evidence_submitted_at: null,
      evidence: null,
      created: expect.stringMatching(/Z$/u)
    })
    expect((await get(world, `/disputes/${found.id}`)).body.data).toEqual(found)
    expect(answerOf(await get(world, `/disputes/${nobody}`))).toBe("404 not_found")
    expect(answerOf(await get(world, "/disputes/none"))).toBe("404 not_found")
    expect((await get(world, `/disputes?payment=${paymentId}&status=won`)).body.data).toEqual([])
    const timeline = await get(world, `/payments/${paymentId}/events`)
    const opened = timeline.body.data.find(({ type }: { type: string }) => type === "dispute.opened")
    expect(opened.data).toMatchObject({ dispute_id: found.id, dispute_amount: 600, dispute_status: "needs_response" })
  })

  test("pages list several disputes newest first, each once", async () => {
    const ids = [(await disputed()).found.id, (await disputed()).found.id]
    const first = await get(world, "/disputes?limit=1")
    expect([first.body.data[0].id, first.body.has_more]).toEqual([ids[1], true])
    const second = await get(world, `/disputes?limit=1&before=${first.body.next_cursor}`)
    expect(second.body.data[0].id).toBe(ids[0])
    expect(answerOf(await get(world, "/disputes?status=open"))).toBe("422 validation_error")
    expect(answerOf(await get(world, "/disputes?connection=main"))).toBe("422 validation_error")
  })

  test("submitted evidence reaches the provider once, and a repeat is answered alike", async () => {
    const { found } = await disputed()
    const kept = await keep(found.id, { summary: "It arrived.", receipt: pdf })
    expect(kept.body.data.evidence).toEqual({
      texts: ["summary"],
      files: [{ name: "receipt", type: "application/pdf", bytes: pdf.length }]
    })
    const [first, second] = [await ask(found.id, "submit"), await ask(found.id, "submit")]
    expect([answerOf(first), first.body.data.status, first.body.data.evidence]).toEqual(["200", "under_review", null])
    expect([first, second].map(({ headers }) => headers.get("idempotent-replay"))).toEqual([null, "true"])
    expect(world.provider.submissions).toMatchObject([{ texts: { summary: "It arrived." } }])
    expect(answerOf(await ask(found.id, "accept"))).toBe("422 idempotency_key_reuse")
    expect(answerOf(await ask(found.id, "accept", "another key"))).toBe("409 dispute_closed")
    expect(answerOf(await keep(found.id, { summary: "More." }))).toBe("409 dispute_closed")
  })

  test("the field of invalid evidence is named, and nothing is kept", async () => {
    const { found } = await disputed()
    const wrong: ReadonlyArray<readonly [Reply, string, string]> = [
      [
        await keep(found.id, { receipt: new Uint8Array([77, 90]) }),
        "422 validation_error",
        "`receipt`: expected a PDF"
      ],
      [await keep(found.id, { Bad: "x" }), "422 validation_error", "`Bad`: expected a name"],
      [await keep(found.id, {}), "422 validation_error", "`evidence`: expected at least one"],
      [
        await keep(found.id, { summary: "Paid by 4242 4242 4242 4242" }),
        "422 validation_error",
        "`summary` must not contain a card number"
      ],
      [await keep(nobody, { summary: "x" }), "404 not_found", "Dispute not found"],
      [
        await world.send(`/api/v1/disputes/${found.id}/evidence`, { key: keys.acme, body: { summary: "x" } }),
        "415 unsupported_media_type",
        "multipart/form-data"
      ],
      ...(await Promise.all(
        [
          "--x\r\nbroken",
          "--x\r\nContent-Disposition: form-data\r\n--x--\r\n",
          "--x\r\ncut: off\r\n--x\r\n\r\n\r\n--x--\r\n"
        ].map(async (body) => [await sendForm(found.id, body), "422 validation_error", "a form of texts"] as const)
      )),
      [await sendForm(found.id, "longer than it says", { "content-length": "3" }), "422 validation_error", "a form of"],
      [await sendForm(found.id, new Uint8Array(8_300_000)), "413 payload_too_large", "8265536 bytes"],
      [
        await sendForm(
          found.id,
          `${Array.from({ length: 70_000 }, (_, part) => `--x\r\ncontent-disposition: form-data; name="p${part}"\r\n\r\n${part}\r\n`).join("")}--x--\r\n`
        ),
        "422 validation_error",
        "the form must have at most 40 texts"
      ],
      [await ask(found.id, "submit"), "422 validation_error", "`evidence`: expected evidence that is kept"]
    ]
    for (const [reply, answered, message] of wrong) {
      expect(answerOf(reply)).toBe(answered)
      expect(reply.body.error.message).toContain(message)
      expect(reply.body.error.param).toBe(/^`(\w+)`/u.exec(message)?.[1])
    }
    expect((await get(world, `/disputes/${found.id}`)).body.data.evidence).toBeNull()
    expect(world.provider.submissions).toEqual([])
  })

  test("a provider that refuses, is late or silent has each its code", async () => {
    const answers: ReadonlyArray<readonly [ReturnType<World["provider"]["onAcceptDispute"]>, string]> = [
      [Effect.succeed({ _tag: "Rejected", code: "no", message: "Too late." }), "502 psp_error"],
      [Effect.succeed({ _tag: "SubmissionPending" }), "409 dispute_pending"],
      [Effect.fail(new Unanswered({ reason: "no answer" })), "502 dispute_result_unknown"]
    ]
    for (const [given, wanted] of answers) {
      const { found } = await disputed()
      world.provider.onAcceptDispute = () => given
      for (const _ of [1, 2]) expect(answerOf(await ask(found.id, "accept"))).toBe(wanted)
      expect(world.provider.acceptances).toHaveLength(1)
    }
  })
})
