package io.loligo.server.adapt;

import io.loligo.core.message.Fields;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.ResponseHead;
import org.jspecify.annotations.Nullable;

/**
 * The head of an ICAP response, with the heads inside. Immutable, as long as nobody changes its
 * parts.
 *
 * @param status 100 to 999
 * @param fields of the ICAP response
 * @param requestHead bytes of the request inside; null: none
 * @param request the same, parsed
 * @param response the response inside; null: none
 * @param hasContent whether content follows
 * @param closes whether the service closes the connection after this response
 */
record IcapReply(
    int status,
    Fields fields,
    byte @Nullable [] requestHead,
    @Nullable RequestHead request,
    @Nullable ResponseHead response,
    boolean hasContent,
    boolean closes) {
  /** The status of a message of which the rest is that of the original: {@value}. */
  static final int PARTIAL = 206;
}
