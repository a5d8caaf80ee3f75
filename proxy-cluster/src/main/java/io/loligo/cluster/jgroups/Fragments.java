package io.loligo.cluster.jgroups;

import java.util.HashMap;
import java.util.Map;
import org.jgroups.Address;
import org.jgroups.Message;
import org.jgroups.View;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.FRAG2;
import org.jgroups.protocols.FragHeader;
import org.jspecify.annotations.Nullable;

/** FRAG2, with bounds for messages that are not complete. The engine calls it. */
final class Fragments extends FRAG2 {
  private final EngineBounds bounds;

  /** Bytes of fragments that wait, by member and number of the message. Guarded by itself. */
  private final Map<Address, Map<Long, Long>> waiting = new HashMap<>();

  /** Written under the lock of {@code waiting}. */
  private volatile long held;

  Fragments(EngineBounds bounds) {
    this.bounds = bounds;
    setId(ClassConfigurator.getProtocolId(FRAG2.class));
  }

  /** Bytes that wait. Any thread. */
  long held() {
    return held;
  }

  /** Null: the message is not complete, or dropped. */
  @Override
  protected @Nullable Message unfragment(Message fragment, FragHeader header) {
    Address sender = fragment.getSrc();
    long length = EngineBounds.bytes(fragment);
    synchronized (waiting) {
      Map<Long, Long> ofSender = waiting.computeIfAbsent(sender, from -> new HashMap<>());
      long sum = length + sum(ofSender);
      if (!bounds.fits(sum)) {
        forget(sender);
        bounds.dropped(sum > EngineBounds.MAX_BYTES ? sender : null);
        return null;
      }
      ofSender.merge(header.id, length, Long::sum);
      Message complete = super.unfragment(fragment, header);
      if (complete != null) {
        ofSender.remove(header.id);
      }
      count();
      return complete;
    }
  }

  /** Also forgets those that are no members and sent some. */
  @Override
  protected void handleViewChange(View view) {
    super.handleViewChange(view);
    synchronized (waiting) {
      waiting.keySet().stream()
          .filter(sender -> !view.containsMember(sender))
          .toList()
          .forEach(this::forget);
    }
  }

  private void forget(Address sender) {
    waiting.remove(sender);
    clearFragmentsFor(sender);
    count();
  }

  private void count() {
    long sum = 0;
    for (Map<Long, Long> ofSender : waiting.values()) {
      sum += sum(ofSender);
    }
    held = sum;
  }

  private static long sum(Map<Long, Long> lengths) {
    long sum = 0;
    for (long length : lengths.values()) {
      sum += length;
    }
    return sum;
  }
}
