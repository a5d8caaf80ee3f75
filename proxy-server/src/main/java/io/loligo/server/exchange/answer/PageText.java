package io.loligo.server.exchange.answer;

import io.loligo.core.caching.HttpDate;
import io.loligo.core.message.FieldLines;
import io.loligo.core.message.IpText;
import io.loligo.core.message.RequestTarget;
import io.loligo.server.exchange.client.ClientStream;
import io.loligo.server.exchange.services.LoopServices;
import io.loligo.server.exchange.settings.IdentityDirectives;
import io.loligo.server.record.ExchangeRecord;
import io.netty.util.NetUtil;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Puts facts of a request in the place of Squid's % codes in error pages and URLs. Facts that the
 * client controls are escaped. Confined to the client's event loop.
 */
final class PageText {
  /** Most characters of one fact. */
  private static final int MAX_FACT_CHARS = 8_192;

  private static final DateTimeFormatter LOCAL_TIME =
      DateTimeFormatter.ofPattern("dd/MMM/yyyy:HH:mm:ss Z", Locale.ROOT);

  private final ExchangeRecord record;
  private final LoopServices services;
  private final String errorCode;

  PageText(ClientStream stream, LoopServices services, String errorCode) {
    this.record = stream.record();
    this.services = services;
    this.errorCode = errorCode;
  }

  /** {@code template} as HTML. */
  String page(String template) {
    return filled(template, true);
  }

  /** {@code template} as a URL: visible ASCII without quotes and angle brackets. */
  String url(String template) {
    String filled = filled(template, false);
    StringBuilder safe = new StringBuilder(filled.length());
    for (byte b : filled.getBytes(StandardCharsets.UTF_8)) {
      if (b <= ' ' || b == 0x7f || b == '"' || b == '<' || b == '>') {
        encode(b, safe);
      } else {
        safe.append((char) b);
      }
    }
    return safe.toString();
  }

  private String filled(String template, boolean html) {
    StringBuilder out = new StringBuilder(template.length() + 256);
    int at = 0;
    while (at < template.length()) {
      int percent = template.indexOf('%', at);
      if (percent < 0 || percent + 1 == template.length()) {
        break;
      }
      out.append(template, at, percent);
      char code = template.charAt(percent + 1);
      String fact = fact(code, html);
      if (fact == null) {
        out.append('%').append(code);
      } else if (html) {
        out.append(code == 'l' || code == 'S' ? fact : ErrorPage.escaped(fact));
      } else {
        out.append(code == '%' || code == 'R' ? fact : encoded(fact));
      }
      at = percent + 2;
    }
    return out.append(template, at, template.length()).toString();
  }

  /** The fact that {@code code} stands for; null: it is no code. */
  private @Nullable String fact(char code, boolean html) {
    String fact =
        switch (code) {
          case 'a' -> record.user == null ? "-" : record.user;
          case 'A' ->
              record.local == null ? "" : NetUtil.toAddressString(record.local.getAddress());
          case 'b' -> record.local == null ? "" : String.valueOf(record.local.getPort());
          case 'B', 'g', 'L', 'O', 'W' -> "";
          case 'c' -> errorCode;
          case 'D' -> "[No Error Detail]";
          case 'e' -> "0";
          case 'E' -> "[No Error]";
          case 'f', 'F' -> "nothing";
          case 'h' -> services.settings.cacheName();
          case 'H' -> record.target == null ? "[unknown host]" : host(record.target);
          case 'i' -> client(record.client);
          case 'I', 'z', 'Z' -> "[unknown]";
          case 'l' -> services.settings.pages.stylesheet();
          case 'm' -> "[not available]";
          case 'M' -> record.method == null ? "[unknown method]" : record.method;
          case 'o' -> helperMessage(html);
          case 'p' -> record.target == null ? "[unknown port]" : "" + record.target.port();
          case 'P' -> record.target == null ? "[unknown protocol]" : record.target.scheme();
          case 'r' -> Objects.requireNonNullElse(record.requestId(), "-");
          case 'R' -> html ? requestLine() : path();
          case 's' -> html ? "loligo" : url();
          case 'S' -> signature();
          case 't' -> LOCAL_TIME.format(now().atZone(ZoneId.systemDefault()));
          case 'T' -> date();
          case 'u' -> url();
          case 'U' -> withoutQuery(url());
          case 'w' -> services.settings.config().get(IdentityDirectives.CACHE_MGR);
          case 'x' -> "[Unknown Error Code]";
          case '%' -> html ? "%" : "%25";
          default -> null;
        };
    return fact == null || code == 'l' || fact.length() <= MAX_FACT_CHARS
        ? fact
        : fact.substring(0, MAX_FACT_CHARS);
  }

  /** What a helper of an ACL has told, for the user. */
  private String helperMessage(boolean html) {
    String told = record.helpers == null ? null : record.helpers.message();
    return told != null ? told : html ? "[not available]" : "";
  }

  private static String host(RequestTarget target) {
    return IpText.normal(target.host());
  }

  private static String client(@Nullable InetSocketAddress client) {
    return client == null ? "" : NetUtil.toAddressString(client.getAddress());
  }

  private String url() {
    return record.target == null ? "[no URL]" : record.target.url();
  }

  private static String withoutQuery(String url) {
    int query = url.indexOf('?');
    return query < 0 ? url : url.substring(0, query + 1);
  }

  private String path() {
    if (record.target == null || record.target.form() == RequestTarget.Form.AUTHORITY) {
      return "";
    }
    RequestTarget target = record.target;
    return new String(
        target.pathBytes(),
        target.pathStart(),
        target.pathEnd() - target.pathStart(),
        StandardCharsets.ISO_8859_1);
  }

  private String requestLine() {
    return record.method + " " + (path().isEmpty() ? url() : path());
  }

  private String signature() {
    return "<hr><div id=\"footer\">Generated "
        + date()
        + " by "
        + ErrorPage.escaped(services.settings.cacheName())
        + " (loligo)</div>";
  }

  private Instant now() {
    return Instant.ofEpochMilli(services.clock.millis());
  }

  private String date() {
    return new String(
        HttpDate.append(new FieldLines(32), services.clock.millis()).toBytes(),
        StandardCharsets.US_ASCII);
  }

  /**
   * Encoded for a part of a query (RFC 3986 sections 2.2 and 2.3). Delimiters that mean nothing in
   * queries stay as they are, as in Squid.
   */
  private static String encoded(String text) {
    StringBuilder out = new StringBuilder(text.length() + 16);
    for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
      boolean unreserved =
          (b >= 'a' && b <= 'z')
              || (b >= 'A' && b <= 'Z')
              || (b >= '0' && b <= '9')
              || "-._~,!$()*".indexOf(b) >= 0;
      if (unreserved) {
        out.append((char) b);
      } else {
        encode(b, out);
      }
    }
    return out.toString();
  }

  private static void encode(byte b, StringBuilder out) {
    out.append('%');
    out.append(Character.toUpperCase(Character.forDigit((b >> 4) & 15, 16)));
    out.append(Character.toUpperCase(Character.forDigit(b & 15, 16)));
  }
}
