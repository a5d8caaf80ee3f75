package io.loligo.core.caching;

import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;
import io.loligo.core.message.HopByHop;
import java.util.Locale;
import java.util.Set;

/**
 * Which trailers of a request go onward (RFC 9110 section 6.5.1). Stateless.
 *
 * <p>Servers put trailers among the fields of the head, some of them with a hyphen for each
 * underscore: what frames, routes or authenticates a request there must not come late, under no
 * spelling. The names that the proxy acts on were dropped where the trailers were read.
 */
public final class RequestTrailers {
  /** Who the client is, said by a proxy in front of us. */
  private static final Set<String> IDENTIFYING =
      Set.of("cdn-loop", "client-ip", "true-client-ip", "x-client-ip", "x-real-ip");

  private RequestTrailers() {}

  /**
   * Those of {@code trailers}, borrowed and may be null, that go onward, over the same bytes.
   *
   * @param head of the request, borrowed
   */
  public static Fields onward(Fields head, Fields trailers) {
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
    String name = trailers.name(i).toLowerCase(Locale.ROOT).replace('_', '-');
    return FieldName.of(name) == FieldName.OTHER
        && !OverridingFields.contains(name)
        && !IDENTIFYING.contains(name);
  }
}
