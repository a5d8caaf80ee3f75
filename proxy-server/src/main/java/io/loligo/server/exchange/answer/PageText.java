package io.loligo.server.exchange.answer;

import io.loligo.core.caching.HttpDate;
import io.loligo.core.message.FieldLines;
import io.loligo.core.message.IpText;
import io.loligo.core.message.RequestTarget;
import io.loligo.server.exchange.client.ClientStream;
import io.loligo.server.exchange.services.LoopServices;
import io.loligo.server.exchange.settings.IdentityDirectives;
import io.loligo.server.exchange.settings.pages.ErrorPages;
import io.loligo.server.exchange.settings.pages.HtmlText;
import io.loligo.server.exchange.settings.pages.PageTemplate;
import io.loligo.server.record.ExchangeRecord;
import io.netty.util.NetUtil;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
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

  /** {@code template} as HTML, in parts. */
  List<byte[]> page(String template) {
    return filled(PageTemplate.of(template, ErrorPages.CODES), code -> bytes(html(code)));
  }

  /** {@code template} as a URL: visible ASCII without quotes and angle brackets. */
  String url(String template) {
    StringBuilder safe = new StringBuilder(template.length() + 64);
    filled(PageTemplate.of(template, ErrorPages.CODES), code -> bytes(inUrl(code)))
        .forEach(part -> encodeUnsafe(part, safe));
    return safe.toString();
  }

  /** The bytes of a fact. */
  interface Facts {
    byte[] of(char code);
  }

  /** {@code template} with facts, in parts. */
  List<byte[]> filled(PageTemplate template, Facts facts) {
    List<byte[]> parts = new ArrayList<>(2 * template.pieces().size());
    for (int i = 0; i < template.codes().length(); i++) {
      parts.add(template.pieces().get(i));
      parts.add(facts.of(template.codes().charAt(i)));
    }
    parts.add(template.pieces().get(template.codes().length()));
    return parts;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private String html(char code) {
    String fact = fact(code, true);
    return code == 'l' || code == 'S' ? fact : HtmlText.escaped(fact);
  }

  private String inUrl(char code) {
    String fact = fact(code, false);
    return code == '%' || code == 'R' ? fact : encoded(fact);
  }

  /** The fact of {@code code} as it is, not escaped. */
  String plain(char code) {
    return fact(code, true);
  }

  /** Squid's ERR_ name. */
  String errorCode() {
    return errorCode;
  }

  /** The id of the request; null: it has none. */
  @Nullable String requestId() {
    return record.requestId();
  }

  /** The URL of the request; null: it is not known. */
  @Nullable String knownUrl() {
    return record.target == null ? null : cut(record.target.url());
  }

  /** The URL of the request as a URI reference in ASCII; null: it is not known. */
  @Nullable String urlReference() {
    RequestTarget target = record.target;
    if (target == null) {
      return null;
    }
    String url = cut(target.url());
    boolean isAuthority = target.form() == RequestTarget.Form.AUTHORITY;
    StringBuilder safe = new StringBuilder(url.length() + 16);
    encodeUnsafe(bytes(isAuthority ? "//" + url : url), safe);
    return safe.toString();
  }

  /** What a helper of an ACL has told the user; null: nothing. */
  @Nullable String helperMessage() {
    return record.helpers == null ? null : record.helpers.message();
  }

  /** The style of all built-in pages. */
  byte[] builtInStyle() {
    return bytes(services.settings.pages.builtInStyle());
  }

  /** The element with {@code err_page_stylesheet}; may be empty. */
  byte[] style() {
    String css = services.settings.pages.style();
    return bytes(css.isEmpty() ? "" : "<style>" + css + "</style>");
  }

  /** The fact that {@code code} stands for. */
  private String fact(char code, boolean html) {
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
          default -> "";
        };
    return code == 'l' ? fact : cut(fact);
  }

  private static String cut(String fact) {
    return fact.length() <= MAX_FACT_CHARS ? fact : fact.substring(0, MAX_FACT_CHARS);
  }

  private String helperMessage(boolean html) {
    String told = helperMessage();
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
        + HtmlText.escaped(services.settings.cacheName())
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

  /** Adds {@code text}, with everything encoded that is no visible ASCII or could end a URL. */
  private static void encodeUnsafe(byte[] text, StringBuilder out) {
    for (byte b : text) {
      if (b <= ' ' || b == 0x7f || b == '"' || b == '<' || b == '>') {
        encode(b, out);
      } else {
        out.append((char) b);
      }
    }
  }

  private static void encode(byte b, StringBuilder out) {
    out.append('%');
    out.append(Character.toUpperCase(Character.forDigit((b >> 4) & 15, 16)));
    out.append(Character.toUpperCase(Character.forDigit(b & 15, 16)));
  }
}
