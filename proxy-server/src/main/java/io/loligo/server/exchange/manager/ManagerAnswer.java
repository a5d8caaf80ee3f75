package io.loligo.server.exchange.manager;

import io.loligo.core.message.ContentLength;
import io.loligo.core.message.FieldLines;
import io.loligo.server.exchange.answer.ErrorPage;
import io.loligo.server.exchange.client.ClientEvents;
import io.loligo.server.exchange.client.ClientStream;
import io.loligo.server.exchange.request.ManagerTarget;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.exchange.request.Suspension;
import io.loligo.server.exchange.rules.Refusal;
import io.loligo.server.exchange.services.LoopServices;
import io.loligo.server.manager.ManagerPage;
import io.loligo.server.record.LogTag;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import org.jspecify.annotations.Nullable;

/** Answers a request with a manager page, once it is made. Stateless. */
public final class ManagerAnswer {
  private static final String TYPE = "text/plain";

  private ManagerAnswer() {}

  /**
   * Asks for the page. Returns the part that waits for it.
   *
   * @param request borrowed; names a page that exists
   */
  public static ClientEvents start(LoopServices services, Request request) {
    ManagerPage page = ManagerPage.named(ManagerTarget.page(request.target()));
    assert page != null : "admission has checked it";
    ClientStream stream = request.stream();
    if (ContentLength.hasContent(request.contentLength())) {
      stream.closeAfter();
    }
    request.record().tag = LogTag.TCP_MISS;
    Suspension suspension = new Suspension(request.snapshot());
    services
        .manager
        .page(page)
        .whenComplete(
            (text, failure) ->
                stream
                    .loop()
                    .execute(
                        () ->
                            suspension.resume(
                                () -> {
                                  answer(services, stream, text, failure);
                                  return null;
                                })));
    return suspension;
  }

  private static void answer(
      LoopServices services,
      ClientStream stream,
      @Nullable String text,
      @Nullable Throwable failure) {
    if (text == null) {
      stream.record().errorDetail = "manager page: " + failure;
      FieldLines retry = new FieldLines(32).add("Retry-After", Refusal.RETRY_SECONDS);
      String why = "The manager page cannot be made now.";
      ErrorPage.send(stream, services, 503, "ERR_OVERLOADED", why, retry);
      return;
    }
    FieldLines lines = services.scratch.lines();
    services.clock.addDate(lines, services.clock.millis());
    byte[] via = services.settings.viaLine();
    lines.append(via, 0, via.length);
    lines.add("Content-Type", TYPE + ";charset=utf-8");
    lines.add("Cache-Control", "no-store");
    stream.record().contentType = TYPE;
    boolean isHead = stream.record().method.equals("HEAD");
    int bytes = ByteBufUtil.utf8Bytes(text);
    ByteBuf block = stream.allocator().directBuffer(bytes + 2);
    try {
      block.writeByte('\r').writeByte('\n');
      ByteBufUtil.writeUtf8(block, text);
      stream.head(
          services
              .scratch
              .head(200, lines)
              .block(block, 0, isHead ? 2 : block.writerIndex())
              .content(bytes, true));
      stream.flush();
    } finally {
      block.release();
    }
  }
}
