package io.loligo.server.exchange.adapt;

import io.loligo.core.message.ContentLength;
import io.loligo.core.message.FieldLines;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.FieldSet;
import io.loligo.core.message.Fields;
import io.loligo.core.message.HopByHop;
import io.loligo.core.message.Method;
import io.loligo.core.message.ParseFailure;
import io.loligo.core.message.ResponseHead;
import io.loligo.server.adapt.Adaptation;
import io.loligo.server.exchange.answer.ErrorPage;
import io.loligo.server.exchange.client.ClientEvents;
import io.loligo.server.exchange.client.ClientStream;
import io.loligo.server.exchange.client.OutgoingHead;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.exchange.rules.Refusal;
import io.loligo.server.exchange.services.LoopServices;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.HitClass;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * A response that a service gives in place of the origin. It is not stored. Content is read from
 * the service when the client takes more. Confined to the client's event loop.
 */
final class SatisfiedAnswer implements ClientEvents {
  private static final FieldSet FRAMING =
      FieldSet.of(FieldName.CONTENT_LENGTH, FieldName.TRANSFER_ENCODING, FieldName.TRAILER);

  private final LoopServices services;
  private final Request request;
  private final ClientStream stream;
  private final Adaptation adaptation;
  private boolean waits;
  private boolean over;

  SatisfiedAnswer(LoopServices services, Request request, Adaptation adaptation) {
    this.services = services;
    this.request = request;
    this.stream = request.stream();
    this.adaptation = adaptation;
  }

  /**
   * Sends {@code head}. Returns itself, or null if the response is complete.
   *
   * @param contentLength bytes of the content, see {@link ContentLength}
   */
  @Nullable ClientEvents start(ResponseHead head, long contentLength) {
    ExchangeRecord record = request.record();
    record.hitClass = HitClass.OWN_ANSWER;
    request.reply(head);
    Refusal refusal = services.caching.responseRefusal(request);
    if (refusal != null) {
      over = true;
      adaptation.cancel();
      ErrorPage.refuse(stream, services, request.contentLength(), refusal);
      return null;
    }
    record.status = head.status();
    record.reply = head;
    boolean bare =
        request.head().methodId() == Method.HEAD || head.status() == 204 || head.status() == 304;
    boolean last = bare || contentLength == 0;
    if (last) {
      over = true;
      adaptation.cancel();
    }
    long announced =
        head.status() == 204 || head.status() == 304 ? ContentLength.NONE : contentLength;
    stream.head(OutgoingHead.of(head.status(), lines(head)).content(announced, last));
    stream.flush();
    if (last) {
      return null;
    }
    readOn();
    return this;
  }

  private FieldLines lines(ResponseHead head) {
    FieldLines lines = new FieldLines(head.end() + 128);
    Fields fields = head.fields();
    HopByHop hopByHop = HopByHop.of(fields);
    if (!fields.has(FieldName.DATE)) {
      services.clock.addDate(lines, services.clock.millis());
    }
    for (int i = 0; i < fields.count(); i++) {
      if (!FRAMING.has(fields.id(i)) && !hopByHop.drops(fields, i)) {
        lines.add(fields, i);
      }
    }
    services.settings.addVia(lines, head.version());
    return lines;
  }

  private void readOn() {
    waits = !stream.writable();
    if (!waits) {
      adaptation.read();
    }
  }

  // ---- the service's content

  /** Takes {@code content}. */
  void arrived(ByteBuf content) {
    if (over) {
      content.release();
    } else {
      stream.content(content);
    }
  }

  void readComplete() {
    if (!over) {
      stream.flush();
      readOn();
    }
  }

  void ended(@Nullable Fields trailers) {
    if (!over) {
      over = true;
      stream.end(trailers);
      stream.flush();
    }
  }

  void failed(String why) {
    if (!over) {
      over = true;
      request.record().errorDetail = why;
      stream.abort(why);
    }
  }

  // ---- the client

  @Override
  public void content(ByteBuf content) {
    content.release(); // it goes to the service, not here
  }

  @Override
  public void contentEnd(@Nullable Fields trailers) {}

  @Override
  public void contentFailed(ParseFailure failure) {
    adaptation.cancel();
    failed(failure.text());
  }

  @Override
  public void writable() {
    if (waits && !over) {
      readOn();
    }
  }

  @Override
  public void gone() {
    over = true;
    adaptation.cancel();
  }
}
