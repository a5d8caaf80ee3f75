package io.loligo.cluster.jgroups;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jgroups.Address;
import org.jgroups.Message;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.UNICAST3;
import org.jgroups.util.MessageBatch;
import org.jgroups.util.Table;
import org.jspecify.annotations.Nullable;

/** Messages to one member: UNICAST3, with bounds for what waits. The engine calls it. */
final class NumberedMessages extends UNICAST3 {
  /** Messages of members whose first one is missing, of all together. */
  private static final int MAX_WITHOUT_FIRST = 64;

  private final EngineBounds bounds;

  /** Those of {@code recv_table}, and perhaps some that it had before. */
  private final Map<Address, ReceiveTable> tables = new ConcurrentHashMap<>();

  /** Whose table is made. Guarded by {@code recv_table_lock}. */
  private @Nullable Address creating;

  NumberedMessages(EngineBounds bounds) {
    this.bounds = bounds;
    setId(ClassConfigurator.getProtocolId(UNICAST3.class));
  }

  /** Bytes that wait. Any thread. */
  long held() {
    long sum = 0;
    for (Map.Entry<Address, ReceiveTable> table : tables.entrySet()) {
      if (recv_table.containsKey(table.getKey())) {
        sum += table.getValue().bytes();
      }
    }
    return sum;
  }

  /** The engine calls it with {@code recv_table_lock}. */
  @Override
  protected ReceiverEntry createReceiverEntry(
      Address sender, long number, short connection, Address to) {
    tables.keySet().retainAll(recv_table.keySet());
    creating = sender;
    return super.createReceiverEntry(sender, number, connection, to);
  }

  @Override
  protected Table<Message> createTable(long first) {
    ReceiveTable made =
        new ReceiveTable(xmit_table_num_rows, xmit_table_msgs_per_row, first - 1, bounds);
    Address sender = creating;
    if (sender != null) {
      tables.put(sender, made);
    }
    return made;
  }

  @Override
  public Object up(Message message) {
    dropWithoutFirst();
    return super.up(message);
  }

  @Override
  public void up(MessageBatch batch) {
    dropWithoutFirst();
    super.up(batch);
  }

  private void dropWithoutFirst() {
    if (!msg_cache.isEmpty() && msg_cache.size() > MAX_WITHOUT_FIRST) {
      msg_cache.clear();
      bounds.dropped(null);
    }
  }
}
