package io.loligo.store.inflight;

import io.loligo.core.message.Fields;
import io.loligo.store.inflight.InFlight.Arrived;
import io.loligo.store.inflight.InFlight.Reader;
import io.netty.buffer.ByteBuf;
import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * One reader's place in the content. Its place and credit are confined to the writer's loop, {@code
 * done} and {@code fields} to the reader's; anything between them travels as a task. If both loops
 * are the same, everything is a plain call.
 */
final class Cursor implements InFlight.Subscription {
  private final InFlight source;
  private final Reader reader;
  private final boolean cause;

  // writer's loop
  final Place place;
  long credit;
  long from;
  boolean headTold;
  boolean pumping;
  boolean reading;
  boolean gone;

  /** Whether content was told after which it has not heard that it has caught up. */
  private boolean behind;

  // reader's loop
  private boolean done;
  private @Nullable ByteBuf fields;

  Cursor(InFlight source, Place place, Reader reader, boolean cause) {
    this.source = source;
    this.place = place;
    this.reader = reader;
    this.cause = cause;
  }

  /** Whose place it is. */
  Reader reader() {
    return reader;
  }

  /** Whether this reader caused the fetch. */
  boolean cause() {
    return cause;
  }

  private boolean sameLoop() {
    return reader.loop().inEventLoop();
  }

  // Subscription: reader's loop

  @Override
  public void request(long bytes) {
    if (bytes <= 0) {
      throw new IllegalArgumentException("bytes: " + bytes + " (expected: > 0)");
    }
    if (done) {
      return;
    }
    if (source.inWriterLoop()) {
      source.credit(this, bytes);
    } else {
      source.execute(() -> source.credit(this, bytes));
    }
  }

  @Override
  public void startAt(long offset) {
    if (done) {
      return;
    }
    if (source.inWriterLoop()) {
      from = offset;
    } else {
      source.execute(() -> from = offset);
    }
  }

  @Override
  public void cancel() {
    if (!done) {
      finish();
      if (source.inWriterLoop()) {
        source.leave(this);
      } else {
        source.execute(() -> source.leave(this));
      }
    }
  }

  private void finish() {
    done = true;
    if (fields != null) {
      fields.release();
      fields = null;
    }
  }

  // Told by the source: called on the writer's loop, carried out on the reader's

  void tellHead(Arrived arrived) {
    headTold = true;
    ByteBuf held = arrived.fields().retain().touch("Cursor");
    if (sameLoop()) {
      onHead(arrived, held);
    } else {
      post(held, () -> onHead(arrived, held));
    }
  }

  private void onHead(Arrived arrived, ByteBuf held) {
    if (done) {
      held.release();
      return;
    }
    fields = held;
    try {
      reader.head(arrived);
    } catch (RuntimeException | OutOfMemoryError failure) {
      broken(failure);
    }
    if (!arrived.shareable() && !cause && !done) {
      finish();
    }
  }

  /** Whether bytes in memory can be told. */
  boolean mayHaveMore() {
    return !gone && credit > 0 && !place.isAtEnd() && !place.isGone();
  }

  /** Gives the next bytes, within the credit. Takes {@code content}. */
  void tellContent(ByteBuf content) {
    credit -= content.readableBytes();
    behind = true;
    if (sameLoop()) {
      onContent(content);
    } else {
      post(content, () -> onContent(content));
    }
  }

  private void onContent(ByteBuf content) {
    if (done) {
      content.release();
      return;
    }
    try {
      reader.content(content);
    } catch (RuntimeException | OutOfMemoryError failure) {
      broken(failure);
    }
  }

  /** Tells the reader, once after content, that it has all that it may have by now. */
  void tellCaughtUp() {
    if (!behind) {
      return;
    }
    behind = false;
    if (sameLoop()) {
      onCaughtUp();
    } else {
      post(null, this::onCaughtUp);
    }
  }

  private void onCaughtUp() {
    if (done) {
      return;
    }
    try {
      reader.caughtUp();
    } catch (RuntimeException | OutOfMemoryError failure) {
      broken(failure);
    }
  }

  void tellEnd(@Nullable Fields trailers) {
    if (sameLoop()) {
      onEnd(trailers);
    } else {
      post(null, () -> onEnd(trailers));
    }
  }

  private void onEnd(@Nullable Fields trailers) {
    if (done) {
      return;
    }
    try {
      reader.end(trailers);
    } catch (RuntimeException | OutOfMemoryError failure) {
      broken(failure);
    }
    finish();
  }

  /** Ends the reader. */
  void refuse(Object why) {
    gone = true;
    tellFailed(why);
  }

  void tellFailed(Object why) {
    if (sameLoop()) {
      onFailed(why);
    } else {
      post(null, () -> onFailed(why));
    }
  }

  private void onFailed(Object why) {
    if (done) {
      return;
    }
    try {
      reader.failed(why);
    } catch (RuntimeException | OutOfMemoryError failure) {
      broken(failure);
    }
    finish();
  }

  /** A reader that fails does not affect the others: it is dropped. */
  private void broken(Throwable failure) {
    cancel();
    reader.broken(failure);
  }

  /** Runs {@code task} on the reader's loop; {@code held} is released if that is shut down. */
  private void post(@Nullable ByteBuf held, Runnable task) {
    try {
      reader.loop().execute(task);
    } catch (RejectedExecutionException shutDown) {
      ReferenceCountUtil.release(held);
      gone = true;
    }
  }
}
