package io.loligo.server.upstream.attempt;

import io.loligo.core.http1.Framing;
import io.loligo.core.message.ContentLength;
import io.loligo.core.message.Fields;
import io.loligo.core.message.ResponseHead;
import io.loligo.server.upstream.FetchFailure;
import io.loligo.server.upstream.OriginEvents;
import io.loligo.server.upstream.OriginStream;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** Records the events of a fetch, and asks for more unless told otherwise. */
final class Listening implements OriginEvents {
  /** Events in order, content left out. */
  final List<String> events = new ArrayList<>();

  final StringBuilder content = new StringBuilder();
  OriginStream stream;
  boolean reading = true;
  boolean canContinue;
  Runnable onHead = () -> {};
  Runnable onContent = () -> {};
  FetchFailure failure;

  /** Counted down at the last event. */
  final CountDownLatch done = new CountDownLatch(1);

  boolean over() {
    return failure != null || events.stream().anyMatch(event -> event.startsWith("end"));
  }

  @Override
  public boolean canContinue() {
    return canContinue;
  }

  @Override
  public void readyForContent() {
    note("ready");
  }

  @Override
  public void interim(ResponseHead head) {
    note("interim " + head.status());
  }

  @Override
  public void head(ResponseHead head, long contentLength) {
    note(head == null ? "tunnel" : "head " + head.status() + " " + kind(contentLength));
    onHead.run();
    if (reading) {
      stream.read();
    }
  }

  private static Framing.Kind kind(long contentLength) {
    if (contentLength >= 0) {
      return Framing.Kind.LENGTH;
    }
    return contentLength == ContentLength.NONE
        ? Framing.Kind.NONE
        : contentLength == ContentLength.UNKNOWN ? Framing.Kind.CHUNKED : Framing.Kind.UNTIL_CLOSE;
  }

  @Override
  public void content(ByteBuf bytes) {
    content.append(bytes.toString(StandardCharsets.ISO_8859_1));
    bytes.release();
    onContent.run();
  }

  @Override
  public void readComplete() {
    if (reading) {
      stream.read();
    }
  }

  @Override
  public void end(Fields trailers) {
    StringBuilder text = new StringBuilder("end");
    for (int i = 0; trailers != null && i < trailers.count(); i++) {
      text.append(' ').append(trailers.name(i)).append('=').append(trailers.value(i));
    }
    note(text.toString());
    done.countDown();
  }

  @Override
  public void writable() {
    note("writable");
  }

  @Override
  public void failed(FetchFailure cause) {
    note("failed " + cause.kind());
    failure = cause;
    done.countDown();
  }

  private void note(String event) {
    if (over()) {
      throw new AssertionError("after the end: " + event + " " + events);
    }
    events.add(event);
  }
}
