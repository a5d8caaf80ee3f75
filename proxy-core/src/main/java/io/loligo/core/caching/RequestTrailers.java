package io.loligo.core.caching;

import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;
import io.loligo.core.message.HopByHop;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The trailers of a request that are forwarded (RFC 9110 section 6.5.1). Stateless.
 *
 * <p>Servers merge trailers into the fields of the head, and some of them read an underscore as a
 * hyphen: a field that frames, routes or authenticates a request there must not come late, in any
 * spelling. Trailers whose names the proxy acts on were dropped when they were read.
 */
public final class RequestTrailers {
  /** The identity of the client, as stated by a proxy in front of this one. */
  private static final Set<String> IDENTIFYING =
      Set.of("cdn-loop", "client-ip", "true-client-ip", "x-client-ip", "x-real-ip");

  private RequestTrailers() {}

  /**
   * Those of {@code trailers}, borrowed and possibly null, that are forwarded, over the same bytes.
   *
   * @param head of the request, borrowed
   */
  public static @Nullable Fields onward(Fields head, @Nullable Fields trailers) {
    if (trailers == null || trailers.count() == 0) {
      return trailers;
    }
    HopByHop hopByHop = HopByHop.of(head);
    return trailers.where(i -> !hopByHop.drops(trailers, i) && mayComeLate(trailers, i));
  }

  private static boolean mayComeLate(Fields trailers, int i) {
    if (trailers.id(i) != FieldName.OTHER) {
      return true; // see ChunkedDecoder
    }
    String name = trailers.lowerName(i).replace('_', '-');
    return FieldName.of(name) == FieldName.OTHER
        && !OverridingFields.contains(name)
        && !IDENTIFYING.contains(name);
  }
}
