/**
 * Signs in with a passkey and adds one, or sends the form that waits for the sign-in, on pages with `data-passkeys`. Browsers give passkeys to scripts alone.
 *
 * It translates between the JSON of the API and the bytes of `navigator.credentials` itself: not every browser does it, and
 * one way for all is tested in all.
 */
export const passkeyScript = `"use strict"
{
  const bytes = (text) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (one) => one.charCodeAt(0))
  const text = (buffer) =>
    btoa(String.fromCharCode(...new Uint8Array(buffer))).replace(/\\+/g, "-").replace(/\\//g, "_").replace(/=/g, "")
  const withBytes = (one) => ({ ...one, id: bytes(one.id) })
  const answerOf = ({ id, rawId, response, type }, ...fields) => ({
    id,
    rawId: text(rawId),
    type,
    response: Object.fromEntries(fields.map((field) => [field, text(response[field])]))
  })
  const post = async (path, body) => {
    const json = { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }
    const response = await fetch(path, { method: "POST", ...(body === undefined ? {} : json) })
    const answer = await response.json()
    if (!response.ok) throw new Error(answer.error.message)
    return answer.data
  }
  const signIn = async (api) => {
    const { challenge, ...options } = await post(api + "/session/passkey/options")
    const publicKey = { ...options, challenge: bytes(challenge) }
    const credential = await navigator.credentials.get({ publicKey })
    const response = answerOf(credential, "clientDataJSON", "authenticatorData", "signature", "userHandle")
    await post(api + "/session/passkey", { challenge, response })
  }
  const add = async (api, name) => {
    const { challenge, excludeCredentials, user, ...options } = await post(api + "/passkeys/options")
    const publicKey = {
      ...options,
      challenge: bytes(challenge),
      user: withBytes(user),
      excludeCredentials: excludeCredentials.map(withBytes)
    }
    const credential = await navigator.credentials.create({ publicKey })
    const response = answerOf(credential, "clientDataJSON", "attestationObject")
    response.response.transports = credential.response.getTransports?.() ?? []
    await post(api + "/passkeys", { name, challenge, response })
  }
  const problems = {
    NotAllowedError: "No passkey was used: it was cancelled, took too long, or there is none for this console.",
    InvalidStateError: "This device has a passkey of yours for this console already."
  }
  for (const place of window.PublicKeyCredential === undefined ? [] : document.querySelectorAll("[data-passkeys]")) {
    const api = place.dataset.passkeys + "/api"
    const form = place.querySelector("form")
    const button = form.querySelector("button")
    const problem = place.querySelector("[role=alert]")
    form.addEventListener("submit", async (event) => {
      event.preventDefault()
      button.disabled = true
      problem.hidden = true
      try {
        if (form.dataset.add === undefined) await signIn(api)
        else await add(api, form.elements.name.value)
        if ("then" in form.dataset) document.getElementById(form.dataset.then).submit()
        else location.assign(form.dataset.add ?? form.dataset.signIn)
      } catch (error) {
        problem.textContent = problems[error.name] ?? error.message
        problem.hidden = false
        button.disabled = false
        button.focus()
      }
    })
    place.hidden = false
  }
}
`
