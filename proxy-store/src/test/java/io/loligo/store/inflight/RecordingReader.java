package io.loligo.store.inflight;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.message.Fields;
import io.loligo.store.ManualLoops;
import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.EventExecutor;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;

/** Records its calls, and checks that they came in order and on its loop. */
final class RecordingReader implements InFlight.Reader {
  private final ManualLoops.Loop loop;
  private final ByteArrayOutputStream got = new ByteArrayOutputStream();
  InFlight.Subscription subscription;
  InFlight.Arrived head;
  Fields trailers;
  boolean ended;
  Object failure;
  Throwable brokenBy;
  long autoCredit;
  Runnable onContent = () -> {};
  Runnable onCaughtUp = () -> {};

  /** Bytes it had whenever it had caught up. */
  final List<Integer> caughtUp = new ArrayList<>();

  RecordingReader(ManualLoops.Loop loop) {
    this.loop = loop;
  }

  /** Joins {@code flight} on this reader's loop; whether it could. */
  boolean join(InFlight flight, boolean cause) {
    loop.call(() -> subscription = flight.attach(this, cause));
    return subscription != null;
  }

  void startAt(long offset) {
    loop.call(() -> subscription.startAt(offset));
  }

  void request(long bytes) {
    loop.call(() -> subscription.request(bytes));
  }

  void cancel() {
    loop.call(() -> subscription.cancel());
  }

  byte[] got() {
    return got.toByteArray();
  }

  int count() {
    return got.size();
  }

  boolean over() {
    return ended || failure != null;
  }

  @Override
  public EventExecutor loop() {
    return loop;
  }

  @Override
  public void broken(Throwable failure) {
    assertTold();
    brokenBy = failure;
  }

  @Override
  public void head(InFlight.Arrived head) {
    assertTold();
    assertThat(this.head).isNull();
    assertThat(head.fields().refCnt()).isPositive();
    this.head = head;
  }

  @Override
  public void content(ByteBuf content) {
    assertTold();
    assertThat(head).isNotNull();
    int bytes = content.readableBytes();
    assertThat(bytes).isPositive();
    try {
      content.getBytes(content.readerIndex(), got, bytes);
    } catch (java.io.IOException impossible) {
      throw new AssertionError(impossible);
    } finally {
      content.release();
    }
    onContent.run();
    if (autoCredit > 0) {
      subscription.request(bytes);
    }
  }

  @Override
  public void caughtUp() {
    assertTold();
    caughtUp.add(count());
    onCaughtUp.run();
  }

  @Override
  public void end(Fields trailers) {
    assertTold();
    ended = true;
    this.trailers = trailers;
  }

  @Override
  public void failed(Object cause) {
    assertTold();
    failure = cause;
  }

  private void assertTold() {
    assertThat(subscription).as("told before attach returned").isNotNull();
    assertThat(loop.inEventLoop()).as("told on its loop").isTrue();
    assertThat(over()).as("told after the end").isFalse();
  }
}
