const Page = () => <p>The shop sells tea, and a teapot. Order with a POST to /checkout.</p>

// Next asks for it by this way of exporting.
export { Page as default }
