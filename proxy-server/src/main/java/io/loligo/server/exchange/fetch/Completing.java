package io.loligo.server.exchange.fetch;

import io.loligo.core.message.ResponseHead;
import io.loligo.core.range.Completion;
import io.loligo.store.inflight.InFlight;
import io.loligo.store.memory.Entry;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;

/**
 * An incomplete stored response that a fetch completes: stored stretches, and the answers for the
 * gaps between them, in turn. Owns a reference to the response until {@link #release}. Confined to
 * the fetch's event loop.
 */
final class Completing {
  private final Fetch fetch;
  private final EventLoop eventLoop;
  private final Entry part;
  private Completion completion;

  /** Offset of the next byte of the answer. */
  private long position;

  /** Number of the gap that is being fetched, or comes next. */
  private int gap;

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

  void release() {
    part.release();
  }

  /** The stored response, borrowed. */
  Entry part() {
    return part;
  }

  /** The fields that ask for the gap. */
  Conditions conditions() {
    return Conditions.completing(completion, gap);
  }

  /** Whether {@code reply}, of this content length, is the gap. */
  boolean isContinuedBy(ResponseHead reply, long contentLength) {
    return completion.isContinuedBy(reply, contentLength, gap);
  }

  /** The plan, with the length of the whole from the reply to the first request. */
  Completion known(ResponseHead reply) {
    completion = completion.known(reply);
    return completion;
  }

  /** Notes content of the gap. */
  void received(int bytes) {
    position += bytes;
  }

  /** Whether {@code bytes} more of the gap are more than it has. */
  boolean overflowsGap(int bytes) {
    return position + bytes > completion.gaps().get(gap).end();
  }

  /** The answer for the gap is complete; false where it did not fill the gap. */
  boolean endGap() {
    if (position != completion.gaps().get(gap).end()) {
      return false;
    }
    gap++;
    return true;
  }

  boolean isAtEnd() {
    return position == completion.end();
  }

  boolean isInGap() {
    return gap < completion.gaps().size() && completion.gaps().get(gap).first() == position;
  }

  boolean isStoredNext() {
    return position < completion.end() && position < stretchEnd();
  }

  boolean isFeeding() {
    return feeding;
  }

  /** Where the stored stretch ends that is being read. */
  private long stretchEnd() {
    return gap < completion.gaps().size() ? completion.gaps().get(gap).first() : completion.end();
  }

  /** Hands on stored bytes until the next gap, as far as readers take them. */
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

  /** A read came back. Takes {@code content}, null where it is damaged or gone. */
  private void fed(ByteBuf content) {
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
