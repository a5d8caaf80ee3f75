package io.loligo.server.exchange.rules;

import io.loligo.core.message.Ascii;
import io.loligo.core.message.FieldLines;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.FieldSet;
import io.loligo.core.message.Fields;
import io.loligo.core.message.HopByHop;
import io.loligo.core.message.RequestTarget;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.exchange.settings.ExchangeSettings;
import io.loligo.server.exchange.settings.ForwardedFor;
import io.loligo.server.trace.CausedTrace;
import io.loligo.server.trace.TraceParent;
import io.netty.util.NetUtil;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/** The fields of a client's request that are sent on (RFC 9110 section 7.6). Stateless. */
public final class ForwardedFields {
  /** No field, where one may be left out. */
  public static final int NO_FIELD = -1;

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

  private ForwardedFields() {}

  /**
   * Appends the fields that stay as they are.
   *
   * @param replaced fields that the proxy sends itself
   * @param omitted one more field that is left out; {@link #NO_FIELD}: none
   */
  public static void copy(
      Request request,
      ExchangeSettings settings,
      FieldSet replaced,
      int omitted,
      FieldLines lines) {
    Fields fields = request.head().fields();
    boolean whole = request.isFromNode(); // it comes as this proxy would send it
    boolean forwarded = !whole && settings.forwarded != ForwardedFor.TRANSPARENT;
    boolean ownId = !whole && sendsId(request, settings);
    boolean own = !whole && tracedOn(request, settings) != null;
    int traced = own ? fields.next(TraceParent.NAME, 0) : NO_FIELD;
    HopByHop hopByHop = HopByHop.of(fields);
    for (int i = 0; i < fields.count(); i++) {
      int id = fields.id(i);
      boolean skipped =
          NOT_COPIED.has(id)
              || replaced.has(id)
              || id == omitted
              || i == traced
              || (request.trace() != null && fields.nameEquals(i, "tracestate")) // of another trace
              || (forwarded && id == FieldName.FORWARDED)
              || (ownId && id == FieldName.X_REQUEST_ID);
      if (!skipped && !hopByHop.drops(fields, i)) {
        lines.add(fields, i);
      }
    }
  }

  /** The id of {@code request} for the next hop or a service; null: they do not get it. */
  public static @Nullable String sentId(Request request, ExchangeSettings settings) {
    return sendsId(request, settings) ? request.requestId() : null;
  }

  private static boolean sendsId(Request request, ExchangeSettings settings) {
    return !settings.requestIdSend.isEmpty() && settings.requestIdSend.evaluate(request).allowed();
  }

  /** The value of traceparent with the span of the fetch; null: that of the client stays. */
  private static @Nullable String tracedOn(Request request, ExchangeSettings settings) {
    CausedTrace own = request.trace();
    if (own != null) {
      return own.sent();
    }
    return settings.traces && request.isOfClient()
        ? TraceParent.sentOn(request.head().fields(), request.record())
        : null;
  }

  /**
   * Appends the way of the request so far, X-Forwarded-For, Forwarded and Via, and its id and trace
   * where the next hop gets them.
   */
  public static void addWay(Request request, ExchangeSettings settings, FieldLines lines) {
    Fields fields = request.head().fields();
    if (request.isFromNode()) {
      addForwardedFor(fields, null, ForwardedFor.TRANSPARENT, lines); // the rest was copied
      return;
    }
    addForwardedFor(fields, request.client(), settings.forwardedFor, lines);
    if (settings.forwarded != ForwardedFor.TRANSPARENT) {
      addForwarded(fields, request.client(), request.target(), settings.forwarded, lines);
    }
    settings.addVia(lines, request.head().version());
    String id = sentId(request, settings);
    if (id != null) {
      lines.add("X-Request-ID", id);
    }
    String trace = tracedOn(request, settings);
    if (trace != null) {
      lines.add(TraceParent.NAME, trace);
    }
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
    String scheme = target.scheme();
    String element = "for=" + node + ";host=" + host + (scheme.isEmpty() ? "" : ";proto=" + scheme);
    lines.add("Forwarded", before == null ? element : before + ", " + element);
  }

  /** RFC 7239 section 6: an IPv6 address has brackets, and needs quotes for them. */
  private static String node(InetSocketAddress client) {
    String address = NetUtil.toAddressString(client.getAddress());
    return address.indexOf(':') < 0 ? address : "\"[" + address + "]\"";
  }
}
