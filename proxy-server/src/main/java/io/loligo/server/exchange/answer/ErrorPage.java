package io.loligo.server.exchange.answer;

import io.loligo.core.message.ContentLength;
import io.loligo.core.message.FieldLines;
import io.loligo.core.message.Method;
import io.loligo.core.message.ParseFailure;
import io.loligo.core.message.RequestHead;
import io.loligo.server.exchange.client.ClientStream;
import io.loligo.server.exchange.rules.Refusal;
import io.loligo.server.exchange.services.LoopServices;
import io.loligo.server.exchange.settings.ExchangeSettings;
import io.loligo.server.exchange.settings.IdentityDirectives;
import io.loligo.server.exchange.settings.pages.DenyPage;
import io.loligo.server.exchange.settings.pages.ErrorPages;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.HitClass;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.handler.codec.http.HttpResponseStatus;
import org.jspecify.annotations.Nullable;

/**
 * Responses that the proxy generates. They are short, and all text in them is escaped. Stateless.
 */
public final class ErrorPage {
  private ErrorPage() {}

  /** Squid's ERR_ name for a malformed request. */
  public static String code(ParseFailure failure) {
    return failure.status() == 408 ? "ERR_REQUEST_TIMEOUT" : "ERR_INVALID_REQ";
  }

  /**
   * Sends {@code refusal} as the complete response. The connection closes if the request has
   * content that was not read, because nobody will read it. After a challenge, the stream may skip
   * content and keep the connection for the request with the login.
   *
   * @param contentLength bytes of the request's content, see {@link ContentLength}
   */
  public static void refuse(
      ClientStream stream, LoopServices services, long contentLength, Refusal refusal) {
    ExchangeRecord record = stream.record();
    record.hitClass = HitClass.OWN_ANSWER;
    if (refusal.tag() != null) {
      record.tag = refusal.tag();
    }
    if (refusal.detail() != null) {
      record.errorDetail = refusal.detail();
    }
    if (refusal.shed() != null) {
      record.shed = refusal.shed();
    }
    boolean leavesContent =
        ContentLength.hasContent(contentLength)
            && !refusal.isChallenge()
            && stream.contentMissing();
    if (refusal.closes() || leavesContent) {
      stream.closeAfter();
    }
    answer(stream, services, refusal);
  }

  /**
   * Sends {@code refusal}, or the response that {@code deny_info} gives in its place. Notes nothing
   * in the record but the page and the rule.
   */
  public static void answer(ClientStream stream, LoopServices services, Refusal refusal) {
    if (refusal.verdict() != null) {
      stream.record().rule = refusal.verdict();
    }
    DenyPage denied = services.settings.pages.denied(refusal.lastAcl());
    if (denied != null) {
      deny(stream, services, refusal, denied);
      return;
    }
    if (refusal.errorCode().isEmpty() && refusal.lines() != null) {
      redirect(stream, services, refusal.status(), refusal.lines());
      return;
    }
    send(stream, services, refusal.status(), refusal.errorCode(), refusal.text(), refusal.lines());
  }

  /** The response that {@code deny_info} gives. */
  private static void deny(
      ClientStream stream, LoopServices services, Refusal refusal, DenyPage denied) {
    switch (denied.kind()) {
      case RESET -> stream.abort("deny_info TCP_RESET");
      case REDIRECT -> {
        RequestHead head = stream.record().request;
        boolean safe = head == null || Method.isGetOrHead(head.methodId()) || head.version() < 11;
        int status = denied.status() > 0 ? denied.status() : safe ? 302 : 307;
        String url = new PageText(stream, services, refusal.errorCode()).url(denied.text());
        redirect(stream, services, status, new FieldLines(256).add("Location", url));
      }
      case PAGE -> {
        int status = denied.status() > 0 ? denied.status() : refusal.status();
        send(stream, services, status, denied.text(), refusal.text(), refusal.lines());
      }
    }
  }

  private static void redirect(
      ClientStream stream, LoopServices services, int status, FieldLines lines) {
    FieldLines head = new FieldLines(256).append(lines.bytes(), 0, lines.length());
    services.clock.addDate(head, services.clock.millis());
    byte[] via = services.settings.viaLine();
    head.append(via, 0, via.length);
    stream.head(services.scratch.head(status, head).content(0, true));
    stream.flush();
  }

