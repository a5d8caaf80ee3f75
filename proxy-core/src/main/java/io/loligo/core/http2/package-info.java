/**
 * HTTP/2 as bytes (RFC 9113) and its compression of fields, HPACK (RFC 7541): frames, decoding into
 * the same heads as HTTP/1 gives, and encoding of stored field lines.
 *
 * <p>Only packages named {@code http2} of the server use this one. It knows {@code message}, and of
 * {@code http1} the limits and the scan of field values. Mutable objects are confined to one
 * thread.
 */
@NullMarked
package io.loligo.core.http2;

import org.jspecify.annotations.NullMarked;
