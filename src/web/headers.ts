// The security headers of every page that svc serves.

// Allows only what the server of the page serves itself: no inline scripts or styles, and no form that posts elsewhere.
const createPolicy = (frameAncestors: readonly string[]) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' blob: data:",
    "connect-src 'self'",
    "form-action 'self'",
    `frame-ancestors ${frameAncestors.length > 0 ? frameAncestors.join(' ') : "'none'"}`,
    "base-uri 'none'",
  ].join('; ')

// The referrer is sent within the site only. With no referrer at all, browsers send the origin "null" with a form, which
// the server rejects.
export const createPageHeaders = (frameAncestors: readonly string[] = []): Record<string, string> => ({
  'content-security-policy': createPolicy(frameAncestors),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
})
