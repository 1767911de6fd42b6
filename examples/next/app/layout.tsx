import type { ReactNode } from "react"

const Layout = ({ children }: { readonly children: ReactNode }) => (
  <html lang="en">
    <body>{children}</body>
  </html>
)

// Next asks for it by this way of exporting.
export { Layout as default }
