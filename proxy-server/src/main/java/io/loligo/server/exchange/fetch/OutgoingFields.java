package io.loligo.server.exchange.fetch;

import io.loligo.core.message.Ascii;
import io.loligo.core.message.ContentLength;
import io.loligo.core.message.Decimal;
import io.loligo.core.message.FieldLines;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.FieldSet;
import io.loligo.core.message.Fields;
import io.loligo.core.message.HopByHop;
import io.loligo.core.message.Method;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.RequestTarget;
import io.loligo.server.exchange.admission.Admission;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.exchange.rules.FieldFilter;
import io.loligo.server.exchange.settings.ExchangeSettings;
import io.loligo.server.exchange.settings.ForwardedFor;
import io.loligo.server.record.RewrittenRequest;
import io.loligo.server.upstream.OutgoingRequest;
import io.netty.util.NetUtil;
import java.net.InetSocketAddress;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Composes the request that is forwarded (RFC 9110 section 7.6). Stateless. */
final class OutgoingFields {
  /**
   * Fields that the proxy handles itself or composes anew, and Proxy. Proxy is not an HTTP field,
   * but CGI programs see it as {@code HTTP_PROXY} and would send their own requests there
   * (CVE-2016-5385).
   */
  private static final FieldSet NOT_COPIED =
      FieldSet.of(
          FieldName.HOST,
          FieldName.CONTENT_LENGTH,
          FieldName.TRANSFER_ENCODING,
          FieldName.EXPECT,
          FieldName.MAX_FORWARDS,
          FieldName.PROXY,
          FieldName.X_FORWARDED_FOR);

  private static final int NO_FIELD = -1;

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
    int unsaid =
        conditions != null && fields.hasToken(FieldName.CACHE_CONTROL, "only-if-cached")
            ? FieldName.CACHE_CONTROL
            : NO_FIELD;
    boolean forwarded = settings.forwarded != ForwardedFor.TRANSPARENT;
    HopByHop hopByHop = HopByHop.of(fields);
    for (int i = 0; i < fields.count(); i++) {
      int id = fields.id(i);
      boolean skipped =
          NOT_COPIED.has(id)
              || replaced.has(id)
              || id == unsaid
              || (forwarded && id == FieldName.FORWARDED);
      if (!skipped && !hopByHop.drops(fields, i)) {
        lines.add(fields, i);
      }
    }
    if (conditions != null) {
      conditions.addTo(lines);
    }
    if (fields.has(FieldName.TE) && fields.hasToken(FieldName.TE, "trailers")) {
      lines.add("TE", "trailers").add("Connection", "TE"); // RFC 9110 section 10.1.4
    }
    addMaxForwards(head, lines);
    addForwardedFor(fields, request.client(), settings.forwardedFor, lines);
    if (forwarded) {
      addForwarded(fields, request.client(), target, settings.forwarded, lines);
    }
    settings.addVia(lines, head.version());
    if (filter != null) {
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

  private static void addForwardedFor(
      Fields fields, @Nullable InetSocketAddress client, ForwardedFor mode, FieldLines lines) {
    String before = fields.joined("X-Forwarded-For");
    String address = client == null ? "unknown" : NetUtil.toAddressString(client.getAddress());
    switch (mode) {
      case ON -> lines.add("X-Forwarded-For", before == null ? address : before + ", " + address);
      case OFF -> lines.add("X-Forwarded-For", before == null ? "unknown" : before + ", unknown");
      case TRANSPARENT -> {
        if (before != null) {
          lines.add("X-Forwarded-For", before);
        }
      }
      case TRUNCATE -> lines.add("X-Forwarded-For", address);
      case DELETE -> {}
    }
  }

  /** RFC 7239 section 4. */
  private static void addForwarded(
      Fields fields,
      @Nullable InetSocketAddress client,
      RequestTarget target,
      ForwardedFor mode,
      FieldLines lines) {
    if (mode == ForwardedFor.DELETE) {
      return;
    }
    String before = mode == ForwardedFor.TRUNCATE ? null : fields.joined("Forwarded");
    String node = mode == ForwardedFor.OFF || client == null ? "unknown" : node(client);
    String authority = target.authority();
    String host = Ascii.isToken(authority) ? authority : '"' + authority + '"';
    String element = "for=" + node + ";host=" + host + ";proto=" + target.scheme();
    lines.add("Forwarded", before == null ? element : before + ", " + element);
  }

  /** RFC 7239 section 6: an IPv6 address has brackets, and needs quotes for them. */
  private static String node(InetSocketAddress client) {
    String address = NetUtil.toAddressString(client.getAddress());
    return address.indexOf(':') < 0 ? address : "\"[" + address + "]\"";
  }
}
