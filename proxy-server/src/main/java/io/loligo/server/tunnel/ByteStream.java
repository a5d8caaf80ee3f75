package io.loligo.server.tunnel;

import io.loligo.store.memory.MemoryLedger;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;

/**
 * Bytes both ways, which an HTTP side gave away after a CONNECT or an Upgrade: a whole connection,
 * or one stream of a multiplexed connection. Reading is off until {@link #read} asks for bytes.
 *
 * <p>Order: {@link #attach}, {@link #start}, then the others, or {@link #discard} in place of all
 * that. Confined to {@link #loop} from {@link #start} on.
 */
public interface ByteStream {
  /** What becomes of a stream. Called on its loop, after {@link #start} has begun. */
  interface Events {
    /** Bytes arrived. Takes {@code bytes}. */
    void received(ByteBuf bytes);

    /** One read's worth of bytes was delivered; ask again with {@link #read}. */
    void readComplete();

    /** The peer sends nothing more. */
    void inputEnded();

    /** Bytes were written, perhaps from within {@link #write}: do not write from within this. */
    void progressed();

    /** The stream takes bytes again. */
    void writable();

    /** Both directions are closed. */
    void closed();

    /** The stream broke. */
    void failed(Throwable cause);
  }

  EventLoop loop();

  /**
   * Gets the stream ready. Any thread.
   *
   * @param bufferBytes bytes queued to the peer from which on {@link #takesMore} is false
   * @param transit ledger of the bytes that are queued
   */
  void attach(Events events, int bufferBytes, MemoryLedger transit);

  /** Delivers the bytes that came behind the head, then the state of the stream. */
  void start();

  /** Asks for one read. */
  void read();

  /** Queues {@code bytes}, taken, and flushes. */
  void write(ByteBuf bytes);

  /** Whether more bytes are to be written now; {@link Events#writable} tells when, or progress. */
  boolean takesMore();

  /**
   * The output is about to end: from now on {@link Events#progressed} also tells of bytes that were
   * queued before the stream was given away.
   */
  void drain();

  /** Whether no byte that was queued is still unwritten. */
  boolean drained();

  /** Ends the output: the peer sees an end, and may go on to send. */
  void shutdownOutput();

  /** Lets the close to come look like a failure to the peer, not like an end. */
  void resetOnClose();

  /** Closes both directions. */
  void close();

  /** Bytes the peer's socket took. Any thread once it is closed. */
  long writtenBytes();

  /** Closes a stream that was never started. Any thread. */
  void discard();
}
