package io.loligo.server.peer.icp;

import io.loligo.server.metrics.IcpCount;
import java.util.concurrent.atomic.AtomicLongArray;

/** Counts the messages of the ICP port. Thread-safe. */
public final class IcpTraffic {
  private final AtomicLongArray counts = new AtomicLongArray(IcpCount.values().length);

  /** {@code message} is sent. */
  void sent(IcpMessage message) {
    if (message.opcode() == IcpMessage.QUERY) {
      add(IcpCount.QUERIES_SENT, IcpCount.QUERY_BYTES_SENT, message);
    } else {
      add(IcpCount.REPLIES_SENT, IcpCount.REPLY_BYTES_SENT, message);
    }
  }

  /** {@code message} has come. */
  void received(IcpMessage message) {
    if (message.opcode() == IcpMessage.QUERY) {
      add(IcpCount.QUERIES_RECEIVED, IcpCount.QUERY_BYTES_RECEIVED, message);
    } else {
      add(IcpCount.REPLIES_RECEIVED, IcpCount.REPLY_BYTES_RECEIVED, message);
    }
  }

  private void add(IcpCount messages, IcpCount bytes, IcpMessage message) {
    counts.incrementAndGet(messages.ordinal());
    counts.addAndGet(bytes.ordinal(), message.bytes());
  }

  /** The count so far; 0 for one that is not of messages. */
  public long value(IcpCount count) {
    return counts.get(count.ordinal());
  }
}
