/**
 * Shows what changed while a page is open. Everything works without it.
 *
 * It stops ten minutes after the last key or click: a page that asks for ever would keep the session of an operator who
 * left alive.
 */
export const script = `"use strict"
{
  const every = 5000
  const idle = 600000
  let touched = performance.now()
  for (const event of ["pointerdown", "keydown"]) addEventListener(event, () => { touched = performance.now() })
  const isBusy = (main) => main.contains(document.activeElement) && document.activeElement !== main
  const look = async () => {
    const main = document.querySelector("main[data-live]")
    if (main === null) return
    if (!document.hidden && !isBusy(main) && performance.now() - touched < idle) {
      const response = await fetch(location.href, { redirect: "manual" })
      if (response.ok) {
        const next = new DOMParser().parseFromString(await response.text(), "text/html").querySelector("main[data-live]")
        if (next !== null && next.innerHTML !== main.innerHTML && !isBusy(main)) main.replaceWith(document.adoptNode(next))
      }
    }
    again()
  }
  const again = () => setTimeout(() => { look().catch(again) }, every)
  again()
  // A second click while the first request is under way would replace its answer, which may show a secret once.
  const sent = new WeakMap()
  addEventListener("submit", (event) => {
    if (!("once" in event.target.dataset)) return
    if (performance.now() - (sent.get(event.target) ?? -every) < every) event.preventDefault()
    else sent.set(event.target, performance.now())
  })
}
`