  /** Refuses a malformed or unacceptable message and closes the connection. */
  public static void refuse(ClientStream stream, LoopServices services, ParseFailure failure) {
    ExchangeRecord record = stream.record();
    if (record.target == null) {
      if (record.url == null) {
        record.url = "error:invalid-request";
      }
      record.method = record.request == null ? ExchangeRecord.NO_METHOD : record.request.method();
    }
    record.errorDetail = failure.text();
    record.requestFailure = failure;
    stream.closeAfter();
    send(stream, services, failure.status(), code(failure), failure.text() + ".", null);
  }

  /**
   * Sends an error page as the complete response. It has no Cache-Status, because no stored
   * response takes part in it (RFC 9211 section 2).
   *
   * @param errorCode Squid's ERR_ name
   * @param text the explanation for the client; this method escapes it
   * @param lines further field lines, borrowed; null if none
   */
  public static void send(
      ClientStream stream,
      LoopServices services,
      int status,
      String errorCode,
      String text,
      @Nullable FieldLines lines) {
    FieldLines head = new FieldLines(512);
    if (lines != null) {
      head.append(lines.bytes(), 0, lines.length());
    }
    services.clock.addDate(head, services.clock.millis());
    ExchangeSettings settings = services.settings;
    head.append(settings.viaLine(), 0, settings.viaLine().length);
    head.add("Content-Type", "text/html;charset=utf-8");
    RequestHead request = stream.record().request;
    String accepted = request == null ? null : request.fields().joined("Accept-Language");
    ErrorPages.Page template = settings.pages.page(errorCode, accepted);
    String language = template == null ? "en" : template.language();
    if (language != null) {
      head.add("Content-Language", language);
    }
    if (settings.pages.hasLanguages()) {
      head.add("Vary", "Accept-Language");
    }
    head.add("X-Loligo-Error", errorCode);
    if (status != 408) {
      head.add("Cache-Control", "no-store");
    }
    boolean isHead =
        stream.record().request != null && stream.record().request.methodId() == Method.HEAD;
    String page =
        template == null
            ? page(status, errorCode, text, settings)
            : new PageText(stream, services, errorCode).page(template.template());
    int bytes = ByteBufUtil.utf8Bytes(page);
    ByteBuf block;
    try {
      block = stream.allocator().directBuffer(bytes + 2);
    } catch (OutOfMemoryError e) {
      // an exception from the error path would leave the client without a response
      stream.failed(e);
      return;
    }
    try {
      block.writeByte('\r').writeByte('\n');
      ByteBufUtil.writeUtf8(block, page);
      stream.record().errorCode = errorCode;
      stream.record().contentType = "text/html";
      stream.head(
          services
              .scratch
              .head(status, head)
              .block(block, 0, isHead ? 2 : block.writerIndex())
              .content(bytes, true));
      stream.flush();
    } finally {
      block.release();
    }
  }

  private static String page(int status, String errorCode, String text, ExchangeSettings settings) {
    String title = status + " " + HttpResponseStatus.valueOf(status).reasonPhrase();
    return "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>"
        + escaped(title)
        + "</title>"
        + style(settings.pages.stylesheet())
        + "</head>\n<body><h1>"
        + escaped(title)
        + "</h1>\n<p>"
        + escaped(text)
        + "</p>\n<hr><p><small>"
        + escaped(errorCode)
        + ", loligo at "
        + escaped(settings.cacheName())
        + ", "
        + escaped(settings.config().get(IdentityDirectives.CACHE_MGR))
        + "</small></p></body></html>\n";
  }

  private static String style(String css) {
    return css.isEmpty() ? "" : "<style>" + css + "</style>";
  }

  static String escaped(String text) {
    StringBuilder out = new StringBuilder(text.length() + 16);
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '<' -> out.append("&lt;");
        case '>' -> out.append("&gt;");
        case '&' -> out.append("&amp;");
        case '"' -> out.append("&quot;");
        case '\'' -> out.append("&#39;");
        default -> out.append(c < ' ' ? ' ' : c);
      }
    }
    return out.toString();
  }
}
