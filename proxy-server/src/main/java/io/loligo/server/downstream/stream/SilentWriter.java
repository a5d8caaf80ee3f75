package io.loligo.server.downstream.stream;

import io.loligo.core.message.FieldLines;
import io.loligo.core.message.Fields;
import io.loligo.server.transport.ResponseTally;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * A writer for a client that gets no response in HTTP. It only knows whether the head would have
 * been written. Confined to the client's event loop.
 */
public class SilentWriter implements ResponseWriter, ResponseTally {
  private boolean headSent;

  /** The final head would have been written. */
  public final void headWritten() {
    headSent = true;
  }

  @Override
  public boolean takesInterim() {
    return false;
  }

  @Override
  public void writeContinue() {}

  @Override
  public void writeInterim(int status, FieldLines lines) {}

  @Override
  public void writeOverloaded() {
    headSent = true;
  }

  @Override
  public void writeContent(ByteBuf content) {
    content.release();
  }

  @Override
  public void end(@Nullable Fields trailers) {}

  @Override
  public final boolean headSent() {
    return headSent;
  }

  @Override
  public boolean headMethod() {
    return false;
  }

  @Override
  public boolean exceeded(int more) {
    return false;
  }

  @Override
  public boolean incomplete() {
    return false;
  }

  @Override
  public long headBytes() {
    return 0;
  }

  @Override
  public void restart() {}

  @Override
  public long writtenBytes() {
    return 0;
  }

  @Override
  public long movedBytes() {
    return 0;
  }

  @Override
  public boolean pending() {
    return false;
  }

  @Override
  public boolean failed() {
    return false;
  }
}
