package io.loligo.server.upstream.attempt;

import io.loligo.core.message.Method;
import io.loligo.server.upstream.AddressCheck;
import io.loligo.server.upstream.Hop;
import io.loligo.server.upstream.OutgoingConnect;
import io.loligo.server.upstream.OutgoingRequest;
import org.jspecify.annotations.Nullable;

/**
 * The task of an attempt. {@code request} or {@code tunnel} is null, or both: then only TLS is
 * looked at. Immutable.
 *
 * @param check the rules about addresses
 */
record AttemptTask(
    @Nullable OutgoingRequest request, @Nullable OutgoingConnect tunnel, AddressCheck check) {
  /** Whether TLS is looked at only. */
  boolean isProbe() {
    return request == null && tunnel == null;
  }

  /** Whether the client will speak with {@code hop} itself, and makes its own handshake. */
  boolean isRaw(Hop hop) {
    return tunnel != null && !hop.form().absolute();
  }

  /** Whether it is a request that may be sent twice. */
  boolean isRepeatable() {
    return request != null && !request.hasContent() && Method.isIdempotent(request.methodId());
  }

  /** Whether it is a request whose content has no length. */
  boolean isChunked() {
    return request != null && request.hasContent() && request.contentLength() < 0;
  }

  /** Whether only HTTP/1.1 will do. */
  boolean needsHttp1() {
    return request == null ? tunnel != null : request.upgrade() != null;
  }

  /** Whether a kept connection may be used that may have been closed meanwhile. */
  boolean mayUseAnyKept() {
    return isRepeatable() || (request != null && check.mayRiskKept());
  }
}
