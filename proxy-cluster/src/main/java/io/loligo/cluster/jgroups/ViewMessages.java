package io.loligo.cluster.jgroups;

import org.jgroups.Message;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.pbcast.NAKACK2;
import org.jgroups.util.Table;

/**
 * Messages to all members, which are those of views: NAKACK2, with bounds for the messages that
 * wait until all members have them. The engine calls it.
 */
final class ViewMessages extends NAKACK2 {
  private final EngineBounds bounds;

  ViewMessages(EngineBounds bounds) {
    this.bounds = bounds;
    setId(ClassConfigurator.getProtocolId(NAKACK2.class));
  }

  /** Bytes that wait. Any thread. */
  long held() {
    long sum = 0;
    for (Table<Message> table : xmit_table.values()) {
      sum += ((ReceiveTable) table).bytes();
    }
    return sum;
  }

  @Override
  protected Table<Message> createTable(long before) {
    return new ReceiveTable(xmit_table_num_rows, xmit_table_msgs_per_row, before, bounds);
  }
}
