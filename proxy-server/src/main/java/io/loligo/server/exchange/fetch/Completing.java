package io.loligo.server.exchange.fetch;

import io.loligo.core.message.ResponseHead;
import io.loligo.core.range.Completion;
import io.loligo.store.inflight.InFlight;
import io.loligo.store.memory.Entry;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import org.jspecify.annotations.Nullable;

/**
 * An incomplete stored response that a fetch completes. It alternates between stored stretches and
 * responses for the gaps between them. Owns a reference to the stored response until {@link
 * #release}. Confined to the fetch's event loop.
 */
final class Completing {
  private final Fetch fetch;
  private final EventLoop eventLoop;
  private final Entry part;
  private Completion completion;

  /** The offset of the next byte of the response. */
  private long position;

  /** The number of the gap that is being fetched or comes next. */
  private int gap;

  /** Whether readers have the head. */
  private boolean opened;

  /** Whether a further gap was requested and the head of its response has not arrived. */
  private boolean asking;

  /** Whether a stored stretch is being read from disk. */
  private boolean feeding;

  /** Completes {@code part}, taken. */
  Completing(Fetch fetch, EventLoop eventLoop, Entry part, Completion completion) {
    this.fetch = fetch;
    this.eventLoop = eventLoop;
    this.part = part;
    this.completion = completion;
    this.position = completion.first();
  }

  /** Releases the stored response. Call once. */
  void release() {
    part.release();
  }

  /** The stored response, borrowed. */
  Entry part() {
    return part;
  }

  /** Readers get the head. */
  void open() {
    opened = true;
  }

  /** Whether readers have the head. */
  boolean isOpened() {
    return opened;
  }

  /** Notes that a further gap is requested, or that the head of its response has arrived. */
  void asking(boolean isAsking) {
    asking = isAsking;
  }

  /** Whether a further gap was requested and the head of its response has not arrived. */
  boolean isAsking() {
    return asking;
  }

  /** The fields that request the current gap. */
  Conditions conditions() {
    return Conditions.completing(completion, gap);
  }

  /** Whether {@code reply}, with this content length, is the current gap. */
  boolean isContinuedBy(ResponseHead reply, long contentLength) {
    return completion.isContinuedBy(reply, contentLength, gap);
  }

  /** The plan, completed with the total length from the response to the first request. */
  Completion known(ResponseHead reply) {
    completion = completion.known(reply);
    return completion;
  }

  /** Notes content of the gap. */
  void received(int bytes) {
    position += bytes;
  }

  /** Whether {@code bytes} more would exceed the gap. */
  boolean overflowsGap(int bytes) {
    return position + bytes > completion.gaps().get(gap).end();
  }

  /** The response for the gap is complete. Returns false if it did not fill the gap. */
  boolean endGap() {
    if (position != completion.gaps().get(gap).end()) {
      return false;
    }
    gap++;
    return true;
  }

  /** Whether readers have all bytes of the response. */
  boolean isAtEnd() {
    return position == completion.end();
  }

  /** Whether the next byte must be fetched. */
  boolean isInGap() {
    return gap < completion.gaps().size() && completion.gaps().get(gap).first() == position;
  }

  /** Whether the next byte is stored. */
  boolean isStoredNext() {
    return position < completion.end() && position < stretchEnd();
  }

  boolean isFeeding() {
    return feeding;
  }

  /** The end offset of the stored stretch that is being read. */
  private long stretchEnd() {
    return gap < completion.gaps().size() ? completion.gaps().get(gap).first() : completion.end();
  }

  /** Passes stored bytes to readers up to the next gap, as long as they accept more. */
  void feed(InFlight inFlight) {
    while (!fetch.isOver() && !feeding && isStoredNext() && inFlight.wantsMore()) {
      int most = (int) Math.min(stretchEnd() - position, Entry.BLOCK_BYTES);
      if (part.isResident(position)) {
        hand(part.retainedContent(position, most));
      } else {
        feeding = true;
        part.read(position, most, eventLoop, this::fed);
      }
    }
  }

  /** A read has completed. Takes {@code content}; null if the content is damaged or gone. */
  private void fed(@Nullable ByteBuf content) {
    feeding = false;
    if (fetch.isOver()) {
      if (content != null) {
        content.release();
      }
    } else if (content == null) {
      fetch.stretchLost(position);
      completion = completion.without(position);
      gap = 0;
      fetch.askForGap();
    } else {
      hand(content);
      fetch.readOn();
    }
  }

  private void hand(ByteBuf content) {
    position += content.readableBytes();
    fetch.hand(content);
  }
}
