package io.loligo.server.exchange.fetch;

import io.loligo.core.message.ContentLength;
import io.loligo.core.message.Decimal;
import io.loligo.core.message.FieldLines;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.FieldSet;
import io.loligo.core.message.Fields;
import io.loligo.core.message.Method;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.RequestTarget;
import io.loligo.server.exchange.admission.Admission;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.exchange.rules.FieldFilter;
import io.loligo.server.exchange.rules.ForwardedFields;
import io.loligo.server.exchange.settings.ExchangeSettings;
import io.loligo.server.record.RewrittenRequest;
import io.loligo.server.upstream.OutgoingRequest;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Composes the request that is forwarded (RFC 9110 section 7.6). Stateless. */
final class OutgoingFields {
  /** The largest Max-Forwards that is forwarded. */
  private static final long MAX_FORWARDS = 999_999_999;

  private OutgoingFields() {}

  /**
   * Composes the request to send.
   *
   * @param conditions the proxy's, which replace the client's; null: the client's are forwarded
   * @param upgrade the value of Upgrade to forward, or null
   * @param filter applies the rules about fields; null: there are none
   * @param lines an empty scratch buffer
   */
  static OutgoingRequest compose(
      Request request,
      @Nullable Conditions conditions,
      @Nullable String upgrade,
      ExchangeSettings settings,
      @Nullable FieldFilter filter,
      FieldLines lines) {
    RequestHead head = request.head();
    RequestTarget target = request.target();
    Fields fields = head.fields();
    RewrittenRequest rewritten = request.rewritten();
    String host = rewritten == null ? null : rewritten.hostField();
    lines.add("Host", host == null ? target.authority() : host);
    FieldSet replaced = conditions == null ? FieldSet.NONE : conditions.replaced();
    // only-if-cached applied to this cache, not to the next one
    int omitted =
        conditions != null && fields.hasToken(FieldName.CACHE_CONTROL, "only-if-cached")
            ? FieldName.CACHE_CONTROL
            : ForwardedFields.NO_FIELD;
    ForwardedFields.copy(request, settings, replaced, omitted, lines);
    if (conditions != null) {
      conditions.addTo(lines);
    }
    if (fields.has(FieldName.TE) && fields.hasToken(FieldName.TE, "trailers")) {
      lines.add("TE", "trailers").add("Connection", "TE"); // RFC 9110 section 10.1.4
    }
    addMaxForwards(head, lines);
    ForwardedFields.addWay(request, settings, lines);
    if (filter != null && !request.isFromNode()) {
      filter.request(request, lines);
    }
    long contentLength = request.contentLength();
    OutgoingRequest.Builder outgoing =
        OutgoingRequest.of(head.method(), head.methodId())
            .scheme(target.scheme())
            .authority(target.authority())
            .path(path(target))
            .fieldLines(lines.toBytes())
            .expectContinue(expectsContinue(head))
            .upgrade(upgrade);
    if (Method.isGetOrHead(head.methodId()) && upgrade == null) {
      outgoing.nextOn(settings.fetches.nextPeerOn(request));
    }
    return ContentLength.hasContent(contentLength)
        ? outgoing.content(contentLength).build()
        : outgoing.build();
  }

  /** Whether the client waits for 100 (RFC 9110 section 10.1.1). HTTP/1.0 clients do not. */
  static boolean expectsContinue(RequestHead head) {
    return head.version() >= 11 && head.fields().hasToken(FieldName.EXPECT, "100-continue");
  }

  /** The path and query of the target, or {@code *}. */
  private static byte[] path(RequestTarget target) {
    return Arrays.copyOfRange(target.pathBytes(), target.pathStart(), target.pathEnd());
  }

  /** RFC 9110 section 7.6.2. The value is above 0 here, see {@link Admission}. */
  private static void addMaxForwards(RequestHead head, FieldLines lines) {
    int method = head.methodId();
    String value = head.fields().get(FieldName.MAX_FORWARDS);
    if (value == null) {
      return;
    }
    boolean counts = method == Method.OPTIONS || method == Method.TRACE;
    long hops = counts ? onward(head.fields()) : -1;
    lines.add("Max-Forwards", hops >= 0 ? Long.toString(hops) : value);
  }

  /** The decremented Max-Forwards; -1 if the field has no number. */
  private static long onward(Fields fields) {
    long hops = Decimal.of(fields, fields.first(FieldName.MAX_FORWARDS));
    if (hops == Decimal.TOO_LARGE) {
      return MAX_FORWARDS;
    }
    return hops <= 0 ? -1 : Math.min(hops - 1, MAX_FORWARDS);
  }
}
