package io.loligo.server.exchange.answer;

import io.loligo.core.acl.AclVerdict;
import io.loligo.core.message.ContentLength;
import io.loligo.core.message.FieldLines;
import io.loligo.core.message.Method;
import io.loligo.core.message.ParseFailure;
import io.loligo.core.message.RequestHead;
import io.loligo.server.exchange.client.ClientStream;
import io.loligo.server.exchange.rules.Refusal;
import io.loligo.server.exchange.services.LoopServices;
import io.loligo.server.exchange.settings.ExchangeSettings;
import io.loligo.server.exchange.settings.pages.DenyPage;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.HitClass;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** Responses that the proxy generates. All text in them is escaped. Stateless. */
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
    send(stream, services, refusal.status(), refusal.errorCode(), refusal);
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
        send(stream, services, status, denied.text(), refusal);
      }
    }
  }

  /** Sends the page {@code errorCode} for {@code refusal}. */
  private static void send(
      ClientStream stream, LoopServices services, int status, String errorCode, Refusal refusal) {
    String text = refusal.text();
    send(stream, services, status, errorCode, text, refusal.lines(), refusal.verdict());
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
    send(stream, services, status, errorCode, text, lines, null);
  }

  private static void send(
      ClientStream stream,
      LoopServices services,
      int status,
      String errorCode,
      String text,
      @Nullable FieldLines lines,
      @Nullable AclVerdict denial) {
    FieldLines head = new FieldLines(512);
    if (lines != null) {
      head.append(lines.bytes(), 0, lines.length());
    }
    services.clock.addDate(head, services.clock.millis());
    ExchangeSettings settings = services.settings;
    head.append(settings.viaLine(), 0, settings.viaLine().length);
    ErrorContent content = ErrorContent.of(stream, services, status, errorCode, text, denial);
    boolean isHtml = content.mediaType().equals(ErrorContent.HTML);
    head.add("Content-Type", content.mediaType() + (isHtml ? ";charset=utf-8" : ""));
    if (content.language() != null) {
      head.add("Content-Language", content.language());
    }
    head.add("Vary", content.vary());
    if (content.builtIn()) {
      head.add("Content-Security-Policy", settings.pages.policy());
      head.add("X-Content-Type-Options", "nosniff");
    }
    head.add("X-Loligo-Error", errorCode);
    if (status != 408) {
      head.add("Cache-Control", "no-store");
    }
    boolean isHead =
        stream.record().request != null && stream.record().request.methodId() == Method.HEAD;
    int bytes = content.length();
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
      content.writeTo(block);
      stream.record().errorCode = errorCode;
      stream.record().contentType = content.mediaType();
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
}
