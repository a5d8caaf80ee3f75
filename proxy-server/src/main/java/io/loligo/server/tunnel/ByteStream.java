package io.loligo.server.tunnel;

import io.loligo.store.memory.MemoryLedger;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;

/**
 * Bytes in both directions, after an HTTP side has given them away for a CONNECT or an Upgrade: a
 * whole connection, or one stream of a multiplexed connection. Reading is off until {@link #read}
 * asks for bytes.
 *
 * <p>Order: {@link #attach}, {@link #start}, then the others; or {@link #discard} in place of all
 * these. Confined to {@link #loop} from {@link #start} on.
 */
public interface ByteStream {
  /** Events of a stream. Called on its loop, after {@link #start} has begun. */
  interface Events {
    /** Bytes arrived. Takes {@code bytes}. */
    void received(ByteBuf bytes);

    /** One read's worth of bytes was delivered; ask again with {@link #read}. */
    void readComplete();

    /** The peer sends nothing more. */
    void inputEnded();

    /**
     * Bytes were written, perhaps from within {@link #write}: do not write from within this call.
     */
    void progressed();

    /** The stream takes bytes again. */
    void writable();

    /** Both directions are closed. */
    void closed();

    /** The stream failed. */
    void failed(Throwable cause);
  }

  EventLoop loop();

  /**
   * Prepares the stream. Any thread.
   *
   * @param bufferBytes bytes queued to the peer from which on {@link #takesMore} is false
   * @param transit ledger of the queued bytes
   */
  void attach(Events events, int bufferBytes, MemoryLedger transit);

  /** Delivers the bytes that came after the head, then the state of the stream. */
  void start();

  /** Asks for one read. */
  void read();

  /** Queues {@code bytes}, taken, and flushes. */
  void write(ByteBuf bytes);

  /** Whether more bytes should be written now; {@link Events#writable} tells when, or progress. */
  boolean takesMore();

  /**
   * The output is about to end: from now on {@link Events#progressed} also reports bytes that were
   * queued before the stream was given away.
   */
  void drain();

  /** Whether all queued bytes are written. */
  boolean drained();

  /** Ends the output: the peer sees an end, and may continue to send. */
  void shutdownOutput();

  /** Makes the coming close look like a failure to the peer, not like an end. */
  void resetOnClose();

  /** Closes both directions. */
  void close();

  /** Bytes that the peer's socket took. Any thread once it is closed. */
  long writtenBytes();

  /** Closes a stream that was never started. Any thread. */
  void discard();
}
