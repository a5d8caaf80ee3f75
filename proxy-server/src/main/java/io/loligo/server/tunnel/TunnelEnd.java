package io.loligo.server.tunnel;

import io.loligo.server.shaping.Allowance;
import io.loligo.server.shaping.Limit;
import io.loligo.server.shaping.PacedBytes;
import io.loligo.store.memory.MemoryLedger;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One end of a tunnel: reads for the other end, and writes the bytes that the other end read.
 * Confined to its stream's event loop; the ends talk through {@link #onLoop}, which is a plain call
 * if they share one.
 */
final class TunnelEnd implements ByteStream.Events {
  private static final Logger LOG = LoggerFactory.getLogger(TunnelEnd.class);

  private final Tunnel tunnel;
  private final ByteStream stream;

  @SuppressWarnings("NullAway.Init") // set by pair, before any use
  private TunnelEnd other;

  /** Delays the bytes to this end; null: they have no limit. */
  private @Nullable DelayedOutput delayed;

  private long receivedBytes;
  private boolean inputEnded;
  private boolean otherFull;
  // the other end waits until all is written here
  private boolean withheld;
  // the other end's input is over: shut our output when all is written
  private boolean outputEnding;
  private boolean outputEnded;
  // the other end's input was cut, not ended, so this output has to be cut too
  private boolean outputCut;
  private boolean broken;

  TunnelEnd(Tunnel tunnel, ByteStream stream) {
    this.tunnel = tunnel;
    this.stream = stream;
  }

  void pair(TunnelEnd otherEnd) {
    other = otherEnd;
    otherEnd.other = this;
  }

  /** Delays the bytes to this end. Before {@link #start}. */
  void limit(Limit limit, MemoryLedger transit) {
    delayed = new DelayedOutput(limit, transit);
  }

  /** Bytes to this end that wait for their pool. The other end reads no more before they went. */
  private final class DelayedOutput implements PacedBytes.Outlet {
    private final Limit limit;
    private final MemoryLedger transit;
    private final PacedBytes paced;
    private long chargedBytes;

    DelayedOutput(Limit limit, MemoryLedger transit) {
      this.limit = limit;
      this.transit = transit;
      paced = new PacedBytes(limit.loop(), this);
    }

    void send(ByteBuf out) {
      transit.force(out.readableBytes());
      chargedBytes += out.readableBytes();
      paced.add(out);
      paced.pump();
    }

    @Override
    public Allowance allowance() {
      return limit.allowance();
    }

    @Override
    public void pass(ByteBuf piece) {
      uncharge(chargedBytes - paced.queuedBytes());
      if (broken || outputEnded) {
        piece.release();
      } else {
        stream.write(piece);
      }
    }

    private void uncharge(long bytes) {
      chargedBytes -= bytes;
      transit.release(bytes);
    }

    @Override
    public void passedAll() {
      tellIfReady();
      if (outputEnding) {
        endOutput();
      }
    }

    void close() {
      paced.close();
      uncharge(chargedBytes);
    }
  }

  private boolean isDelaying() {
    return delayed != null && !delayed.paced.isEmpty();
  }

  /** Drops the bytes that wait for their pool. */
  void dropDelayed() {
    if (delayed != null) {
      delayed.close();
    }
  }

  private void onLoop(Runnable task) {
    if (stream.loop().inEventLoop()) {
      task.run();
    } else {
      stream.loop().execute(task);
    }
  }

  /** Passes on the bytes that came early, and begins to read. */
  void start() {
    onLoop(stream::start);
  }

  // ---- from this end to the other

  @Override
  public void received(ByteBuf in) {
    tunnel.touch();
    receivedBytes += in.readableBytes();
    otherFull = true;
    if (other.stream.loop().inEventLoop()) {
      other.send(in);
    } else {
      other.onLoop(() -> other.send(in));
    }
  }

  @Override
  public void readComplete() {
    readMore();
  }

  private void readMore() {
    if (!inputEnded && !otherFull && !broken) {
      stream.read();
    }
  }

  /** The other end takes bytes again. */
  private void otherReady() {
    otherFull = false;
    readMore();
  }

  @Override
  public void closed() {
    if (!inputEnded && !broken) {
      // a write failed, and the unread bytes are unknown
      other.onLoop(() -> other.outputCut = true);
    }
    broken = true;
    inputEnded();
    if (!outputEnded) {
      // received bytes still go out by the other end; nothing comes back this way
      outputEnded = true;
      other.onLoop(other::inputVain);
    }
  }

  @Override
  public void inputEnded() {
    if (!inputEnded) {
      inputEnded = true;
      tunnel.touch();
      other.onLoop(other::beginOutputEnd);
    }
  }

  /** The other end is closed: further bytes received here would have no destination. */
  private void inputVain() {
    inputEnded = true;
    overIfDone();
  }

  @Override
  public void failed(Throwable cause) {
    if (cause instanceof OutOfMemoryError noMemory) {
      tunnel.shortage().met(noMemory, "a tunnel");
    } else {
      LOG.debug("A tunnel broke at {}", stream, cause);
    }
    broken = true;
    other.onLoop(other.stream::resetOnClose);
    tunnel.over();
  }

  // ---- from the other end to this one

  private void send(ByteBuf out) {
    if (broken || outputEnded) {
      out.release();
      return;
    }
    if (delayed != null) {
      delayed.send(out);
      return;
    }
    stream.write(out);
    tellIfReady();
  }

  private void tellIfReady() {
    if (isDelaying()) {
      return;
    }
    withheld = !stream.takesMore();
    if (!withheld) {
      other.onLoop(other::otherReady);
    }
  }

  @Override
  public void writable() {
    tellIfReady();
  }

  @Override
  public void progressed() {
    tunnel.touch();
    if (withheld && stream.takesMore()) {
      withheld = false;
      // not from within a write
      stream.loop().execute(this::tellIfReady);
    }
    if (outputEnding && stream.drained()) {
      // not from within a write
      stream.loop().execute(this::endOutput);
    }
  }

  private void beginOutputEnd() {
    outputEnding = true;
    stream.drain();
    endOutput();
  }

  private void endOutput() {
    if (outputEnded || isDelaying() || !stream.drained()) {
      return;
    }
    outputEnded = true;
    if (outputCut) {
      stream.resetOnClose();
      tunnel.over();
      return;
    }
    stream.shutdownOutput();
    overIfDone();
  }

  private void overIfDone() {
    if (inputEnded && outputEnded) {
      other.onLoop(other::overIfOutputDone);
    }
  }

  private void overIfOutputDone() {
    if (outputEnded) {
      tunnel.over();
    }
  }

  // ---- the end

  void close() {
    onLoop(
        () -> {
          broken = true;
          stream.close();
        });
  }

  long receivedBytes() {
    return receivedBytes;
  }

  long writtenBytes() {
    return stream.writtenBytes();
  }
}
