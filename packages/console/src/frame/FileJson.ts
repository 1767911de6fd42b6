/** What the forms show beside their fields. */
import { InProcess } from "@pointsman/http"
import type { TenantPath } from "../gate/Caller.ts"
import type { Html } from "./Layout.ts"

const { html } = InProcess

/** Who names the records of a list. */
export const ownerText = (isInFile: boolean): string =>
  isInFile
    ? "The configuration file defines this workspace: change it there."
    : "No configuration file defines this workspace: operators configure it here."

/** `section`: what the workspace would have in the file. */
export const fileJson = ({ workspace }: TenantPath, section: object): Html =>
  html`<details><summary>The same in the configuration file</summary>
<pre><code>${JSON.stringify({ workspaces: [{ id: workspace, ...section }] }, null, 2)}</code></pre></details>`

/** The place of a secret in the file. */
export const fromEnvironment = (name: string) => ({ $env: name.replaceAll(/(?<=[a-z])(?=[A-Z])/gu, "_").toUpperCase() })
